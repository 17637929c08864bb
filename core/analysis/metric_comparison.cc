#include "core/analysis/metric_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stats/decision.h"
#include "core/stats/early_look.h"

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

constexpr std::uint64_t kMostLacking = 20;  // at most one value in this many may be missing

// Returns whether the missing values exceed 5 % by more than chance. Uses Chernoff's bound,
// exp(-expected * KL), on the probability that at least `lacking` of `expected` values are missing
// if the true share is 5 %: H. Chernoff, Ann. Math. Statist. 23 (1952) 493-507.
bool AlwaysTooManyLack(std::uint64_t lacking, std::uint64_t expected) {
  if (!TooManyLack(lacking, expected)) return false;
  constexpr double kMost = 1.0 / static_cast<double>(kMostLacking);
  constexpr double kNever = 1e-6;
  const double share = static_cast<double>(lacking) / static_cast<double>(expected);
  const double others = share < 1 ? (1 - share) * std::log((1 - share) / (1 - kMost)) : 0;
  const double divergence = share * std::log(share / kMost) + others;
  return static_cast<double>(expected) * divergence >= -std::log(kNever);
}

// Returns the first early look of a comparison, if it has any: a gate whose margin is a ratio.
std::optional<std::uint64_t> EarlyLookOf(const Subject& subject, const SequentialDesign& design) {
  const bool by_ratio = subject.gate && subject.gate->kind == MarginKind::kRatio;
  return by_ratio && !subject.IsControl() ? design.early_look : std::nullopt;
}

}  // namespace

bool TooManyLack(std::uint64_t lacking, std::uint64_t expected) {
  return lacking * kMostLacking > expected;
}

MetricComparison::MetricComparison(const Subject& subject, const SequentialDesign& design)
    : subject_(subject),
      estimator_(MakeEffectEstimator(design, subject)),
      asked_(design.estimator),
      rule_(design.rule),
      early_look_(EarlyLookOf(subject, design)) {}

bool MetricComparison::HasRatio() const {
  return estimator_->Allows(Contrast::kLogRatio) && (subject_.gate || estimator_->positive());
}

Contrast MetricComparison::DecidingScale() const {
  const bool by_ratio = subject_.gate ? subject_.gate->kind == MarginKind::kRatio
                                      : HasRatio() || !estimator_->Allows(Contrast::kDifference);
  return by_ratio ? Contrast::kLogRatio : Contrast::kDifference;
}

LackingValues MetricComparison::Missing(const LookContext& context) const {
  return {Lacking(estimator_->n_reference(), context.expected_reference),
          Lacking(estimator_->n_candidate(), context.expected_candidate)};
}

bool MetricComparison::TooManyMissing(const LookContext& context) const {
  const LackingValues lacking = Missing(context);
  return TooManyLack(lacking.reference, context.expected_reference) ||
         TooManyLack(lacking.candidate, context.expected_candidate);
}

bool MetricComparison::AlwaysTooManyMissing(const LookContext& context) const {
  const LackingValues lacking = Missing(context);
  return AlwaysTooManyLack(lacking.reference, context.expected_reference) ||
         AlwaysTooManyLack(lacking.candidate, context.expected_candidate);
}

std::optional<Inference> MetricComparison::TakeLook(const SignificanceLevel& level,
                                                    const LookContext& context, bool once) {
  const Contrast scale = DecidingScale();
  resolution_ = ResolutionFor(context);
  const Interval* known = once ? nullptr : &Watched(scale).ends();
  auto inference = estimator_->Infer(scale, {&level, resolution_, once, true, known});
  if (!inference) return std::nullopt;
  looked_ = true;
  fixed_ = once;
  passes_apart_ = level.passes().has_value();
  level_ = &level;
  return inference;
}

