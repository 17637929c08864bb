#include "core/analysis/metric_comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/stats/forecast.h"

namespace benchd {
namespace {

std::uint64_t Lacking(std::uint64_t n, std::uint64_t expected) {
  return n < expected ? expected - n : 0;
}

Verdict VerdictOf(PrecisionDecision decision) {
  if (decision == PrecisionDecision::kPass) return Verdict::kPass;
  if (decision == PrecisionDecision::kRegression) return Verdict::kRegression;
  return Verdict::kUndecided;
}

}  // namespace

MetricComparison::MetricComparison(const Subject& subject, std::unique_ptr<Evidence> evidence,
                                   const LookPlan& plan)
    : subject_(subject),
      evidence_(std::move(evidence)),
      estimator_(plan.estimator),
      rule_(plan.rule) {}

std::uint64_t MetricComparison::values() const {
  const ArmCounts counts = evidence_->Counts();
  return std::min(counts.reference, counts.candidate);
}

bool MetricComparison::HasRatio() const {
  return evidence_->Defined(Contrast::kLogRatio) && (subject_.gate || evidence_->positive());
}

Contrast MetricComparison::DecidingScale() const {
  const bool by_ratio = subject_.gate ? subject_.gate->kind == MarginKind::kRatio
                                      : HasRatio() || !evidence_->Defined(Contrast::kDifference);
  return by_ratio ? Contrast::kLogRatio : Contrast::kDifference;
}

std::uint64_t MetricComparison::Missing(const LookContext& context) const {
  const ArmCounts counts = evidence_->Counts();
  return std::max(Lacking(counts.reference, context.expected_reference),
                  Lacking(counts.candidate, context.expected_candidate));
}

bool MetricComparison::TooManyMissing(const LookContext& context) const {
  const auto too_many = [](std::uint64_t n, std::uint64_t expected) {
    return Lacking(n, expected) * 20 > expected;
  };
  const ArmCounts counts = evidence_->Counts();
  return too_many(counts.reference, context.expected_reference) ||
         too_many(counts.candidate, context.expected_candidate);
}

void MetricComparison::Look(Level& level, const LookContext& context, bool may_decide) {
  resolution_ = context.resolution;
  const Contrast scale = DecidingScale();
  if (!evidence_->Defined(scale) || !evidence_->Look(scale, resolution_, level)) return;
  looked_ = true;
  if (may_decide) Decide(context);
}

void MetricComparison::LookOnce(const Level& level, const LookContext& context) {
  resolution_ = context.resolution;
  const bool by_ratio = subject_.gate ? subject_.gate->kind == MarginKind::kRatio
                                      : evidence_->RatioPossible() && evidence_->positive();
  const Contrast scale = by_ratio ? Contrast::kLogRatio : Contrast::kDifference;
  if (!evidence_->LookOnce(scale, resolution_, level)) return;
  fixed_ = looked_ = true;
  Decide(context);
}

void MetricComparison::Settle(Verdict verdict, std::uint64_t blocks) {
  verdict_ = verdict;
  settled_ = true;
  const Contrast scale = DecidingScale();
  decided_ = Decision{blocks, {}, {}};
  if (const auto interval = evidence_->IntervalOn(scale, resolution_)) {
    const Interval shown = Show(*interval, scale);
    decided_->lo = IfFinite(shown.lo);
    decided_->hi = IfFinite(shown.hi);
  }
}

void MetricComparison::Decide(const LookContext& context) {
  if (!subject_.gate || settled_ || TooManyMissing(context)) return;
  const Contrast scale = DecidingScale();
  if (rule_.kind == RuleKind::kPrecision) {
    const std::optional<Interval> interval = evidence_->IntervalOn(scale, resolution_);
    if (!interval) return;
    const PrecisionDecision decision =
        DecideByWidth(*interval, subject_.gate->threshold, Show(*interval, scale), rule_.width);
    if (decision != PrecisionDecision::kContinue) Settle(VerdictOf(decision), context.blocks);
    return;
  }
  const MarginDecision decision = evidence_->Judge(scale, resolution_);
  if (decision == MarginDecision::kContinue) return;
  Settle(decision == MarginDecision::kPass ? Verdict::kPass : Verdict::kRegression, context.blocks);
}

std::optional<Interval> MetricComparison::Strayed() const {
  if (!decided_ || verdict_ == Verdict::kUndecided) return std::nullopt;
  const Contrast scale = DecidingScale();
  const std::optional<Interval> now = evidence_->IntervalOn(scale, resolution_);
  const MarginDecision side =
      verdict_ == Verdict::kPass ? MarginDecision::kPass : MarginDecision::kRegression;
  if (!now || evidence_->Judge(scale, resolution_) == side) return std::nullopt;
  return Show(*now, scale);
}

bool MetricComparison::SettleByEstimate(const LookContext& context) {
  if (!subject_.gate || settled_ || TooManyMissing(context)) return false;
  const Contrast scale = DecidingScale();
  if (!evidence_->Defined(scale)) return false;
  const double centre = evidence_->On(scale, context.resolution).centre;
  if (centre == subject_.gate->threshold) return false;
  verdict_ = centre > subject_.gate->threshold ? Verdict::kRegression : Verdict::kPass;
  settled_ = true;
  return true;
}

bool MetricComparison::WithinResolution() const {
  const Contrast scale = DecidingScale();
  if (!subject_.gate || !looked_ || !evidence_->Defined(scale)) return false;
  const ScaleEstimate estimate = evidence_->On(scale, resolution_);
  return estimate.widening > 0 &&
         std::abs(estimate.centre - subject_.gate->threshold) <= estimate.widening;
}

bool MetricComparison::Changed(const Level& level) const {
  return !subject_.gate && looked_ && evidence_->p_value() <= level.two_sided();
}

Interval MetricComparison::Show(const Interval& interval, Contrast scale) const {
  const Interval turned = subject_.rate ? Mirror(interval) : interval;
  return scale == Contrast::kLogRatio ? ToChange(turned) : turned;
}

std::optional<Effect> MetricComparison::ShowEffect(Contrast scale) const {
  if (!evidence_->Defined(scale)) return std::nullopt;
  const double worse = evidence_->On(scale, resolution_).centre;
  const double centre = subject_.rate ? -worse : worse;
  const std::optional<double> estimate =
      IfFinite(scale == Contrast::kLogRatio ? std::expm1(centre) : centre);
  if (!estimate) return std::nullopt;
  Effect effect{*estimate, {}, {}};
  if (const auto interval = evidence_->IntervalOn(scale, resolution_)) {
    const Interval shown = Show(*interval, scale);
    effect.lo = IfFinite(shown.lo);
    effect.hi = IfFinite(shown.hi);
  }
  return effect;
}

void MetricComparison::Describe(const LookPlan& plan, Comparison& out) const {
  // Before the one look there may be a view of it as if it were watched; without any, only that
  // look was asked for.
  const bool fixed = fixed_ || (plan.OneLook() && !looked_);
  out.method = fixed ? Method::kFixed : plan.WatchedMethod();
  out.estimator = estimator_;
  if (subject_.gate) {
    out.margin = subject_.gate->margin;
    out.margin_kind = subject_.gate->kind;
    out.verdict = verdict_;
    out.decided = decided_;
  }
  const ArmFigures reference = evidence_->Reference();
  const ArmFigures candidate = evidence_->Candidate();
  out.n_reference = reference.n;
  out.n_candidate = candidate.n;
  out.mean_reference = reference.mean;
  out.mean_candidate = candidate.mean;
  out.sd_reference = reference.sd;
  out.sd_candidate = candidate.sd;
  if (HasRatio()) out.change = ShowEffect(Contrast::kLogRatio);
  out.difference = ShowEffect(Contrast::kDifference);
  out.pairing_gain = evidence_->PairingGain(DecidingScale());
  if (looked_) out.p_value = plan.one_sided ? evidence_->p_value() / 2 : evidence_->p_value();
}

// An interval shrinks with the square root of the pairs; that its boundary widens meanwhile is
// little against what the estimate of the spread is worth.
std::optional<double> MetricComparison::FurtherPairsToWidth() const {
  const Contrast scale = DecidingScale();
  const std::optional<Interval> interval =
      looked_ ? evidence_->IntervalOn(scale, resolution_) : std::nullopt;
  if (!interval) return std::nullopt;
  const Interval shown = Show(*interval, scale);
  const double shrink = (shown.hi - shown.lo) / rule_.width;
  const double further = static_cast<double>(values()) * (shrink * shrink - 1);
  return std::isfinite(further) ? std::optional(std::max(1.0, further)) : std::nullopt;
}

std::optional<double> MetricComparison::ForecastFurtherPairs(const Level& level) const {
  if (!subject_.gate || settled_) return std::nullopt;
  if (rule_.kind == RuleKind::kPrecision) return FurtherPairsToWidth();
  const auto estimate = evidence_->ForForecast(DecidingScale(), resolution_, level);
  if (!estimate) return std::nullopt;
  const auto pairs = ForecastPairs(*estimate, subject_.gate->threshold, level.boundary());
  if (!pairs) return std::nullopt;
  return std::max(1.0, *pairs - static_cast<double>(estimate->n));
}

}  // namespace benchd
