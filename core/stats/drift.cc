#include "core/stats/drift.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/stats/samples.h"

namespace benchd {
namespace {

constexpr std::size_t kFewestValues = 3;

// Ranks from 1; equal values share the mean of theirs.
std::vector<double> MidRanks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double mean = static_cast<double>(first + 1 + end) / 2;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = mean;
    first = end;
  }
  return ranks;
}

// Of the ratio, for values in random order (Bartels 1982).
double StandardDeviationOfRatio(double n) {
  return std::sqrt(4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) * (n - 1)));
}

}  // namespace

std::optional<RankTrend> TestRankTrend(std::span<const double> values) {
  if (values.size() < kFewestValues) return std::nullopt;
  if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) {
    return std::nullopt;
  }
  const std::vector<double> ranks = MidRanks(values);
  const auto n = static_cast<double>(ranks.size());
  const double mean = (n + 1) / 2;
  double steps = 0;
  double spread = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    spread += (ranks[i] - mean) * (ranks[i] - mean);
    if (i > 0) steps += (ranks[i - 1] - ranks[i]) * (ranks[i - 1] - ranks[i]);
  }
  if (spread == 0) return std::nullopt;
  RankTrend trend;
  trend.ratio = steps / spread;
  trend.z = (2 - trend.ratio) / StandardDeviationOfRatio(n);
  return trend;
}

std::optional<LevelChange> TestLevelChange(std::span<const double> values) {
  if (values.size() < kFewestValues) return std::nullopt;
  const Moments moments = MomentsOf(values);
  const double deviation = moments.standard_deviation();
  if (!(deviation > 0) || !std::isfinite(deviation)) return std::nullopt;
  LevelChange change;
  double sum = 0;
  double largest = -1;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    sum += values[i] - moments.mean();
    if (std::abs(sum) > largest) {
      largest = std::abs(sum);
      change.before = i + 1;
    }
  }
  change.statistic = largest / (deviation * std::sqrt(static_cast<double>(values.size())));
  return change;
}

bool IsTrend(const RankTrend& trend) { return std::abs(trend.z) > kRankTrendCritical; }

bool IsLevelChange(const LevelChange& change) { return change.statistic > kLevelChangeCritical; }

}  // namespace benchd