void MetricComparison::Watch(const SignificanceLevel& level, const LookContext& context,
                             bool may_decide) {
  if (IsExact()) {
    if (may_decide) DecideOnConstants(level.boundary().first_look(), context);
    return;
  }
  if (early_look_ && values() <= kLastEarlyLook) return LookEarly(level, context);
  const auto inference = TakeLook(level, context, false);
  // Missing runs do not matter for info metrics, because these do not decide anything.
  if (!inference || (subject_.gate && TooManyMissing(context))) return;
  const auto watch = [&](RunningP& p) {
    if (inference->exact_t) {
      p.WatchExact(*inference->exact_t, values(), *level.exact_t());
    } else {
      p.Watch(*inference->finding, level.boundary());
    }
  };
  watch(p_);
  if (subject_.gate && level.shared() && may_decide) {
    watch(SideOf(*inference) > 0 ? p_above_ : p_below_);
  }
  Enter(*inference, level);
  if (!subject_.gate || !may_decide) return;
  const std::optional<Interval> interval = Watched(DecidingScale()).value();
  if (!interval) return;
  Decide(inference->exact_t ? inference->exact_decision
                            : DecideAgainst(*interval, subject_.gate->threshold),
         *interval, *inference, context);
}

void MetricComparison::LookOnce(const SignificanceLevel& level, const LookContext& context) {
  const auto inference = TakeLook(level, context, true);
  if (IsExact()) {
    // A single value cannot show that it is constant.
    DecideOnConstants(2, context);
    return;
  }
  if (!inference) return;
  upper_stated_ = inference->upper_stated;
  p_.LookOnce(*inference->finding->p, inference->finding->direction);
  if (subject_.gate && level.shared()) {
    const int side = SideOf(*inference);
    p_above_.LookOnce(side > 0 ? *inference->finding->p : 1, side);
    p_below_.LookOnce(side > 0 ? 1 : *inference->finding->p, side);
  }
  if (!subject_.gate || !inference->interval) return;
  Decide(DecideAgainst(*inference->interval, subject_.gate->threshold), *inference->interval,
         *inference, context);
}

namespace {

// Returns the decision of exact-t about the margin as an interval with one finite end. The decision
// exists even if the interval of the ratio is unbounded. It is then the only statement of the look,
// at half its level.
std::optional<Interval> HalfLine(LookDecision decision, double threshold) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  if (decision == LookDecision::kRegression) {
    return Interval{std::nextafter(threshold, kUnbounded), kUnbounded};
  }
  if (decision == LookDecision::kPass) {
    return Interval{-kUnbounded, std::nextafter(threshold, -kUnbounded)};
  }
  return std::nullopt;
}

}  // namespace

void MetricComparison::Enter(const Inference& inference, const SignificanceLevel& level) {
  const Contrast scale = DecidingScale();
  if (inference.interval) Watched(scale).Take(*inference.interval, inference.rounding);
  if (inference.upper_stated) {
    upper_stated_ =
        std::min(upper_stated_.value_or(*inference.upper_stated), *inference.upper_stated);
  }
  if (subject_.gate) {
    const auto side = HalfLine(inference.exact_decision, subject_.gate->threshold);
    if (side) Watched(scale).Take(*side, inference.rounding);
  }
  const Contrast other = scale == Contrast::kLogRatio ? Contrast::kDifference : Contrast::kLogRatio;
  if (other == Contrast::kLogRatio && !HasRatio()) return;
  const auto beside =
      estimator_->Infer(other, {&level, resolution_, false, false, &Watched(other).ends()});
  if (beside && beside->interval) Watched(other).Take(*beside->interval, beside->rounding);
}

int MetricComparison::SideOf(const Inference& inference) const {
  return SignOf(inference.exact_t ? *inference.exact_t
                                  : inference.centre - subject_.gate->threshold);
}

void MetricComparison::LookEarly(const SignificanceLevel& level, const LookContext& context) {
  resolution_ = ResolutionFor(context);
  if (values() < *early_look_ || TooManyMissing(context)) return;
  const auto test = estimator_->TestMultiple(resolution_);
  if (!test) return;
  passes_apart_ = level.passes().has_value();
  const double share = ShareOfEarlyLook(values(), *early_look_);
  // A multiple beyond the margin settles the gate.
  if (subject_.gate->threshold <= kLogMultiple) {
    p_slower_ = std::min(p_slower_, test->slower / share);
  }
  if (subject_.gate->threshold >= -kLogMultiple) {
    p_faster_ = std::min(p_faster_, test->faster / share);
  }
  if (p_faster_ <= level.EarlyRegressionLevel()) upper_stated_ = -kLogMultiple;
  if (p_slower_ <= level.EarlyRegressionLevel()) {
    TakeMultiple(LookDecision::kRegression, level, context);
  } else if (p_faster_ <= level.EarlyPassLevel()) {
    TakeMultiple(LookDecision::kPass, level, context);
  }
}

