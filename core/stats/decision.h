#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// What one look says about a gate. By a width it may also stop with a verdict that stays open.
enum class LookDecision { kContinue, kPass, kRegression, kUndecided };

/// Pass when the whole interval lies below the threshold, regression when it lies above. Both on
/// the estimate's scale, worse positive.
LookDecision DecideAgainst(const Interval& interval, double threshold);

/// One look under the rule `precision` (docs/statistics.md section 4): go on while the interval is
/// too wide.
///
/// @param interval   on the estimate's scale, as for DecideAgainst().
/// @param shown      the same as reported: relative changes, or differences in the metric's unit.
/// @param width      the wanted hi - lo of `shown`; an end that is infinite or NaN means go on.
LookDecision DecideByWidth(const Interval& interval, double threshold, const Interval& shown,
                           double width);

/// The threshold of a relative margin on the log scale: log1p(m) where lower is better; for rates,
/// analysed as slowdowns, -log1p(-m), which needs m < 1.
double LowerIsBetterThreshold(double margin);
double RateThreshold(double margin);

/// What one look says by an estimator other than the mean: on the log scale for ratios, in the
/// values' unit for differences.
struct OneLook {
  double estimate = 0;
  /// Absent while there are too few values for any interval at that level.
  std::optional<Interval> interval;
};

/// How any fixed-sample interval becomes one that may be watched: at a look with n pairs it is
/// taken at this two-sided level, alpha_n = 2 Q(z_n) (docs/statistics.md section 4).
///
/// @param information  number of pairs, at least boundary.first_look(); for two independent arms
///                     that of the pairs that would carry as much (WelchEstimate::information).
double LevelOfOneLook(const SequentialBoundary& boundary, double information);

/// -1, 0 or 1.
inline int SignOf(double value) { return (value > 0) - (value < 0); }

/// |centre - hypothesis| - allowance, at least 0: what the resolution leaves of a distance.
double ExcessDistance(double centre, double hypothesis, double allowance);

/// What one look has to say against a hypothesis, before a boundary weighs it.
struct Finding {
  double distance = 0;  ///< from the hypothesis, in standard errors; infinite without any spread
  double dof = 1;       ///< of the Student law that `distance` follows
  /// Instead of these two, where a method knows it: the two-sided fixed-sample p, in [0, 1].
  std::optional<double> p{};
  double information = 0;  ///< number of pairs, or of pairs that would carry as much
  int direction = 0;       ///< sign of the estimate: -1, 0, 1
};

/// How many standard errors the estimate lies from `hypothesis` once the resolution's allowance and
/// the skewness guard have taken their part; >= 0, infinite when the pairs do not vary and anything
/// is left. The t interval reaches the hypothesis exactly where t equals this number.
double GuardedDistance(const PairedEstimate& estimate, double hypothesis);

/// What that many pairs say against `hypothesis`, for RunningP.
Finding FindingAgainst(const PairedEstimate& estimate, double hypothesis);

/// The p-value of one look at a number of pairs chosen beforehand: 2 P(t_{n-1} > |T|) without the
/// guard, T reduced by the allowance. Two-sided; n >= 2.
double FixedPValue(const PairedEstimate& estimate, double hypothesis);

class ExactTBoundary;

/// An always-valid p-value: the smallest of all looks so far, two-sided, so it never rises.
///
/// It is at most a level exactly if some look's interval at that level excluded the hypothesis.
/// Holds under watching: P(it ever falls to alpha or below) <= alpha when the hypothesis is true.
/// A value type, one per comparison; always used with the same hypothesis and boundary.
class RunningP {
 public:
  /// Takes one look; not before boundary.first_look(). Costs tail probabilities only when p can
  /// fall.
  void Watch(const Finding& finding, const SequentialBoundary& boundary);
  /// The same with t = ExactT() of n pairs; its side of the hypothesis counts as the direction.
  void WatchExact(double t, std::uint64_t n, const ExactTBoundary& boundary);
  /// The one look of a fixed design replaces what watching said.
  void LookOnce(double p, int direction);

  /// 1 before the first look.
  double value() const { return value_; }
  /// Of the estimate (-1, 0, 1) at the look that attained value(); the first look's while p is 1;
  /// 0 before it.
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

/// When an estimator whose look costs more than O(1) looks at its data: at n = ceil(n0 * 1.05^j),
/// j = 0, 1, 2, ... (docs/statistics.md section 5). In exact arithmetic on whole numbers, so that
/// every machine looks at the same n. While steps of 5 % are shorter than one, every n is a look.

/// The smallest look > n; `first_look` (n0 >= 1) for any n below it. Takes microseconds, so a
/// session keeps the answer until it is reached.
std::uint64_t NextGeometricLook(std::uint64_t n, std::uint64_t first_look);

/// Whether there is a look at n.
bool IsGeometricLook(std::uint64_t n, std::uint64_t first_look);

/// Holm's step-down adjustment: reject those whose adjusted p-value is at most the level, and the
/// chance of any false rejection stays below it, however the tests depend on each other.
///
/// @param p_values  each in [0, 1], in any order.
/// @return the adjusted ones in the same order, each in [0, 1] and at least as large.
/// Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
std::vector<double> HolmAdjust(std::span<const double> p_values);

/// How many pairs in all a comparison will need until its interval clears `threshold`, if estimate,
/// spread and skewness stay as they are: for the expected time to a verdict, never for a verdict.
///
/// At least max(n, first look). Good to a few per cent; the critical t is approximated.
/// @return nothing where no number of pairs would do (the estimate is on the threshold, or within
///         the resolution's allowance of it), where it is beyond 1e12, with fewer than three pairs.
std::optional<double> ForecastPairs(const PairedEstimate& estimate, double threshold,
                                    const SequentialBoundary& boundary);

/// How many units each of two arms needs until the one look at the difference of their means is
/// known to `half_width` to each side, if units of both arms spread as `sd` on the same scale: the
/// smallest n with t sd sqrt(2/n) <= half_width, 2n - 2 degrees of freedom. At least 2, at most a
/// million.
std::uint64_t UnitsPerArm(double sd, double half_width, double alpha);

}  // namespace benchd
