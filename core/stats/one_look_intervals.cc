#include "core/stats/one_look_intervals.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/stats/descriptive.h"
#include "core/stats/resampling.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

Result<void> CheckMedianValues(std::span<const double> sorted) {
  assert(std::is_sorted(sorted.begin(), sorted.end()));
  return CheckFinite(sorted);
}

double CoinTail(std::uint64_t n, std::uint64_t k) {
  return FairCoinLowerTail(static_cast<double>(n), static_cast<double>(k));
}

}  // namespace

std::optional<std::uint64_t> MedianCut(std::uint64_t n, double alpha) {
  // The number of k for which P(Bin <= k - 1) is small enough, by halving.
  std::uint64_t fits = 0;
  std::uint64_t too_many = n / 2 + 1;
  while (too_many - fits > 1) {
    const std::uint64_t middle = fits + (too_many - fits) / 2;
    (2 * CoinTail(n, middle - 1) <= alpha ? fits : too_many) = middle;
  }
  if (fits == 0) return std::nullopt;
  return fits;
}

Result<OneLook> MedianInterval(std::span<const double> sorted, double alpha) {
  if (Result<void> checked = CheckMedianValues(sorted); !checked) return checked.error();
  if (!(alpha > 0 && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 0 and 1");
  }
  OneLook look;
  look.estimate = QuantileType7(sorted, 0.5).value();
  if (const auto cut = MedianCut(sorted.size(), alpha)) {
    look.interval = Interval{sorted[*cut - 1], sorted[sorted.size() - *cut]};
  }
  return look;
}

Result<double> MedianP(std::span<const double> sorted, double hypothesis, double widening) {
  if (Result<void> checked = CheckMedianValues(sorted); !checked) return checked.error();
  const auto up_to =
      std::upper_bound(sorted.begin(), sorted.end(), hypothesis + widening) - sorted.begin();
  const auto from =
      sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), hypothesis - widening);
  return std::min(1.0,
                  2 * CoinTail(sorted.size(), static_cast<std::uint64_t>(std::min(up_to, from))));
}

Result<Bootstrap> BootstrapMedian(std::span<const double> sorted, std::uint64_t seed) {
  if (Result<void> checked = CheckMedianValues(sorted); !checked) return checked.error();
  if (sorted.size() < 2) return InvalidArgument("values", "a bootstrap needs two or more");
  if (sorted.size() > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument("values", "a bootstrap takes 2^31 at most");
  }
  const auto n = static_cast<std::uint32_t>(sorted.size());
  RandomIndex random(seed);
  std::vector<double> replicates;
  replicates.reserve(kBootstrapReplicates);
  std::vector<std::uint32_t> counts(n);
  for (int replicate = 0; replicate < kBootstrapReplicates; ++replicate) {
    // A resample of sorted values is a count of each, so its order statistics need no sorting.
    std::fill(counts.begin(), counts.end(), 0);
    for (std::uint32_t i = 0; i < n; ++i) ++counts[random.Below(n)];
    std::size_t below = 0;
    std::uint32_t seen = counts[0];
    while (seen < (n + 1) / 2) seen += counts[++below];
    std::size_t above = below;
    while (seen < n / 2 + 1) seen += counts[++above];
    replicates.push_back(sorted[below] / 2 + sorted[above] / 2);
  }
  return Bootstrap(QuantileType7(sorted, 0.5).value(), std::move(replicates));
}

namespace {

// Beyond it 2 Q(z) is below the smallest double.
constexpr double kLargestZ = 37;

Result<void> CheckMoments(const Moments& reference, const Moments& candidate) {
  if (reference.count() < 2 || candidate.count() < 2) {
    return InvalidArgument("values", "an arm needs two or more for its spread");
  }
  if (!DifferenceDefined(reference, candidate)) {
    return InvalidArgument("values", "a logarithm is not finite",
                           "only positive values have a log-normal mean");
  }
  return {};
}

// How far half the variance of the logs may lie below and above the observed one.
struct Reach {
  double below = 0;
  double above = 0;
};

Reach HalfVarianceReach(const Moments& logs, double alpha) {
  const double half = logs.variance() / 2;
  const auto dof = static_cast<double>(logs.count() - 1);
  return {half - half * dof / ChiSquareUpperQuantile(alpha / 2, dof),
          half * dof / ChiSquareLowerQuantile(alpha / 2, dof) - half};
}

OneLook Mover(const Moments& reference, const Moments& candidate, double alpha) {
  const WelchEstimate means = EstimateWelchDifference(reference, candidate);
  OneLook look;
  look.estimate = means.centre + (candidate.variance() - reference.variance()) / 2;
  look.interval = Interval{look.estimate, look.estimate};
  if (means.se == 0) return look;
  const double mean_reach = FixedCriticalT(alpha, means) * means.se;
  const Reach b = HalfVarianceReach(reference, alpha);
  const Reach c = HalfVarianceReach(candidate, alpha);
  look.interval->lo -= std::hypot(mean_reach, c.below, b.above);
  look.interval->hi += std::hypot(mean_reach, c.above, b.below);
  return look;
}

}  // namespace

Result<OneLook> LognormalMeanRatio(const Moments& log_reference, const Moments& log_candidate,
                                   double alpha) {
  if (Result<void> checked = CheckMoments(log_reference, log_candidate); !checked)
    return checked.error();
  if (!(alpha > 0 && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 0 and 1");
  }
  return Mover(log_reference, log_candidate, alpha);
}

Result<double> LognormalMeanP(const Moments& log_reference, const Moments& log_candidate,
                              double hypothesis, double widening) {
  if (Result<void> checked = CheckMoments(log_reference, log_candidate); !checked)
    return checked.error();
  const OneLook look = Mover(log_reference, log_candidate, 0.5);
  const double distance = std::abs(look.estimate - hypothesis) - widening;
  if (distance <= 0) return 1;
  if (look.interval->lo == look.interval->hi) return 0;
  const bool above = look.estimate > hypothesis;
  // What is left of the distance at the level 2 Q(z): falls with z, and is 0 at the one sought.
  const auto left = [&](double z) {
    const Interval interval =
        *Mover(log_reference, log_candidate, std::min(1.0, 2 * NormalUpperTail(z))).interval;
    return distance - (above ? look.estimate - interval.lo : interval.hi - look.estimate);
  };
  return std::min(1.0, 2 * NormalUpperTail(RootOfFalling(left, 0, 0, kLargestZ)));
}

}  // namespace benchd