void MetricComparison::TakeMultiple(LookDecision found, const SignificanceLevel& level,
                                    const LookContext& context) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  // The margin itself is excluded, even if it is the multiple.
  const Interval beyond = *HalfLine(found, subject_.gate->threshold);
  const Interval multiple = found == LookDecision::kRegression
                                ? Interval{std::max(kLogMultiple, beyond.lo), kUnbounded}
                                : Interval{-kUnbounded, std::min(-kLogMultiple, beyond.hi)};
  const CriticalValues critical{
      EarlyCriticalT(level.EarlyRegressionLevel(), values(), *early_look_),
      EarlyCriticalT(level.EarlyPassLevel(), values(), *early_look_)};
  RunningInterval& all = Watched(Contrast::kLogRatio);
  all.Take(multiple, 0);
  if (const auto ends = estimator_->IntervalOfEarlyLook(resolution_, critical)) all.Take(*ends, 0);
  if (settled_) return;
  const Interval shown = Show(all.ends(), Contrast::kLogRatio);
  verdict_ = VerdictOf(found);
  settled_ = true;
  decided_ = Decision{context.blocks, IfFinite(shown.lo), IfFinite(shown.hi), kEarlyLook};
}

double MetricComparison::PValue() const {
  return early_look_ ? WithEarlyLooks(p_.value(), std::min(p_slower_, p_faster_)) : p_.value();
}

GateEvidence MetricComparison::Evidence() const {
  if (is_control()) return {};  // it counts, but its own interval decides it
  GateEvidence evidence{p_above_.value() / 2, p_below_.value() / 2, Verdict::kUndecided};
  if (early_look_) {
    evidence.p_regression = WithEarlyLooks(p_above_.value(), p_slower_) / 2;
    evidence.p_pass = WithEarlyLooks(p_below_.value(), p_faster_) / 2;
  }
  if (decided_ && !decided_on_constants_) evidence.decided = verdict_;
  return evidence;
}

void MetricComparison::DecideTogether(Verdict verdict, std::string_view by,
                                      const LookContext& context) {
  if (settled_ || IsExact() || Disjoint() || TooManyMissing(context)) return;
  const Contrast scale = DecidingScale();
  const auto now = Now(scale);
  if (!now) return;
  cut_ = HalfLine(verdict == Verdict::kPass ? LookDecision::kPass : LookDecision::kRegression,
                  subject_.gate->threshold);
  const std::optional<Interval> interval = IntervalOn(scale, *now);
  if (!interval) {  // the gate's own interval lies on the other side
    cut_.reset();
    return;
  }
  const Interval shown = Show(*interval, scale);
  verdict_ = verdict;
  settled_ = true;
  decided_ = Decision{context.blocks, IfFinite(shown.lo), IfFinite(shown.hi), std::string(by)};
}

RunningInterval MetricComparison::AllLooks(Contrast scale) const {
  RunningInterval all = Watched(scale);
  if (cut_ && scale == DecidingScale()) all.Take(*cut_, 0);
  return all;
}

void MetricComparison::Decide(LookDecision side, const Interval& interval,
                              const Inference& inference, const LookContext& context) {
  if (settled_ || TooManyMissing(context)) return;
  const Interval shown = Show(interval, DecidingScale());
  LookDecision decision = side;
  if (by_width()) {
    // The intersection of looks that nearly exclude each other is short, but not precise.
    const double centre = inference.centre;
    const double rounding = inference.rounding;
    if (centre < interval.lo - rounding || centre > interval.hi + rounding) return;
    decision = DecideByWidth(interval, subject_.gate->threshold, shown, rule_.width);
  }
  if (is_control()) {
    if (decision == LookDecision::kContinue && by_width()) return Continue(inference);
    return DecideControl(interval, shown, inference, context);
  }
  if (decision == LookDecision::kContinue) return Continue(inference);
  verdict_ = VerdictOf(decision);
  settled_ = true;
  decided_ = Decision{context.blocks, IfFinite(shown.lo), IfFinite(shown.hi)};
}

