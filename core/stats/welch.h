#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// The estimate from two independent arms for the candidate against the reference: the counterpart
/// of PairedEstimate for `--method welch` (docs/statistics.md section 4).
///
/// Worse is positive. `centre` is log(mean_c / mean_b) for ratios, mean_c - mean_b for absolute
/// margins; `se` and `allowance` are on the same scale. With fewer than two values in an arm, the
/// spread is unknown: se and every interval are infinite, and every p is 1.
struct WelchEstimate {
  std::uint64_t n_b = 0;
  std::uint64_t n_c = 0;
  double centre = 0;
  double se = 0;          ///< 0 if neither arm varies
  double dof = 1;         ///< Satterthwaite's; n_b + n_c - 2 if neither arm varies
  double variance_b = 0;  ///< of one value: s^2 / mean^2 for ratios, s^2 for differences
  double variance_c = 0;
  double information = 0;  ///< equivalent number of pairs; an integer only if n_b = n_c
  double allowance = 0;    ///< the resolution's addition to each side; set by the caller

  /// Returns the estimate with the arms swapped.
  WelchEstimate Mirrored() const;
};

/// Returns whether both arms have a value and all moments are within the range of a double.
bool DifferenceDefined(const Moments& b, const Moments& c);
/// Returns whether log(mean_c / mean_b) exists: DifferenceDefined() holds, and InRatioRange() holds
/// for both means.
bool RatioDefined(const Moments& b, const Moments& c);

/// Estimates the log ratio: centre = log(mean_c / mean_b), se^2 = r_b/n_b + r_c/n_c with
/// r = s^2/mean^2. Needs RatioDefined(). For rates, pass moments of 1/x.
///
/// information = (r_b + r_c) / (r_b/n_b + r_c/n_c) is the number of pairs with that standard error.
/// If neither arm varies, it is the harmonic mean of n_b and n_c, its value for equal r. Source:
/// delta method; dof: F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
WelchEstimate EstimateWelchRatio(const Moments& b, const Moments& c);

/// Estimates the difference: centre = mean_c - mean_b, se^2 = s_b^2/n_b + s_c^2/n_c. `dof` and
/// `information` are as for the ratio, with s^2 in place of r. Needs DifferenceDefined(). Source:
/// B. L. Welch, Biometrika 34 (1947) 28-35.
WelchEstimate EstimateWelchDifference(const Moments& b, const Moments& c);

/// Variants of the functions in paired.h for two independent arms of values as measured.
bool NeedsAllowance(const Moments& raw_b, const Moments& raw_c, double resolution);
double RatioAllowance(const Moments& raw_b, const Moments& raw_c, double resolution);
/// Returns the allowance on that scale where one is needed; otherwise 0.
double AllowanceOn(Contrast scale, const Moments& raw_b, const Moments& raw_c, double resolution);

/// Returns whether a look is allowed when watching: both arms have boundary.first_look() values.
bool MayLook(const WelchEstimate& estimate, const SequentialBoundary& boundary);

/// Returns the critical t of a look when watching: the estimate's dof, upper tail probability
/// Q(ZAtInformation(information)). Needs MayLook(). A horizon boundary is valid while neither arm
/// has more values than its horizon.
double CriticalT(const WelchEstimate& estimate, const SequentialBoundary& boundary);

/// Returns the critical t of ONE look at predetermined sizes: upper tail probability alpha / 2.
double FixedCriticalT(double alpha, const WelchEstimate& estimate);

/// Returns centre -/+ se * t, widened by the resolution. Without pairs, there is no skewness guard.
Interval PlainInterval(const WelchEstimate& estimate, const CriticalValues& t);
Interval PlainInterval(const WelchEstimate& estimate, double t);

/// Returns the evidence against `hypothesis`, for RunningP. Its distance is |centre - hypothesis|
/// minus the allowance, in standard errors.
Finding FindingAgainst(const WelchEstimate& estimate, double hypothesis);

/// Returns the two-sided p-value of ONE look at predetermined sizes: 2 P(t_dof > |T|), where T is
/// reduced by the allowance.
double FixedPValue(const WelchEstimate& estimate, double hypothesis);

/// The interval of earlier tools: Welch's interval for the difference of the means, divided by the
/// base's mean as if that mean were known exactly.
struct ClassicInterval {
  WelchEstimate difference;  ///< candidate - base, in the unit of the values
  Interval difference_interval;
  double change = 0;  ///< relative to the base's mean; a negative base reverses the sign
  Interval change_interval;
};

/// Computes the classic interval, for `analyze --interval classic` only, and for ONE look at
/// predetermined sizes. At a ratio of 1.5, it covers 90.6 % instead of 95 %, for any n, because it
/// ignores the error of the base's mean.
///
/// Unlike the earlier tools, the function returns a result if one or both arms do not vary, and
/// orders the ends for a negative base (docs/statistics.md section 5).
///
/// @param alpha  two-sided level in (0, 1), such as 0.001.
/// @errors kInvalidArgument if `alpha` is outside (0, 1), an arm has fewer than two values, a
///         moment is not finite, or the base's mean is 0.
/// Source: B. L. Welch, Biometrika 34 (1947) 28-35.
Result<ClassicInterval> ClassicWelchInterval(const Moments& base, const Moments& candidate,
                                             double alpha);

}  // namespace benchd
