#pragma once

#include <span>

#include "core/base/result.h"
#include "core/stats/decision.h"

namespace benchd {

/// The typical change of pairs: the Hodges-Lehmann estimator, median of all Walsh averages
/// (x_i + x_j) / 2, i <= j, with the interval [W_(q), W_(N+1-q)] of the exact signed-rank law, N =
/// n(n+1)/2 (docs/statistics.md section 5). Ignores rare slow runs by design.
///
/// One look at level alpha; under watching take LevelOfOneLook() at the looks of
/// decision.h. Coverage is exact for pair values that lie symmetrically about their median.
///
/// The averages are never listed: an order statistic is found by halving the range of doubles and
/// counting the averages below with two pointers along the sorted values, at most 64 rounds of
/// O(n). The result is bit for bit the one of sorting all N. Milliseconds at 10 000 pairs.
///
/// @param sorted  PairValue() of each pair, ascending; the result is on their scale.
/// @param alpha   two-sided level in (0, 1).
/// @return no interval while even the outermost averages are no interval of that level.
/// @errors kInvalidArgument if there is no value, one is not finite, or `alpha` is out of range.
/// Source: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963) 598-611;
///         selection: D. B. Johnson, T. Mizoguchi, SIAM Journal on Computing 7 (1978) 147-153.
Result<OneLook> HodgesLehmann(std::span<const double> sorted, double alpha);

/// The smallest level at which that interval excludes `hypothesis` by more than `widening` >= 0
/// (what the resolution adds to each end), at most 1: the two-sided exact signed-rank test.
///
/// @errors kInvalidArgument if there is no value, or one is not finite.
Result<double> HodgesLehmannP(std::span<const double> sorted, double hypothesis,
                              double widening = 0);

/// The same for two independent samples (coin schedule), ONE look only: the median of all
/// differences c_j - b_i, with the interval of the exact Mann-Whitney law.
///
/// For a ratio pass the logarithms of the values. Exact when the two distributions differ by a
/// shift only.
///
/// @param reference  ascending, as `candidate`; both in one unit.
/// @errors kInvalidArgument if an arm has no value, one is not finite, or `alpha` is out of range.
Result<OneLook> HodgesLehmannShift(std::span<const double> reference,
                                   std::span<const double> candidate, double alpha);

/// The two-sided exact Mann-Whitney p-value of `hypothesis`, as above.
Result<double> HodgesLehmannShiftP(std::span<const double> reference,
                                   std::span<const double> candidate, double hypothesis,
                                   double widening = 0);

}  // namespace benchd
