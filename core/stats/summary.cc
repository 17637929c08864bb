#include "core/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/base/error.h"
#include "core/stats/moments.h"
#include "core/stats/quantiles.h"
#include "core/stats/samples.h"

namespace benchd {
namespace {

template <typename Function>
double MeanOf(std::span<const double> values, Function function) {
  Moments moments;
  for (double value : values) moments.Add(function(value));
  return moments.mean();
}

}  // namespace

Result<double> HarmonicMean(std::span<const double> values) {
  if (Result<void> positive = CheckPositive(values); !positive) return positive.error();
  return 1 / MeanOf(values, [](double x) { return 1 / x; });
}

Result<double> HarmonicStandardDeviation(std::span<const double> values) {
  if (Result<void> positive = CheckPositive(values); !positive) return positive.error();
  if (values.size() < 2) return InvalidArgument("values", "a spread needs two at least");
  Moments inverse;
  for (double value : values) inverse.Add(1 / value);
  const auto n = static_cast<double>(values.size());
  const double mean = 1 / inverse.mean();
  return mean * mean * std::sqrt(inverse.variance() * ((n - 1) / n));
}

Result<double> GeometricMean(std::span<const double> values) {
  if (Result<void> positive = CheckPositive(values); !positive) return positive.error();
  return std::exp(MeanOf(values, [](double x) { return std::log(x); }));
}

Result<double> BestMean(std::span<const double> values, double percent, BestEnd best,
                        MeanKind kind) {
  if (Result<void> finite = CheckFinite(values); !finite) return finite.error();
  if (!(percent > 0 && percent <= 100)) {
    return InvalidArgument("percent", "must be above 0 and at most 100");
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  if (best == BestEnd::kHighest) std::reverse(sorted.begin(), sorted.end());
  const auto share = static_cast<std::size_t>(static_cast<double>(sorted.size()) * percent / 100);
  const std::span<const double> kept(sorted.data(), std::max<std::size_t>(1, share));
  if (kind == MeanKind::kHarmonic) return HarmonicMean(kept);
  return MeanOf(kept, std::identity());
}

Result<Summary> Summarize(std::span<const double> values) {
  if (Result<void> finite = CheckFinite(values); !finite) return finite.error();
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const Moments moments = MomentsOf(values);

  Summary summary;
  summary.n = sorted.size();
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.mean = moments.mean();
  if (summary.min > 0) summary.harmonic_mean = HarmonicMean(values).value();
  if (summary.n >= 2) {
    summary.standard_deviation = moments.standard_deviation();
    if (summary.mean != 0) summary.variation = *summary.standard_deviation / summary.mean;
  }
  summary.lower_quartile = QuantileType7(sorted, 0.25).value();
  summary.median = QuantileType7(sorted, 0.5).value();
  summary.upper_quartile = QuantileType7(sorted, 0.75).value();
  return summary;
}

}  // namespace benchd