void MetricComparison::DecideControl(const Interval& interval, const Interval& shown,
                                     const Inference& inference, const LookContext& context) {
  const MarginSide side = SideOfMargin(interval, subject_.gate->threshold);
  if (side == MarginSide::kOpen && !by_width()) return Continue(inference);
  if (side == MarginSide::kWithin) verdict_ = Verdict::kPass;
  if (side == MarginSide::kAbove) changed_ = 1;
  if (side == MarginSide::kBelow) changed_ = -1;
  settled_ = true;
  decided_ = Decision{context.blocks, IfFinite(shown.lo), IfFinite(shown.hi)};
}

void MetricComparison::Continue(const Inference& inference) {
  undecidable_ = NeverDecides(inference);
  settled_ = undecidable_;
}

double MetricComparison::ResolutionFor(const LookContext& context) const {
  const bool of_count = IsExact() || (subject_.gate && subject_.gate->kind == MarginKind::kExact);
  return of_count ? 0 : context.resolution;
}

Verdict MetricComparison::VerdictOfConstants() const {
  const double more = constants_.candidate() - constants_.reference();
  return (subject_.rate ? more < 0 : more > 0) ? Verdict::kRegression : Verdict::kPass;
}

void MetricComparison::DecideOnConstants(std::uint64_t enough, const LookContext& context) {
  if (settled_ || values() < enough || TooManyMissing(context)) return;
  if (is_control()) {
    const int more = SignOf(constants_.candidate() - constants_.reference());
    changed_ = subject_.rate ? -more : more;
    if (changed_ == 0) verdict_ = Verdict::kPass;
  } else {
    verdict_ = VerdictOfConstants();
  }
  settled_ = true;
  decided_on_constants_ = true;
  const std::optional<double> change = ChangeOfConstants(DecidingScale());
  decided_ = Decision{context.blocks, change, change};
}

std::optional<double> MetricComparison::ChangeOfConstants(Contrast scale) const {
  const double reference = constants_.reference();
  const double candidate = constants_.candidate();
  if (scale == Contrast::kDifference) return IfFinite(candidate - reference);
  return HasRatio() ? IfFinite(candidate / reference - 1) : std::nullopt;
}

bool MetricComparison::Contradicted() const {
  if (!decided_on_constants_ || !varies() || fixed_) return false;
  const std::optional<Interval> interval = Watched(DecidingScale()).value();
  if (!interval) return false;
  if (is_control()) {
    if (changed_ != 0) return changed_ > 0 ? interval->hi < 0 : interval->lo > 0;
    const MarginSide side = SideOfMargin(*interval, subject_.gate->threshold);
    return side == MarginSide::kAbove || side == MarginSide::kBelow;
  }
  return verdict_ == Verdict::kPass ? interval->lo > subject_.gate->threshold : interval->hi < 0;
}

// Returns whether further values can never decide the gate. An interval extends by `allowance`
// beyond the true effect on either side, however many values there are. So it never excludes a
// margin that is closer to the effect, and it never becomes narrower than twice the allowance. At
// the level of the interval, the true effect lies in the interval without its allowance.
bool MetricComparison::NeverDecides(const Inference& inference) const {
  const double allowance = inference.allowance;
  if (!(allowance > 0)) return false;
  if (by_width()) {
    const Interval narrowest{inference.centre - allowance, inference.centre + allowance};
    const Interval shown = Show(narrowest, DecidingScale());
    return !(shown.hi - shown.lo < rule_.width);
  }
  if (is_control()) return ControlNeverDecides(inference);
  const double threshold = subject_.gate->threshold;
  const Interval& interval = *inference.interval;
  return interval.lo + allowance >= threshold - allowance &&
         interval.hi - allowance <= threshold + allowance;
}

// Returns the same for a control, whose margin has two ends. If the allowance is not less than the
// margin, no interval can lie within it, so only a change beyond both decides.
bool MetricComparison::ControlNeverDecides(const Inference& inference) const {
  if (!inference.interval) return false;
  const double allowance = inference.allowance;
  const double threshold = subject_.gate->threshold;
  const Interval effect{inference.interval->lo + allowance, inference.interval->hi - allowance};
  const auto is_near = [&effect, allowance](double low, double high) {
    return effect.lo >= low - allowance && effect.hi <= high + allowance;
  };
  return is_near(threshold, threshold) || is_near(-threshold, -threshold) ||
         (allowance >= threshold && is_near(-threshold, threshold));
}

