#include "core/analysis/metric_comparison.h"

#include <cmath>

#include "core/stats/decision.h"

namespace benchd {
namespace {

std::uint64_t Lacking(std::uint64_t n, std::uint64_t expected) {
  return n < expected ? expected - n : 0;
}

Verdict VerdictOf(LookDecision decision) {
  if (decision == LookDecision::kPass) return Verdict::kPass;
  if (decision == LookDecision::kRegression) return Verdict::kRegression;
  return Verdict::kUndecided;
}

}  // namespace

MetricComparison::MetricComparison(const Subject& subject, const SequentialDesign& design)
    : subject_(subject),
      estimator_(MakeEffectEstimator(design, subject)),
      asked_(design.estimator),
      rule_(design.rule) {}

bool MetricComparison::HasRatio() const {
  return estimator_->Allows(Contrast::kLogRatio) && (subject_.gate || estimator_->positive());
}

Contrast MetricComparison::DecidingScale() const {
  const bool by_ratio = subject_.gate ? subject_.gate->kind == MarginKind::kRatio
                                      : HasRatio() || !estimator_->Allows(Contrast::kDifference);
  return by_ratio ? Contrast::kLogRatio : Contrast::kDifference;
}

std::uint64_t MetricComparison::Missing(const LookContext& context) const {
  return std::max(Lacking(estimator_->n_reference(), context.expected_reference),
                  Lacking(estimator_->n_candidate(), context.expected_candidate));
}

bool MetricComparison::TooManyMissing(const LookContext& context) const {
  const auto too_many = [](std::uint64_t n, std::uint64_t expected) {
    return Lacking(n, expected) * 20 > expected;
  };
  return too_many(estimator_->n_reference(), context.expected_reference) ||
         too_many(estimator_->n_candidate(), context.expected_candidate);
}

std::optional<Inference> MetricComparison::TakeLook(const SignificanceLevel& level,
                                                    const LookContext& context, bool once) {
  resolution_ = context.resolution;
  auto inference = estimator_->Infer(DecidingScale(), {&level, resolution_, once, true});
  if (!inference) return std::nullopt;
  looked_ = true;
  fixed_ = once;
  level_ = &level;
  if (subject_.gate) {
    side_ = inference->exact_t    ? inference->exact_decision
            : inference->interval ? DecideAgainst(*inference->interval, subject_.gate->threshold)
                                  : LookDecision::kContinue;
  }
  return inference;
}

void MetricComparison::Watch(const SignificanceLevel& level, const LookContext& context,
                             bool may_decide) {
  const auto inference = TakeLook(level, context, false);
  if (!inference) return;
  if (inference->exact_t) {
    p_.WatchExact(*inference->exact_t, values(), *level.exact_t());
  } else {
    p_.Watch(*inference->finding, level.boundary());
  }
  if (may_decide) Decide(*inference, context);
}

void MetricComparison::LookOnce(const SignificanceLevel& level, const LookContext& context) {
  const auto inference = TakeLook(level, context, true);
  if (!inference) return;
  p_.LookOnce(*inference->finding->p, inference->finding->direction);
  Decide(*inference, context);
}

void MetricComparison::Decide(const Inference& inference, const LookContext& context) {
  if (!subject_.gate || settled_ || TooManyMissing(context)) return;
  const std::optional<Interval> shown =
      inference.interval ? std::optional(Show(*inference.interval, DecidingScale())) : std::nullopt;
  LookDecision decision = side_;
  if (rule_.kind == RuleKind::kPrecision) {
    if (!shown) return;
    decision = DecideByWidth(*inference.interval, subject_.gate->threshold, *shown, rule_.width);
  }
  if (decision == LookDecision::kContinue) return;
  verdict_ = VerdictOf(decision);
  settled_ = true;
  decided_ = Decision{context.blocks, {}, {}};
  if (!shown) return;
  decided_->lo = IfFinite(shown->lo);
  decided_->hi = IfFinite(shown->hi);
}

std::optional<Inference> MetricComparison::Now(Contrast scale) const {
  return estimator_->Infer(scale, {level_, resolution_, fixed_, false});
}

std::optional<Interval> MetricComparison::Strayed() const {
  if (!decided_ || verdict_ == Verdict::kUndecided || VerdictOf(side_) == verdict_) {
    return std::nullopt;
  }
  const Contrast scale = DecidingScale();
  const auto now = Now(scale);
  if (!now || !now->interval) return std::nullopt;
  return Show(*now->interval, scale);
}

bool MetricComparison::SettleByEstimate(const LookContext& context) {
  if (!subject_.gate || settled_ || TooManyMissing(context)) return false;
  const auto now = Now(DecidingScale());
  if (!now || now->centre == subject_.gate->threshold) return false;
  verdict_ = now->centre > subject_.gate->threshold ? Verdict::kRegression : Verdict::kPass;
  settled_ = true;
  return true;
}

bool MetricComparison::WithinResolution() const {
  if (!subject_.gate || !looked_) return false;
  const auto now = Now(DecidingScale());
  return now && now->allowance > 0 &&
         std::abs(now->centre - subject_.gate->threshold) <= now->allowance;
}

bool MetricComparison::Changed(const SignificanceLevel& level) const {
  return !subject_.gate && looked_ && p_.value() <= level.two_sided();
}

Interval MetricComparison::Show(const Interval& interval, Contrast scale) const {
  const Interval turned = subject_.rate ? Mirror(interval) : interval;
  return scale == Contrast::kLogRatio ? ToChange(turned) : turned;
}

std::optional<Effect> MetricComparison::ShowEffect(const Inference& now, Contrast scale) const {
  const double centre = subject_.rate ? -now.centre : now.centre;
  const std::optional<double> estimate =
      IfFinite(scale == Contrast::kLogRatio ? std::expm1(centre) : centre);
  if (!estimate) return std::nullopt;
  Effect effect{*estimate, {}, {}};
  if (now.interval) {
    const Interval shown = Show(*now.interval, scale);
    effect.lo = IfFinite(shown.lo);
    effect.hi = IfFinite(shown.hi);
  }
  return effect;
}

void MetricComparison::Describe(const SequentialDesign& design, Comparison& out) const {
  // Before the one look there may be a view of it as if it were watched; without any, only that
  // look was asked for.
  const bool fixed = fixed_ || (design.OneLook() && !looked_);
  out.method = fixed && design.method != Method::kLayouts ? Method::kFixed : design.WatchedMethod();
  out.estimator = asked_;
  if (subject_.gate) {
    out.margin = subject_.gate->margin;
    out.margin_kind = subject_.gate->kind;
    out.verdict = verdict_;
    out.decided = decided_;
  }
  const auto [reference, candidate] = estimator_->Figures();
  out.n_reference = reference.n;
  out.n_candidate = candidate.n;
  out.mean_reference = reference.mean;
  out.mean_candidate = candidate.mean;
  out.sd_reference = reference.sd;
  out.sd_candidate = candidate.sd;
  const Contrast deciding = DecidingScale();
  for (const Contrast scale : {Contrast::kLogRatio, Contrast::kDifference}) {
    const auto now = Now(scale);
    if (!now) continue;
    if (scale == deciding) out.pairing_gain = now->relative_efficiency;
    if (scale == Contrast::kDifference) {
      out.difference = ShowEffect(*now, scale);
    } else if (HasRatio()) {
      out.change = ShowEffect(*now, scale);
    }
  }
  if (looked_) out.p_value = design.one_sided ? p_.value() / 2 : p_.value();
}

// An interval shrinks with the square root of the pairs; that its boundary widens meanwhile is
// little against what the estimate of the spread is worth.
std::optional<double> MetricComparison::FurtherPairsToWidth() const {
  const Contrast scale = DecidingScale();
  const auto now = Now(scale);
  if (!looked_ || !now || !now->interval) return std::nullopt;
  const Interval shown = Show(*now->interval, scale);
  const double shrink = (shown.hi - shown.lo) / rule_.width;
  const double further = static_cast<double>(values()) * (shrink * shrink - 1);
  return std::isfinite(further) ? std::optional(std::max(1.0, further)) : std::nullopt;
}

// An interval of any method is about as wide as one of `se` at the boundary's z would be.
std::optional<PairedEstimate> MetricComparison::AsPairs(const SignificanceLevel& level) const {
  const auto now = Now(DecidingScale());
  if (!now || now->pairs) return now ? now->pairs : std::nullopt;
  if (!now->interval || values() < level.boundary().first_look()) return std::nullopt;
  const double half = (now->interval->hi - now->interval->lo) / 2 - now->allowance;
  if (!std::isfinite(half)) return std::nullopt;
  PairedEstimate estimate;
  estimate.n = values();
  estimate.centre = now->centre;
  estimate.se = std::max(half, 0.0) / level.boundary().ZAt(values());
  estimate.allowance = now->allowance;
  return estimate;
}

std::optional<double> MetricComparison::ForecastFurtherPairs(const SignificanceLevel& level) const {
  if (!subject_.gate || settled_) return std::nullopt;
  if (rule_.kind == RuleKind::kPrecision) return FurtherPairsToWidth();
  const auto estimate = AsPairs(level);
  if (!estimate) return std::nullopt;
  const auto pairs = ForecastPairs(*estimate, subject_.gate->threshold, level.boundary());
  if (!pairs) return std::nullopt;
  return std::max(1.0, *pairs - static_cast<double>(estimate->n));
}

}  // namespace benchd
