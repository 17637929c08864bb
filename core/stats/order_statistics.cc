#include "core/stats/order_statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/try.h"
#include "core/stats/descriptive.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

double LowerTailAt(std::uint64_t n, double p, std::uint64_t k) {
  return BinomialLowerTail(static_cast<double>(n), static_cast<double>(k), p);
}

// Returns the number of ranks l with P(Bin(n, p) <= l - 1) <= tail.
std::uint64_t RanksWithin(std::uint64_t n, double p, double tail) {
  std::uint64_t fits = 0;
  std::uint64_t too_many = n + 1;
  while (too_many - fits > 1) {
    const std::uint64_t middle = fits + (too_many - fits) / 2;
    (LowerTailAt(n, p, middle - 1) <= tail ? fits : too_many) = middle;
  }
  return fits;
}

Result<void> CheckQuantileArms(std::span<const double> reference, std::span<const double> candidate,
                               double p, Contrast contrast) {
  if (!(p > 0 && p < 1)) {
    return InvalidArgument("estimator", "the P of quantile:P must lie between 0 and 1",
                           "such as quantile:0.1");
  }
  for (const std::span<const double> arm : {reference, candidate}) {
    assert(std::is_sorted(arm.begin(), arm.end()));
    TRY_VOID(contrast == Contrast::kLogRatio ? CheckPositive(arm) : CheckFinite(arm));
  }
  return {};
}

// Returns whether a pair of order statistics is further apart than `bound`.
bool Exceeds(double from, double to, Contrast contrast, double bound) {
  const auto value = PairValue(from, to, contrast);
  return value && *value > bound;
}

/// Returns the smallest tail at which the value of `upper_arm` that bounds its quantile from below
/// exceeds, by more than `bound`, the value of `lower_arm` that bounds its quantile from above.
///
/// With the value of rank l of the upper arm, the largest usable rank of the lower arm is the
/// number of its values that are far enough below. Both tails must then allow these ranks. With l,
/// the tail of the upper arm rises and that of the lower arm falls, so their maximum is least where
/// they cross.
double SmallestTail(std::span<const double> lower_arm, std::span<const double> upper_arm, double p,
                    Contrast contrast, double bound) {
  const std::uint64_t n = lower_arm.size();
  const std::uint64_t m = upper_arm.size();
  const auto tail_of_upper = [&](std::uint64_t l) { return LowerTailAt(m, p, l - 1); };
  // P(Bin(n, p) >= u) = P(Bin(n, 1 - p) <= n - u)
  const auto tail_of_lower = [&](std::uint64_t l) {
    const double value = upper_arm[l - 1];
    const auto end = std::partition_point(lower_arm.begin(), lower_arm.end(), [&](double below) {
      return Exceeds(below, value, contrast, bound);
    });
    const auto u = static_cast<std::uint64_t>(end - lower_arm.begin());
    return u == 0 ? 1 : LowerTailAt(n, 1 - p, n - u);
  };
  std::uint64_t low = 1;  // the smallest l at which the upper arm's tail is the larger one
  std::uint64_t high = m + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (tail_of_upper(middle) >= tail_of_lower(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  double smallest = 1;
  if (low <= m) smallest = std::min(smallest, tail_of_upper(low));
  if (low > 1) smallest = std::min(smallest, tail_of_lower(low - 1));
  return smallest;
}

}  // namespace

QuantileRanks RanksOfQuantile(std::uint64_t n, double p, double alpha) {
  assert(p > 0 && p < 1 && alpha > 0 && alpha < 1);
  // The ranks are found from both ends of the sample by the same search: the number of values above
  // the quantile has the law Bin(n, 1 - p).
  const std::uint64_t from_below = RanksWithin(n, p, alpha / 2);
  const std::uint64_t from_above = RanksWithin(n, 1 - p, alpha / 2);
  QuantileRanks ranks;
  if (from_below > 0) ranks.lo = from_below;
  if (from_above > 0) ranks.hi = n + 1 - from_above;
  return ranks;
}

std::optional<std::uint64_t> FewestForRanks(double p, double alpha, std::uint64_t most) {
  // For a tiny p, 1 - p rounds to 1, whose logarithm is 0.
  const double n = std::ceil(std::log(alpha / 2) / std::log1p(-std::min(p, 1 - p)));
  if (!(n <= static_cast<double>(most))) return std::nullopt;
  const auto has_both = [p, alpha](std::uint64_t values) {
    const QuantileRanks ranks = RanksOfQuantile(values, p, alpha);
    return ranks.lo && ranks.hi;
  };
  auto fewest = static_cast<std::uint64_t>(std::max(1.0, n));
  // The quotient of two logarithms may be off by rounding.
  if (fewest > 1 && has_both(fewest - 1)) --fewest;
  while (!has_both(fewest)) ++fewest;
  return fewest;
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

Result<OneLook> CompareQuantiles(std::span<const double> reference,
                                 std::span<const double> candidate, double p, Contrast contrast,
                                 double alpha) {
  TRY_VOID(CheckQuantileArms(reference, candidate, p, contrast));
  if (!(alpha > 0 && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 0 and 1");
  }
  OneLook look;
  look.estimate =
      PairValue(QuantileType7(reference, p).value(), QuantileType7(candidate, p).value(), contrast)
          .value_or(0);
  const QuantileRanks b = RanksOfQuantile(reference.size(), p, alpha / 2);
  const QuantileRanks c = RanksOfQuantile(candidate.size(), p, alpha / 2);
  if (!b.lo || !b.hi || !c.lo || !c.hi) return look;
  const auto lo = PairValue(reference[*b.hi - 1], candidate[*c.lo - 1], contrast);
  const auto hi = PairValue(reference[*b.lo - 1], candidate[*c.hi - 1], contrast);
  if (lo && hi) look.interval = Interval{*lo, *hi};
  return look;
}

Result<double> CompareQuantilesP(std::span<const double> reference,
                                 std::span<const double> candidate, double p, Contrast contrast,
                                 double hypothesis, double allowance) {
  TRY_VOID(CheckQuantileArms(reference, candidate, p, contrast));
  // Above the hypothesis, the candidate is the upper arm. Below it, exchanging the arms negates
  // both the contrast and the hypothesis.
  const double above = SmallestTail(reference, candidate, p, contrast, hypothesis + allowance);
  const double below = SmallestTail(candidate, reference, p, contrast, allowance - hypothesis);
  return std::min(1.0, 4 * std::min(above, below));
}

}  // namespace benchd
