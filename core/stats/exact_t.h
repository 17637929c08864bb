#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/stats/look_decision.h"
#include "core/stats/paired.h"

namespace benchd {

/// The boundary of `--method exact-t`, which the paired t statistic must cross to be significant.
///
/// The level is exact, not asymptotic, for jointly normal pairs: the probability that
/// |T_n| > CriticalT(n) at any n >= first_look() is at most alpha. The class is used like
/// SequentialBoundary: the *crossing statistic* of a look is the root a of the boundary that the
/// look just reaches.
/// Source: T. L. Lai, Annals of Statistics 4 (1976) 265-280; docs/statistics.md section 4.
class ExactTBoundary {
 public:
  /// @param alpha       two-sided level in [1e-300, 1); for one-sided use pass twice the level.
  /// @param first_look  m, at least 3.
  /// @errors kInvalidArgument if an argument is outside its range.
  static Result<ExactTBoundary> Make(double alpha, std::uint64_t first_look);

  std::uint64_t first_look() const { return first_look_; }
  /// Returns a, the critical t at the first look.
  double root() const { return root_; }
  /// Returns xi_n = sqrt((n - 1) ((b n)^(1/n) - 1)) with b = (1/m) (1 + a^2/(m - 1))^m, for
  /// n >= first_look().
  double CriticalT(std::uint64_t n) const;

  /// Returns the root a >= 0 whose xi_n is |t|, or 0 if there is none. An infinite t yields
  /// infinity.
  double Crossing(double t, std::uint64_t n) const;
  /// Returns the smallest two-sided level in [0, 1] at which `crossing` would have sufficed.
  double PValue(double crossing) const;

 private:
  ExactTBoundary(std::uint64_t first_look, double root);

  std::uint64_t first_look_;
  double root_;
  double log_b_m_;  // ln(b m) = m ln(1 + a^2/(m - 1))
};

/// Returns the level 2 (1 - F(a) + a f(a)) for Student's law with m - 1 degrees of freedom, a >= 0,
/// m >= 2.
double LaiLevel(double a, std::uint64_t m);

/// Returns the a >= 0 with LaiLevel(a, m) = alpha.
///
/// @errors kInvalidArgument for alpha outside [1e-300, 1) or m < 3.
Result<double> LaiRoot(double alpha, std::uint64_t m);

/// The uncertainty of each mean due to the metric's resolution, on the scale of the analysis.
struct ArmSteps {
  double b = 0;
  double c = 0;
};

/// Returns the resolution q for each arm if NeedsAllowance() holds, otherwise 0. For rates, the
/// step of 1/x is the same fraction of the mean of 1/x as q is of the mean of x.
///
/// @param raw       moments of the values as measured; needs RatioDefined().
/// @param analysed  the same moments, or those of 1/x for rates; needs RatioDefined().
ArmSteps StepsOf(const CentredMoments& raw, const CentredMoments& analysed, double resolution);

/// Returns the factor of a relative margin m: 1 + m if lower is better, which needs m > -1, and
/// 1/(1 - m) for rates, which are analysed as 1/x and need m < 1. The factor of an info metric
/// is 1.
double LowerIsBetterFactor(double margin);
double RateFactor(double margin);

/// Estimates the mean of D_i = c_i - factor * b_i, for a relative margin. `centre` is that mean.
/// `allowance` is the part of its distance to 0 that steps may cause (q (2 + m) if lower is
/// better). kappa is 0, because no guard is needed.
///
/// A spread within the rounding of its two parts counts as 0, as in EstimateRatio(). For an
/// absolute margin, use EstimateDifference() and its allowance instead.
PairedEstimate EstimateAgainstFactor(const CentredMoments& moments, double factor,
                                     const ArmSteps& steps);

/// Returns the signed statistic T = (centre - hypothesis) / se, its numerator reduced by the
/// allowance. T is 0 within the allowance, and infinite if the pairs do not vary and a distance
/// remains.
///
/// With a relative margin, test D against 0; with an absolute one, the difference against the
/// margin.
double ExactT(const PairedEstimate& estimate, double hypothesis);

/// Returns kRegression if t > critical.low, kPass if t < -critical.high, else kContinue. The lower
/// end of the interval establishes a regression, and the upper end a pass.
LookDecision DecideExactT(double t, const CriticalValues& critical);
inline LookDecision DecideExactT(double t, double critical) {
  return DecideExactT(t, CriticalValues{critical, critical});
}

/// Returns the interval of all ratios r = mean_c / mean_b that T does not exclude at `critical` (a
/// value for each end), on the log scale. If the arms vary too much for a lower bound, the lower
/// end is -infinity (a decrease of 100 %). Needs RatioDefined() and two pairs.
///
/// The ends are the roots in r of n (c - r b)^2 = xi^2 (s_cc - 2 r s_bc + r^2 s_bb), with the means
/// moved apart by the steps and the xi of that end, so an interval below the margin is equivalent
/// to a T below -xi. The interval of a difference is PlainInterval() with the same critical values.
///
/// @return std::nullopt if the ratio is unbounded above: n mean_b^2 <= xi^2 s_bb.
/// Source: E. C. Fieller, J. Roy. Statist. Soc. B 16 (1954).
std::optional<Interval> ExactRatioInterval(const CentredMoments& moments,
                                           const CriticalValues& critical, const ArmSteps& steps);
inline std::optional<Interval> ExactRatioInterval(const CentredMoments& moments, double critical,
                                                  const ArmSteps& steps) {
  return ExactRatioInterval(moments, CriticalValues{critical, critical}, steps);
}

}  // namespace benchd
