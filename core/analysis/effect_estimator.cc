#include "core/analysis/effect_estimator.h"

#include <algorithm>
#include <cmath>

namespace benchd {

void EffectEstimator::Add(Values reference, Values candidate) {
  const auto is_positive = [](const ArmValue& value) { return value.positive; };
  positive_ = positive_ && std::all_of(reference.begin(), reference.end(), is_positive) &&
              std::all_of(candidate.begin(), candidate.end(), is_positive);
  n_reference_ += reference.size();
  n_candidate_ += candidate.size();
  Take(reference, candidate);
}

void Inference::SetInterval(const std::optional<LookInterval>& look, double widening) {
  interval.reset();
  upper_stated.reset();
  if (!look) return;
  interval = Interval{look->ends.lo - widening, look->ends.hi + widening};
  if (look->upper_stated) upper_stated = *look->upper_stated + widening;
}

std::unique_ptr<EffectEstimator> MakeEffectEstimator(const SequentialDesign& design,
                                                     const Subject& subject) {
  if (design.method == Method::kLayouts) return MakeLayoutEstimator(subject);
  const bool by_means = design.estimator.kind == EstimatorKind::kMean ||
                        design.estimator.kind == EstimatorKind::kSubselection;
  return by_means ? MakeMeanEstimator(design, subject) : MakeValueEstimator(design, subject);
}

std::vector<double> Inverted(std::vector<double> values) {
  for (double& value : values) value = 1 / value;
  return values;
}

ArmFigures FiguresOf(std::uint64_t n, double mean, double sd) {
  ArmFigures figures{n, {}, {}};
  if (n >= 1) figures.mean = IfFinite(mean);
  if (n >= 2) figures.sd = IfFinite(sd);
  return figures;
}

ArmFigures HarmonicFigures(std::uint64_t n, double inverse_mean, double inverse_sd) {
  const double mean = 1 / inverse_mean;
  return FiguresOf(n, mean, inverse_sd * mean * mean);
}

ArmFigures FiguresOf(const Moments& raw) {
  return FiguresOf(raw.count(), raw.mean(), raw.standard_deviation());
}

}  // namespace benchd
