#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/sequential_design.h"
#include "core/model/measurement.h"
#include "core/model/session_spec.h"
#include "core/stats/descriptive.h"
#include "core/stats/running_interval.h"

namespace benchd {

/// What is measured of one arm in one metric.
struct MeasuredSubject {
  bool rate = false;    ///< whether higher is better
  Estimator estimator;  ///< mean, median or quantile
  bool asked = false;   ///< whether the session waits for it
  /// The width at which it is precise enough, (hi - lo) / estimate. Absent if not asked for, and
  /// for an exact number of runs.
  std::optional<double> precision;
};

/// The values of one arm in one metric, and the interval of their mean or quantile
/// (docs/statistics.md section 12).
///
/// The mean is estimated on the log scale while every value is above 0, otherwise as it is; that of
/// rates is harmonic while every value is above 0. Under watching, the intersection of the
/// intervals of all looks so far is reported (RunningInterval), in the unit of the metric. Owned by
/// BenchmarkMeasurement. Memory is O(1) for the mean, and O(n) for a quantile.
class ArmMeasurement {
 public:
  explicit ArmMeasurement(const MeasuredSubject& subject) : subject_(subject) {}

  void Add(const ArmValue& value);

  /// Takes a look under watching, after a value was added. Does nothing before the first look of
  /// the boundary.
  /// @param resolution  the metric's step in its unit; 0 for a count of work
  /// @param may_decide  false if only the one look at the end may decide (`--runs`)
  void Watch(const SignificanceLevel& level, double resolution, bool may_decide);
  /// Takes the one look of a fixed design. Does nothing if there are fewer than two values.
  void LookOnce(const SignificanceLevel& level, double resolution);

  const MeasuredSubject& subject() const { return subject_; }
  std::uint64_t n() const { return raw_.count(); }
  /// Returns whether the interval is, or once was, as narrow as requested; for an exact number of
  /// runs, whether the look gave an interval.
  bool precise() const { return precise_; }
  /// Returns the code of the reason why it will never be precise, or "" (kEstimateReasons).
  std::string_view reason() const { return reason_; }
  bool settled() const { return precise_ || !reason_.empty(); }
  /// Returns whether the last look's estimate lies outside the reported interval.
  bool EstimateOutside() const;
  /// Returns the reported interval in the metric's unit. An end may be infinite.
  std::optional<Interval> interval() const { return fixed_ ? last_ : watched_.value(); }
  /// Returns the number of further values after which the interval is expected to be narrow enough.
  std::optional<double> ForecastFurther() const;

  /// Returns whether order statistics have had too few values for two ends of the interval.
  bool LacksAnEnd() const;
  /// Returns the quantile of the values as measured, of which the interval is. P counts from the
  /// fast end.
  double Share() const;
  /// Returns the number of values, above n(), that an interval which lacks an end needs to have
  /// both. Under watching it is that of the first look which has them. Returns nothing for absurd
  /// numbers.
  /// @param once  whether the number of values is chosen beforehand
  std::optional<std::uint64_t> ValuesForInterval(const SignificanceLevel& level, bool once) const;

  /// Fills in the figures, from `n` to `reason`. The caller fills in the names and the confidence.
  void Describe(Estimate& out) const;

 private:
  bool ByRank() const { return subject_.estimator.kind != EstimatorKind::kMean; }
  // Returns whether the mean is that of 1/x.
  bool Harmonic() const { return subject_.rate && positive_ && !ByRank(); }
  // Returns the mean or quantile; nothing without values, or if it is not finite.
  std::optional<double> Value() const;
  std::optional<Interval> MeanAt(double t, double resolution, bool once) const;
  std::optional<Interval> QuantileAt(double alpha, double resolution) const;
  // Returns the interval of a look at the values so far.
  std::optional<Interval> At(const SignificanceLevel& level, double resolution, bool once) const;
  bool IsNarrow(const Interval& interval, double precision) const;
  // Returns whether the step alone makes the interval wider than requested.
  bool IsTooCoarse(double resolution, double precision) const;
  void Settle(double resolution);

  MeasuredSubject subject_;
  Moments raw_;
  Moments inverse_;             // of 1/x, for rates
  std::vector<double> sorted_;  // only for quantiles
  bool positive_ = true;
  double min_ = 0;
  double max_ = 0;
  RunningInterval watched_;
  std::optional<Interval> last_;  // of the last look
  bool fixed_ = false;
  bool precise_ = false;
  std::string_view reason_;
};

}  // namespace benchd
