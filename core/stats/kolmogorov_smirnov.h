#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"

namespace benchd {

/// Two samples' greatest distance between their empirical distribution functions.
struct KolmogorovSmirnov {
  double statistic = 0;  ///< in [0, 1]
  double p = 1;          ///< two-sided, in [0, 1]
  bool exact = true;     ///< false: p is the law for large samples, see below
  bool operator==(const KolmogorovSmirnov&) const = default;
};

/// Up to this product of the two sizes (5000 times 5000) p is exact: time grows with the product,
/// 2 ns or so each, memory with the sum of the sizes.
inline constexpr std::size_t kLargestExactProduct = 25'000'000;

/// Are two samples drawn from one law? Sensitive to shape and place alike: scale the samples first
/// where only the shape is asked for.
///
/// p is the share of all ways to deal the pooled values out to the two samples that come at least
/// as far apart, so it is exact with ties too, with full relative precision for a tiny p. Beyond
/// kLargestExactProduct it is Smirnov's limit, which for ties is on the safe side (too large).
///
/// @errors kInvalidArgument if a sample is empty or a value is not finite.
/// Source: M. Schroeer, D. Trenkler, Comput. Statist. Data Anal. 20 (1995) 185-202; the limit:
///         N. V. Smirnov, Ann. Math. Statist. 19 (1948) 279-281.
Result<KolmogorovSmirnov> CompareDistributions(std::span<const double> x,
                                               std::span<const double> y);

/// The statistic alone, of two samples in ascending order without a NaN, each of one value at
/// least: linear in their sizes.
double SortedDistance(std::span<const double> x, std::span<const double> y);

}  // namespace benchd