std::optional<Inference> MetricComparison::Now(Contrast scale) const {
  return estimator_->Infer(scale, {level_, resolution_, fixed_, false});
}

bool MetricComparison::Disjoint() const { return !fixed_ && AllLooks(DecidingScale()).empty(); }

bool MetricComparison::EstimateOutside() const {
  const Contrast scale = DecidingScale();
  const auto now = Now(scale);
  const auto interval = now ? IntervalOn(scale, *now) : std::nullopt;
  return interval && (now->centre < interval->lo || now->centre > interval->hi);
}

std::optional<bool> MetricComparison::ImprovedAsStated() const {
  if (!passes_apart_ || IsExact()) return std::nullopt;
  return upper_stated_ && *upper_stated_ < 0 && !Disjoint();
}

bool MetricComparison::SettleByEstimate(const LookContext& context) {
  if (!subject_.gate || is_control() || (settled_ && !undecidable_) || Disjoint() ||
      TooManyMissing(context)) {
    return false;
  }
  if (IsExact()) {
    verdict_ = VerdictOfConstants();
  } else {
    const auto now = Now(DecidingScale());
    if (!now || now->centre == subject_.gate->threshold) return false;
    verdict_ = now->centre > subject_.gate->threshold ? Verdict::kRegression : Verdict::kPass;
  }
  settled_ = true;
  undecidable_ = false;
  return true;
}

bool MetricComparison::WithinResolution() const {
  if (!subject_.gate || !looked_) return false;
  if (undecidable_ || by_width()) return undecidable_;
  const auto now = Now(DecidingScale());
  if (!now || !(now->allowance > 0)) return false;
  const double threshold = subject_.gate->threshold;
  const double centre = is_control() ? std::abs(now->centre) : now->centre;
  const bool within = is_control() && now->allowance >= threshold && centre < threshold;
  return within || std::abs(centre - threshold) <= now->allowance;
}

bool MetricComparison::Changed(const SignificanceLevel& level) const {
  return !subject_.TestsMargin() && looked_ && p_.value() <= level.two_sided();
}

Interval MetricComparison::Show(const Interval& interval, Contrast scale) const {
  const Interval turned = subject_.rate ? Mirror(interval) : interval;
  return scale == Contrast::kLogRatio ? ToChange(turned) : turned;
}

std::optional<Interval> MetricComparison::IntervalOn(Contrast scale, const Inference& now) const {
  if (IsExact()) return std::nullopt;
  if (!fixed_) return AllLooks(scale).value();
  if (!cut_ || scale != DecidingScale()) return now.interval;
  RunningInterval look;
  if (now.interval) look.Take(*now.interval, 0);
  look.Take(*cut_, 0);
  return look.value();
}

std::optional<Effect> MetricComparison::ShowEffect(double centre,
                                                   const std::optional<Interval>& interval,
                                                   Contrast scale) const {
  const double turned = subject_.rate ? -centre : centre;
  const std::optional<double> estimate =
      IfFinite(scale == Contrast::kLogRatio ? std::expm1(turned) : turned);
  if (!estimate) return std::nullopt;
  Effect effect{*estimate, {}, {}};
  if (interval) {
    const Interval shown = Show(*interval, scale);
    effect.lo = IfFinite(shown.lo);
    effect.hi = IfFinite(shown.hi);
  }
  return effect;
}

void MetricComparison::Describe(const SequentialDesign& design, Comparison& out) const {
  // Before the one look, the watched view is described if there is one. Without it, only the one
  // look was requested.
  const bool fixed = fixed_ || (design.OneLook() && !looked_);
  out.method = fixed && design.method != Method::kLayouts ? Method::kFixed : design.WatchedMethod();
  out.estimator = asked_;
  if (subject_.gate) {
    out.margin = subject_.gate->margin;
    out.margin_kind = subject_.gate->kind;
    out.verdict = verdict_;
    out.decided = decided_;
    if (decided_on_constants_) out.basis = Basis::kExact;
  }
  const auto [reference, candidate] = estimator_->Figures();
  out.n_reference = reference.n;
  out.n_candidate = candidate.n;
  out.mean_reference = reference.mean;
  out.mean_candidate = candidate.mean;
  out.sd_reference = reference.sd;
  out.sd_candidate = candidate.sd;
  DescribeEffects(out);
  const bool halved = design.one_sided && subject_.TestsMargin();
  // Constants that are judged as they are were not tested.
  const bool tested = looked_ || (early_look_ && decided_);
  if (tested && !IsExact()) out.p_value = halved ? PValue() / 2 : PValue();
}

