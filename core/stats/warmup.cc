#include "core/stats/warmup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/stats/descriptive.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

constexpr double kApartByRanks = 2;
constexpr std::size_t kTooFewForRanks = 2;
constexpr std::size_t kFewestLeft = 5;
constexpr double kNextLength = 1.3;

using Values = std::span<const double>;

// The variation that a cut after each position explains: k (n - k) / n times the squared difference
// of the means before and after it.
class Cuts {
 public:
  explicit Cuts(Values values) : n_(values.size()), sums_(n_ + 1, 0) {
    const double mean = MomentsOf(values).mean();
    for (std::size_t i = 0; i < n_; ++i) {
      const double deviation = values[i] - mean;
      sums_[i + 1] = sums_[i] + deviation;
      total_ += deviation * deviation;
    }
  }

  double Shift(std::size_t k) const {
    return sums_[k] / static_cast<double>(k) - (sums_[n_] - sums_[k]) / static_cast<double>(n_ - k);
  }
  double Explained(std::size_t k) const {
    const double shift = Shift(k);
    return shift * shift * static_cast<double>(k) * static_cast<double>(n_ - k) /
           static_cast<double>(n_);
  }
  // Returns |t| of the two samples before and after k.
  double T(std::size_t k) const {
    const double explained = Explained(k);
    if (!(explained > 0)) return 0;
    const double left = std::max(0.0, total_ - explained) / static_cast<double>(n_ - 2);
    return left > 0 ? std::sqrt(explained / left) : std::numeric_limits<double>::infinity();
  }

 private:
  std::size_t n_;
  std::vector<double> sums_;  // [k]: sum of the first k deviations from the mean
  double total_ = 0;
};

// Returns whether every early value is more than twice as far from the nearer quartile of the rest
// as any value of the rest on that side. A long tail with values that far out would have others in
// between.
bool FarBeyondAll(Values early, Values rest, bool above) {
  const Result<TukeyFences> fences = FindOutliers(rest);
  if (!fences) return false;
  if (above) {
    const double start = fences->upper_quartile;
    return std::ranges::min(early) - start > 2 * (std::ranges::max(rest) - start);
  }
  const double start = fences->lower_quartile;
  return start - std::ranges::max(early) > 2 * (start - std::ranges::min(rest));
}

// Returns Mann and Whitney's standardised statistic of the two parts, which is positive if the
// early values are larger.
double RankShift(Values early, Values rest) {
  std::vector<double> sorted(rest.begin(), rest.end());
  std::ranges::sort(sorted);
  double larger = 0;
  for (const double value : early) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    larger += static_cast<double>(first - sorted.begin()) + static_cast<double>(last - first) / 2;
  }
  const auto k = static_cast<double>(early.size());
  const auto m = static_cast<double>(rest.size());
  return (larger - k * m / 2) / std::sqrt(k * m * (k + m + 1) / 12);
}

bool LiesApart(Values early, Values rest, bool above) {
  if (early.size() <= kTooFewForRanks) return FarBeyondAll(early, rest, above);
  const double shift = RankShift(early, rest);
  return (above ? shift : -shift) >= kApartByRanks;
}

// Returns the number of first values that differ from the others.
std::size_t FirstCut(Values values, double level) {
  const std::size_t places = values.size() / 3;
  const Cuts cuts(values);
  std::size_t best = 1;
  for (std::size_t k = 2; k <= places; ++k) {
    if (cuts.Explained(k) > cuts.Explained(best)) best = k;
  }
  const double dof = static_cast<double>(values.size() - 2);
  const double p = 2 * StudentTUpperTail(cuts.T(best), dof) * static_cast<double>(places);
  if (!(p < (best > kTooFewForRanks ? level : level / 10))) return 0;
  const bool apart = LiesApart(values.first(best), values.subspan(best), cuts.Shift(best) > 0);
  return apart ? best : 0;
}

// Tests for drift at 0.1 %, a level at which the remainder of a decay does not count as drift.
bool StandsStill(Values values) {
  const auto trend = TestRankTrend(values);
  const auto change = TestLevelChange(values);
  return !(trend && std::abs(trend->z) > 3.291) && !(change && change->statistic > 1.949);
}

