#include "core/stats/change_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
      if (i >= kFewestBetweenChanges) at(i, Q(left, right, between, i, n - i));
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

  static double Q(double left, double right, double between, std::size_t left_n,
                  std::size_t right_n) {
    const auto n = static_cast<double>(left_n);
    const auto m = static_cast<double>(right_n);
    const double energy =
        2 * between / (n * m) - 2 * left / (n * (n - 1)) - 2 * right / (m * (m - 1));
    return n * m / (n + m) * energy;
  }

  std::vector<double> before_;
  std::vector<double> after_;
};

/// The segments between the change points found so far.
class Segments {
 public:
  explicit Segments(std::span<const double> values)
      : values_(values), ends_{values.size()}, splits_(values.size()) {}

  /// Returns the split with the largest q, or index 0 if no q is above 0.
  ChangePoint Best() { return BestOf(values_); }
  void Divide(std::size_t at) {
    ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), at), at);
  }

  /// Returns the p-value of q, from permutations of the values within each segment. Returns
  /// std::nullopt as soon as the p-value must be above alpha, usually after few permutations.
  std::optional<double> PValue(double q, const ChangePointSearch& search, std::uint64_t stream) {
    RandomIndex random(search.seed, stream);
    shuffled_.assign(values_.begin(), values_.end());
    const double total = search.permutations + 1;
    int as_large = 1;
    for (int i = 0; i < search.permutations; ++i) {
      Shuffle(random);
      as_large += BestOf(shuffled_).q >= q * (1 - kRounding);
      if (as_large > search.alpha * total * (1 + kRounding)) return std::nullopt;
    }
    return as_large / total;
  }

 private:
  ChangePoint BestOf(std::span<const double> values) {
    ChangePoint best;
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      const auto [index, q] = splits_.Largest(values.subspan(begin, end - begin));
      if (q > best.q) best = {begin + index, q, 1};
      begin = end;
    }
    return best;
  }

  void Shuffle(RandomIndex& random) {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      for (std::size_t i = end - 1; i > begin; --i) {
        const std::size_t other = begin + random.Below(static_cast<std::uint32_t>(i - begin + 1));
        std::swap(shuffled_[i], shuffled_[other]);
      }
      begin = end;
    }
  }

  std::span<const double> values_;
  std::vector<double> shuffled_;  // the values, permuted within each segment
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
