#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/effect_estimator.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The number of first values of an arm that are kept for the checks. The checks compare ranks and
/// distributions, which costs more than O(n), and this many values suffice.
inline constexpr std::size_t kMostCheckedValues = 10'000;

/// The smallest and the largest value of an arm.
struct Extremes {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
};

/// The values of one gate in order of time, which are kept for CheckData().
class CheckedValues {
 public:
  explicit CheckedValues(bool paired) : paired_(paired) {}
  void Add(EffectEstimator::Values reference, EffectEstimator::Values candidate);

  bool paired() const { return paired_; }
  /// Returns whether every value is > 0.
  bool positive() const { return positive_; }
  const std::vector<double>& reference() const { return reference_; }
  const std::vector<double>& candidate() const { return candidate_; }
  /// Returns the extremes of all values, also of those that are not kept.
  const Extremes& of_reference() const { return of_reference_; }
  const Extremes& of_candidate() const { return of_candidate_; }

 private:
  bool paired_;
  bool positive_ = true;
  std::vector<double> reference_;
  std::vector<double> candidate_;
  Extremes of_reference_;
  Extremes of_candidate_;
};

/// The names that a warning mentions.
struct CheckedNames {
  std::string benchmark;
  std::string reference;
  std::string candidate;
};

/// The level of the checks. At this level, the checks of a session other than `outliers` and
/// `pairs_correlated` give a false warning in less than 1 % of clean sessions.
inline constexpr double kCheckLevel = 0.001;

/// The level of `pairs_correlated`, which is higher because autocorrelation that multiplies the
/// error rate is hard to see: at kCheckLevel, AR(0.3) would be reported in 30 % of sessions of 100
/// pairs, and at this level in 60 %.
inline constexpr double kCorrelationLevel = 0.005;

struct CheckOptions {
  /// The error probability of each check: kCheckLevel divided by the number of gates.
  double level = kCheckLevel;
  /// The number of blocks that were discarded before these values. Absent for a table, because its
  /// blocks cannot be discarded.
  std::optional<std::uint64_t> discarded = std::nullopt;
  /// Whether means are compared. Estimators by rank treat an outlier like any other value.
  bool by_mean = true;
  /// Whether the gate was judged by lognormal-mean, which is valid only for log-normal values.
  bool by_lognormal = false;
  /// Whether the gate was judged by a quantile. Users of best-of-N then expect the best runs, which
  /// are stated as information.
  bool by_quantile = false;
};

/// Returns warnings about violated assumptions of a comparison of means (docs/statistics.md section
/// 8): `warmup`, `drift` (a note), `pairs_drift`, `pairs_correlated`, `shapes_differ`, `outliers`,
/// `several_modes`. They are advice and do not affect verdicts. `not_lognormal` is not advice: it
/// invalidates a gate that was judged by a model that its values reject. `best_run` is a note about
/// the best run of each arm. Fewer than eight values give no other warning. Takes up to
/// 20 ms for 1000 values of each arm.
///
/// Each of the dozen thresholds of stats/shape.h errs in 1 % of clean sessions, so one clean
/// session in ten would get a warning. Therefore a violation is reported only if it is also
/// significant at `level` (`pairs_correlated`: at five times that).
///
/// All checks but `warmup` and `not_lognormal` use the values after the warm-up (stats/warmup.h). A
/// drifting arm is not also reported as having several modes, because drift alone can produce
/// several modes; nor are drifting pairs also reported as correlated.
std::vector<Warning> CheckData(const CheckedValues& values, const KnownMetric& metric,
                               MarginKind margin, const CheckedNames& names,
                               const CheckOptions& options = {});

/// Returns the same warnings about one arm by itself, given its values in order of time: `warmup`,
/// `drift`, `outliers` and `several_modes`. Its drift is a caution, because nothing compensates for
/// it.
std::vector<Warning> CheckArm(std::span<const double> values, const KnownMetric& metric,
                              const std::string& benchmark, const std::string& arm,
                              const CheckOptions& options = {});

/// Formats a number with this many decimals: "0.25".
std::string Decimals(double value, int decimals);

/// Returns "18.3 % above" for a mean that lies `shift` above `rest`. If `rest` is 0, the result is
/// a number in the metric's unit, without the unit's name: "0.25 below".
std::string AwayFrom(double shift, double rest);

}  // namespace benchd
