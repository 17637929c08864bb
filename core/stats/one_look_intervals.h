#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/resampling.h"

namespace benchd {

/// The typical change of pairs: the Hodges-Lehmann estimator, the median of all Walsh averages
/// (x_i + x_j) / 2, i <= j, with the interval [W_(q), W_(N+1-q)] of the exact signed-rank law, N =
/// n(n+1)/2 (docs/statistics.md section 5). By design it ignores rare slow runs.
///
/// One look at level alpha; when watching, use LevelOfOneLook() at the looks of decision.h.
/// Coverage is exact if pair values are distributed symmetrically about their median.
///
/// The averages are never listed. An order statistic is found by bisecting the range of doubles and
/// counting the averages below with two pointers along the sorted values: at most 64 rounds of
/// O(n). The result is identical, to the bit, to that of sorting all N. Milliseconds at 10 000
/// pairs.
///
/// @param sorted  PairValue() of each pair, ascending; the result is on their scale.
/// @param alpha   two-sided level in (0, 1).
/// @return without an interval as long as even the outermost averages do not reach that level.
/// @errors kInvalidArgument if there is no value, one is not finite, or `alpha` is out of range.
/// Source: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963) 598-611;
///         selection: D. B. Johnson, T. Mizoguchi, SIAM Journal on Computing 7 (1978) 147-153.
Result<OneLook> HodgesLehmann(std::span<const double> sorted, double alpha);

/// The smallest level at which that interval excludes `hypothesis` by more than `allowance` >= 0
/// (the resolution's addition to each end), at most 1: the two-sided exact signed-rank test.
///
/// @errors kInvalidArgument if there is no value, or one is not finite.
Result<double> HodgesLehmannP(std::span<const double> sorted, double hypothesis,
                              double allowance = 0);

/// The same for two independent samples (coin schedule), ONE look only: the median of all
/// differences c_j - b_i, with the interval of the exact Mann-Whitney law.
///
/// For a ratio, pass the logarithms of the values. Exact if the two distributions differ only by a
/// shift.
///
/// @param reference  ascending, as `candidate`; both in one unit.
/// @errors kInvalidArgument if an arm has no value, one is not finite, or `alpha` is out of range.
Result<OneLook> HodgesLehmannShift(std::span<const double> reference,
                                   std::span<const double> candidate, double alpha);

/// The two-sided exact Mann-Whitney p-value of `hypothesis`, as above.
Result<double> HodgesLehmannShiftP(std::span<const double> reference,
                                   std::span<const double> candidate, double hypothesis,
                                   double allowance = 0);

/// The median of pair values with its binomial order-statistic interval [x_(k), x_(n+1-k)]. The
/// only assumption is that the pairs are independent and identically distributed
/// (docs/statistics.md section 5). Needs more pairs than hl, and ignores rare slow runs.
///
/// One look at level alpha; when watching, use LevelOfOneLook() at every n. O(n), a single pass of
/// checks.
///
/// @param sorted  PairValue() of each pair, ascending; the result is on their scale.
/// @param alpha   two-sided level in (0, 1).
/// @return without an interval as long as even the extremes do not reach that level.
/// @errors kInvalidArgument if there is no value, one is not finite, or `alpha` is out of range.
/// Source: W. R. Thompson, Annals of Mathematical Statistics 7 (1936) 122-128.
Result<OneLook> MedianInterval(std::span<const double> sorted, double alpha);

/// The smallest level at which that interval excludes `hypothesis` by more than `allowance` >= 0,
/// at most 1: the two-sided exact sign test.
///
/// @errors kInvalidArgument if there is no value, or one is not finite.
Result<double> MedianP(std::span<const double> sorted, double hypothesis, double allowance = 0);

/// The largest k >= 1 with 2 P(Bin(n, 1/2) <= k - 1) <= alpha; std::nullopt if there is none.
std::optional<std::uint64_t> MedianCut(std::uint64_t n, double alpha);

/// The median with a bootstrap over the pairs instead, for ONE look only. O(10 000 n).
///
/// @param seed  recorded with the session; the same seed and data give the same replicates.
/// @errors kInvalidArgument if there are fewer than two values, or more than 2^31, or one is not
///         finite.
Result<Bootstrap> BootstrapMedian(std::span<const double> sorted, std::uint64_t seed);

/// The ratio of the means of two log-normal arms, on the log scale. It estimates the same as
/// `mean`, with an interval that accounts for the long tail. Useful if the standard deviations of
/// the logs are 0.5 or more, or very different (docs/statistics.md section 5).
///
/// MOVER: per arm log mean = mu + sigma^2 / 2. The mus use Welch's t of the logs in place of the
/// published normal quantile; the sigmas use chi-square limits at alpha/2 with n - 1 degrees of
/// freedom. The arms are treated as independent, so pairing saves nothing here: with positively
/// correlated pairs the interval is too long, never too short.
///
/// One look at level alpha; when watching, use LevelOfOneLook(). O(1): the state is two Moments.
///
/// @param log_reference  moments of the logarithms of the values; likewise `log_candidate`.
/// @param alpha          two-sided level in (0, 1).
/// @return always with an interval, which is the point itself if neither arm varies.
/// @errors kInvalidArgument if an arm has fewer than two values, a moment is not finite, or `alpha`
///         is out of range.
/// Source: G. Y. Zou, J. Taleban, C. Y. Huo, Environmetrics 20 (2009) 172-180.
Result<OneLook> LognormalMeanRatio(const Moments& log_reference, const Moments& log_candidate,
                                   double alpha);

/// The smallest level at which that interval excludes `hypothesis` by more than `allowance` >= 0.
/// Valid for levels below about 0.5, where the limits move with the level; approximate above. Costs
/// about 60 intervals.
///
/// @errors as above.
Result<double> LognormalMeanP(const Moments& log_reference, const Moments& log_candidate,
                              double hypothesis, double allowance = 0);

}  // namespace benchd
