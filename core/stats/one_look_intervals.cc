#include "core/stats/one_look_intervals.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/stats/rank_tests.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

Result<void> CheckSorted(std::span<const double> sorted) {
  assert(std::is_sorted(sorted.begin(), sorted.end()));
  return CheckFinite(sorted);
}

Result<void> CheckLevel(double alpha) {
  if (alpha > 0 && alpha < 1) return {};
  return InvalidArgument("alpha", "must lie between 0 and 1");
}

// Maps doubles to integers in the same order, and back.
std::int64_t RankOfDouble(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // -0 becomes 0
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double DoubleOfRank(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

// The Walsh averages of a sample. They are too many to list, so the class only counts them.
// Rounding preserves their order (x + y is monotonic in both), so counts are exact.
class WalshAverages {
 public:
  explicit WalshAverages(std::span<const double> sorted) : sorted_(sorted) {}

  std::uint64_t size() const { return sorted_.size() * (sorted_.size() + 1) / 2; }
  double smallest() const { return sorted_.front(); }
  double largest() const { return sorted_.back(); }

  std::uint64_t CountUpTo(double bound) const {
    std::uint64_t count = 0;
    std::size_t end = sorted_.size();  // the partners of i are i .. end - 1
    for (std::size_t i = 0; i < end; ++i) {
      while (end > i && sorted_[i] / 2 + sorted_[end - 1] / 2 > bound) --end;
      count += end - i;
    }
    return count;
  }

 private:
  std::span<const double> sorted_;
};

// All differences candidate - reference of two samples. The class only counts them.
class Differences {
 public:
  Differences(std::span<const double> reference, std::span<const double> candidate)
      : reference_(reference), candidate_(candidate) {}

  std::uint64_t size() const { return std::uint64_t{reference_.size()} * candidate_.size(); }
  double smallest() const { return candidate_.front() - reference_.back(); }
  double largest() const { return candidate_.back() - reference_.front(); }

  std::uint64_t CountUpTo(double bound) const {
    std::uint64_t count = 0;
    std::size_t end = 0;  // candidates before `end` are within the bound for this reference
    for (double reference : reference_) {
      while (end < candidate_.size() && candidate_[end] - reference <= bound) ++end;
      count += end;
    }
    return count;
  }

 private:
  std::span<const double> reference_;
  std::span<const double> candidate_;
};

// Returns the k-th smallest value, k = 1 .. size().
template <typename Family>
double Select(const Family& family, std::uint64_t k) {
  std::int64_t low = RankOfDouble(family.smallest());
  std::int64_t high = RankOfDouble(family.largest());
  while (low < high) {
    // If the signs differ, high - low may overflow; this mean never does.
    const std::int64_t middle = (low & high) + ((low ^ high) >> 1);
    if (family.CountUpTo(DoubleOfRank(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return DoubleOfRank(low);
}

template <typename Family>
OneLook LookAt(const Family& family, std::optional<std::uint64_t> cut) {
  const std::uint64_t size = family.size();
  OneLook look;
  const double below = Select(family, (size + 1) / 2);
  const double above = size % 2 == 1 ? below : Select(family, size / 2 + 1);
  look.estimate = below / 2 + above / 2;
  if (cut) look.interval = Interval{Select(family, *cut), Select(family, size + 1 - *cut)};
  return look;
}

// Returns the number of values on the rarer side of the hypothesis, including the values within the
// allowance.
template <typename Family>
std::uint64_t Beyond(const Family& family, double hypothesis, double allowance) {
  const std::uint64_t up_to = family.CountUpTo(hypothesis + allowance);
  const std::uint64_t below = family.CountUpTo(std::nextafter(hypothesis - allowance, -kNoBound));
  return std::min(up_to, family.size() - below);
}

}  // namespace

Result<OneLook> HodgesLehmann(std::span<const double> sorted, double alpha) {
  TRY_VOID(CheckSorted(sorted));
  TRY_VOID(CheckLevel(alpha));
  return LookAt(WalshAverages(sorted), SignedRankCut(sorted.size(), alpha));
}

Result<double> HodgesLehmannP(std::span<const double> sorted, double hypothesis, double allowance) {
  TRY_VOID(CheckSorted(sorted));
  const std::uint64_t beyond = Beyond(WalshAverages(sorted), hypothesis, allowance);
  return std::min(1.0, 2 * SignedRankLowerTail(sorted.size(), beyond));
}

Result<OneLook> HodgesLehmannShift(std::span<const double> reference,
                                   std::span<const double> candidate, double alpha) {
  TRY_VOID(CheckSorted(reference));
  TRY_VOID(CheckSorted(candidate));
  TRY_VOID(CheckLevel(alpha));
  return LookAt(Differences(reference, candidate),
                RankSumCut(reference.size(), candidate.size(), alpha));
}

Result<double> HodgesLehmannShiftP(std::span<const double> reference,
                                   std::span<const double> candidate, double hypothesis,
                                   double allowance) {
  TRY_VOID(CheckSorted(reference));
  TRY_VOID(CheckSorted(candidate));
  const std::uint64_t beyond = Beyond(Differences(reference, candidate), hypothesis, allowance);
  return std::min(1.0, 2 * RankSumLowerTail(reference.size(), candidate.size(), beyond));
}

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
  // Bisects for the number of k with a small enough P(Bin <= k - 1).
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
  TRY_VOID(CheckMedianValues(sorted));
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

Result<double> MedianP(std::span<const double> sorted, double hypothesis, double allowance) {
  TRY_VOID(CheckMedianValues(sorted));
  const auto up_to =
      std::upper_bound(sorted.begin(), sorted.end(), hypothesis + allowance) - sorted.begin();
  const auto from =
      sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), hypothesis - allowance);
  return std::min(1.0,
                  2 * CoinTail(sorted.size(), static_cast<std::uint64_t>(std::min(up_to, from))));
}

Result<Bootstrap> BootstrapMedian(std::span<const double> sorted, std::uint64_t seed) {
  TRY_VOID(CheckMedianValues(sorted));
  if (sorted.size() < 2) return InvalidArgument("values", "a bootstrap needs at least two values");
  if (sorted.size() > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument("values", "a bootstrap takes at most 2^31 values");
  }
  const auto n = static_cast<std::uint32_t>(sorted.size());
  RandomIndex random(seed);
  std::vector<double> replicates;
  replicates.reserve(kBootstrapReplicates);
  std::vector<std::uint32_t> counts(n);
  for (int replicate = 0; replicate < kBootstrapReplicates; ++replicate) {
    // Counting how often each sorted value is drawn yields order statistics without sorting.
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

// Beyond this, 2 Q(z) is below the smallest double.
constexpr double kLargestZ = 37;

Result<void> CheckMoments(const Moments& reference, const Moments& candidate) {
  if (reference.count() < 2 || candidate.count() < 2) {
    return InvalidArgument("values", "each arm needs at least two values to estimate its spread");
  }
  if (!DifferenceDefined(reference, candidate)) {
    return InvalidArgument("values", "a logarithm is not finite",
                           "only positive values have a log-normal mean");
  }
  return {};
}

// The distances by which half the variance of the logs may lie below or above its estimate.
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
  TRY_VOID(CheckMoments(log_reference, log_candidate));
  if (!(alpha > 0 && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 0 and 1");
  }
  return Mover(log_reference, log_candidate, alpha);
}

Result<double> LognormalMeanP(const Moments& log_reference, const Moments& log_candidate,
                              double hypothesis, double allowance) {
  TRY_VOID(CheckMoments(log_reference, log_candidate));
  const OneLook look = Mover(log_reference, log_candidate, 0.5);
  const double distance = std::abs(look.estimate - hypothesis) - allowance;
  if (distance <= 0) return 1;
  if (look.interval->lo == look.interval->hi) return 0;
  const bool above = look.estimate > hypothesis;
  // The distance that remains at the level 2 Q(z). It falls with z, and is 0 at the level sought.
  const auto left = [&](double z) {
    const Interval interval =
        *Mover(log_reference, log_candidate, std::min(1.0, 2 * NormalUpperTail(z))).interval;
    return distance - (above ? look.estimate - interval.lo : interval.hi - look.estimate);
  };
  return std::min(1.0, 2 * NormalUpperTail(RootOfFalling(left, 0, 0, kLargestZ)));
}

}  // namespace benchd
