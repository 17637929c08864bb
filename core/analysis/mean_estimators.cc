#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/effect_estimator.h"
#include "core/stats/exact_t.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

// The pairs and their moments, updated in O(1) per pair. Base class of the methods on means of
// pairs.
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

  std::optional<MultipleTest> TestMultiple(double resolution) const final {
    if (raw_.n() < 2 || !Allows(Contrast::kLogRatio)) return std::nullopt;
    return TestMultiples(raw_.Centred(), Analysed(), resolution);
  }

  std::optional<Interval> IntervalOfEarlyLook(double resolution,
                                              const CriticalValues& critical) const final {
    return EarlyInterval(raw_.Centred(), Analysed(), resolution, critical);
  }

 protected:
  void Take(Values reference, Values candidate) final {
    const double b = reference.front().value;
    const double c = candidate.front().value;
    raw_.Add(b, c);
    if (Harmonic()) inverse_.Add(1 / b, 1 / c);
  }

  const PairedMoments& raw() const { return raw_; }
  // Returns the moments of 1/x for rates if possible, else those of the values as measured.
  CentredMoments Analysed() const { return Harmonic() ? inverse_.Centred() : raw_.Centred(); }

  // Returns the estimate on a scale, including the allowance for the resolution. Requires Allows().
  PairedEstimate EstimateOn(Contrast scale, double resolution) const {
    const CentredMoments raw = raw_.Centred();
    const bool ratio = scale == Contrast::kLogRatio;
    PairedEstimate estimate =
        ratio ? EstimateRatio(Harmonic() ? inverse_.Centred() : raw) : EstimateDifference(raw);
    if (!ratio && rate()) estimate = estimate.Mirrored();
    if (NeedsAllowance(raw, resolution)) {
      estimate.allowance =
          ratio ? RatioAllowance(raw, resolution) : DifferenceAllowance(resolution);
    } else {
      RaiseToSteps(estimate, ratio ? resolution / std::min(raw.mean_b, raw.mean_c) : resolution);
    }
    return estimate;
  }

  // Returns the part of the inference that does not need a look. A deciding look omits figures for
  // display.
  Inference Before(const PairedEstimate& estimate, Contrast scale, const Look& look) const {
    Inference inference{.centre = estimate.centre, .allowance = estimate.allowance};
    inference.pairs = estimate;
    inference.rounding = scale == Contrast::kLogRatio ? RatioRounding(Analysed())
                                                      : DifferenceRounding(raw_.Centred());
    if (look.decides) return inference;
    inference.relative_efficiency = scale == Contrast::kLogRatio
                                        ? RatioPairingGain(Analysed())
                                        : DifferencePairingGain(raw_.Centred());
    return inference;
  }

 private:
  PairedMoments raw_;
  PairedMoments inverse_;  // for rates only
};

// `paired` with the mean (docs/statistics.md sections 3 and 4): the default. It has a skewness
// guard, is watched with either boundary, and has the textbook interval of one look.
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
    const CriticalValues t = look.once ? look.level->FixedT(n) : look.level->CriticalT(n);
    inference.SetInterval(look.level->IntervalOf(t, [&](const CriticalValues& at) {
      return std::optional(look.once ? PlainInterval(estimate, at) : GuardedInterval(estimate, at));
    }));
    if (!look.decides) return inference;
    const double hypothesis = subject().Hypothesis();
    inference.finding = FindingAgainst(estimate, hypothesis);
    if (look.once) inference.finding->p = FixedPValue(estimate, hypothesis);
    return inference;
  }
};

// `exact-t` (docs/statistics.md section 4): exact for jointly normal pairs. It decides by a test of
// the margin itself, not by an interval for the ratio.
class ExactTest final : public PairedMeans {
 public:
  using PairedMeans::PairedMeans;

