#include "core/stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/stats/quantiles.h"
#include "core/stats/samples.h"

namespace benchd {
namespace {

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double width = 0;  // narrowest that an arm asks for; 0: none has a quartile range
  std::size_t largest = 0;
};

double FreedmanDiaconisWidth(const std::vector<double>& sorted) {
  const double range = QuantileType7(sorted, 0.75).value() - QuantileType7(sorted, 0.25).value();
  return 2 * range / std::cbrt(static_cast<double>(sorted.size()));
}

Result<Extent> ExtentOf(std::span<const std::span<const double>> arms) {
  Extent extent;
  for (std::span<const double> arm : arms) {
    if (arm.empty()) continue;
    const Result<std::vector<double>> sorted = SortedSample(arm);
    if (!sorted) return sorted.error();
    extent.low = std::min(extent.low, sorted->front());
    extent.high = std::max(extent.high, sorted->back());
    extent.largest = std::max(extent.largest, sorted->size());
    const double width = FreedmanDiaconisWidth(*sorted);
    if (width > 0 && (extent.width == 0 || width < extent.width)) extent.width = width;
  }
  if (extent.largest == 0) return InvalidArgument("values", "there is none");
  if (!std::isfinite(extent.high - extent.low)) {
    return InvalidArgument("values", "their range is beyond that of a double");
  }
  return extent;
}

std::size_t BinsFor(const Extent& extent, double resolution, std::size_t most) {
  const double range = extent.high - extent.low;
  const double sturges = 1 + std::ceil(std::log2(static_cast<double>(extent.largest)));
  double bins = extent.width > 0 ? std::ceil(range / extent.width) : sturges;
  if (resolution > 0) bins = std::min(bins, std::floor(range / resolution));
  // Far from 0 the doubles themselves are steps.
  const double spacing = std::max(std::abs(extent.low), std::abs(extent.high)) *
                         std::numeric_limits<double>::epsilon();
  if (spacing > 0) bins = std::min(bins, std::floor(range / (2 * spacing)));
  return static_cast<std::size_t>(std::clamp(bins, 1.0, static_cast<double>(most)));
}

std::vector<double> EdgesOf(const Extent& extent, std::size_t bins) {
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    edges[i] = extent.low + share * (extent.high - extent.low);
  }
  edges.back() = extent.high;
  return edges;
}

std::vector<std::uint64_t> CountArm(std::span<const double> values,
                                    const std::vector<double>& edges) {
  std::vector<std::uint64_t> counts(edges.size() - 1, 0);
  for (double value : values) {
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
    ++counts[static_cast<std::size_t>(above - edges.begin()) - 1];
  }
  return counts;
}

}  // namespace

Result<Histogram> CountInCommonBins(std::span<const std::span<const double>> arms,
                                    double resolution, std::size_t most_bins) {
  if (most_bins < 1) return InvalidArgument("bins", "must be at least 1");
  const Result<Extent> extent = ExtentOf(arms);
  if (!extent) return extent.error();
  Histogram histogram;
  histogram.edges = EdgesOf(*extent, BinsFor(*extent, resolution, most_bins));
  for (std::span<const double> arm : arms) {
    histogram.counts.push_back(CountArm(arm, histogram.edges));
  }
  return histogram;
}

}  // namespace benchd
