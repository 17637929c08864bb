#include "core/stats/order_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "core/stats/sequential_boundary.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

TEST(OrderStatisticsTest, IntervalsAndPMatchExactFractions) {
  for (const auto& one : golden::ReadFile("levels.json").at("quantile")) {
    SCOPED_TRACE(one.at("id"));
    const Values b = one["reference"];
    const Values c = one["candidate"];
    const double p = one["p"];
    const auto look = CompareQuantiles(b, c, p, Contrast::kLogRatio, one["alpha"]);
    ASSERT_TRUE(look) << look.error().message;
    EXPECT_TRUE(golden::Close(look->estimate, one["estimate"], 1e-12));
    ASSERT_EQ(look->interval.has_value(), !one["lo"].is_null());
    if (look->interval) {
      EXPECT_TRUE(golden::Close(look->interval->lo, one["lo"], 1e-12));
      EXPECT_TRUE(golden::Close(look->interval->hi, one["hi"], 1e-12));
    }
    const auto p_of = [&](double hypothesis) {
      return CompareQuantilesP(b, c, p, Contrast::kLogRatio, hypothesis).value();
    };
    // Relative, also where p is tiny.
    const double of_margin = one["p_of_margin"];
    EXPECT_NEAR(p_of(std::log1p(0.02)) / of_margin, 1, 1e-9);
    EXPECT_NEAR(p_of(0) / one["p_of_no_change"].get<double>(), 1, 1e-9);
  }
}

TEST(OrderStatisticsTest, TheFirstIntervalIsWhereTheDocumentationSaysItIs) {
  for (const auto& one : golden::ReadFile("levels.json").at("first_look")) {
    const double alpha = one["alpha"];
    const double p = one["p"];
    SCOPED_TRACE(std::to_string(alpha) + " " + std::to_string(p));
    const auto boundary = SequentialBoundary::Robbins(alpha, 8).value();
    // Each of two arms has half the level.
    EXPECT_EQ(FewestForRanks(p, LevelOfOneLook(boundary, 8) / 2, 1'000'000), one["first"]);
    const std::uint64_t from_8 = one["first_from_8"];
    const auto at = [&](std::uint64_t n) {
      const double level = LevelOfOneLook(boundary, static_cast<double>(n));
      const QuantileRanks ranks = RanksOfQuantile(n, p, level / 2);
      return ranks.lo && ranks.hi;
    };
    EXPECT_TRUE(at(from_8));
    EXPECT_FALSE(at(from_8 - 1));
  }
  EXPECT_FALSE(FewestForRanks(1e-300, 0.002, 1'000'000));
  EXPECT_FALSE(FewestForRanks(0.001, 0.002, 1000));
}

// P(Bin(10, 1/2) <= 1) = 11/1024 and P(Bin(10, 1/2) <= 2) = 56/1024.
TEST(OrderStatisticsTest, RanksAreThoseOfTheBinomialLaw) {
  EXPECT_EQ(RanksOfQuantile(10, 0.5, 22.0 / 1024), (QuantileRanks{2, 9}));
  EXPECT_EQ(RanksOfQuantile(10, 0.5, 24.0 / 1024), (QuantileRanks{2, 9}));
  EXPECT_EQ(RanksOfQuantile(10, 0.5, 20.0 / 1024), (QuantileRanks{1, 10}));
  EXPECT_EQ(RanksOfQuantile(10, 0.5, 1.8 / 1024), QuantileRanks());
  // The low end lacks values long before the high end does.
  EXPECT_FALSE(RanksOfQuantile(20, 0.1, 0.02).lo);
  EXPECT_TRUE(RanksOfQuantile(20, 0.1, 0.02).hi);
  EXPECT_EQ(RanksOfQuantile(60, 0.1, 0.02).lo, 1U);
}

TEST(OrderStatisticsTest, RanksAgreeWithSumsOfTheBinomialLaw) {
  for (const nlohmann::json& one : golden::ReadFile("measure.json").at("ranks")) {
    SCOPED_TRACE(one.dump());
    const QuantileRanks ranks = RanksOfQuantile(one.at("n"), one.at("p"), one.at("alpha"));
    const auto expected = [&one](const char* end) {
      return one.at(end).is_null() ? std::optional<std::uint64_t>()
                                   : std::optional(one.at(end).get<std::uint64_t>());
    };
    EXPECT_EQ(ranks.lo, expected("lo"));
    EXPECT_EQ(ranks.hi, expected("hi"));
  }
}

