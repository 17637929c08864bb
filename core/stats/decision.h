#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/look_decision.h"
#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// Returns kPass if the whole interval lies below the threshold, and kRegression if it lies above.
/// Both are on the scale of the estimate, where worse is positive.
LookDecision DecideAgainst(const Interval& interval, double threshold);

/// Takes one look under the rule `precision` (docs/statistics.md section 4). Returns kContinue
/// while the interval is too wide.
///
/// @param interval   on the scale of the estimate, as for DecideAgainst().
/// @param shown      as reported: relative changes, or differences in the metric's unit.
/// @param width      the required hi - lo of `shown`; never reached if an end is infinite or NaN.
LookDecision DecideByWidth(const Interval& interval, double threshold, const Interval& shown,
                           double width);

/// Where the whole interval of a control lies, whose margin counts in both directions.
enum class MarginSide { kOpen, kWithin, kAbove, kBelow };

/// Returns kAbove if the whole interval lies above the threshold, kBelow if it lies below the
/// threshold with the other sign, and kWithin if it lies between the two. On the log scale, the
/// second threshold is that of the same margin with the arms exchanged.
///
/// The interval covers the effect on both sides, so each statement is wrong with at most the level
/// of one end, and kAbove or kBelow together with at most the level of the interval. Source:
/// D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680, for kWithin.
///
/// @param threshold  on the scale of the interval, at least 0
MarginSide SideOfMargin(const Interval& interval, double threshold);

/// Converts a relative margin m to a threshold on the log scale: log1p(m) if lower is better, which
/// needs m > -1. Rates are analysed as slowdowns, so their threshold is -log1p(-m), which needs
/// m < 1. A negative m has a threshold below 0, on the side of improvements.
double LowerIsBetterThreshold(double margin);
double RateThreshold(double margin);

/// The result of one look with an estimator other than the mean. It is on the log scale for ratios,
/// and in the unit of the values for differences.
struct OneLook {
  double estimate = 0;
  /// Absent if there are too few values for an interval at that level.
  std::optional<Interval> interval;
};

/// Returns the two-sided level at which a fixed-sample interval must be computed at a look with n
/// pairs if the comparison is watched: alpha_n = 2 Q(z_n) (docs/statistics.md section 4).
///
/// @param information  number of pairs, at least boundary.first_look(); for two independent arms,
///                     the equivalent number of pairs (WelchEstimate::information).
double LevelOfOneLook(const SequentialBoundary& boundary, double information);

/// Returns -1, 0 or 1.
inline int SignOf(double value) { return (value > 0) - (value < 0); }

/// The evidence of one look against a hypothesis, before a boundary weighs it.
struct Finding {
  double distance = 0;  ///< from the hypothesis, in standard errors; infinite without spread
  double dof = 1;       ///< degrees of freedom of Student's law for `distance`
  /// The two-sided fixed-sample p in [0, 1], for methods that compute it directly. If present,
  /// `distance` and `dof` are ignored.
  std::optional<double> p{};
  double information = 0;  ///< number of pairs, or the equivalent number
  int direction = 0;       ///< sign of the estimate: -1, 0, 1
};

/// Returns the distance from the estimate to `hypothesis` in standard errors, after deducting the
/// resolution's allowance and the skewness guard. The result is >= 0, and infinite if the pairs do
/// not vary and a distance remains. The interval just reaches the hypothesis if its t equals this
/// number.
double GuardedDistance(const PairedEstimate& estimate, double hypothesis);

/// Returns the evidence of the pairs against `hypothesis`, for RunningP.
Finding FindingAgainst(const PairedEstimate& estimate, double hypothesis);

/// Returns the two-sided p-value of one look at a predetermined number of pairs, n >= 2:
/// 2 P(t_{n-1} > |T|), where T is reduced by the allowance but not guarded against skewness.
double FixedPValue(const PairedEstimate& estimate, double hypothesis);

class ExactTBoundary;

/// An always-valid two-sided p-value: the smallest of all looks so far, which never rises.
///
/// The p-value is at most a given level if and only if the interval of some look at that level
/// excluded the hypothesis. If the hypothesis is true, the probability that p ever falls to alpha
/// or below is at most alpha. Keep one object per comparison, and always use it with the same
/// hypothesis and boundary.
class RunningP {
 public:
  /// Takes one look, not before boundary.first_look(). Computes tail probabilities only if p can
  /// fall.
  void Watch(const Finding& finding, const SequentialBoundary& boundary);
  /// Takes one look with t = ExactT() of n pairs; the sign of t is the direction.
  void WatchExact(double t, std::uint64_t n, const ExactTBoundary& boundary);
  /// Replaces the result of watching by the only look of a fixed design.
  void LookOnce(double p, int direction);

  /// Returns p, which is 1 before the first look.
  double value() const { return value_; }
  /// Returns the sign of the estimate (-1, 0, 1) at the look that attained value(). While p is 1,
  /// returns the sign at the first look, and 0 before that.
  int direction() const { return direction_; }

 private:
  void Begin(int direction);
  template <typename Boundary>
  void Take(double crossing, int direction, const Boundary& boundary);

  double value_ = 1;
  double crossing_ = 0;  // the largest crossing statistic so far
  int direction_ = 0;
  bool looked_ = false;
};

/// Estimators whose look costs more than O(1) look only at n = ceil(n0 * 1.05^j), j = 0, 1, 2, ...
/// (docs/statistics.md section 5). These n are computed exactly, in integers, so every machine
/// looks at the same ones. As long as 5 % of n is less than one, there is a look at every n.

/// Returns the smallest look > n, which is `first_look` (n0 >= 1) for any n below it. The call
/// takes microseconds, so a session caches the result until that look.
std::uint64_t NextGeometricLook(std::uint64_t n, std::uint64_t first_look);

/// Returns whether there is a look at n.
bool IsGeometricLook(std::uint64_t n, std::uint64_t first_look);

/// Adjusts p-values by Holm's step-down method. If each test is rejected whose adjusted p-value is
/// at most a level, the probability of any false rejection is at most that level, however the tests
/// depend on each other.
///
/// @param p_values  each in [0, 1], in any order.
/// @return the adjusted values in the same order, each in [0, 1] and at least the original value.
/// Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
std::vector<double> HolmAdjust(std::span<const double> p_values);

/// Forecasts the total number of pairs at which a comparison's interval will clear `threshold`, if
/// estimate, spread and skewness stay as they are. Must not be used for a verdict.
///
/// The result is at least max(n, first look). It is accurate to a few per cent, since the critical
/// t is approximated.
/// @return std::nullopt if no number of pairs suffices (the estimate is on the threshold, or within
///         the resolution's allowance of it), if the number exceeds 1e12, or with fewer than three
///         pairs.
std::optional<double> ForecastPairs(const PairedEstimate& estimate, double threshold,
                                    const SequentialBoundary& boundary);

/// Returns the number of units that each of two arms needs so that one look gives the difference of
/// their means to within `half_width`, if the units of both arms have the standard deviation `sd`.
/// It is the smallest n from 2 to a million with t sd sqrt(2/n) <= half_width, where t has 2n - 2
/// degrees of freedom.
std::uint64_t UnitsPerArm(double sd, double half_width, double alpha);

}  // namespace benchd