  // This method always looks repeatedly, so there is no inference for a single look.
  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale) || look.once) return std::nullopt;
    PairedEstimate estimate = EstimateOn(scale, look.resolution);
    Inference inference = Before(estimate, scale, look);
    // Lai's boundary lies close to that of Robbins and does not need a guard.
    inference.pairs->kappa = 0;
    if (look.level == nullptr) return inference;
    const std::uint64_t n = raw().n();
    if (n < look.level->exact_t()->first_look()) return std::nullopt;
    const CriticalValues critical =
        look.level->AtEnds([n](const EndLevel& end) { return end.exact_t()->CriticalT(n); });
    inference.SetInterval(look.level->IntervalOf(critical, [&](const CriticalValues& at) {
      return scale == Contrast::kDifference ? std::optional(PlainInterval(estimate, at))
                                            : RatioInterval(at, look.resolution);
    }));
    if (!look.decides) return inference;
    inference.exact_t = TOn(scale, look.resolution);
    // The two ends of a control's margin are judged by its interval.
    if (subject().TestsMargin())
      inference.exact_decision = DecideExactT(*inference.exact_t, critical);
    return inference;
  }

 private:
  // Returns the factor on the reference that the hypothesis states.
  double Factor() const {
    const auto& gate = subject().gate;
    if (!subject().TestsMargin() || gate->kind != MarginKind::kRatio) return 1;
    return rate() ? RateFactor(gate->margin) : LowerIsBetterFactor(gate->margin);
  }

  std::optional<Interval> RatioInterval(const CriticalValues& critical, double resolution) const {
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

// The moments of one arm's values, as measured and, for rates, as slowness. Updated in O(1) per
// value.
struct ArmMoments {
  Moments raw;
  Moments inverse;

  ArmFigures Figures(bool harmonic) const {
    if (!harmonic) return FiguresOf(raw);
    return HarmonicFigures(inverse.count(), inverse.mean(), inverse.standard_deviation());
  }
};

// `welch` (docs/statistics.md section 4): the means of two independent arms, under watching or at
// one look. With the values of SubselectedMean() it is also `subselection`.
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
    Inference inference{.centre = estimate.centre, .allowance = estimate.allowance};
    if (look.level == nullptr) return inference;
    const bool enough = look.once ? std::min(estimate.n_b, estimate.n_c) >= 2
                                  : MayLook(estimate, look.level->boundary());
    if (!enough) return std::nullopt;
    if (look.decides) {
      inference.finding = FindingAgainst(estimate, subject().Hypothesis());
      if (look.once) inference.finding->p = FixedPValue(estimate, subject().Hypothesis());
    }
    if (AddsNothing(estimate, look)) return inference;
    const CriticalValues t = look.level->AtEnds([&](const EndLevel& end) {
      return look.once ? FixedCriticalT(end.two_sided(), estimate)
                       : CriticalT(estimate, end.boundary());
    });
    inference.rounding = RoundingOn(scale, estimate);
    inference.SetInterval(look.level->IntervalOf(
        t, [&](const CriticalValues& at) { return std::optional(PlainInterval(estimate, at)); }));
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
    const bool coarse = NeedsAllowance(b, c, resolution);
    if (scale == Contrast::kLogRatio) {
      WelchEstimate ratio = Harmonic() ? EstimateWelchRatio(reference_.inverse, candidate_.inverse)
                                       : EstimateWelchRatio(b, c);
      if (coarse) ratio.allowance = RatioAllowance(b, c, resolution);
      return ratio;
    }
    WelchEstimate difference = EstimateWelchDifference(b, c);
    if (rate()) difference = difference.Mirrored();
    if (coarse) difference.allowance = DifferenceAllowance(resolution);
    return difference;
  }

  // Returns whether the interval of the look contains the known one. Uses the normal quantile,
  // which gives a shorter interval than Student's t. Returns false if the look has another upper
  // end to compute.
  static bool AddsNothing(const WelchEstimate& estimate, const Look& look) {
    if (look.known == nullptr || look.once || look.level->passes()) return false;
    const CriticalValues z = look.level->AtEnds([&estimate](const EndLevel& end) {
      return end.boundary().ZAtInformation(estimate.information);
    });
    const Interval least = PlainInterval(estimate, z);
    return least.lo <= look.known->lo && least.hi >= look.known->hi;
  }

  double RoundingOn(Contrast scale, const WelchEstimate& estimate) const {
    return kRoundingFactor * (scale == Contrast::kLogRatio ? 1 + std::abs(estimate.centre)
                                                           : std::abs(reference_.raw.mean()) +
                                                                 std::abs(candidate_.raw.mean()));
  }

  ArmMoments reference_;
  ArmMoments candidate_;
};

}  // namespace

std::unique_ptr<EffectEstimator> MakeMeanEstimator(const SequentialDesign& design,
                                                   const Subject& subject) {
  const bool runs = design.estimator.kind == EstimatorKind::kSubselection;
  if (runs || !design.paired) return std::make_unique<Welch>(subject);
  if (design.method == Method::kExactT) return std::make_unique<ExactTest>(subject);
  return std::make_unique<Paired>(subject);
}

namespace {

/// There are enough runs if the standard error of a layout's mean is at most a third of the spread
/// between layouts. Then the runs increase the variance of the layouts by at most a ninth.
constexpr double kShareOfSpread = 1.0 / 3;
/// If the layouts hardly differ, a tenth of the margin suffices.
constexpr double kShareOfMargin = 0.1;

// The runs of one arm by layout.
struct ArmLayouts {
  std::map<std::uint32_t, Moments> values;   // as measured
  std::map<std::uint32_t, Moments> inverse;  // for rates that are all > 0
  Moments runs;                              // all runs, for the metric's resolution

