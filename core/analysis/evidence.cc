#include "core/analysis/evidence.h"

#include <algorithm>
#include <cmath>

namespace benchd {

void Evidence::Add(Values reference, Values candidate) {
  const auto is_positive = [](const ArmValue& value) { return value.positive; };
  positive_ = positive_ && std::all_of(reference.begin(), reference.end(), is_positive) &&
              std::all_of(candidate.begin(), candidate.end(), is_positive);
  Take(reference, candidate);
}

MarginDecision Evidence::Judge(Contrast scale, double resolution) const {
  const std::optional<Interval> interval = IntervalOn(scale, resolution);
  if (!interval || !subject_.gate) return MarginDecision::kContinue;
  return DecideAgainst(*interval, subject_.gate->threshold);
}

// An interval of any method is about as wide as one of `se` at the boundary's z would be.
std::optional<PairedEstimate> Evidence::ForForecast(Contrast scale, double resolution,
                                                    const Level& level) const {
  const std::optional<Interval> interval = IntervalOn(scale, resolution);
  const std::uint64_t n = std::min(Counts().reference, Counts().candidate);
  if (!interval || !Defined(scale) || n < level.boundary().first_look()) return std::nullopt;
  const ScaleEstimate estimate = On(scale, resolution);
  const double half = (interval->hi - interval->lo) / 2 - estimate.widening;
  if (!std::isfinite(half)) return std::nullopt;
  PairedEstimate as_pairs;
  as_pairs.n = n;
  as_pairs.centre = estimate.centre;
  as_pairs.se = std::max(half, 0.0) / level.boundary().ZAt(n);
  as_pairs.widening = estimate.widening;
  return as_pairs;
}

std::optional<double> IfFinite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return value + 0.0;  // a change of -0 is none
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
