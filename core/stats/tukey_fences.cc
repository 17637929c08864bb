#include "core/stats/tukey_fences.h"

#include <vector>

#include "core/stats/quantiles.h"
#include "core/stats/samples.h"

namespace benchd {
namespace {

constexpr double kFenceReach = 1.5;

}  // namespace

Result<TukeyFences> FindOutliers(std::span<const double> values) {
  const Result<std::vector<double>> sorted = SortedSample(values);
  if (!sorted) return sorted.error();
  TukeyFences fences;
  fences.lower_quartile = QuantileType7(*sorted, 0.25).value();
  fences.upper_quartile = QuantileType7(*sorted, 0.75).value();
  const double range = fences.upper_quartile - fences.lower_quartile;
  fences.low = fences.lower_quartile - kFenceReach * range;
  fences.high = fences.upper_quartile + kFenceReach * range;
  for (double value : *sorted) {
    if (value < fences.low) ++fences.below;
    if (value > fences.high) ++fences.above;
  }
  return fences;
}

}  // namespace benchd
