#include "core/stats/change_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/base/try.h"
#include "core/stats/resampling.h"

namespace benchd {
namespace {

/// Summing distances in another order causes rounding differences. A permutation whose q differs by
/// less than this tolerance counts as a tie.
constexpr double kRounding = 1e-9;

/// Returns q from the sums of the distances within and between the sides of a split.
double QOf(double left, double right, double between, std::size_t left_n, std::size_t right_n) {
  const auto n = static_cast<double>(left_n);
  const auto m = static_cast<double>(right_n);
  const double energy =
      2 * between / (n * m) - 2 * left / (n * (n - 1)) - 2 * right / (m * (m - 1));
  return n * m / (n + m) * energy;
}

/// Exchanges the items at random (Fisher and Yates).
template <typename T>
void ShuffleRange(std::span<T> items, RandomIndex& random) {
  for (std::size_t i = items.size() - 1; i > 0; --i) {
    std::swap(items[i], items[random.Below(static_cast<std::uint32_t>(i + 1))]);
  }
}

/// Computes q for many series up to a maximum length, without allocating memory for each.
class Splits {
 public:
  explicit Splits(std::size_t n) : before_(n), after_(n) {}

  /// Calls at(i, q) for each split that leaves enough values on both sides.
  template <typename At>
  void Walk(std::span<const double> z, At at) {
    const std::size_t n = z.size();
    if (n < 2 * kFewestBetweenChanges) return;
    SumDistances(z);
    double left = 0;  // distances within [0, i)
    double right = 0;
    double between = 0;
    for (std::size_t i = 0; i < n; ++i) right += after_[i];
    for (std::size_t i = 1; i + kFewestBetweenChanges <= n; ++i) {
      left += before_[i - 1];
      right -= after_[i - 1];
      between += after_[i - 1] - before_[i - 1];
      if (i >= kFewestBetweenChanges) at(i, QOf(left, right, between, i, n - i));
    }
  }

  /// Returns the split of a segment with the largest q, and that q.
  std::pair<std::size_t, double> Largest(std::span<const double> z) {
    std::pair<std::size_t, double> best{0, 0};
    Walk(z, [&best](std::size_t i, double q) {
      if (q > best.second) best = {i, q};
    });
    return best;
  }

 private:
  /// Computes before_[j] and after_[j], the sums of the distances from z[j] to the values before
  /// and after it.
  void SumDistances(std::span<const double> z) {
    std::fill_n(after_.begin(), z.size(), 0.0);
    for (std::size_t j = 0; j < z.size(); ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < j; ++i) {
        const double distance = std::abs(z[i] - z[j]);
        sum += distance;
        after_[i] += distance;
      }
      before_[j] = sum;
    }
  }

  std::vector<double> before_;
  std::vector<double> after_;
};

/// Computes the largest q of many permutations of one series, each in O(n log n) time.
///
/// A permutation keeps the sum of each value's distances, so only the distances to the values
/// before it are missing. Those follow from the number and the sum of the smaller ones among them,
/// which a Fenwick tree over the ranks yields.
///
/// Source of the tree: P. M. Fenwick, Software: Practice and Experience 24 (1994) 327-336.
class PermutedSplits {
 public:
  explicit PermutedSplits(std::span<const double> values)
      : sorted_(values.begin(), values.end()), ranks_(values.size()), tree_(values.size() + 1) {
    // A power of two keeps sums of large values finite without rounding the values.
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    exponent_ = largest > 0 ? std::ilogb(largest) + 1 : 0;
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    // Differences of values near the median lose the fewest digits.
    const double middle = std::ldexp(values[order[order.size() / 2]], -exponent_);
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
      ranks_[order[rank]] = rank;
      sorted_[rank] = std::ldexp(values[order[rank]], -exponent_) - middle;
    }
    SumAllDistances();
  }

  void Shuffle(RandomIndex& random) { ShuffleRange(std::span(ranks_), random); }

  /// Returns the largest q over all splits, in the unit of the values.
  double Largest() {
    const std::size_t n = ranks_.size();
    std::fill(tree_.begin(), tree_.end(), Below{});
    double left = 0;
    double right = all_distances_;
    double between = 0;
    double sum = 0;  // of the values so far
    double best = 0;
    for (std::size_t i = 1; i + kFewestBetweenChanges <= n; ++i) {
      const std::uint32_t rank = ranks_[i - 1];
      const double value = sorted_[rank];
      const Below below = BelowRank(rank);
      const double above = static_cast<double>(i - 1) - below.count;
      const double before = value * (below.count - above) - below.sum + (sum - below.sum);
      const double after = distances_[rank] - before;
      left += before;
      right -= after;
      between += after - before;
      if (i >= kFewestBetweenChanges) best = std::max(best, QOf(left, right, between, i, n - i));
      Include(rank, value);
      sum += value;
    }
    return std::ldexp(best, exponent_);
  }

