#include "core/stats/descriptive.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/try.h"

namespace benchd {

std::optional<double> IfFinite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return value + 0.0;  // adding 0 turns -0 into 0
}

void Moments::Add(double value) {
  if (count_ == 0) first_ = value;
  const auto before = static_cast<double>(count_);
  ++count_;
  const auto n = static_cast<double>(count_);
  const double delta = (value - first_) - mean_;
  const double step = delta / n;
  const double term = delta * step * before;
  sum3_ += term * step * (n - 2) - 3 * step * sum2_;
  sum2_ += term;
  mean_ += step;
}

double Moments::variance() const {
  return count_ < 2 ? 0 : sum2_ / static_cast<double>(count_ - 1);
}

double Moments::standard_deviation() const { return std::sqrt(variance()); }

double Moments::skewness() const {
  if (!(sum2_ > 0)) return 0;
  const auto n = static_cast<double>(count_);
  return std::sqrt(n) * sum3_ / (sum2_ * std::sqrt(sum2_));
}

Result<void> CheckFinite(std::span<const double> values) {
  if (values.empty()) return InvalidArgument("values", "missing");
  for (double value : values) {
    if (!std::isfinite(value)) return InvalidArgument("values", "a value is not a finite number");
  }
  return {};
}

Result<void> CheckPositive(std::span<const double> values) {
  TRY_VOID(CheckFinite(values));
  for (double value : values) {
    if (!(value > 0)) {
      return InvalidArgument("values", "a value is not greater than 0",
                             "only positive values have a harmonic or geometric mean");
    }
  }
  return {};
}

Moments MomentsOf(std::span<const double> values) {
  Moments moments;
  for (double value : values) moments.Add(value);
  return moments;
}

Result<std::vector<double>> SortedSample(std::span<const double> values) {
  TRY_VOID(CheckFinite(values));
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Result<double> QuantileType7(std::span<const double> sorted, double p) {
  if (sorted.empty()) return InvalidArgument("values", "a quantile needs at least one value");
  if (!(p >= 0 && p <= 1)) return InvalidArgument("quantile", "must lie between 0 and 1");
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

namespace {

constexpr double kFenceReach = 1.5;

}  // namespace

Result<TukeyFences> FindOutliers(std::span<const double> values) {
  TRY(const std::vector<double> sorted, SortedSample(values));
  TukeyFences fences;
  fences.lower_quartile = QuantileType7(sorted, 0.25).value();
  fences.upper_quartile = QuantileType7(sorted, 0.75).value();
  const double range = fences.upper_quartile - fences.lower_quartile;
  fences.low = fences.lower_quartile - kFenceReach * range;
  fences.high = fences.upper_quartile + kFenceReach * range;
  for (double value : sorted) {
    if (value < fences.low) ++fences.below;
    if (value > fences.high) ++fences.above;
  }
  return fences;
}

namespace {

template <typename Function>
double MeanOf(std::span<const double> values, Function function) {
  Moments moments;
  for (double value : values) moments.Add(function(value));
  return moments.mean();
}

}  // namespace

Result<double> HarmonicMean(std::span<const double> values) {
  TRY_VOID(CheckPositive(values));
  return 1 / MeanOf(values, [](double x) { return 1 / x; });
}

Result<double> HarmonicStandardDeviation(std::span<const double> values) {
  TRY_VOID(CheckPositive(values));
  if (values.size() < 2) return InvalidArgument("values", "a spread needs at least two values");
  Moments inverse;
  for (double value : values) inverse.Add(1 / value);
  const auto n = static_cast<double>(values.size());
  const double mean = 1 / inverse.mean();
  return mean * mean * std::sqrt(inverse.variance() * ((n - 1) / n));
}

Result<double> GeometricMean(std::span<const double> values) {
  TRY_VOID(CheckPositive(values));
  return std::exp(MeanOf(values, [](double x) { return std::log(x); }));
}

Result<double> BestMean(std::span<const double> values, double percent, BestEnd best,
                        MeanKind kind) {
  TRY_VOID(CheckFinite(values));
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
  TRY_VOID(CheckFinite(values));
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
    summary.standard_deviation = IfFinite(moments.standard_deviation());
    if (summary.mean != 0 && summary.standard_deviation) {
      summary.variation = IfFinite(*summary.standard_deviation / summary.mean);
    }
  }
  summary.lower_quartile = QuantileType7(sorted, 0.25).value();
  summary.median = QuantileType7(sorted, 0.5).value();
  summary.upper_quartile = QuantileType7(sorted, 0.75).value();
  return summary;
}

}  // namespace benchd
