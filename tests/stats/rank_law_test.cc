#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/stats/decision.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/rank_tests.h"

namespace benchd {
namespace {

// P(V <= k), k = 0 .. last, by the recursion of docs/statistics.md section 5 in a wider type.
std::vector<long double> SignedRankByRecursion(std::size_t n, std::size_t last) {
  std::vector<long double> law(last + 1);
  law[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t k = last + 1; k-- > 0;) {
      law[k] = (law[k] + (k >= rank ? law[k - rank] : 0)) / 2;
    }
  }
  for (std::size_t k = 1; k <= last; ++k) law[k] += law[k - 1];
  return law;
}

// P(U <= u), u = 0 .. last: f_{m,n}(u) = m/(m+n) f_{m-1,n}(u-n) + n/(m+n) f_{m,n-1}(u) (Mann and
// Whitney 1947), a recursion different from the implementation's.
std::vector<long double> RankSumByRecursion(std::size_t m, std::size_t n, std::size_t last) {
  using Law = std::vector<long double>;
  Law certain(last + 1);
  certain[0] = 1;
  std::vector<Law> previous(n + 1, certain);
  for (std::size_t i = 1; i <= m; ++i) {
    std::vector<Law> row(n + 1, certain);
    for (std::size_t j = 1; j <= n; ++j) {
      const auto share = static_cast<long double>(i) / static_cast<long double>(i + j);
      for (std::size_t u = 0; u <= last; ++u) {
        row[j][u] = (1 - share) * row[j - 1][u] + (u >= j ? share * previous[j][u - j] : 0);
      }
    }
    previous = std::move(row);
  }
  Law law = previous[n];
  for (std::size_t u = 1; u <= last; ++u) law[u] += law[u - 1];
  return law;
}

void ExpectRelative(double actual, long double expected, double tolerance) {
  EXPECT_NEAR(static_cast<double>(actual / expected), 1, tolerance)
      << actual << " instead of " << static_cast<double>(expected);
}

TEST(SignedRankTest, TheInversionIsTheLawOfTheRecursion) {
  for (std::size_t n : {129U, 130U, 200U, 400U}) {
    const std::size_t largest = n * (n + 1) / 2;
    const std::vector<long double> law = SignedRankByRecursion(n, largest / 2);
    for (std::size_t k = 0; k <= largest / 2; k += 1 + k / 4) {
      SCOPED_TRACE(std::to_string(n) + " " + std::to_string(k));
      if (law[k] > 1e-300L) ExpectRelative(SignedRankLowerTail(n, k), law[k], 1e-11);
    }
    ExpectRelative(SignedRankLowerTail(n, largest / 2), law[largest / 2], 1e-11);
  }
}

TEST(SignedRankTest, TheCutIsTheLargestWithinTheLevel) {
  for (std::size_t n : {5U, 12U, 60U, 128U, 129U, 150U, 400U}) {
    const std::size_t largest = n * (n + 1) / 2;
    const std::vector<long double> law = SignedRankByRecursion(n, largest / 2);
    for (double alpha : {0.9, 0.5, 0.1, 0.01, 1e-3, 3.7e-5, 1e-9, 1e-20, 1e-35}) {
      SCOPED_TRACE(std::to_string(n) + " " + std::to_string(alpha));
      const auto end = std::partition_point(law.begin(), law.end(), [alpha](long double p) {
        return 2 * p <= static_cast<long double>(alpha);
      });
      const auto expected = static_cast<std::uint64_t>(end - law.begin());
      EXPECT_EQ(SignedRankCut(n, alpha).value_or(0), expected);
    }
  }
}

// N - V has the same law as V, so the two tails add up to 1.
TEST(SignedRankTest, TheLawIsSymmetric) {
  for (std::uint64_t n : {7U, 40U, 200U, 1000U}) {
    const std::uint64_t largest = n * (n + 1) / 2;
    for (std::uint64_t k : {largest / 3, largest / 2 - 1, largest / 2}) {
      EXPECT_NEAR(SignedRankLowerTail(n, k) + SignedRankLowerTail(n, largest - 1 - k), 1, 1e-12);
    }
    EXPECT_EQ(SignedRankLowerTail(n, largest), 1);
  }
}

// Only the empty sum is 0, and only rank 1 alone gives 1: 2^-n and 2 * 2^-n.
TEST(SignedRankTest, TheOutermostValuesHaveTheirChanceDownToTheSmallestDouble) {
  for (std::uint64_t n : {10U, 128U, 129U, 1000U}) {
    ExpectRelative(SignedRankLowerTail(n, 0), std::exp2(-static_cast<long double>(n)), 1e-10);
    ExpectRelative(SignedRankLowerTail(n, 1), 2 * std::exp2(-static_cast<long double>(n)), 1e-10);
  }
}

TEST(SignedRankTest, ThereIsNoCutBelowTheChanceOfTheOutermostValue) {
  EXPECT_FALSE(SignedRankCut(11, 0.99 * std::exp2(-10)));
  EXPECT_EQ(SignedRankCut(11, 1.01 * std::exp2(-10)), 1U);
  EXPECT_FALSE(SignedRankCut(200, 0.99 * std::exp2(-199)));
  EXPECT_EQ(SignedRankCut(200, 1.01 * std::exp2(-199)), 1U);
}

// The implementation's law at the daemon's largest sessions: the tails on both sides of a cut are
// on the right sides of the level, and its place agrees with that of the normal law to the order of
// its error (Edgeworth: 1/n).
TEST(SignedRankTest, TenThousandPairsAreStillExactAtTheCut) {
  const std::uint64_t n = 10000;
  const double alpha = 2.6e-4;
  const std::uint64_t cut = SignedRankCut(n, alpha).value();
  const double at = 2 * SignedRankLowerTail(n, cut - 1);
  const double beyond = 2 * SignedRankLowerTail(n, cut);
  EXPECT_LE(at, alpha);
  EXPECT_GT(beyond, alpha);
  EXPECT_NEAR(beyond / at, 1, 1e-4);
  const double mean = 1e4 * 10001 / 4;
  const double sd = std::sqrt(1e4 * 10001 * 20001 / 24);
  EXPECT_NEAR((mean - static_cast<double>(cut)) / sd, 3.652, 0.003);  // Q(3.652) = 1.3e-4
}

TEST(RankSumTest, CountingAndInversionAreTheLawOfTheRecursion) {
  struct Sizes {
    std::size_t m, n;
  };
  for (const auto& [m, n] : std::vector<Sizes>{{1, 6},
                                               {3, 4},
                                               {30, 30},
                                               {50, 50},
                                               {51, 50},
                                               {60, 60},
                                               {2, 1300},
                                               {6, 420},
                                               {11, 240}}) {
    const std::vector<long double> law = RankSumByRecursion(m, n, m * n / 2);
    for (std::size_t u = 0; u <= m * n / 2; u += 1 + u / 5) {
      SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(u));
      ExpectRelative(RankSumLowerTail(m, n, u), law[u], 1e-9);
      EXPECT_EQ(RankSumLowerTail(n, m, u), RankSumLowerTail(m, n, u));
    }
    for (double alpha : {0.5, 0.05, 0.003, 1e-6}) {
      SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(alpha));
      const auto end = std::partition_point(law.begin(), law.end(), [alpha](long double p) {
        return 2 * p <= static_cast<long double>(alpha);
      });
      EXPECT_EQ(RankSumCut(m, n, alpha).value_or(0), static_cast<std::uint64_t>(end - law.begin()));
    }
  }
}

