#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/stats/decision.h"
#include "core/stats/paired.h"

namespace benchd {

/// The ranks, counted from 1 in ascending order, of the values that bound a quantile. A rank is
/// absent if even the extreme value does not bound the quantile at the level.
struct QuantileRanks {
  std::optional<std::uint64_t> lo;
  std::optional<std::uint64_t> hi;
  bool operator==(const QuantileRanks&) const = default;
};

/// Returns the largest rank l with P(Bin(n, p) <= l - 1) <= alpha / 2, and the smallest rank u with
/// P(Bin(n, p) >= u) <= alpha / 2. Then [x_(l), x_(u)] covers the p-quantile of any distribution
/// with a probability of at least 1 - alpha.
///
/// @param n      number of values, at least 1
/// @param p      in (0, 1)
/// @param alpha  two-sided level in (0, 1)
/// Source: W. R. Thompson, Annals of Mathematical Statistics 7 (1936) 122-128; H. A. David,
///         H. N. Nagaraja, Order Statistics, Wiley (2003), section 7.1.
QuantileRanks RanksOfQuantile(std::uint64_t n, double p, double alpha);

/// Returns the smallest n at which RanksOfQuantile() finds both ranks, or std::nullopt above
/// `most`.
std::optional<std::uint64_t> FewestForRanks(double p, double alpha, std::uint64_t most);

/// Estimates the p-quantile (type 7) of one arm, with the interval of these ranks. An end without
/// a rank is infinite. There is no interval if both are infinite.
///
/// @param sorted  ascending; at least one value
OneLook QuantileInterval(std::span<const double> sorted, double p, const QuantileRanks& ranks);

/// Compares the P-quantiles of two arms by their order statistics: the log of their ratio, or their
/// difference. The arms may depend on each other in any way, because the interval combines those of
/// either arm at half the level (Bonferroni): [c_lower / b_upper, c_upper / b_lower].
///
/// The only assumption is that the runs of an arm are independent and identically distributed. The
/// interval is valid for one look at level alpha; when watching, pass LevelOfOneLook(). The
/// estimate is that of the type-7 quantiles.
///
/// @param reference  ascending, as `candidate`; for rates, pass 1/x.
/// @return a result without an interval if an arm has too few values (RanksOfQuantile() at
/// alpha/2).
/// @errors kInvalidArgument if an arm has no value, a value is not finite (for ratios: not > 0), or
///         `p` or `alpha` is not in (0, 1).
Result<OneLook> CompareQuantiles(std::span<const double> reference,
                                 std::span<const double> candidate, double p, Contrast contrast,
                                 double alpha);

/// Returns the smallest level, at most 1, at which the interval of CompareQuantiles() excludes
/// `hypothesis` by more than `allowance` >= 0. Takes O(log n) binomial tails.
///
/// @errors as for CompareQuantiles().
Result<double> CompareQuantilesP(std::span<const double> reference,
                                 std::span<const double> candidate, double p, Contrast contrast,
                                 double hypothesis, double allowance = 0);

}  // namespace benchd
