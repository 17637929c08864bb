#include "core/stats/combination.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Units = std::vector<UnitEffect>;

// Expected numbers of the next two tests: mpmath 1.3 with 50 digits, from the formulas in
// combination.h; quantiles of Student's law by bisection on its regularised incomplete beta
// function.
constexpr double kTolerance = 1e-11;

TEST(CombinationTest, FiveMachinesMatchTheReference) {
  const Units units = {
      {0.012, 0.004}, {0.031, 0.006}, {0.018, 0.005}, {0.025, 0.004}, {-0.004, 0.009}};
  const auto combined = CombineUnits(units, 0.05);
  ASSERT_TRUE(combined) << combined.error().message;
  EXPECT_EQ(combined->units, 5U);
  EXPECT_TRUE(golden::Close(combined->centre, 0.0164, kTolerance));
  EXPECT_TRUE(golden::Close(combined->sd, 0.013464768843169941, kTolerance));
  EXPECT_TRUE(golden::Close(combined->interval->lo, -0.00031871871669986723, kTolerance));
  EXPECT_TRUE(golden::Close(combined->interval->hi, 0.033118718716699867, kTolerance));
  EXPECT_TRUE(golden::Close(*combined->tau_squared, 0.0001465, kTolerance));
  EXPECT_TRUE(golden::Close(combined->prediction->lo, -0.024552330009033463, kTolerance));
  EXPECT_TRUE(golden::Close(combined->prediction->hi, 0.057352330009033463, kTolerance));
  EXPECT_TRUE(combined->outliers.empty());
}

TEST(CombinationTest, TheOneThatLiesOutsideOfAllOthersIsNamed) {
  Units units;
  for (const double value : {0.01, 0.012, 0.011, 0.009, 0.0105, 0.2}) {
    units.push_back({value, 0.001});
  }
  const auto combined = CombineUnits(units, 0.01);
  ASSERT_TRUE(combined) << combined.error().message;
  EXPECT_TRUE(golden::Close(combined->interval->lo, -0.08527582101928711, kTolerance));
  EXPECT_TRUE(golden::Close(*combined->tau_squared, 0.0059850416666666667, kTolerance));
  EXPECT_TRUE(golden::Close(combined->prediction->hi, 0.37904398293785643, kTolerance));
  EXPECT_EQ(combined->outliers, std::vector<std::size_t>{5});
}

TEST(CombinationTest, WhatTheUnitsNoiseExplainsIsNoDifferenceBetweenThem) {
  const auto combined = CombineUnits(Units{{0.02, 0.05}, {0.03, 0.05}, {0.07, 0.05}}, 0.01);
  ASSERT_TRUE(combined) << combined.error().message;
  EXPECT_EQ(combined->tau_squared, 0);
  EXPECT_TRUE(golden::Close(combined->prediction->lo, -0.26320896819183927, kTolerance));
}

// Compared with the first test, only the steps are new: their mean, and that of one more unit.
TEST(CombinationTest, StepsWidenWhatTheUnitsSayAndAreNoDifferenceBetweenThem) {
  const Units plain = {
      {0.012, 0.004}, {0.031, 0.006}, {0.018, 0.005}, {0.025, 0.004}, {-0.004, 0.009}};
  Units coarse = plain;
  for (std::size_t i = 0; i < coarse.size(); ++i)
    coarse[i].allowance = 0.1 * static_cast<double>(i + 1);
  const auto without = CombineUnits(plain, 0.05);
  const auto with = CombineUnits(coarse, 0.05);
  ASSERT_TRUE(without && with);
  EXPECT_DOUBLE_EQ(with->interval->lo, without->interval->lo - 0.3);
  EXPECT_DOUBLE_EQ(with->interval->hi, without->interval->hi + 0.3);
  EXPECT_DOUBLE_EQ(with->prediction->lo, without->prediction->lo - 0.8);
  EXPECT_DOUBLE_EQ(with->prediction->hi, without->prediction->hi + 0.8);
  EXPECT_EQ(with->centre, without->centre);
  EXPECT_EQ(with->tau_squared, without->tau_squared);
  // One step away from units that agree is not an outlier; two steps are.
  const auto beside = [](double value) {
    Units units(5, UnitEffect{0, 0.001, 0.1});
    units.push_back({value, 0.001, 0.1});
    return CombineUnits(units, 0.01)->outliers;
  };
  EXPECT_TRUE(beside(0.19).empty());
  EXPECT_EQ(beside(0.21), std::vector<std::size_t>{5});
}

