#include <algorithm>

#include "core/analysis/effect_estimator.h"
#include "core/stats/exact_t.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

// Pairs and their moments in O(1): what the methods on means of pairs share.
class PairedMeans : public EffectEstimator {
 public:
  using EffectEstimator::EffectEstimator;

  std::pair<ArmFigures, ArmFigures> Figures() const final {
    const CentredMoments m = Analysed();
    const auto figures =
        Harmonic() ? HarmonicFigures
                   : static_cast<ArmFigures (*)(std::uint64_t, double, double)>(FiguresOf);
    return {figures(m.n, m.mean_b, m.StandardDeviationB()),
            figures(m.n, m.mean_c, m.StandardDeviationC())};
  }

  bool Allows(Contrast scale) const final {
    if (scale == Contrast::kDifference) return DifferenceDefined(raw_.Centred());
    return (!rate() || positive()) && RatioDefined(Analysed());
  }

 protected:
  void Take(Values reference, Values candidate) final {
    const double b = reference.front().value;
    const double c = candidate.front().value;
    raw_.Add(b, c);
    if (Harmonic()) inverse_.Add(1 / b, 1 / c);
  }

  const PairedMoments& raw() const { return raw_; }
  // Of 1/x for rates, as long as that is possible, else as measured.
  CentredMoments Analysed() const { return Harmonic() ? inverse_.Centred() : raw_.Centred(); }

  // With the widening that the resolution asks for; needs Allows().
  PairedEstimate EstimateOn(Contrast scale, double resolution) const {
    const CentredMoments raw = raw_.Centred();
    const bool coarse = NeedsWidening(raw, resolution);
    if (scale == Contrast::kLogRatio) {
      PairedEstimate ratio = EstimateRatio(Harmonic() ? inverse_.Centred() : raw);
      if (coarse) ratio.widening = RatioWidening(raw, resolution);
      return ratio;
    }
    PairedEstimate difference = EstimateDifference(raw);
    if (rate()) difference = difference.Mirrored();
    if (coarse) difference.widening = DifferenceWidening(resolution);
    return difference;
  }

  // All that needs no look; what is only shown is left out of one that decides.
  Inference Before(const PairedEstimate& estimate, Contrast scale, const Look& look) const {
    Inference inference{.centre = estimate.centre, .allowance = estimate.widening};
    inference.pairs = estimate;
    if (look.decides) return inference;
    inference.relative_efficiency = scale == Contrast::kLogRatio
                                        ? RatioPairingGain(Analysed())
                                        : DifferencePairingGain(raw_.Centred());
    return inference;
  }

 private:
  PairedMoments raw_;
  PairedMoments inverse_;  // rates only
};

// `paired` with the mean (docs/statistics.md sections 3 and 4): the default, with its skewness
// guard, under watching by either boundary; and the textbook interval of one look.
class Paired final : public PairedMeans {
 public:
  using PairedMeans::PairedMeans;

  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale)) return std::nullopt;
    const PairedEstimate estimate = EstimateOn(scale, look.resolution);
    Inference inference = Before(estimate, scale, look);
    if (look.level == nullptr) return inference;
    const std::uint64_t n = raw().n();
    if (n < (look.once ? 2 : look.level->boundary().first_look())) return std::nullopt;
    const double t = look.once ? look.level->FixedT(n) : look.level->CriticalT(n);
    inference.interval = look.once ? PlainInterval(estimate, t) : GuardedInterval(estimate, t);
    if (!look.decides) return inference;
    const double hypothesis = subject().Hypothesis();
    inference.finding = FindingAgainst(estimate, hypothesis);
    if (look.once) inference.finding->p = FixedPValue(estimate, hypothesis);
    return inference;
  }
};

// `exact-t` (docs/statistics.md section 4): exact for jointly normal pairs, against the margin
// itself instead of an interval for the ratio.
class ExactTest final : public PairedMeans {
 public:
  using PairedMeans::PairedMeans;

