#include "daemon/analysis/paired_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/stats/forecast.h"
#include "daemon/stats/paired_interval.h"

namespace benchd {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

Effect MakeEffect(double estimate, const std::optional<Interval>& interval) {
  Effect effect{estimate, std::nullopt, std::nullopt};
  if (interval && std::isfinite(interval->lo)) effect.lo = interval->lo;
  if (interval && std::isfinite(interval->hi)) effect.hi = interval->hi;
  return effect;
}

std::optional<double> IfFinite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

PairedComparison::PairedComparison(bool rate, std::optional<PlannedGate> gate)
    : rate_(rate), gate_(gate) {}

void PairedComparison::Add(double reference, double candidate, bool positive) {
  raw_.Add(reference, candidate);
  positive_ = positive_ && positive;
  if (rate_ && positive_) inverse_.Add(1 / reference, 1 / candidate);
  critical_t_.reset();
}

bool PairedComparison::RatioPossible() const {
  return RatioPossible(Harmonic() ? inverse_.Centred() : raw_.Centred());
}

PairedComparison::Estimates PairedComparison::Estimate() const {
  Estimates estimates;
  estimates.raw = raw_.Centred();
  estimates.analysed = Harmonic() ? inverse_.Centred() : estimates.raw;
  const CentredMoments& raw = estimates.raw;
  const bool coarse = NeedsWidening(raw, resolution_);
  if (RatioPossible(estimates.analysed)) {
    estimates.ratio = EstimateRatio(estimates.analysed);
    if (coarse) estimates.ratio->widening = RatioWidening(raw, resolution_);
  }
  if (DifferenceDefined(raw)) {
    const PairedEstimate difference = EstimateDifference(raw);
    estimates.difference = rate_ ? difference.Mirrored() : difference;
    if (coarse) estimates.difference->widening = DifferenceWidening(resolution_);
  }
  return estimates;
}

bool PairedComparison::DecidesByRatio(const Estimates& estimates) const {
  return gate_ ? gate_->kind == MarginKind::kRatio : estimates.ratio.has_value();
}

std::optional<PairedEstimate> PairedComparison::Deciding(const Estimates& estimates) const {
  return DecidesByRatio(estimates) ? estimates.ratio : estimates.difference;
}

Interval PairedComparison::IntervalOf(const PairedEstimate& estimate) const {
  return fixed_p_ ? PlainInterval(estimate, *critical_t_) : GuardedInterval(estimate, *critical_t_);
}

bool PairedComparison::TooManyMissing(std::uint64_t blocks) const {
  return (blocks - pairs()) * 20 > blocks;
}

void PairedComparison::Look(Level& level, double resolution, std::uint64_t blocks,
                            bool may_decide) {
  resolution_ = resolution;
  const Estimates estimates = Estimate();
  const std::optional<PairedEstimate> deciding = Deciding(estimates);
  if (!deciding) return;
  critical_t_ = level.CriticalT(pairs());
  looked_ = true;
  running_p_.Update(*deciding, Hypothesis(), level.boundary());
  if (may_decide) Decide(estimates, blocks);
}

void PairedComparison::LookOnce(const Level& level, double resolution, std::uint64_t blocks) {
  resolution_ = resolution;
  const Estimates estimates = Estimate();
  const std::optional<PairedEstimate> deciding = Deciding(estimates);
  if (!deciding || pairs() < 2) return;
  critical_t_ = level.FixedT(pairs());
  fixed_p_ = FixedPValue(*deciding, Hypothesis());
  fixed_direction_ = (deciding->centre > 0) - (deciding->centre < 0);
  Decide(estimates, blocks);
}

void PairedComparison::Decide(const Estimates& estimates, std::uint64_t blocks) {
  if (!gate_ || decided_ || TooManyMissing(blocks)) return;
  const Interval interval = IntervalOf(*Deciding(estimates));
  const MarginDecision decision = DecideAgainst(interval, gate_->threshold);
  if (decision == MarginDecision::kContinue) return;
  verdict_ = decision == MarginDecision::kPass ? Verdict::kPass : Verdict::kRegression;
  const Interval shown = ShowDecisive(interval, DecidesByRatio(estimates));
  decided_ = Decision{blocks, std::clamp(shown.lo, -kLargest, kLargest),
                      std::clamp(shown.hi, -kLargest, kLargest)};
}

bool PairedComparison::SettleByEstimate(std::uint64_t blocks) {
  if (!gate_ || verdict_ != Verdict::kUndecided || TooManyMissing(blocks)) return false;
  const std::optional<PairedEstimate> deciding = Deciding(Estimate());
  if (!deciding || deciding->centre == gate_->threshold) return false;
  verdict_ = deciding->centre > gate_->threshold ? Verdict::kRegression : Verdict::kPass;
  return true;
}

bool PairedComparison::WithinResolution() const {
  if (!gate_ || !looked_) return false;
  const std::optional<PairedEstimate> deciding = Deciding(Estimate());
  return deciding && deciding->widening > 0 &&
         std::abs(deciding->centre - gate_->threshold) <= deciding->widening;
}

Interval PairedComparison::ShowDecisive(const Interval& interval, bool ratio) const {
  const Interval turned = rate_ ? Mirror(interval) : interval;
  return ratio ? ToChange(turned) : turned;
}

Effect PairedComparison::ShowChange(const PairedEstimate& estimate) const {
  std::optional<Interval> shown;
  if (critical_t_) shown = ShowDecisive(IntervalOf(estimate), true);
  return MakeEffect(std::expm1(rate_ ? -estimate.centre : estimate.centre), shown);
}

Effect PairedComparison::ShowDifference(const PairedEstimate& estimate) const {
  std::optional<Interval> shown;
  if (critical_t_) shown = ShowDecisive(IntervalOf(estimate), false);
  return MakeEffect(rate_ ? -estimate.centre : estimate.centre, shown);
}

void PairedComparison::Describe(const LookPlan& plan, Comparison& out) const {
  out.method = fixed_p_ ? Method::kFixed : Method::kPaired;
  out.n_reference = pairs();
  out.n_candidate = pairs();
  if (gate_) {
    out.margin = gate_->margin;
    out.margin_kind = gate_->kind;
    out.verdict = verdict_;
    out.decided = decided_;
  }
  if (pairs() == 0) return;
  const Estimates estimates = Estimate();
  const CentredMoments& raw = estimates.raw;
  const CentredMoments& mean = estimates.analysed;
  out.mean_reference = IfFinite(Harmonic() ? 1 / mean.mean_b : mean.mean_b);
  out.mean_candidate = IfFinite(Harmonic() ? 1 / mean.mean_c : mean.mean_c);
  if (pairs() >= 2) {
    out.sd_reference = IfFinite(raw.StandardDeviationB());
    out.sd_candidate = IfFinite(raw.StandardDeviationC());
  }
  if (estimates.ratio) out.change = ShowChange(*estimates.ratio);
  if (estimates.difference) out.difference = ShowDifference(*estimates.difference);
  if (fixed_p_ || looked_) {
    const double p = fixed_p_.value_or(running_p_.value());
    out.p_value = plan.one_sided ? p / 2 : p;
  }
}

std::optional<double> PairedComparison::ForecastFurtherPairs(const Level& level) const {
  if (!gate_ || verdict_ != Verdict::kUndecided) return std::nullopt;
  const std::optional<PairedEstimate> deciding = Deciding(Estimate());
  if (!deciding) return std::nullopt;
  const std::optional<double> pairs_needed =
      ForecastPairs(*deciding, gate_->threshold, level.boundary());
  if (!pairs_needed) return std::nullopt;
  return std::max(1.0, *pairs_needed - static_cast<double>(pairs()));
}

int PairedComparison::Direction() const {
  return fixed_p_ ? fixed_direction_ : running_p_.direction();
}

}  // namespace benchd