TEST(RankSumTest, LargeArmsKeepTheirTail) {
  const std::uint64_t cut = RankSumCut(5000, 4000, 1e-4).value();
  EXPECT_LE(2 * RankSumLowerTail(5000, 4000, cut - 1), 1e-4);
  EXPECT_GT(2 * RankSumLowerTail(5000, 4000, cut), 1e-4);
  const double sd = std::sqrt(5000.0 * 4000 * 9001 / 12);
  EXPECT_NEAR((1e7 - static_cast<double>(cut)) / sd, 3.8906, 0.003);  // Q(3.8906) = 5e-5
}

// Sums of binomial coefficients: 2 (1 + 10 + 45) / 1024 <= 0.11 < 2 (1 + 10 + 45 + 120) / 1024.
TEST(MedianCutTest, CountsTheTossesThatFit) {
  EXPECT_EQ(MedianCut(10, 0.11), 3U);
  EXPECT_EQ(MedianCut(10, 0.02), 1U);
  EXPECT_FALSE(MedianCut(10, 0.0019));
  EXPECT_FALSE(MedianCut(1, 0.99));
  EXPECT_EQ(MedianCut(2, 0.5), 1U);
  // Normal law: 5e6 - 3.652 * sqrt(1e7) / 2.
  EXPECT_NEAR(static_cast<double>(MedianCut(10'000'000, 2.6e-4).value()), 4994225.7, 5);
}

// ceil(8 * 1.05^j) from Python's fractions; 400 * 1.05^2 = 441 is an integer.
TEST(GeometricLooksTest, AreTheCeilingsOfExactPowers) {
  EXPECT_EQ(NextGeometricLook(0, 8), 8U);
  EXPECT_EQ(NextGeometricLook(26, 8), 28U);
  EXPECT_TRUE(IsGeometricLook(39, 8));
  EXPECT_FALSE(IsGeometricLook(38, 8));
  EXPECT_FALSE(IsGeometricLook(7, 8));
  EXPECT_FALSE(IsGeometricLook(0, 8));
  EXPECT_EQ(NextGeometricLook(400, 400), 420U);
  EXPECT_EQ(NextGeometricLook(420, 400), 441U);
  EXPECT_EQ(NextGeometricLook(9000, 8), 9003U);
  EXPECT_EQ(NextGeometricLook(1'000'000'000, 30), 1'048'363'094U);
}

}  // namespace
}  // namespace benchd
