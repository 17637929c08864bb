#include "core/analysis/arm_measurement.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/effect_estimator.h"
#include "core/stats/decision.h"
#include "core/stats/mean_interval.h"
#include "core/stats/order_statistics.h"
#include "core/stats/paired.h"

namespace benchd {
namespace {

constexpr double kMiddle = 0.5;

// Converts an interval from the log scale relative to the value. Without a spread, both ends are
// exactly the value.
Interval ToValues(double value, const Interval& logs) {
  return {value * std::exp(logs.lo), value * std::exp(logs.hi)};
}

// Returns the interval with each end moved outwards by one step. Ends above 0 stay there.
Interval WidenedByStep(const Interval& interval, double estimate, double step) {
  if (!(interval.lo > 0)) return {interval.lo - step, interval.hi + step};
  const double factor = std::exp(step / estimate);
  return {interval.lo / factor, interval.hi * factor};
}

ArmFigures FiguresOf(const Moments& raw, const Moments& inverse, bool harmonic) {
  if (!harmonic) return benchd::FiguresOf(raw);
  return HarmonicFigures(inverse.count(), inverse.mean(), inverse.standard_deviation());
}

std::optional<Effect> EffectOf(std::optional<double> value,
                               const std::optional<Interval>& interval) {
  if (!value) return std::nullopt;
  Effect effect{*value, {}, {}};
  if (interval) {
    effect.lo = IfFinite(interval->lo);
    effect.hi = IfFinite(interval->hi);
  }
  return effect;
}

}  // namespace

void ArmMeasurement::Add(const ArmValue& value) {
  positive_ = positive_ && value.positive && value.value > 0;
  min_ = n() == 0 ? value.value : std::min(min_, value.value);
  max_ = n() == 0 ? value.value : std::max(max_, value.value);
  raw_.Add(value.value);
  if (subject_.rate && positive_) inverse_.Add(1 / value.value);
  if (ByRank()) InsertSorted(sorted_, value.value);
}

double ArmMeasurement::Share() const {
  const double share =
      subject_.estimator.kind == EstimatorKind::kQuantile ? subject_.estimator.quantile : kMiddle;
  return subject_.rate ? 1 - share : share;
}

std::optional<double> ArmMeasurement::Value() const {
  if (n() == 0) return std::nullopt;
  if (ByRank()) return IfFinite(QuantileType7(sorted_, Share()).value());
  return FiguresOf(raw_, inverse_, Harmonic()).mean;
}

std::optional<Interval> ArmMeasurement::MeanAt(double t, double resolution, bool once) const {
  const auto interval_of = [t, once](const PairedEstimate& estimate) {
    return once ? PlainInterval(estimate, t) : SkewedInterval(estimate, t);
  };
  const bool coarse = NeedsAllowance(raw_, resolution);
  const Moments& analysed = Harmonic() ? inverse_ : raw_;
  const std::optional<double> value = Value();
  if (value && positive_ && LogMeanDefined(analysed) && InRatioRange(raw_.mean())) {
    PairedEstimate estimate = EstimateLogMean(analysed);
    estimate.centre = 0;
    if (coarse) estimate.allowance = resolution / raw_.mean();
    const Interval logs = interval_of(estimate);
    return ToValues(*value, Harmonic() ? Mirror(logs) : logs);
  }
  if (!MeanDefined(raw_)) return std::nullopt;
  PairedEstimate estimate = EstimateMean(raw_);
  if (coarse) estimate.allowance = resolution;
  return interval_of(estimate);
}

std::optional<Interval> ArmMeasurement::QuantileAt(double alpha, double resolution) const {
  const OneLook look = QuantileInterval(sorted_, Share(), RanksOfQuantile(n(), Share(), alpha));
  if (!look.interval || !NeedsAllowance(raw_, resolution)) return look.interval;
  return WidenedByStep(*look.interval, look.estimate, resolution);
}

std::optional<Interval> ArmMeasurement::At(const SignificanceLevel& level, double resolution,
                                           bool once) const {
  if (ByRank()) {
    const double alpha =
        once ? level.two_sided() : LevelOfOneLook(level.boundary(), static_cast<double>(n()));
    return QuantileAt(alpha, resolution);
  }
  const EndLevel& end = level.lower();
  return MeanAt(once ? end.FixedT(n()) : end.CriticalT(n()), resolution, once);
}

void ArmMeasurement::Watch(const SignificanceLevel& level, double resolution, bool may_decide) {
  if (n() < level.boundary().first_look()) return;
  last_ = At(level, resolution, false);
  const std::optional<double> value = Value();
  if (!last_ || !value) return;
  watched_.Take(*last_, kRoundingFactor * 2 * std::abs(*value));
  if (may_decide) Settle(resolution);
}

void ArmMeasurement::LookOnce(const SignificanceLevel& level, double resolution) {
  if (n() < 2) return;
  fixed_ = true;
  last_ = At(level, resolution, true);
  precise_ = subject_.asked && last_ && std::isfinite(last_->lo) && std::isfinite(last_->hi);
}

bool ArmMeasurement::LacksAnEnd() const {
  const std::optional<Interval> reported = interval();
  const bool bounded = reported && std::isfinite(reported->lo) && std::isfinite(reported->hi);
  return ByRank() && !bounded && n() > 0;
}

std::optional<std::uint64_t> ArmMeasurement::ValuesForInterval(const SignificanceLevel& level,
                                                               bool once) const {
  constexpr std::uint64_t kMost = 1'000'000;
  auto needed = FewestForRanks(Share(), level.two_sided(), kMost);
  // The level of a look falls much more slowly than the probability that it is compared with.
  while (!once && needed && *needed < kMost) {
    const std::uint64_t looked = std::max(*needed, level.boundary().first_look());
    const double alpha = LevelOfOneLook(level.boundary(), static_cast<double>(looked));
    const auto at_level = FewestForRanks(Share(), alpha, kMost);
    if (!at_level || *at_level <= looked) {
      needed = at_level ? std::optional(looked) : std::nullopt;
      break;
    }
    needed = at_level;
  }
  return needed && *needed > n() ? needed : std::nullopt;
}

bool ArmMeasurement::IsNarrow(const Interval& interval, double precision) const {
  const std::optional<double> value = Value();
  if (!value || *value < interval.lo || *value > interval.hi) return false;
  // Infinite ends are never narrow, and constants that are all 0 are as narrow as can be.
  return interval.hi - interval.lo <= precision * std::abs(*value);
}

bool ArmMeasurement::IsTooCoarse(double resolution, double precision) const {
  const std::optional<double> value = Value();
  if (!value || !NeedsAllowance(raw_, resolution)) return false;
  const Interval widened = WidenedByStep({*value, *value}, *value, resolution);
  return widened.hi - widened.lo > precision * std::abs(*value);
}

void ArmMeasurement::Settle(double resolution) {
  if (!subject_.precision || settled()) return;
  const std::optional<Interval> interval = watched_.value();
  if (!interval) {
    reason_ = "intervals_disjoint";
  } else if (IsNarrow(*interval, *subject_.precision)) {
    precise_ = true;
  } else if (min_ == 0 && max_ == 0) {
    reason_ = "always_zero";
  } else if (IsTooCoarse(resolution, *subject_.precision)) {
    reason_ = "resolution";
  }
}

bool ArmMeasurement::EstimateOutside() const {
  const std::optional<double> value = Value();
  const std::optional<Interval> reported = interval();
  return value && reported && (*value < reported->lo || *value > reported->hi);
}

// The width shrinks with the square root of the number of values. The boundary also widens, but
// little compared with the error of the estimated spread.
std::optional<double> ArmMeasurement::ForecastFurther() const {
  const std::optional<double> value = Value();
  if (!subject_.precision || settled() || !last_ || !value) return std::nullopt;
  const double shrink = (last_->hi - last_->lo) / (*subject_.precision * std::abs(*value));
  const double further = static_cast<double>(n()) * (shrink * shrink - 1);
  return std::isfinite(further) ? std::optional(std::max(1.0, further)) : std::nullopt;
}

void ArmMeasurement::Describe(Estimate& out) const {
  out.asked = subject_.asked;
  out.estimator = subject_.estimator;
  out.n = n();
  out.value = EffectOf(Value(), interval());
  if (!fixed_ && last_) out.last = EffectOf(Value(), last_);
  out.sd = FiguresOf(raw_, inverse_, Harmonic()).sd;
  if (n() > 0) {
    out.min = IfFinite(min_);
    out.max = IfFinite(max_);
  }
  out.precision = subject_.precision;
  if (subject_.asked) out.precise = precise_;
  out.reason = reason_;
}

}  // namespace benchd
