#include "core/stats/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "core/stats/resampling.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

constexpr double kRelTol = 1e-9;

const Json& Golden(const char* part) { return golden::ReadFile("change_points.json").at(part); }

TEST(ChangePointsTest, EnergyStatisticsAreThoseOfTheReference) {
  for (const Json& one : Golden("statistics")) {
    SCOPED_TRACE(one.at("id"));
    const Values series = one["series"];
    const Values published = one["rounded_q"];
    const Values q = EnergyStatistics(series);
    ASSERT_EQ(q.size(), published.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (published[i] == 0) continue;
      const std::size_t product = i * (q.size() - i);
      const double rounded = static_cast<double>(product / q.size());
      const double factor = static_cast<double>(product) / static_cast<double>(q.size());
      EXPECT_TRUE(golden::Close(q[i] * rounded / factor, published[i], kRelTol)) << i;
    }
  }
}

TEST(ChangePointsTest, PointsAreThoseOfTheReferences) {
  for (const Json& one : Golden("change_points")) {
    SCOPED_TRACE(one.at("id"));
    const Values series = one["series"];
    const auto found = FindChangePoints(series, {.alpha = one["alpha"], .seed = 1});
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), one["points"].size());
    for (std::size_t i = 0; i < found->size(); ++i) {
      const Json& point = one["points"][i];
      EXPECT_EQ((*found)[i].index, point["index"]);
      EXPECT_TRUE(golden::Close((*found)[i].q, point.value("q", (*found)[i].q), kRelTol));
      EXPECT_LE((*found)[i].p_value, one["alpha"]);
    }
  }
}

Values Series(std::mt19937_64& random, std::size_t n, std::size_t step_at, double step) {
  std::normal_distribution<double> normal;
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = normal(random) + (i >= step_at ? step : 0);
  return values;
}

// At alpha 0.01, more than 7 of 200 would occur less often than 1 in 1000 (binomial).
TEST(ChangePointsTest, SeriesWithoutAStepRarelyHasAChangePoint) {
  constexpr std::uint64_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  int with_points = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    with_points += !FindChangePoints(Series(random, 60, 60, 0), {.seed = i}).value().empty();
  }
  EXPECT_LE(with_points, 7) << "seed " << kSeed;
}

// At least 95 % of 40: fewer than 34 would refute 95 % at 1 in 1000.
TEST(ChangePointsTest, StepOfThreeDeviationsIsFoundWhereItIs) {
  constexpr std::uint64_t kSeed = 12;
  std::mt19937_64 random(kSeed);
  int near = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::size_t at = 10 + i;
    const auto found = FindChangePoints(Series(random, 60, at, 3), {.seed = i}).value();
    near += std::any_of(found.begin(), found.end(), [at](const ChangePoint& point) {
      return point.index + 2 >= at && point.index <= at + 2;
    });
  }
  EXPECT_GE(near, 34) << "seed " << kSeed;
}

TEST(ChangePointsTest, ShiftAndScaleDoNotMatterAndTheSeedRepeats) {
  std::mt19937_64 random(13);
  const Values values = Series(random, 40, 25, 2);
  const auto found = FindChangePoints(values).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(FindChangePoints(values).value(), found);
  Values other;
  for (const double x : values) other.push_back(1024 * x - 512);
  const auto same = FindChangePoints(other).value();
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].index, found[0].index);
  EXPECT_EQ(same[0].p_value, found[0].p_value);
}

// The search computes q of permutations in O(n log n) time. Here it is computed by its definition.
double PValueByDefinition(Values values, const ChangePointSearch& search) {
  const auto largest = [](const Values& of) {
    const Values q = EnergyStatistics(of);
    return *std::max_element(q.begin(), q.end());
  };
  const double observed = largest(values);
  RandomIndex random(search.seed, 0);
  int as_large = 1;
  for (int i = 0; i < search.permutations; ++i) {
    for (std::size_t j = values.size() - 1; j > 0; --j) {
      std::swap(values[j], values[random.Below(static_cast<std::uint32_t>(j + 1))]);
    }
    as_large += largest(values) >= observed * (1 - kRelTol);
  }
  return as_large / (search.permutations + 1.0);
}

TEST(ChangePointsTest, PValuesAreThoseOfTheDefinition) {
  std::mt19937_64 random(17);
  std::uniform_int_distribution<int> few(0, 3);
  int found = 0;
  for (std::uint64_t i = 0; i < 24; ++i) {
    Values values = Series(random, 20 + 5 * i, 10, i % 3 == 0 ? 1 : 0.5);
    if (i % 2 == 0) {  // with many ties
      for (double& value : values) value = few(random) + (value > 1 ? 1 : 0);
    }
    if (i % 5 == 0) {
      for (double& value : values) value = 1e300 * (1000 + value);
    }
    const ChangePointSearch search{.alpha = 0.9, .permutations = 99, .seed = i};
    const auto points = FindChangePoints(values, search).value();
    const double expected = PValueByDefinition(values, search);
    const bool seen = std::any_of(points.begin(), points.end(), [&](const ChangePoint& point) {
      return point.p_value == expected;
    });
    EXPECT_EQ(seen, expected <= search.alpha) << i << ": " << expected;
    found += seen;
  }
  EXPECT_GT(found, 12);
}

TEST(ChangePointsTest, SeriesTooShortForALevelHasNone) {
  EXPECT_TRUE(FindChangePoints(Values{}).value().empty());
  EXPECT_TRUE(FindChangePoints(Values{1, 1, 1}).value().empty());
  EXPECT_TRUE(FindChangePoints(Values{1, 1, 1, 9, 9}).value().empty());
  EXPECT_TRUE(FindChangePoints(Values(50, 7.5)).value().empty());
}

TEST(ChangePointsTest, WhatCannotBeSearchedIsRefused) {
  EXPECT_FALSE(FindChangePoints(Values{1, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_FALSE(FindChangePoints(Values(kLongestSeries + 1, 0)));
  EXPECT_FALSE(FindChangePoints(Values{1, 2}, {.alpha = 0}));
  EXPECT_FALSE(FindChangePoints(Values{1, 2}, {.alpha = 0.01, .permutations = 98}));
  EXPECT_TRUE(FindChangePoints(Values{1, 2}, {.alpha = 0.01, .permutations = 99}));
}

}  // namespace
}  // namespace benchd