  /// Returns the means of the layouts on the scale on which arms are subtracted.
  Moments Means(Contrast scale, bool harmonic) const {
    Moments means;
    for (const auto& [layout, moments] : harmonic ? inverse : values) {
      means.Add(scale == Contrast::kLogRatio ? std::log(moments.mean()) : moments.mean());
    }
    return means;
  }

  /// Returns the squared standard error of a layout's mean, averaged over the layouts.
  double ErrorOfMeans(Contrast scale, bool harmonic) const {
    double sum = 0;
    for (const auto& [layout, moments] : harmonic ? inverse : values) {
      const double unit = scale == Contrast::kLogRatio ? moments.mean() : 1;
      sum += moments.variance() / (unit * unit) / static_cast<double>(moments.count());
    }
    return sum / static_cast<double>(values.size());
  }
};

// `layouts` (docs/statistics.md section 11): several builds of each arm, which differ only in the
// placement of their code. The build is the unit: Welch's t over the builds' means, on logarithms
// for ratios. It takes one look; only spreads determine when there are enough runs for it.
class Layouts final : public EffectEstimator {
 public:
  using EffectEstimator::EffectEstimator;

  std::pair<ArmFigures, ArmFigures> Figures() const override {
    return {FiguresOf(reference_.Means(Contrast::kDifference, false)),
            FiguresOf(candidate_.Means(Contrast::kDifference, false))};
  }

  bool Allows(Contrast scale) const override {
    if (n_reference() == 0 || n_candidate() == 0) return false;
    if (scale == Contrast::kDifference) return DifferenceDefined(reference_.runs, candidate_.runs);
    return positive() && RatioDefined(reference_.runs, candidate_.runs);
  }

  // There is no interval under watching, because its validity is not established.
  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale)) return std::nullopt;
    const WelchEstimate estimate = EstimateOn(scale, look.resolution);
    Inference inference{.centre = estimate.centre, .allowance = estimate.allowance};
    if (look.level == nullptr) return inference;
    if (!look.once || std::min(estimate.n_b, estimate.n_c) < 2) return std::nullopt;
    if (look.decides) {
      inference.finding = FindingAgainst(estimate, subject().Hypothesis());
      inference.finding->p = FixedPValue(estimate, subject().Hypothesis());
    }
    const CriticalValues t = look.level->AtEnds(
        [&estimate](const EndLevel& end) { return FixedCriticalT(end.two_sided(), estimate); });
    inference.SetInterval(look.level->IntervalOf(
        t, [&](const CriticalValues& at) { return std::optional(PlainInterval(estimate, at)); }));
    return inference;
  }

  bool HasEnough() const override {
    if (!subject().gate) return true;
    const Contrast scale =
        subject().gate->kind == MarginKind::kRatio ? Contrast::kLogRatio : Contrast::kDifference;
    if (!Allows(scale)) return false;
    const WelchEstimate estimate = EstimateOn(scale, 0);
    const bool harmonic = Harmonic() && scale == Contrast::kLogRatio;
    const double error =
        (reference_.ErrorOfMeans(scale, harmonic) + candidate_.ErrorOfMeans(scale, harmonic)) / 2;
    const double spread = (estimate.variance_b + estimate.variance_c) / 2;
    const double margin = kShareOfMargin * std::abs(subject().gate->threshold);
    return error <= std::max(kShareOfSpread * kShareOfSpread * spread, margin * margin);
  }

 protected:
  void Take(Values reference, Values candidate) override {
    const auto take = [this](const ArmValue& value, ArmLayouts& arm) {
      arm.values[value.layout].Add(value.value);
      arm.runs.Add(value.value);
      if (Harmonic()) arm.inverse[value.layout].Add(1 / value.value);
    };
    for (const ArmValue& value : reference) take(value, reference_);
    for (const ArmValue& value : candidate) take(value, candidate_);
  }

 private:
  WelchEstimate EstimateOn(Contrast scale, double resolution) const {
    const bool harmonic = Harmonic() && scale == Contrast::kLogRatio;
    WelchEstimate estimate = EstimateWelchDifference(reference_.Means(scale, harmonic),
                                                     candidate_.Means(scale, harmonic));
    if (rate() && scale == Contrast::kDifference) estimate = estimate.Mirrored();
    if (NeedsAllowance(reference_.runs, candidate_.runs, resolution)) {
      estimate.allowance = scale == Contrast::kLogRatio
                               ? RatioAllowance(reference_.runs, candidate_.runs, resolution)
                               : DifferenceAllowance(resolution);
    }
    return estimate;
  }

  ArmLayouts reference_;
  ArmLayouts candidate_;
};

}  // namespace

std::unique_ptr<EffectEstimator> MakeLayoutEstimator(const Subject& subject) {
  return std::make_unique<Layouts>(subject);
}

}  // namespace benchd