 private:
  /// Values of a range of ranks.
  struct Below {
    double count = 0;
    double sum = 0;
  };

  void SumAllDistances() {
    const std::size_t n = sorted_.size();
    distances_.resize(n);
    double sum = 0;
    for (const double value : sorted_) sum += value;
    double smaller = 0;  // sum of the values with smaller ranks
    double twice = 0;
    for (std::size_t rank = 0; rank < n; ++rank) {
      const double value = sorted_[rank];
      const auto below = static_cast<double>(rank);
      const auto above = static_cast<double>(n - rank - 1);
      distances_[rank] = value * (below - above) - smaller + (sum - smaller - value);
      twice += distances_[rank];
      smaller += value;
    }
    all_distances_ = twice / 2;
  }

  Below BelowRank(std::uint32_t rank) const {
    Below below;
    for (; rank > 0; rank &= rank - 1) {
      below.count += tree_[rank].count;
      below.sum += tree_[rank].sum;
    }
    return below;
  }

  void Include(std::uint32_t rank, double value) {
    for (++rank; rank < tree_.size(); rank += rank & (~rank + 1)) {
      tree_[rank].count += 1;
      tree_[rank].sum += value;
    }
  }

  std::vector<double> sorted_;        // scaled, and relative to the median
  std::vector<std::uint32_t> ranks_;  // the ranks of the values, in the order of the permutation
  std::vector<double> distances_;     // by rank: the sum of the distances to all values
  double all_distances_ = 0;          // of all pairs
  int exponent_ = 0;
  std::vector<Below> tree_;
};

/// The segments between the change points found so far.
class Segments {
 public:
  explicit Segments(std::span<const double> values)
      : values_(values), ends_{values.size()}, splits_(values.size()) {}

  /// Returns the split with the largest q, or index 0 if no q is above 0.
  ChangePoint Best() {
    ChangePoint best;
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      const auto [index, q] = splits_.Largest(values_.subspan(begin, end - begin));
      if (q > best.q) best = {begin + index, q, 1};
      begin = end;
    }
    return best;
  }
  void Divide(std::size_t at) {
    ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), at), at);
  }

  /// Returns the p-value of q, from permutations of the values within each segment. Returns
  /// std::nullopt as soon as the p-value must be above alpha, usually after few permutations.
  std::optional<double> PValue(double q, const ChangePointSearch& search, std::uint64_t stream) {
    RandomIndex random(search.seed, stream);
    std::vector<PermutedSplits> segments;
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      segments.emplace_back(values_.subspan(begin, end - begin));
      begin = end;
    }
    const double total = search.permutations + 1;
    int as_large = 1;
    for (int i = 0; i < search.permutations; ++i) {
      double largest = 0;
      for (PermutedSplits& segment : segments) {
        segment.Shuffle(random);
        largest = std::max(largest, segment.Largest());
      }
      as_large += largest >= q * (1 - kRounding);
      if (as_large > search.alpha * total * (1 + kRounding)) return std::nullopt;
    }
    return as_large / total;
  }

 private:
  std::span<const double> values_;
  std::vector<std::size_t> ends_;
  Splits splits_;
};

Result<void> Check(std::span<const double> values, const ChangePointSearch& search) {
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
    return InvalidArgument("change points", "a value is not finite");
  }
  if (values.size() > kLongestSeries) {
    return InvalidArgument("change points", fmt::format("the series has {} values; the limit is {}",
                                                        values.size(), kLongestSeries));
  }
  if (!(search.alpha > 0 && search.alpha < 1)) {
    return InvalidArgument("alpha", "must be between 0 and 1");
  }
  if (search.permutations < 1 || search.alpha * (1 + kRounding) * (search.permutations + 1) < 1) {
    return InvalidArgument("alpha", fmt::format("{} permutations cannot yield so small a p-value",
                                                search.permutations));
  }
  return {};
}

}  // namespace

std::vector<double> EnergyStatistics(std::span<const double> values) {
  std::vector<double> q(values.size(), 0);
  Splits(values.size()).Walk(values, [&q](std::size_t i, double of_split) { q[i] = of_split; });
  return q;
}

Result<std::vector<ChangePoint>> FindChangePoints(std::span<const double> values,
                                                  const ChangePointSearch& search) {
  TRY_VOID(Check(values, search));
  std::vector<ChangePoint> found;
  if (values.empty()) return found;
  Segments segments(values);
  for (;;) {
    ChangePoint best = segments.Best();
    if (best.index == 0) break;
    const std::optional<double> p_value = segments.PValue(best.q, search, found.size());
    if (!p_value) break;
    best.p_value = *p_value;
    segments.Divide(best.index);
    found.push_back(best);
  }
  std::sort(found.begin(), found.end(),
            [](const ChangePoint& a, const ChangePoint& b) { return a.index < b.index; });
  return found;
}

}  // namespace benchd
