#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// The outcome of one look at a gate. With a width, it may stop and leave the verdict undecided.
enum class LookDecision { kContinue, kPass, kRegression, kUndecided };

/// Pass if the whole interval lies below the threshold, regression if it lies above. Both are on
/// the scale of the estimate, worse positive.
LookDecision DecideAgainst(const Interval& interval, double threshold);

/// One look under the rule `precision` (docs/statistics.md section 4): continues while the interval
/// is too wide.
///
/// @param interval   on the scale of the estimate, as for DecideAgainst().
/// @param shown      as reported: relative changes, or differences in the metric's unit.
/// @param width      the required hi - lo of `shown`; an infinite or NaN end means continue.
LookDecision DecideByWidth(const Interval& interval, double threshold, const Interval& shown,
                           double width);

/// A relative margin as a threshold on the log scale: log1p(m) if lower is better. Rates are
/// analysed as slowdowns and give -log1p(-m), which needs m < 1.
double LowerIsBetterThreshold(double margin);
double RateThreshold(double margin);

/// The result of one look with an estimator other than the mean: on the log scale for ratios, in
/// the unit of the values for differences.
struct OneLook {
  double estimate = 0;
  /// Absent if there are too few values for an interval at that level.
  std::optional<Interval> interval;
};

/// Turns a fixed-sample interval into one that may be watched: at a look with n pairs, take it at
/// this two-sided level, alpha_n = 2 Q(z_n) (docs/statistics.md section 4).
///
/// @param information  number of pairs, at least boundary.first_look(); for two independent arms
///                     the equivalent number of pairs (WelchEstimate::information).
double LevelOfOneLook(const SequentialBoundary& boundary, double information);

/// -1, 0 or 1.
inline int SignOf(double value) { return (value > 0) - (value < 0); }

/// |centre - hypothesis| - allowance, at least 0: the distance beyond the resolution.
double ExcessDistance(double centre, double hypothesis, double allowance);

/// The evidence of one look against a hypothesis, before a boundary weighs it.
struct Finding {
  double distance = 0;  ///< from the hypothesis, in standard errors; infinite without spread
  double dof = 1;       ///< degrees of freedom of Student's law for `distance`
  /// The two-sided fixed-sample p in [0, 1], for methods that compute it directly; replaces
  /// `distance` and `dof`.
  std::optional<double> p{};
  double information = 0;  ///< number of pairs, or the equivalent number
  int direction = 0;       ///< sign of the estimate: -1, 0, 1
};

/// Distance from the estimate to `hypothesis` in standard errors, after deducting the resolution's
/// allowance and the skewness guard. >= 0; infinite if the pairs do not vary and a distance
/// remains. The t interval reaches the hypothesis exactly if t equals this number.
double GuardedDistance(const PairedEstimate& estimate, double hypothesis);

/// The evidence of the pairs against `hypothesis`, for RunningP.
Finding FindingAgainst(const PairedEstimate& estimate, double hypothesis);

/// The p-value of one look at a predetermined number of pairs: 2 P(t_{n-1} > |T|), without the
/// guard, T reduced by the allowance. Two-sided; n >= 2.
double FixedPValue(const PairedEstimate& estimate, double hypothesis);

class ExactTBoundary;

/// An always-valid p-value: the smallest of all looks so far, two-sided; it never rises.
///
/// It is at most a level exactly if the interval of some look at that level excluded the
/// hypothesis. If the hypothesis is true, P(it ever falls to alpha or below) <= alpha. A value
/// type, one per comparison; always use it with the same hypothesis and boundary.
class RunningP {
 public:
  /// Takes one look, not before boundary.first_look(). Computes tail probabilities only if p can
  /// fall.
  void Watch(const Finding& finding, const SequentialBoundary& boundary);
  /// The same with t = ExactT() of n pairs; the sign of t is the direction.
  void WatchExact(double t, std::uint64_t n, const ExactTBoundary& boundary);
  /// Replaces the result of watching by the one look of a fixed design.
  void LookOnce(double p, int direction);

  /// 1 before the first look.
  double value() const { return value_; }
  /// Sign of the estimate (-1, 0, 1) at the look that attained value(); that of the first look
  /// while p is 1; 0 before it.
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

/// Looks of estimators whose look costs more than O(1): at n = ceil(n0 * 1.05^j), j = 0, 1, 2, ...
/// (docs/statistics.md section 5). Computed exactly in integers, so every machine looks at the same
/// n. As long as a step of 5 % is less than one, every n is a look.

/// The smallest look > n; `first_look` (n0 >= 1) for any n below it. Takes microseconds, so a
/// session caches the answer until it is reached.
std::uint64_t NextGeometricLook(std::uint64_t n, std::uint64_t first_look);

/// Whether there is a look at n.
bool IsGeometricLook(std::uint64_t n, std::uint64_t first_look);

/// Holm's step-down adjustment. Rejecting the tests whose adjusted p-value is at most the level
/// keeps the probability of any false rejection below it, however the tests depend on each other.
///
/// @param p_values  each in [0, 1], in any order.
/// @return the adjusted values in the same order, each in [0, 1] and at least as large.
/// Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
std::vector<double> HolmAdjust(std::span<const double> p_values);

/// The total number of pairs until a comparison's interval is expected to clear `threshold`, if
/// estimate, spread and skewness stay as they are. For forecasts only, never for a verdict.
///
/// At least max(n, first look). Accurate to a few per cent, since the critical t is approximated.
/// @return std::nullopt if no number of pairs would do (the estimate is on the threshold, or within
///         the resolution's allowance of it), if it is beyond 1e12, or with fewer than three pairs.
std::optional<double> ForecastPairs(const PairedEstimate& estimate, double threshold,
                                    const SequentialBoundary& boundary);

/// The number of units that each of two arms needs so that one look gives the difference of their
/// means to within `half_width`, if the units of both arms have the standard deviation `sd`: the
/// smallest n with t sd sqrt(2/n) <= half_width, 2n - 2 degrees of freedom. At least 2, at most a
/// million.
std::uint64_t UnitsPerArm(double sd, double half_width, double alpha);

}  // namespace benchd
