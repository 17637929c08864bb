#include "core/stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/try.h"
#include "core/stats/descriptive.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double width = 0;  // the smallest over the arms; 0 if every interquartile range is 0
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
    TRY(const std::vector<double> sorted, SortedSample(arm));
    extent.low = std::min(extent.low, sorted.front());
    extent.high = std::max(extent.high, sorted.back());
    extent.largest = std::max(extent.largest, sorted.size());
    const double width = FreedmanDiaconisWidth(sorted);
    if (width > 0 && (extent.width == 0 || width < extent.width)) extent.width = width;
  }
  if (extent.largest == 0) return InvalidArgument("values", "missing");
  if (!std::isfinite(extent.high - extent.low)) {
    return InvalidArgument("values", "the range of the values exceeds that of a double");
  }
  return extent;
}

std::size_t BinsFor(const Extent& extent, double resolution, std::size_t most) {
  const double range = extent.high - extent.low;
  const double sturges = 1 + std::ceil(std::log2(static_cast<double>(extent.largest)));
  double bins = extent.width > 0 ? std::ceil(range / extent.width) : sturges;
  if (resolution > 0) bins = std::min(bins, std::floor(range / resolution));
  // Far from 0, the spacing of doubles limits the number of distinct edges.
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
  TRY(const Extent extent, ExtentOf(arms));
  Histogram histogram;
  histogram.edges = EdgesOf(extent, BinsFor(extent, resolution, most_bins));
  for (std::span<const double> arm : arms) {
    histogram.counts.push_back(CountArm(arm, histogram.edges));
  }
  return histogram;
}

namespace {

constexpr double kMargin = 4;  // bandwidths shown beyond the values
constexpr double kKernelReach =
    8.25;  // in bandwidths; a kernel's mass beyond it is below rounding (1e-16)

// The kernel mass in each cell, summed over the values.
class Cells {
 public:
  Cells(double low, double high, std::size_t count)
      : low_(low), width_((high - low) / static_cast<double>(count)), mass_(count, 0) {}

  double Edge(std::size_t i) const { return low_ + static_cast<double>(i) * width_; }
  double Middle(std::size_t i) const { return low_ + (static_cast<double>(i) + 0.5) * width_; }

  void AddKernel(double centre, double bandwidth) {
    const std::size_t first = CellOf(centre - kKernelReach * bandwidth);
    const std::size_t last = CellOf(centre + kKernelReach * bandwidth);
    double above = NormalUpperTail((Edge(first) - centre) / bandwidth);
    for (std::size_t i = first; i <= last; ++i) {
      const double next = NormalUpperTail((Edge(i + 1) - centre) / bandwidth);
      mass_[i] += above - next;
      above = next;
    }
  }

  double Density(std::size_t i, std::size_t n) const {
    return mass_[i] / static_cast<double>(n) / width_;
  }

 private:
  // Returns the cell that contains x, or the nearest one.
  std::size_t CellOf(double x) const {
    const double cell = std::floor((x - low_) / width_);
    return static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(mass_.size() - 1)));
  }

  double low_;
  double width_;
  std::vector<double> mass_;
};

}  // namespace

Result<double> SilvermanBandwidth(std::span<const double> values) {
  TRY(const std::vector<double> sorted, SortedSample(values));
  const Moments moments = MomentsOf(values);
  const double deviation = moments.standard_deviation();
  if (!(deviation > 0)) return InvalidArgument("values", "all values are equal");
  if (!std::isfinite(deviation)) {
    return InvalidArgument("values", "the range of the values exceeds that of a double");
  }
  const double quartile_range =
      QuantileType7(sorted, 0.75).value() - QuantileType7(sorted, 0.25).value();
  const double spread = quartile_range > 0 ? std::min(deviation, quartile_range / 1.34) : deviation;
  return 0.9 * spread * std::pow(static_cast<double>(values.size()), -0.2);
}

Result<Density> KernelDensity(std::span<const double> values, double bandwidth, double low,
                              double high, std::size_t cells) {
  TRY_VOID(CheckFinite(values));
  if (!(bandwidth > 0) || !std::isfinite(bandwidth)) {
    return InvalidArgument("bandwidth", "must be a finite number above 0");
  }
  if (!(low < high) || !std::isfinite(high - low)) {
    return InvalidArgument("range", "must be finite and not empty");
  }
  if (cells == 0) return InvalidArgument("cells", "must be at least 1");
  Cells mass(low, high, cells);
  for (double value : values) mass.AddKernel(value, bandwidth);
  Density density;
  density.bandwidth = bandwidth;
  for (std::size_t i = 0; i < cells; ++i) {
    density.x.push_back(mass.Middle(i));
    density.y.push_back(mass.Density(i, values.size()));
  }
  return density;
}

Result<Density> KernelDensity(std::span<const double> values, std::size_t cells) {
  TRY(const double bandwidth, SilvermanBandwidth(values));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return KernelDensity(values, bandwidth, *low - kMargin * bandwidth, *high + kMargin * bandwidth,
                       cells);
}

}  // namespace benchd
