#include "core/stats/nonparametric.h"

#include <algorithm>
#include <cmath>

#include "core/base/try.h"
#include "core/stats/descriptive.h"

namespace benchd {
namespace {

constexpr double kStretchesCritical = -2.576;

std::size_t LabelsThatOccur(const LabelRuns& labels) {
  return static_cast<std::size_t>(std::count_if(labels.counts().begin(), labels.counts().end(),
                                                [](std::uint64_t count) { return count > 0; }));
}

}  // namespace

void LabelRuns::Add(std::size_t label) {
  if (label >= counts_.size()) counts_.resize(label + 1);
  ++counts_[label];
  if (runs_ == 0 || label != last_) ++runs_;
  last_ = label;
}

std::optional<RunsTest> TestRuns(const LabelRuns& labels) {
  if (LabelsThatOccur(labels) < 2) return std::nullopt;
  double n = 0;
  double squares = 0;
  double cubes = 0;
  for (std::uint64_t count : labels.counts()) {
    const auto c = static_cast<double>(count);
    n += c;
    squares += c * c;
    cubes += c * c * c;
  }
  const double variance =
      (squares * (squares + n * (n + 1)) - 2 * n * cubes - n * n * n) / (n * n * (n - 1));
  if (!(variance > 0)) return std::nullopt;
  RunsTest test;
  test.runs = labels.runs();
  test.expected = n + 1 - squares / n;
  test.z = (static_cast<double>(test.runs) - test.expected) / std::sqrt(variance);
  return test;
}

bool NotInterleaved(const LabelRuns& arms) {
  const std::optional<RunsTest> test = TestRuns(arms);
  if (!test) return false;
  if (test->z < kStretchesCritical) return true;
  const bool single_row = std::any_of(arms.counts().begin(), arms.counts().end(),
                                      [](std::uint64_t count) { return count == 1; });
  return !single_row && test->runs == LabelsThatOccur(arms);
}

namespace {

// Returns the distance after i values of x and j values of y, |i/m - j/n|, multiplied by m n to
// make it an integer.
std::int64_t ScaledDistance(std::size_t i, std::size_t j, std::size_t m, std::size_t n) {
  return std::abs(static_cast<std::int64_t>(i * n) - static_cast<std::int64_t>(j * m));
}

// Calls at(i, j) for each distinct value, where i values of x and j values of y are at most that
// value.
template <typename At>
void WalkPooled(std::span<const double> x, std::span<const double> y, At at) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < x.size() || j < y.size()) {
    const bool from_x = j == y.size() || (i < x.size() && x[i] <= y[j]);
    const double value = from_x ? x[i] : y[j];
    while (i < x.size() && x[i] == value) ++i;
    while (j < y.size() && y[j] == value) ++j;
    at(i, j);
  }
}

// The pooled order of two samples: the ends of groups of equal values, and the largest distance.
struct PooledSample {
  std::vector<bool> complete;  // [k]: a group of equal values ends after the first k pooled values
  std::int64_t largest = 0;
};

PooledSample Pool(std::span<const double> x, std::span<const double> y) {
  PooledSample pooled;
  pooled.complete.assign(x.size() + y.size() + 1, false);
  WalkPooled(x, y, [&](std::size_t i, std::size_t j) {
    pooled.complete[i + j] = true;
    pooled.largest = std::max(pooled.largest, ScaledDistance(i, j, x.size(), y.size()));
  });
  return pooled;
}

// Returns the exact p-value.
//
// Every assignment of the values is a path from (0, 0) to (m, n), and all paths are equally likely.
// reached[j] is the probability that a path to (i, j) has already attained the distance of the
// data. The last step of a path to (i, j) comes from (i - 1, j) with probability i / (i + j).
double ExactP(const PooledSample& pooled, std::size_t m, std::size_t n) {
  std::vector<double> inverse(m + n + 1);
  for (std::size_t k = 1; k <= m + n; ++k) inverse[k] = 1 / static_cast<double>(k);
  std::vector<double> reached(n + 1, 0);
  for (std::size_t i = 0; i <= m; ++i) {
    for (std::size_t j = 0; j <= n; ++j) {
      if (pooled.complete[i + j] && ScaledDistance(i, j, m, n) >= pooled.largest) {
        reached[j] = 1;
      } else if (i + j > 0) {
        const double above = i > 0 ? static_cast<double>(i) * reached[j] : 0;
        const double left = j > 0 ? static_cast<double>(j) * reached[j - 1] : 0;
        reached[j] = (above + left) * inverse[i + j];
      }
    }
  }
  return std::min(1.0, reached[n]);
}

// Returns P(sup |Brownian bridge| >= lambda).
double LimitP(double lambda) {
  if (lambda < 0.2) return 1;  // the error is below 1e-12
  double sum = 0;
  double sign = 1;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * lambda * lambda);
    sum += sign * term;
    if (term < 1e-17 * sum) break;
    sign = -sign;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

}  // namespace

Result<KolmogorovSmirnov> CompareDistributions(std::span<const double> x,
                                               std::span<const double> y) {
  TRY(const std::vector<double> first, SortedSample(x));
  TRY(const std::vector<double> second, SortedSample(y));
  const PooledSample pooled = Pool(first, second);
  const auto m = static_cast<double>(x.size());
  const auto n = static_cast<double>(y.size());
  KolmogorovSmirnov result;
  result.statistic = static_cast<double>(pooled.largest) / (m * n);
  result.exact = y.size() <= kLargestExactProduct / x.size();
  result.p = result.exact ? ExactP(pooled, x.size(), y.size())
                          : LimitP(result.statistic * std::sqrt(m / (m + n) * n));
  return result;
}

double SortedDistance(std::span<const double> x, std::span<const double> y) {
  std::int64_t largest = 0;
  WalkPooled(x, y, [&](std::size_t i, std::size_t j) {
    largest = std::max(largest, ScaledDistance(i, j, x.size(), y.size()));
  });
  return static_cast<double>(largest) / static_cast<double>(x.size()) /
         static_cast<double>(y.size());
}

}  // namespace benchd