Warmup Describe(Values values, std::size_t length) {
  const double rest = MomentsOf(values.subspan(length)).mean();
  return {length, MomentsOf(values.first(length)).mean() - rest, rest};
}

std::vector<std::size_t> LengthsToTry(std::size_t n) {
  std::vector<std::size_t> lengths;
  for (std::size_t k = 1; k <= n / 3;) {
    lengths.push_back(k);
    k = std::max(k + 1, static_cast<std::size_t>(static_cast<double>(k) * kNextLength));
  }
  return lengths;
}

// Returns for each length the |t|, over the runs, of the difference between the mean of a run's
// first values and the mean of its other values.
std::vector<double> ShiftsOverRuns(std::span<const std::vector<double>> runs, std::size_t begin,
                                   std::span<const std::size_t> lengths) {
  std::vector<Moments> shifts(lengths.size());
  for (const std::vector<double>& run : runs) {
    const Cuts cuts(Values(run).subspan(begin));
    for (std::size_t i = 0; i < lengths.size(); ++i) shifts[i].Add(cuts.Shift(lengths[i]));
  }
  std::vector<double> statistics;
  for (const Moments& shift : shifts) {
    const double error = shift.standard_deviation() / std::sqrt(static_cast<double>(shift.count()));
    const double size = std::abs(shift.mean());
    statistics.push_back(size == 0   ? 0
                         : error > 0 ? size / error
                                     : std::numeric_limits<double>::infinity());
  }
  return statistics;
}

std::size_t FirstCutInside(std::span<const std::vector<double>> runs, Values profile,
                           std::size_t begin, double level) {
  const Values rest = profile.subspan(begin);
  const std::vector<std::size_t> lengths = LengthsToTry(rest.size());
  const std::vector<double> statistics = ShiftsOverRuns(runs, begin, lengths);
  const double critical = StudentTUpperQuantile(level / 2 / static_cast<double>(lengths.size()),
                                                static_cast<double>(runs.size() - 1));
  const Cuts cuts(rest);
  std::size_t best = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (statistics[i] <= critical) continue;
    if (best == 0 || cuts.Explained(lengths[i]) > cuts.Explained(best)) best = lengths[i];
  }
  return best;
}

}  // namespace

std::optional<Warmup> FindWarmup(std::span<const double> values, double level) {
  if (values.size() < kFewestForWarmup || !CheckFinite(values)) return std::nullopt;
  std::size_t length = 0;
  while (values.size() - length >= kFewestForWarmup) {
    const std::size_t cut = FirstCut(values.subspan(length), level);
    if (cut == 0) break;
    length += cut;
    if (length > values.size() / 2) return std::nullopt;
  }
  const Values rest = values.subspan(length);
  if (length == 0 || rest.size() < kFewestLeft || !StandsStill(rest)) return std::nullopt;
  return Describe(values, length);
}

std::optional<Warmup> FindWarmupInside(std::span<const std::vector<double>> runs, double level) {
  if (runs.size() < kFewestRunsForWarmup || runs.front().size() < kFewestInsideForWarmup) {
    return std::nullopt;
  }
  const std::size_t n = runs.front().size();
  std::vector<double> profile(n, 0);
  for (const std::vector<double>& run : runs) {
    for (std::size_t i = 0; i < n; ++i) profile[i] += run[i] / static_cast<double>(runs.size());
  }
  std::size_t length = 0;
  while (n - length >= kFewestInsideForWarmup) {
    const std::size_t cut = FirstCutInside(runs, profile, length, level);
    if (cut == 0 || length + cut > n / 2) break;
    length += cut;
  }
  if (length == 0) return std::nullopt;
  return Describe(profile, length);
}

namespace {

constexpr std::size_t kFewestValues = 3;

// Returns the ranks of the values, from 1. Equal values share their mean rank.
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

// Returns the standard deviation of the ratio for values in random order (Bartels 1982).
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