TEST(CombinationTest, FewUnitsHaveFewAnswers) {
  const auto one = CombineUnits(Units{{0.02, 0.01}}, 0.01);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->centre, 0.02);
  EXPECT_FALSE(one->interval || one->tau_squared || one->prediction);
  const auto two = CombineUnits(Units{{0.02, 0.01}, {0.04, {}}}, 0.01);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_TRUE(two->interval);
  EXPECT_FALSE(two->tau_squared) << "one has no standard error";
  EXPECT_FALSE(two->prediction);
  const auto three = CombineUnits(Units{{0, {}}, {0, {}}, {9, {}}}, 0.5);
  ASSERT_TRUE(three) << three.error().message;
  EXPECT_TRUE(three->prediction);
  EXPECT_TRUE(three->outliers.empty()) << "two others predict nothing";
}

TEST(CombinationTest, EqualUnitsLeaveNoDoubt) {
  const auto combined = CombineUnits(Units(4, {0.125, 0.01}), 0.01);
  ASSERT_TRUE(combined) << combined.error().message;
  EXPECT_EQ(combined->interval, (Interval{0.125, 0.125}));
  EXPECT_EQ(combined->prediction, (Interval{0.125, 0.125}));
}

TEST(CombinationTest, RefusesWhatHasNoAnswer) {
  EXPECT_FALSE(CombineUnits({}, 0.01));
  for (const double alpha : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(CombineUnits(Units(4, {0.1, {}}), alpha)) << alpha;
  }
  EXPECT_FALSE(CombineUnits(Units{{std::numeric_limits<double>::infinity(), {}}}, 0.01));
  EXPECT_FALSE(CombineUnits(Units{{0, std::nan("")}}, 0.01));
}

/// The smallest count whose upper tail under Bin(n, p) is at most 1e-6; more would not be chance.
std::size_t MostByChance(std::size_t n, double p) {
  double log_term = static_cast<double>(n) * std::log1p(-p);
  double below = std::exp(log_term);
  std::size_t count = 0;
  while (1 - below > 1e-6 && count < n) {
    log_term += std::log(static_cast<double>(n - count) / static_cast<double>(count + 1)) +
                std::log(p / (1 - p));
    below += std::exp(log_term);
    ++count;
  }
  return count;
}

// A short round of `./dev bench validity --replication`, which also simulates other noise.
TEST(CombinationTest, TheIntervalHoldsItsLevelHoweverMuchMachinesDiffer) {
  constexpr std::size_t kRepetitions = 2000;
  constexpr double kAlpha = 0.05;
  constexpr unsigned kSeed = 20261123;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal;
  for (const std::size_t machines : {4U, 8U, 16U}) {
    for (const double tau : {0.0, 1.0}) {
      std::size_t wrong = 0;
      std::size_t unpredicted = 0;
      for (std::size_t i = 0; i < kRepetitions; ++i) {
        const auto draw = [&] { return tau * normal(random) + normal(random); };
        Units units(machines);
        for (UnitEffect& unit : units) unit = {draw(), 1.0};
        const auto combined = CombineUnits(units, kAlpha);
        ASSERT_TRUE(combined) << combined.error().message;
        wrong += combined->interval->lo > 0 || combined->interval->hi < 0;
        const double next = draw();
        unpredicted += next < combined->prediction->lo || next > combined->prediction->hi;
      }
      EXPECT_LE(wrong, MostByChance(kRepetitions, kAlpha)) << machines << " machines, tau " << tau;
      EXPECT_LE(unpredicted, MostByChance(kRepetitions, kAlpha)) << machines << ", tau " << tau;
      EXPECT_GT(wrong, kRepetitions * kAlpha / 2) << "far wider than need be";
    }
  }
}

}  // namespace
}  // namespace benchd
