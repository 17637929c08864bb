#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// How far raters agree beyond chance: 1 in everything, 0 as dice would, below 0 less than that.
///
/// By convention 1 where all raters always chose one and the same category (0/0 by the formula).
///
/// @param table  [subject][category]: how many raters put that subject there; each row adds up to
///               the same number of raters, two at least.
/// @errors kInvalidArgument, rows counted from 1: no subject, fewer than two raters, a row that
///         adds up to another number or has another number of categories than the first.
/// Source: J. L. Fleiss, Psychological Bulletin 76 (1971) 378-382.
Result<double> FleissKappa(std::span<const std::vector<std::uint32_t>> table);

/// The word for a kappa: low (below 0), slight (to 0.2), fair (0.4), moderate (0.6), substantial
/// (0.8), almost perfect.
///
/// Source: the paper's words (Bauer et al., ICPE '23 Companion) for the bands of J. R. Landis, G.
/// G. Koch, Biometrics 33 (1977) 159-174; from 0 to 0.01, which the paper leaves out, as there.
std::string_view KappaBand(double kappa);

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
struct ConfusionMatrix {
  std::vector<std::vector<std::uint64_t>> counts;  ///< [truth][rater]
  std::vector<CategoryScore> scores;               ///< of each category
  double accuracy = 0;                             ///< share on the diagonal
  bool operator==(const ConfusionMatrix&) const = default;
};

/// @errors as AgreementOf().
Result<ConfusionMatrix> MakeConfusionMatrix(const Ratings& truth, const Ratings& rater,
                                            std::size_t categories);

}  // namespace benchd
