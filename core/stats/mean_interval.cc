#include "core/stats/mean_interval.h"

#include <algorithm>
#include <cmath>

namespace benchd {
namespace {

// Estimates the centre from the spread of the values times `scale`.
PairedEstimate FromSpread(const Moments& values, double centre, double scale) {
  PairedEstimate estimate;
  estimate.n = values.count();
  estimate.centre = centre;
  const double sd = values.standard_deviation() * scale;
  if (estimate.n < 2 || !(sd > 0)) return estimate;
  const auto n = static_cast<double>(estimate.n);
  estimate.se = sd / std::sqrt(n);
  if (estimate.n < 3) return estimate;
  const double adjusted = values.skewness() * std::sqrt(n * (n - 1)) / (n - 2);
  estimate.kappa = adjusted / std::sqrt(n);
  return estimate;
}

}  // namespace

bool MeanDefined(const Moments& values) {
  return values.count() > 0 && std::isfinite(values.mean() + values.variance() + values.skewness());
}

bool LogMeanDefined(const Moments& values) {
  return MeanDefined(values) && InRatioRange(values.mean());
}

PairedEstimate EstimateLogMean(const Moments& values) {
  return FromSpread(values, std::log(values.mean()), 1 / values.mean());
}

PairedEstimate EstimateMean(const Moments& values) { return FromSpread(values, values.mean(), 1); }

Interval SkewedInterval(const PairedEstimate& estimate, double t) {
  const double least = kLeastSkewness / std::sqrt(static_cast<double>(estimate.n));
  const double low = GuardAgainstSkewness(estimate.kappa, t).low;
  const double high = GuardAgainstSkewness(std::max(estimate.kappa, least), t).high;
  return {estimate.centre - estimate.se * low - estimate.allowance,
          estimate.centre + estimate.se * high + estimate.allowance};
}

bool NeedsAllowance(const Moments& values, double resolution) {
  return values.standard_deviation() < kVisibleSteps * resolution;
}

}  // namespace benchd