void MetricComparison::DescribeEffects(Comparison& out) const {
  if (IsExact() && decided_on_constants_) {
    // Nothing varies, so the runs do not leave room for any other change.
    const auto exactly = [](std::optional<double> change) {
      return change ? std::optional(Effect{*change, change, change}) : std::nullopt;
    };
    out.change = exactly(ChangeOfConstants(Contrast::kLogRatio));
    out.difference = exactly(ChangeOfConstants(Contrast::kDifference));
    return;
  }
  const Contrast deciding = DecidingScale();
  for (const Contrast scale : {Contrast::kLogRatio, Contrast::kDifference}) {
    const auto now = Now(scale);
    if (!now) continue;
    if (scale == deciding) out.pairing_gain = now->relative_efficiency;
    if (scale == Contrast::kLogRatio && !HasRatio()) continue;
    const bool relative = scale == Contrast::kLogRatio;
    if (now->allowance > 0) {
      if (relative) out.change_allowance = now->allowance;
      if (!relative && scale == deciding && subject_.gate) {
        out.difference_allowance = now->allowance;
      }
    }
    (relative ? out.change : out.difference) =
        ShowEffect(now->centre, IntervalOn(scale, *now), scale);
    if (fixed_ || !now->interval) continue;
    (relative ? out.last_change : out.last_difference) =
        ShowEffect(now->centre, now->interval, scale);
  }
}

// The width of an interval shrinks with the square root of the number of pairs. The boundary also
// widens, but little compared with the error of the estimated spread.
std::optional<double> MetricComparison::FurtherPairsToWidth() const {
  const Contrast scale = DecidingScale();
  const auto now = Now(scale);
  if (!looked_ || !now || !now->interval) return std::nullopt;
  const Interval shown = Show(*now->interval, scale);
  const double shrink = (shown.hi - shown.lo) / rule_.width;
  const double further = static_cast<double>(values()) * (shrink * shrink - 1);
  return std::isfinite(further) ? std::optional(std::max(1.0, further)) : std::nullopt;
}

// Converts the interval of any method to an estimate from pairs, by the standard error that gives
// about the same width at the boundary's z.
std::optional<PairedEstimate> MetricComparison::AsPairs(const SignificanceLevel& level) const {
  const auto now = Now(DecidingScale());
  if (!now || now->pairs) return now ? now->pairs : std::nullopt;
  if (!now->interval || values() < level.boundary().first_look()) return std::nullopt;
  const double half = (now->interval->hi - now->interval->lo) / 2 - now->allowance;
  if (!std::isfinite(half)) return std::nullopt;
  PairedEstimate estimate;
  estimate.n = values();
  estimate.centre = now->centre;
  const CriticalValues z =
      level.AtEnds([this](const EndLevel& end) { return end.boundary().ZAt(values()); });
  estimate.se = std::max(half, 0.0) / ((z.low + z.high) / 2);
  estimate.allowance = now->allowance;
  return estimate;
}

std::optional<double> MetricComparison::ForecastFurtherPairs(const SignificanceLevel& level) const {
  if (!subject_.gate || settled_ || Disjoint()) return std::nullopt;
  if (IsExact()) {
    const std::uint64_t enough = level.boundary().first_look();
    return enough > values() ? static_cast<double>(enough - values()) : 1;
  }
  if (rule_.kind == RuleKind::kPrecision) return FurtherPairsToWidth();
  const auto estimate = AsPairs(level);
  if (!estimate) return std::nullopt;
  // Of a control, the nearest end of the margin decides, and both ends have one level.
  const double threshold =
      is_control() && estimate->centre < 0 ? -subject_.gate->threshold : subject_.gate->threshold;
  const EndLevel& end = estimate->centre > threshold ? level.lower() : level.upper();
  const auto pairs = ForecastPairs(*estimate, threshold, end.boundary());
  if (!pairs) return std::nullopt;
  return std::max(1.0, *pairs - static_cast<double>(estimate->n));
}

}  // namespace benchd
