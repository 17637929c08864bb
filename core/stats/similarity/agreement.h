#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Returns the agreement of raters beyond chance: 1 if complete, 0 at the level of chance, below 0
/// if less.
///
/// By convention, it is 1 if all raters always chose the same category (the formula gives 0/0).
///
/// @param table  [subject][category]: number of raters who assigned that category; each row adds up
///               to the same number of raters, at least two.
/// @errors kInvalidArgument, with rows counted from 1: no subject, fewer than two raters, or a row
///         whose sum or number of categories differs from that of the first.
Result<double> FleissKappa(std::span<const std::vector<std::uint32_t>> table);

/// Returns the term for a kappa: low (below 0), slight (up to 0.2), fair (up to 0.4), moderate (up
/// to 0.6), substantial (up to 0.8), almost perfect.
///
/// Source: the terms are those of Bauer et al. (ICPE '23 Companion); the bands are those of
/// J. R. Landis, G. G. Koch, Biometrics 33 (1977) 159-174. Bauer et al. omit 0 to 0.01.
std::string_view KappaBand(double kappa);

/// A rater's category for each subject, numbered from 0.
using Ratings = std::vector<std::uint32_t>;

/// The agreement of two raters, or of all.
struct Agreement {
  double kappa = 0;  ///< Fleiss' kappa
  double share = 0;  ///< share of the subjects that all of these raters rate the same
  bool operator==(const Agreement&) const = default;
};

/// Computes the agreement of all given raters.
///
/// @param raters      at least two, with equal numbers of ratings, at least one.
/// @param categories  upper bound (exclusive) of the ratings.
/// @errors kInvalidArgument if a precondition is violated.
Result<Agreement> AgreementOf(std::span<const Ratings> raters, std::size_t categories);

/// The accuracy with which a rater recognises one category.
struct CategoryScore {
  std::optional<double> sensitivity;  ///< share of true members found; absent if there are none
  std::optional<double> specificity;  ///< share of non-members not found; absent if there are none
  bool operator==(const CategoryScore&) const = default;
};

/// The comparison of a rater's categories with the true ones.
struct ConfusionMatrix {
  std::vector<std::vector<std::uint64_t>> counts;  ///< [truth][rater]
  std::vector<CategoryScore> scores;               ///< one per category
  double accuracy = 0;                             ///< share of the subjects on the diagonal
  bool operator==(const ConfusionMatrix&) const = default;
};

/// Compares a rater with the truth.
///
/// @errors as for AgreementOf().
Result<ConfusionMatrix> MakeConfusionMatrix(const Ratings& truth, const Ratings& rater,
                                            std::size_t categories);

}  // namespace benchd
