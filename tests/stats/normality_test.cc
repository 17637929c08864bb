#include "core/stats/normality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

Values Ascending(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST(NormalityTest, StatisticAndPMatchTheReference) {
  for (const auto& one : golden::ReadFile("levels.json").at("fit")) {
    SCOPED_TRACE(one.at("id"));
    const auto found = TestNormality(Ascending(one["values"].get<Values>()));
    ASSERT_TRUE(found);
    EXPECT_TRUE(golden::Close(found->statistic, one["statistic"], 1e-9));
    // Small differences of the statistic are multiplied by the slope of ln p, which is 6.
    EXPECT_TRUE(golden::Close(found->p, one["p"], 1e-7));
  }
}

TEST(NormalityTest, NeitherScaleNorLocationMatters) {
  std::mt19937_64 random(20261201);
  std::normal_distribution<double> normal;
  Values values(50);
  for (double& value : values) value = normal(random);
  values = Ascending(values);
  Values moved = values;
  for (double& value : moved) value = 1024 * value + 4096;
  EXPECT_NEAR(TestNormality(values)->statistic, TestNormality(moved)->statistic, 1e-9);
}

// 10 000 values, one of which is 100 standard deviations out: its tail is far below a double.
TEST(NormalityTest, AValueFarOutLeavesANumber) {
  Values values(9999, 0.0);
  values.push_back(1);
  const auto found = TestNormality(values);
  ASSERT_TRUE(found);
  EXPECT_TRUE(std::isfinite(found->statistic));
  EXPECT_GT(found->p, 0);
  EXPECT_LT(found->p, 1e-20);
}

TEST(NormalityTest, FewOrEqualValuesAreNotTested) {
  EXPECT_FALSE(TestNormality(Values{}));
  EXPECT_FALSE(TestNormality(Values{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_FALSE(TestNormality(Values(20, 3.0)));
}

TEST(NormalityTest, EqualValuesAreSpreadOverTheirStep) {
  Values values{1, 2, 2, 2, 2, 3};
  SpreadTies(values, 1);
  EXPECT_EQ(values, (Values{1, 1.625, 1.875, 2.125, 2.375, 3}));
  Values same{1, 2, 2, 3};
  SpreadTies(same, 0);
  EXPECT_EQ(same, (Values{1, 2, 2, 3}));
}

// Values that a clock rounds to steps of a third of their spread would be rejected as they are.
TEST(NormalityTest, RoundedNormalValuesAreNormalOnceTheirTiesAreSpread) {
  std::mt19937_64 random(20261202);
  std::normal_distribution<double> normal(100, 3);
  int rejected = 0;
  int rejected_as_they_are = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    Values values(200);
    for (double& value : values) value = std::round(normal(random));
    values = Ascending(values);
    rejected_as_they_are += TestNormality(values)->p < 0.01;
    SpreadTies(values, 1);
    rejected += TestNormality(values)->p < 0.01;
  }
  EXPECT_LE(rejected, 5);
  EXPECT_GT(rejected_as_they_are, rejected);
}

}  // namespace
}  // namespace benchd
