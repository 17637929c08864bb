#include "core/stats/median_interval.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/stats/bootstrap.h"
#include "core/stats/descriptive.h"
#include "core/stats/tails.h"

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

}  // namespace benchd
