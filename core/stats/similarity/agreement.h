#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Agreement of raters beyond chance: 1 if complete, 0 at the level of chance, below 0 if less.
///
/// By convention 1 if all raters always chose the same category (0/0 by the formula).
///
/// @param table  [subject][category]: number of raters who assigned that category; each row adds up
///               to the same number of raters, at least two.
/// @errors kInvalidArgument, with rows counted from 1: no subject, fewer than two raters, or a row
///         whose sum or number of categories differs from that of the first.
Result<double> FleissKappa(std::span<const std::vector<std::uint32_t>> table);

/// The term for a kappa: low (below 0), slight (to 0.2), fair (0.4), moderate (0.6), substantial
/// (0.8), almost perfect.
///
/// Source: the terms of Bauer et al. (ICPE '23 Companion) for the bands of J. R. Landis, G. G.
/// Koch, Biometrics 33 (1977) 159-174, which also cover 0 to 0.01, omitted by Bauer et al.
std::string_view KappaBand(double kappa);

/// A rater's category for each subject, numbered from 0.
using Ratings = std::vector<std::uint32_t>;

/// The agreement of two raters, or of all.
struct Agreement {
  double kappa = 0;  ///< Fleiss' kappa
  double share = 0;  ///< of subjects that all of them rate the same
  bool operator==(const Agreement&) const = default;
};

/// @param raters      at least two, with equal numbers of ratings, at least one.
/// @param categories  upper bound (exclusive) of the ratings.
/// @errors kInvalidArgument if a precondition is violated.
Result<Agreement> AgreementOf(std::span<const Ratings> raters, std::size_t categories);

/// How well a rater finds one category among all others.
struct CategoryScore {
  std::optional<double> sensitivity;  ///< share of true members found; absent if there are none
  std::optional<double> specificity;  ///< share of non-members not found; likewise
  bool operator==(const CategoryScore&) const = default;
};

/// A rater compared with the truth.
struct ConfusionMatrix {
  std::vector<std::vector<std::uint64_t>> counts;  ///< [truth][rater]
  std::vector<CategoryScore> scores;               ///< one per category
  double accuracy = 0;                             ///< share on the diagonal
  bool operator==(const ConfusionMatrix&) const = default;
};

/// @errors as AgreementOf().
Result<ConfusionMatrix> MakeConfusionMatrix(const Ratings& truth, const Ratings& rater,
                                            std::size_t categories);

}  // namespace benchd
