#include "core/analysis/distributions.h"

#include <algorithm>

#include "core/stats/descriptive.h"
#include "core/stats/histogram.h"

namespace benchd {
namespace {

constexpr double kFarOut = 4;  // interquartile ranges
constexpr std::size_t kMostBinsOfPicture = 50;
constexpr std::size_t kDensityCells = 120;

void AddDensity(std::span<const double> values, double resolution, const ValueEnds& ends,
                ArmDistribution* to) {
  const Result<double> bandwidth = SilvermanBandwidth(values);
  if (!bandwidth || *bandwidth <= resolution) return;
  auto curve = KernelDensity(values, *bandwidth, ends.first, ends.second, kDensityCells);
  if (!curve) return;
  to->x = std::move(curve->x);
  to->density = std::move(curve->y);
}

}  // namespace

std::optional<ValueEnds> OutlierFences(std::span<const double> values) {
  const Result<TukeyFences> fences = FindOutliers(values);
  return fences ? std::optional(ValueEnds{fences->low, fences->high}) : std::nullopt;
}

std::optional<ValueEnds> UsualRange(std::span<const std::span<const double>> arms) {
  std::optional<ValueEnds> range;
  for (const std::span<const double> arm : arms) {
    const Result<TukeyFences> fences = FindOutliers(arm);
    if (!fences) continue;
    const double reach = kFarOut * (fences->upper_quartile - fences->lower_quartile);
    auto [low, high] = std::ranges::minmax(arm);
    // Quartiles that are equal say nothing of how far is far.
    if (reach > 0) low = std::max(low, fences->lower_quartile - reach);
    if (reach > 0) high = std::min(high, fences->upper_quartile + reach);
    if (!range) range = {low, high};
    range = {std::min(range->first, low), std::max(range->second, high)};
  }
  return range;
}

double Distributions::Height(std::size_t arm, std::size_t bin) const {
  const double width = edges[bin + 1] - edges[bin];
  return static_cast<double>(arms[arm].counts[bin]) / static_cast<double>(arms[arm].n) /
         (width > 0 ? width : 1);
}

double Distributions::Highest() const {
  double highest = 0;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    for (std::size_t bin = 0; bin < arms[arm].counts.size(); ++bin) {
      highest = std::max(highest, Height(arm, bin));
    }
    for (const double density : arms[arm].density) highest = std::max(highest, density);
  }
  return highest;
}

Result<Distributions> DistributeValues(std::span<const std::span<const double>> arms,
                                       double resolution) {
  Distributions all;
  const ValueEnds range = UsualRange(arms).value_or(ValueEnds{});
  std::vector<std::vector<double>> inside(arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    ArmDistribution& arm = all.arms.emplace_back();
    arm.n = arms[i].size();
    arm.mean = MomentsOf(arms[i]).mean();
    for (const double value : arms[i]) {
      const bool below = value < range.first;
      const bool above = value > range.second;
      arm.below += below ? 1 : 0;
      arm.above += above ? 1 : 0;
      if (!below && !above) inside[i].push_back(value);
    }
  }
  const std::vector<std::span<const double>> kept(inside.begin(), inside.end());
  Result<Histogram> bins = CountInCommonBins(kept, resolution, kMostBinsOfPicture);
  if (!bins) return std::move(bins).error();
  all.edges = std::move(bins->edges);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    all.arms[i].counts = std::move(bins->counts[i]);
    AddDensity(arms[i], resolution, {all.edges.front(), all.edges.back()}, &all.arms[i]);
  }
  return all;
}

}  // namespace benchd