  // It is a method of many looks.
  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale) || look.once) return std::nullopt;
    PairedEstimate estimate = EstimateOn(scale, look.resolution);
    Inference inference = Before(estimate, scale, look);
    // Lai's boundary lies close to that of Robbins, and needs no guard.
    inference.pairs->kappa = 0;
    if (look.level == nullptr) return inference;
    const ExactTBoundary& boundary = *look.level->exact_t();
    const std::uint64_t n = raw().n();
    if (n < boundary.first_look()) return std::nullopt;
    const double critical = boundary.CriticalT(n);
    if (WantsInterval(look)) {
      inference.interval = scale == Contrast::kDifference
                               ? PlainInterval(estimate, critical)
                               : RatioInterval(critical, look.resolution);
    }
    if (!look.decides) return inference;
    inference.exact_t = TOn(scale, look.resolution);
    if (subject().gate) inference.exact_decision = DecideExactT(*inference.exact_t, critical);
    return inference;
  }

 private:
  // Of the reference that the candidate is held against.
  double Factor() const {
    const auto& gate = subject().gate;
    if (!gate || gate->kind != MarginKind::kRatio) return 1;
    return rate() ? RateFactor(gate->margin) : LowerIsBetterFactor(gate->margin);
  }

  std::optional<Interval> RatioInterval(double critical, double resolution) const {
    const CentredMoments moments = Analysed();
    return ExactRatioInterval(moments, critical, StepsOf(raw().Centred(), moments, resolution));
  }

  double TOn(Contrast scale, double resolution) const {
    if (scale == Contrast::kDifference) {
      return ExactT(EstimateOn(scale, resolution), subject().Hypothesis());
    }
    const CentredMoments moments = Analysed();
    const ArmSteps steps = StepsOf(raw().Centred(), moments, resolution);
    return ExactT(EstimateAgainstFactor(moments, Factor(), steps), 0);
  }
};

// One arm's values in O(1), as measured and, for rates, as slowness.
struct ArmMoments {
  Moments raw;
  Moments inverse;

  ArmFigures Figures(bool harmonic) const {
    if (!harmonic) return FiguresOf(raw);
    return HarmonicFigures(inverse.count(), inverse.mean(), inverse.standard_deviation());
  }
};

// `welch` (docs/statistics.md section 4): two independent arms, by their means, under watching or
// at one look. With the values of SubselectedMean() also `subselection`.
class Welch final : public EffectEstimator {
 public:
  using EffectEstimator::EffectEstimator;

  std::pair<ArmFigures, ArmFigures> Figures() const override {
    return {reference_.Figures(Harmonic()), candidate_.Figures(Harmonic())};
  }

  bool Allows(Contrast scale) const override {
    if (scale == Contrast::kDifference) return DifferenceDefined(reference_.raw, candidate_.raw);
    if (!rate()) return RatioDefined(reference_.raw, candidate_.raw);
    return positive() && RatioDefined(reference_.inverse, candidate_.inverse);
  }

  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale)) return std::nullopt;
    const WelchEstimate estimate = EstimateOn(scale, look.resolution);
    Inference inference{.centre = estimate.centre, .allowance = estimate.widening};
    if (look.level == nullptr) return inference;
    const bool enough = look.once ? std::min(estimate.n_b, estimate.n_c) >= 2
                                  : MayLook(estimate, look.level->boundary());
    if (!enough) return std::nullopt;
    if (look.decides) {
      inference.finding = FindingAgainst(estimate, subject().Hypothesis());
      if (look.once) inference.finding->p = FixedPValue(estimate, subject().Hypothesis());
    }
    if (!WantsInterval(look)) return inference;
    const double t = look.once ? FixedCriticalT(look.level->two_sided(), estimate)
                               : CriticalT(estimate, look.level->boundary());
    inference.interval = PlainInterval(estimate, t);
    return inference;
  }

 protected:
  void Take(Values reference, Values candidate) override {
    const auto take = [this](const ArmValue& value, ArmMoments& arm) {
      arm.raw.Add(value.value);
      if (Harmonic()) arm.inverse.Add(1 / value.value);
    };
    for (const ArmValue& value : reference) take(value, reference_);
    for (const ArmValue& value : candidate) take(value, candidate_);
  }

 private:
  WelchEstimate EstimateOn(Contrast scale, double resolution) const {
    const Moments& b = reference_.raw;
    const Moments& c = candidate_.raw;
    const bool coarse = NeedsWidening(b, c, resolution);
    if (scale == Contrast::kLogRatio) {
      WelchEstimate ratio = Harmonic() ? EstimateWelchRatio(reference_.inverse, candidate_.inverse)
                                       : EstimateWelchRatio(b, c);
      if (coarse) ratio.widening = RatioWidening(b, c, resolution);
      return ratio;
    }
    WelchEstimate difference = EstimateWelchDifference(b, c);
    if (rate()) difference = difference.Mirrored();
    if (coarse) difference.widening = DifferenceWidening(resolution);
    return difference;
  }

  ArmMoments reference_;
  ArmMoments candidate_;
};

}  // namespace

std::unique_ptr<EffectEstimator> MakeMeanEstimator(const LookPlan& plan, const Subject& subject) {
  const bool runs = plan.estimator.kind == EstimatorKind::kSubselection;
  if (runs || !plan.paired) return std::make_unique<Welch>(subject);
  if (plan.method == Method::kExactT) return std::make_unique<ExactTest>(subject);
  return std::make_unique<Paired>(subject);
}

}  // namespace benchd
