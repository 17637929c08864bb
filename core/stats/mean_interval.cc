#include "core/stats/mean_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stats/tails.h"

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

// Returns the number of integers k in [0, n] for which `tail` is at most `level`. The tail grows
// with k.
template <typename Tail>
std::uint64_t CountBelow(const Tail& tail, std::uint64_t n, double level) {
  std::uint64_t low = 0;
  std::uint64_t high = n + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (tail(middle) <= level) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
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

QuantileRanks RanksOfQuantile(std::uint64_t n, double p, double alpha) {
  const auto size = static_cast<double>(n);
  const double level = alpha / 2;
  // The ranks are found from both ends of the sample by the same search: the number of values above
  // the quantile has the law Bin(n, 1 - p).
  const auto rank = [&](double share) {
    return CountBelow(
        [&](std::uint64_t k) { return BinomialLowerTail(size, static_cast<double>(k), share); }, n,
        level);
  };
  QuantileRanks ranks;
  const std::uint64_t from_below = rank(p);
  const std::uint64_t from_above = rank(1 - p);
  if (from_below > 0) ranks.lo = from_below;
  if (from_above > 0) ranks.hi = n + 1 - from_above;
  return ranks;
}

std::optional<std::uint64_t> ValuesForQuantile(double p, double alpha, std::uint64_t most) {
  const double about = std::log(alpha / 2) / std::log(std::max(p, 1 - p));
  if (!(about < static_cast<double>(most))) return std::nullopt;
  const auto has_both = [p, alpha](std::uint64_t n) {
    const QuantileRanks ranks = RanksOfQuantile(n, p, alpha);
    return ranks.lo && ranks.hi;
  };
  // Rounding may err by one.
  auto n = static_cast<std::uint64_t>(std::max(1.0, std::floor(about) - 1));
  while (!has_both(n)) ++n;
  return n;
}

OneLook QuantileInterval(std::span<const double> sorted, double p, const QuantileRanks& ranks) {
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  OneLook look;
  look.estimate = QuantileType7(sorted, p).value();
  if (!ranks.lo && !ranks.hi) return look;
  look.interval = Interval{ranks.lo ? sorted[*ranks.lo - 1] : -kNoBound,
                           ranks.hi ? sorted[*ranks.hi - 1] : kNoBound};
  return look;
}

}  // namespace benchd
