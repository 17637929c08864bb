#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/stats/mmtests.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

bool WelchStar(const Values& values, const Values& reference) {
  return HasStar(values, reference, BestEnd::kLowest, StarRule::kWelch).value();
}

// scipy's Welch test, p < 0.05.
TEST(StarsTest, TheWelchRuleMatchesTheReference) {
  int starred = 0;
  const nlohmann::json& file = golden::ReadFile("mmtests.json");
  for (const auto& one : file["pairwise"]) {
    SCOPED_TRACE(one.at("id"));
    if (!one["welch"].contains("star_5pct")) continue;
    const bool star = WelchStar(one["sut"], one["reference"]);
    EXPECT_EQ(star, one["welch"]["star_5pct"]);
    EXPECT_EQ(WelchStar(one["reference"], one["sut"]), star);
    starred += star;
  }
  EXPECT_GT(starred, 4);
}

// 5, 5, 5 and 6, 6, 6: a test would divide 0 by 0, although the difference is certain.
TEST(StarsTest, ConstantsThatDifferGetAStarInAnyUnitAndEqualOnesDoNot) {
  for (StarRule rule : {StarRule::kWelch, StarRule::kMmtests}) {
    for (double unit : {1.0, 1e-6}) {
      const Values five(3, 5 * unit);
      const Values six(3, 6 * unit);
      EXPECT_TRUE(HasStar(six, five, BestEnd::kLowest, rule).value());
      EXPECT_TRUE(HasStar(six, five, BestEnd::kHighest, rule).value());
      EXPECT_FALSE(HasStar(five, five, BestEnd::kLowest, rule).value());
    }
  }
}

// The bands of 9..11 and 15..17 (means 10 and 16, both s = 1) end at 11.96 and begin at 14.04.
TEST(StarsTest, TheMmtestsRuleWantsBandsApart) {
  const Values reference{9, 10, 11};
  EXPECT_TRUE(HasStar(Values{15, 16, 17}, reference, BestEnd::kLowest, StarRule::kMmtests).value());
  EXPECT_FALSE(
      HasStar(Values{12, 13, 14}, reference, BestEnd::kLowest, StarRule::kMmtests).value());
}

TEST(StarsTest, MoreValuesGiveTheWelchStarButNeverThatOfMmtests) {
  Values base;
  Values candidate;
  for (int i = 0; i < 2000; ++i) {
    base.push_back(9 + i % 3);
    candidate.push_back(10 + i % 3);
  }
  EXPECT_TRUE(WelchStar(candidate, base));
  EXPECT_FALSE(HasStar(candidate, base, BestEnd::kLowest, StarRule::kMmtests).value());
}

TEST(StarsTest, OneValueInAnArmNeverGetsAStar) {
  for (StarRule rule : {StarRule::kWelch, StarRule::kMmtests}) {
    EXPECT_FALSE(HasStar(Values{100}, Values{1, 2, 3}, BestEnd::kLowest, rule).value());
  }
}

TEST(StarsTest, RefusesArmsWithoutNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(HasStar(Values{}, Values{1, 2}, BestEnd::kLowest, StarRule::kWelch));
  EXPECT_FALSE(HasStar(Values{1, 2}, Values{1, nan}, BestEnd::kLowest, StarRule::kWelch));
}

}  // namespace
}  // namespace benchd