TEST(OrderStatisticsTest, AnIntervalConsistsOfTheValuesOfItsRanks) {
  const Values sorted = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const OneLook both = QuantileInterval(sorted, 0.5, {2, 8});
  EXPECT_EQ(both.estimate, 5);
  EXPECT_EQ(both.interval, (Interval{2, 8}));
  const OneLook open = QuantileInterval(sorted, 0.75, {4, std::nullopt});
  EXPECT_EQ(open.estimate, 7);
  EXPECT_EQ(open.interval, (Interval{4, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(QuantileInterval(sorted, 0.5, {}).interval, std::nullopt);
}

// The median is the quantile 0.5: both searches find the same ranks.
TEST(OrderStatisticsTest, TheRanksOfOneHalfAreSymmetric) {
  for (const std::uint64_t n : {9U, 30U, 101U}) {
    const QuantileRanks ranks = RanksOfQuantile(n, 0.5, 0.05);
    ASSERT_TRUE(ranks.lo && ranks.hi);
    EXPECT_EQ(*ranks.lo, n + 1 - *ranks.hi);
  }
}

TEST(OrderStatisticsTest, ThePIsTheLevelAtWhichTheIntervalLeavesTheHypothesis) {
  std::mt19937_64 random(20261203);
  std::lognormal_distribution<double> draw(0, 0.1);
  for (int repetition = 0; repetition < 20; ++repetition) {
    Values b(90);
    Values c(70);
    for (double& value : b) value = draw(random);
    for (double& value : c) value = 1.05 * draw(random);
    std::sort(b.begin(), b.end());
    std::sort(c.begin(), c.end());
    for (const Contrast contrast : {Contrast::kLogRatio, Contrast::kDifference}) {
      for (const double hypothesis : {-0.02, 0.0, 0.1}) {
        const double p = CompareQuantilesP(b, c, 0.3, contrast, hypothesis, 0.003).value();
        if (p >= 0.9) continue;
        const auto excludes = [&](double alpha) {
          const auto look = CompareQuantiles(b, c, 0.3, contrast, alpha).value();
          return look.interval &&
                 (look.interval->lo - 0.003 > hypothesis || look.interval->hi + 0.003 < hypothesis);
        };
        EXPECT_TRUE(excludes(p * (1 + 1e-9)));
        EXPECT_FALSE(excludes(p * (1 - 1e-9)));
      }
    }
  }
}

TEST(OrderStatisticsTest, SwappingTheArmsMirrorsAndInvertingThemCountsFromTheOtherEnd) {
  const Values b{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Values c{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const auto one = CompareQuantiles(b, c, 0.5, Contrast::kLogRatio, 0.2).value();
  const auto other = CompareQuantiles(c, b, 0.5, Contrast::kLogRatio, 0.2).value();
  EXPECT_EQ(one.estimate, -other.estimate);
  EXPECT_EQ(one.interval->lo, -other.interval->hi);
  EXPECT_EQ(one.interval->hi, -other.interval->lo);
  EXPECT_EQ(CompareQuantilesP(b, c, 0.5, Contrast::kLogRatio, 0.1).value(),
            CompareQuantilesP(c, b, 0.5, Contrast::kLogRatio, -0.1).value());
}

// Watched for 400 pairs, whatever the arms have to do with each other: independent, or such that
// one is slow exactly where the other is fast, which is the worst case for the ratio of medians.
TEST(OrderStatisticsTest, WatchedQuantilesKeepTheirLevel) {
  constexpr double kAlpha = 0.05;
  constexpr std::uint64_t kFirst = 10;
  const auto boundary = SequentialBoundary::Robbins(kAlpha, kFirst).value();
  std::mt19937_64 random(20261204);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (const bool opposed : {false, true}) {
    int missed = 0;
    for (int repetition = 0; repetition < 300; ++repetition) {
      Values b;
      Values c;
      bool wrong = false;
      for (std::uint64_t n = 1; n <= 400 && !wrong; ++n) {
        const double x = uniform(random);
        InsertSorted(b, x);
        InsertSorted(c, opposed ? 3 - x : uniform(random));
        if (n < kFirst || !IsGeometricLook(n, kFirst)) continue;
        const double level = LevelOfOneLook(boundary, static_cast<double>(n));
        const auto look = CompareQuantiles(b, c, 0.5, Contrast::kLogRatio, level).value();
        wrong = look.interval && (look.interval->lo > 0 || look.interval->hi < 0);
      }
      missed += wrong;
    }
    std::printf("%s arms: %d of 300 wrong\n", opposed ? "opposed" : "independent", missed);
    // 5 % of 300, plus two standard errors.
    EXPECT_LE(missed, 22);
  }
}

TEST(OrderStatisticsTest, RefusesWhatCannotBeCompared) {
  const Values good{1, 2, 3};
  const double inf = std::numeric_limits<double>::infinity();
  const auto refuses = [](const Values& b, const Values& c, double p, Contrast contrast) {
    return !CompareQuantiles(b, c, p, contrast, 0.05) && !CompareQuantilesP(b, c, p, contrast, 0);
  };
  EXPECT_TRUE(refuses({}, good, 0.5, Contrast::kDifference));
  EXPECT_TRUE(refuses(good, {1, inf}, 0.5, Contrast::kDifference));
  EXPECT_TRUE(refuses({0, 1}, good, 0.5, Contrast::kLogRatio));
  EXPECT_TRUE(refuses(good, good, 0, Contrast::kLogRatio));
  EXPECT_TRUE(refuses(good, good, 1, Contrast::kLogRatio));
  EXPECT_FALSE(CompareQuantiles(good, good, 0.5, Contrast::kLogRatio, 1));
  EXPECT_FALSE(CompareQuantiles(good, good, 0.5, Contrast::kLogRatio, 0.01)->interval);
}

TEST(OrderStatisticsTest, TheFewestValuesAreTheFirstWithBothRanks) {
  for (const double p : {0.01, 0.25, 0.5, 0.9, 0.99}) {
    for (const double alpha : {0.001, 0.01, 0.1, 0.5, 0.9}) {
      const auto fewest = FewestForRanks(p, alpha, 10'000);
      ASSERT_TRUE(fewest) << p << " " << alpha;
      const auto both = [&](std::uint64_t n) {
        const QuantileRanks ranks = RanksOfQuantile(n, p, alpha);
        return ranks.lo && ranks.hi;
      };
      EXPECT_TRUE(both(*fewest)) << p << " " << alpha;
      EXPECT_TRUE(*fewest == 1 || !both(*fewest - 1)) << p << " " << alpha;
    }
  }
  EXPECT_EQ(FewestForRanks(1 - 1e-9, 0.01, 1'000'000), std::nullopt);
}

}  // namespace
}  // namespace benchd
