#include "core/stats/decision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace benchd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(DecisionTest, ThePrecisionRuleGoesOnUntilTheIntervalIsNarrowerThanAsked) {
  const Interval interval{0.05, 0.07};
  EXPECT_EQ(DecideByWidth(interval, 0.02, {0.25, 0.5}, 0.25), LookDecision::kContinue);
  EXPECT_EQ(DecideByWidth(interval, 0.02, {0.25, 0.5}, 0.2501), LookDecision::kRegression);
}

TEST(DecisionTest, ThePrecisionRuleEndsByWhereTheIntervalLies) {
  const auto decide = [](const Interval& interval) {
    return DecideByWidth(interval, 0.02, ToChange(interval), 0.05);
  };
  EXPECT_EQ(decide({-0.01, 0.019}), LookDecision::kPass);
  EXPECT_EQ(decide({0.021, 0.04}), LookDecision::kRegression);
  EXPECT_EQ(decide({0.01, 0.03}), LookDecision::kUndecided);
  EXPECT_EQ(decide({0.02, 0.03}), LookDecision::kUndecided);
}

// log(0.95) and -log(1.05) by Python's decimal module, with 30 digits.
TEST(DecisionTest, ANegativeMarginIsAThresholdBelow0) {
  EXPECT_NEAR(LowerIsBetterThreshold(-0.05), -0.0512932943875505334, 1e-17);
  EXPECT_NEAR(RateThreshold(-0.05), -0.0487901641694320031, 1e-17);
  EXPECT_EQ(DecideAgainst({-0.09, -0.06}, LowerIsBetterThreshold(-0.05)), LookDecision::kPass);
  EXPECT_EQ(DecideAgainst({-0.04, 0.01}, LowerIsBetterThreshold(-0.05)), LookDecision::kRegression);
  EXPECT_EQ(DecideAgainst({-0.06, -0.04}, LowerIsBetterThreshold(-0.05)), LookDecision::kContinue);
}

TEST(DecisionTest, AMarginOfBothDirectionsHasTwoEnds) {
  EXPECT_EQ(SideOfMargin({-0.019, 0.019}, 0.02), MarginSide::kWithin);
  EXPECT_EQ(SideOfMargin({0.021, 0.03}, 0.02), MarginSide::kAbove);
  EXPECT_EQ(SideOfMargin({-0.03, -0.021}, 0.02), MarginSide::kBelow);
  EXPECT_EQ(SideOfMargin({-0.03, 0.01}, 0.02), MarginSide::kOpen) << "a pass of an ordinary gate";
  EXPECT_EQ(SideOfMargin({0.01, 0.03}, 0.02), MarginSide::kOpen);
  EXPECT_EQ(SideOfMargin({-0.03, 0.03}, 0.02), MarginSide::kOpen);
  EXPECT_EQ(SideOfMargin({0.02, 0.03}, 0.02), MarginSide::kOpen);
  EXPECT_EQ(SideOfMargin({-0.02, 0.01}, 0.02), MarginSide::kOpen);
  EXPECT_EQ(SideOfMargin({-kInfinity, 0.01}, 0.02), MarginSide::kOpen);
  EXPECT_EQ(SideOfMargin({-kInfinity, kInfinity}, 0.02), MarginSide::kOpen);
  EXPECT_EQ(SideOfMargin({0.03, kInfinity}, 0.02), MarginSide::kAbove);
}

TEST(DecisionTest, AnIntervalWithoutAnEndIsNeverNarrowEnough) {
  EXPECT_EQ(DecideByWidth({1, kInfinity}, 0, {1, kInfinity}, 1e300), LookDecision::kContinue);
  EXPECT_EQ(DecideByWidth({1, 2}, 0, {1, std::nan("")}, 1e300), LookDecision::kContinue);
  EXPECT_EQ(DecideByWidth({1, kInfinity}, 0, {1, kInfinity}, kInfinity), LookDecision::kContinue);
}

}  // namespace
}  // namespace benchd
