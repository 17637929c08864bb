#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/stats/nonparametric.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

TEST(KolmogorovSmirnovTest, MatchesTheReference) {
  for (const auto& one : golden::Cases("ks_two_sample")) {
    SCOPED_TRACE(one.at("id"));
    const auto result = CompareDistributions(one["input"]["base"].get<Values>(),
                                             one["input"]["candidate"].get<Values>());
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->exact);
    EXPECT_TRUE(golden::Close(result->statistic, one["expected"]["D"], one["rel_tol"]));
    EXPECT_TRUE(golden::Close(result->p, one["expected"]["p_exact"], one["rel_tol"]));
  }
}

double StatisticByDefinition(const Values& x, const Values& y) {
  double largest = 0;
  for (const Values* sample : {&x, &y}) {
    for (double at : *sample) {
      const auto share = [at](const Values& values) {
        const auto below =
            std::count_if(values.begin(), values.end(), [at](double value) { return value <= at; });
        return static_cast<double>(below) / static_cast<double>(values.size());
      };
      largest = std::max(largest, std::abs(share(x) - share(y)));
    }
  }
  return largest;
}

// Enumerates all assignments of the pooled values.
double PByDefinition(const Values& x, const Values& y) {
  const double observed = StatisticByDefinition(x, y);
  Values pooled = x;
  pooled.insert(pooled.end(), y.begin(), y.end());
  std::vector<bool> to_x(pooled.size(), false);
  std::fill(to_x.end() - static_cast<std::ptrdiff_t>(x.size()), to_x.end(), true);
  int all = 0;
  int extreme = 0;
  do {
    Values a;
    Values b;
    for (std::size_t i = 0; i < pooled.size(); ++i) (to_x[i] ? a : b).push_back(pooled[i]);
    ++all;
    extreme += StatisticByDefinition(a, b) >= observed - 1e-12;
  } while (std::next_permutation(to_x.begin(), to_x.end()));
  return static_cast<double>(extreme) / all;
}

TEST(KolmogorovSmirnovTest, AgreesWithCountingEveryDealAlsoWithTies) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto kinds = 2 + random() % 12;
    const auto draw = [&random, kinds](std::size_t n) {
      Values values(n);
      for (double& value : values) value = static_cast<double>(random() % kinds);
      return values;
    };
    const Values x = draw(1 + random() % 6);
    const Values y = draw(1 + random() % 6);
    const auto result = CompareDistributions(x, y);
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->statistic, StatisticByDefinition(x, y), 1e-14);
    EXPECT_NEAR(result->p, PByDefinition(x, y), 1e-12);
  }
}

// Only the two assignments that keep the samples apart reach distance 1: p = 2 / C(2n, n).
TEST(KolmogorovSmirnovTest, TinyTailsKeepTheirDigits) {
  Values x(300);
  Values y(300);
  std::iota(x.begin(), x.end(), 0.0);
  std::iota(y.begin(), y.end(), 1000.0);
  const double log_p = std::log(2.0) - std::lgamma(601.0) + 2 * std::lgamma(301.0);
  const auto result = CompareDistributions(x, y);
  EXPECT_EQ(result->statistic, 1);
  EXPECT_NEAR(std::log(result->p), log_p, 1e-9);  // 1e-179
}

TEST(KolmogorovSmirnovTest, SwappingTheSamplesChangesNothing) {
  const Values x{1, 2, 2, 5, 9};
  const Values y{2, 3, 3, 8};
  EXPECT_EQ(CompareDistributions(x, y)->statistic, CompareDistributions(y, x)->statistic);
  EXPECT_NEAR(CompareDistributions(x, y)->p, CompareDistributions(y, x)->p, 1e-15);
}

TEST(KolmogorovSmirnovTest, EqualSamplesAreCertainlyAlike) {
  const auto result = CompareDistributions(Values{1, 1, 2}, Values{1, 1, 2});
  EXPECT_EQ(result->statistic, 0);
  EXPECT_EQ(result->p, 1);
}

// P(sup |bridge| >= 1.628) = 0.00997 (Smirnov's table).
TEST(KolmogorovSmirnovTest, BeyondTheLimitTheLawForLargeSamplesIsTaken) {
  const std::size_t n = 5001;
  Values x(n);
  Values y(n);
  const double shift =
      std::round(1.628 / std::sqrt(static_cast<double>(n) / 2) * static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(i);
    y[i] = x[i] + shift - 0.5;
  }
  const auto limit = CompareDistributions(x, y);
  EXPECT_FALSE(limit->exact);
  EXPECT_NEAR(limit->p, 0.00997, 0.0002);
  x.resize(4900);
  y.resize(4900);
  const auto exact = CompareDistributions(x, y);
  EXPECT_TRUE(exact->exact);
  EXPECT_NEAR(exact->p, limit->p, 0.002);
}

TEST(KolmogorovSmirnovTest, RefusesEmptySamplesAndWhatIsNoNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(CompareDistributions(Values{}, Values{1}));
  EXPECT_FALSE(CompareDistributions(Values{1}, Values{}));
  EXPECT_FALSE(CompareDistributions(Values{1}, Values{1, infinity}));
}

}  // namespace
}  // namespace benchd
