#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// What one rater said of each subject: a category, numbered from 0.
using Ratings = std::vector<std::uint32_t>;

/// Two raters, or all of them.
struct Agreement {
  double kappa = 0;  ///< Fleiss'
  double share = 0;  ///< of subjects that all of them rate alike
  bool operator==(const Agreement&) const = default;
};

/// @param raters      two at least, each with as many ratings, one at least.
/// @param categories  every rating is below it.
/// @errors kInvalidArgument when that does not hold.
Result<Agreement> AgreementOf(std::span<const Ratings> raters, std::size_t categories);

/// One category found among all others.
struct CategoryScore {
  std::optional<double> sensitivity;  ///< found, of those that truly are it; absent when none is
  std::optional<double> specificity;  ///< not found, of those that truly are not; likewise
  bool operator==(const CategoryScore&) const = default;
};

/// A rater held against the truth.
struct Confusion {
  std::vector<std::vector<std::uint64_t>> counts;  ///< [truth][rater]
  std::vector<CategoryScore> scores;               ///< of each category
  double accuracy = 0;                             ///< share on the diagonal
  bool operator==(const Confusion&) const = default;
};

/// @errors as AgreementOf().
Result<Confusion> Confront(const Ratings& truth, const Ratings& rater, std::size_t categories);

}  // namespace benchd
