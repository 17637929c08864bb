#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/effect_estimator.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

/// A layout's mean is known to a third of the layouts' own spread: then runs make the layouts'
/// variance a ninth larger, at most.
constexpr double kShareOfSpread = 1.0 / 3;
/// Or to a tenth of the margin, where layouts hardly differ.
constexpr double kShareOfMargin = 0.1;

// One arm: its runs by layout.
struct ArmLayouts {
  std::map<std::uint32_t, Moments> values;   // as measured
  std::map<std::uint32_t, Moments> inverse;  // of rates that are all > 0
  Moments runs;                              // all of them, for the metric's resolution

  /// The means of the layouts, on the scale where worse is positive and arms are subtracted.
  Moments Means(Contrast scale, bool harmonic) const {
    Moments means;
    for (const auto& [layout, moments] : harmonic ? inverse : values) {
      means.Add(scale == Contrast::kLogRatio ? std::log(moments.mean()) : moments.mean());
    }
    return means;
  }

  /// What is not known of a layout's mean, squared and averaged over the layouts.
  double ErrorOfMeans(Contrast scale, bool harmonic) const {
    double sum = 0;
    for (const auto& [layout, moments] : harmonic ? inverse : values) {
      const double unit = scale == Contrast::kLogRatio ? moments.mean() : 1;
      sum += moments.variance() / (unit * unit) / static_cast<double>(moments.count());
    }
    return sum / static_cast<double>(values.size());
  }
};

// `layouts` (docs/statistics.md section 11): several builds of each arm, which differ in nothing
// but where their code lies. The build is the unit: Welch's t over the builds' means, on logarithms
// for ratios. One look; when there are enough runs for it is decided by spreads alone.
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

  // Under watching there is no interval: this is not known to hold there.
  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale)) return std::nullopt;
    const WelchEstimate estimate = EstimateOn(scale, look.resolution);
    Inference inference{.centre = estimate.centre, .allowance = estimate.widening};
    if (look.level == nullptr) return inference;
    if (!look.once || std::min(estimate.n_b, estimate.n_c) < 2) return std::nullopt;
    if (look.decides) {
      inference.finding = FindingAgainst(estimate, subject().Hypothesis());
      inference.finding->p = FixedPValue(estimate, subject().Hypothesis());
    }
    if (!WantsInterval(look)) return inference;
    inference.interval = PlainInterval(estimate, FixedCriticalT(look.level->two_sided(), estimate));
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
    if (NeedsWidening(reference_.runs, candidate_.runs, resolution)) {
      estimate.widening = scale == Contrast::kLogRatio
                              ? RatioWidening(reference_.runs, candidate_.runs, resolution)
                              : DifferenceWidening(resolution);
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
