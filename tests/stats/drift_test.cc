#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/stats/warmup.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

// The series of a "diagnostics" case: both arms and u = c / mean_c - b / mean_b.
std::vector<std::pair<std::string, Values>> SeriesOf(const nlohmann::json& input) {
  const Values base = input["base"];
  const Values candidate = input["candidate"];
  double mean_b = 0;
  double mean_c = 0;
  const auto n = static_cast<double>(base.size());
  for (double x : base) mean_b += x / n;
  for (double x : candidate) mean_c += x / n;
  Values u;
  for (std::size_t i = 0; i < base.size(); ++i) {
    u.push_back(candidate[i] / mean_c - base[i] / mean_b);
  }
  return {{"base", base}, {"candidate", candidate}, {"u", u}};
}

TEST(DriftTest, RankTrendsMatchTheReference) {
  for (const auto& one : golden::Cases("independence_diagnostics")) {
    SCOPED_TRACE(one.at("id"));
    const auto trend = TestRankTrend(one["input"]["x"].get<Values>());
    ASSERT_TRUE(trend);
    EXPECT_TRUE(golden::Close(trend->ratio, one["expected"]["bartels_rank_vn"], one["rel_tol"]));
    EXPECT_TRUE(golden::Close(trend->z, one["expected"]["bartels_z"], one["rel_tol"]));
  }
}

TEST(DriftTest, ArmsAndResidualsMatchTheReference) {
  for (const auto& one : golden::Cases("diagnostics")) {
    for (const auto& [name, values] : SeriesOf(one["input"])) {
      SCOPED_TRACE(one["id"].get<std::string>() + " " + name);
      const auto& expected = one["expected"][name];
      const auto trend = TestRankTrend(values);
      const auto change = TestLevelChange(values);
      ASSERT_TRUE(trend && change);
      EXPECT_TRUE(golden::Close(trend->ratio, expected["bartels_rvn"], one["rel_tol"]));
      EXPECT_TRUE(golden::Close(trend->z, expected["bartels_z"], one["rel_tol"]));
      EXPECT_EQ(IsTrend(*trend), expected["bartels_flag_two_sided"]);
      EXPECT_TRUE(golden::Close(change->statistic, expected["cusum"], one["rel_tol"]));
      EXPECT_EQ(change->before, expected["cusum_before_change"]);
      EXPECT_EQ(IsLevelChange(*change), expected["cusum_flag"]);
    }
  }
}

TEST(DriftTest, ATrendIsPositiveAndAnAlternationNegative) {
  Values rising;
  Values alternating;
  for (int i = 0; i < 20; ++i) {
    rising.push_back(i);
    alternating.push_back(i % 2);
  }
  EXPECT_GT(TestRankTrend(rising)->z, kRankTrendCritical);
  EXPECT_LT(TestRankTrend(alternating)->z, -kRankTrendCritical);
}

// Ranks 1..4 in order: squared steps 1 + 1 + 1 = 3, divided by a sum of squares of 5.
TEST(DriftTest, FourRisingValuesHaveTheRatioThreeFifths) {
  EXPECT_DOUBLE_EQ(TestRankTrend(Values{1, 2, 5, 9})->ratio, 0.6);
}

// Deviations -1 -1 +1 +1, s = sqrt(4/3): the largest sum, 2, divided by s sqrt(4).
TEST(DriftTest, AStepIsFoundWhereItIs) {
  const auto change = TestLevelChange(Values{1, 1, 3, 3});
  EXPECT_EQ(change->before, 2U);
  EXPECT_DOUBLE_EQ(change->statistic, 2 / (std::sqrt(4.0 / 3) * 2));
}

// Deviations -1 +1 -1 +1: the sums -1, 0, -1 tie.
TEST(DriftTest, TheFirstOfTiedChangesIsTaken) {
  EXPECT_EQ(TestLevelChange(Values{1, 3, 1, 3})->before, 1U);
}

TEST(DriftTest, MonotoneTransformsChangeNoRankTrend) {
  const Values x{0.3, 2, 1.5, 7, 4, 4, 9, 0.1};
  Values y;
  for (double value : x) y.push_back(std::exp(value));
  EXPECT_EQ(TestRankTrend(x), TestRankTrend(y));
}

TEST(DriftTest, SaysNothingWhereThereIsNothingToSee) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Values& values : {Values{}, Values{1, 2}, Values{5, 5, 5, 5}, Values{1, nan, 2, 3}}) {
    EXPECT_FALSE(TestRankTrend(values));
    EXPECT_FALSE(TestLevelChange(values));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(TestLevelChange(Values{1, 2, infinity}));
  EXPECT_FALSE(TestLevelChange(Values{-1e308, 1e308, 1e308}));
}

}  // namespace
}  // namespace benchd
