#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/resampling.h"

namespace benchd {

/// Estimates the typical change of pairs by the Hodges-Lehmann estimator, which ignores rare slow
/// runs by design (docs/statistics.md section 5).
///
/// The estimate is the median of all N = n(n+1)/2 Walsh averages (x_i + x_j) / 2, i <= j. The
/// interval is [W_(q), W_(N+1-q)] from the exact signed-rank law. It is valid for one look at level
/// alpha; when watching, pass LevelOfOneLook() at the looks of decision.h. Coverage is exact if
/// pair values are distributed symmetrically about their median.
///
/// The averages are never listed. An order statistic is found by bisecting the range of doubles and
/// counting the averages below with two pointers along the sorted values, in at most 64 rounds of
/// O(n). The result is identical, to the bit, to that of sorting all N averages. With 10 000 pairs,
/// this takes milliseconds.
///
/// @param sorted  PairValue() of each pair, ascending; the result is on their scale.
/// @param alpha   two-sided level in (0, 1).
/// @return a result without an interval if even the outermost averages do not reach that level.
/// @errors kInvalidArgument if there is no value, a value is not finite, or `alpha` is out of
///         range.
/// Source: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963) 598-611;
///         selection: D. B. Johnson, T. Mizoguchi, SIAM Journal on Computing 7 (1978) 147-153.
Result<OneLook> HodgesLehmann(std::span<const double> sorted, double alpha);

/// Returns the p-value of the two-sided exact signed-rank test: the smallest level, at most 1, at
/// which the interval of HodgesLehmann() excludes `hypothesis` by more than `allowance` >= 0 (the
/// resolution's addition to each end).
///
/// @errors kInvalidArgument if there is no value, or a value is not finite.
Result<double> HodgesLehmannP(std::span<const double> sorted, double hypothesis,
                              double allowance = 0);

/// Estimates the median of all differences c_j - b_i of two independent samples (coin schedule),
/// with the interval of the exact Mann-Whitney law. For ONE look only.
///
/// For a ratio, pass the logarithms of the values. The interval is exact if the two distributions
/// differ only by a shift.
///
/// @param reference  ascending, as `candidate`; both in the same unit.
/// @errors kInvalidArgument if an arm has no value, a value is not finite, or `alpha` is out of
///         range.
Result<OneLook> HodgesLehmannShift(std::span<const double> reference,
                                   std::span<const double> candidate, double alpha);

/// Returns the two-sided exact Mann-Whitney p-value of `hypothesis`, with an allowance as in
/// HodgesLehmannP().
Result<double> HodgesLehmannShiftP(std::span<const double> reference,
                                   std::span<const double> candidate, double hypothesis,
                                   double allowance = 0);

/// Estimates the median of pair values, with its binomial order-statistic interval
/// [x_(k), x_(n+1-k)]. The only assumption is that the pairs are independent and identically
/// distributed (docs/statistics.md section 5). The median needs more pairs than `hl`, and ignores
/// rare slow runs.
///
/// The interval is valid for one look at level alpha; when watching, pass LevelOfOneLook() at every
/// n. Takes O(n) time to check the values.
///
/// @param sorted  PairValue() of each pair, ascending; the result is on their scale.
/// @param alpha   two-sided level in (0, 1).
/// @return a result without an interval if even the extremes do not reach that level.
/// @errors kInvalidArgument if there is no value, a value is not finite, or `alpha` is out of
///         range.
/// Source: W. R. Thompson, Annals of Mathematical Statistics 7 (1936) 122-128.
Result<OneLook> MedianInterval(std::span<const double> sorted, double alpha);

/// Returns the p-value of the two-sided exact sign test: the smallest level, at most 1, at which
/// the interval of MedianInterval() excludes `hypothesis` by more than `allowance` >= 0.
///
/// @errors kInvalidArgument if there is no value, or a value is not finite.
Result<double> MedianP(std::span<const double> sorted, double hypothesis, double allowance = 0);

/// Returns the largest k >= 1 with 2 P(Bin(n, 1/2) <= k - 1) <= alpha; std::nullopt if there is
/// none.
std::optional<std::uint64_t> MedianCut(std::uint64_t n, double alpha);

/// Estimates the median with a bootstrap over the pairs, for ONE look only. Takes O(10 000 n) time.
///
/// @param seed  recorded with the session; the same seed and data give the same replicates.
/// @errors kInvalidArgument if there are fewer than two values, or more than 2^31, or one is not
///         finite.
Result<Bootstrap> BootstrapMedian(std::span<const double> sorted, std::uint64_t seed);

/// Estimates the ratio of the means of two log-normal arms, on the log scale. This is the same
/// ratio as that of the estimator `mean`, but the interval accounts for the long tail. It is useful
/// if the standard deviations of the logs are 0.5 or more, or very different (docs/statistics.md
/// section 5).
///
/// The interval combines limits of the parts of each arm's log mean, mu + sigma^2 / 2 (MOVER). For
/// mu, it uses Welch's t of the logs instead of the published normal quantile; for sigma, it uses
/// chi-square limits at alpha/2 with n - 1 degrees of freedom. The arms are treated as independent,
/// so pairing saves nothing here: with positively correlated pairs, the interval is too long, and
/// with negatively correlated pairs it is too short.
///
/// The interval is valid for ONE look at level alpha, and only if the values are log-normal from 0
/// on: the chi-square limits of the spread are wrong for any other law, however many values there
/// are. Test the fit with TestNormality() of the logs. When watched, equal arms of which 5 % of the
/// runs are ten times slower were called different in 55 % of sessions at alpha 5 %. Takes O(1)
/// time.
///
/// @param log_reference  moments of the logarithms of the values; likewise `log_candidate`.
/// @param alpha          two-sided level in (0, 1).
/// @return a result with an interval, which is the estimate itself if neither arm varies.
/// @errors kInvalidArgument if an arm has fewer than two values, a moment is not finite, or `alpha`
///         is out of range.
/// Source: G. Y. Zou, J. Taleban, C. Y. Huo, Environmetrics 20 (2009) 172-180.
Result<OneLook> LognormalMeanRatio(const Moments& log_reference, const Moments& log_candidate,
                                   double alpha);

/// Returns the smallest level at which the interval of LognormalMeanRatio() excludes `hypothesis`
/// by more than `allowance` >= 0. Valid for levels below about 0.5, where the limits move with the
/// level; approximate above. Takes as long as computing about 60 intervals.
///
/// @errors as for LognormalMeanRatio().
Result<double> LognormalMeanP(const Moments& log_reference, const Moments& log_candidate,
                              double hypothesis, double allowance = 0);

}  // namespace benchd
