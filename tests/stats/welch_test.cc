#include "core/stats/welch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/stats/descriptive.h"
#include "core/stats/tails.h"
#include "tests/stats/two_arms.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

constexpr unsigned kSeed = 20260417;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

const SequentialBoundary& WelchBoundary() {
  static const SequentialBoundary boundary = SequentialBoundary::Robbins(0.01, 8).value();
  return boundary;
}

WelchEstimate Ratio(const TwoArms& arms) {
  return EstimateWelchRatio(MomentsOf(arms.base), MomentsOf(arms.candidate));
}

WelchEstimate Difference(const TwoArms& arms) {
  return EstimateWelchDifference(MomentsOf(arms.base), MomentsOf(arms.candidate));
}

Interval Watched(const WelchEstimate& estimate) {
  return PlainInterval(estimate, CriticalT(estimate, WelchBoundary()));
}

TEST(WelchTest, SwappingTheArmsMirrorsBothIntervals) {
  for (unsigned seed = kSeed; seed < kSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const TwoArms arms = DrawArms(seed, 12, 31);
    const TwoArms swapped{arms.candidate, arms.base};
    for (auto* estimate : {&Ratio, &Difference}) {
      const Interval there = Watched(estimate(arms));
      const Interval back = Watched(estimate(swapped));
      EXPECT_NEAR(back.lo, -there.hi, 1e-12);
      EXPECT_NEAR(back.hi, -there.lo, 1e-12);
      EXPECT_NEAR(Watched(estimate(arms).Mirrored()).lo, back.lo, 1e-12);
    }
  }
}

TEST(WelchTest, TheUnitOfTheValuesDoesNotMatter) {
  const TwoArms arms = DrawArms(kSeed, 12, 31);
  for (double unit : {1e-9, 1.0 / 3, 60.0, 1e9}) {
    TwoArms scaled = arms;
    for (double& x : scaled.base) x *= unit;
    for (double& x : scaled.candidate) x *= unit;
    EXPECT_NEAR(Watched(Ratio(scaled)).lo, Watched(Ratio(arms)).lo, 1e-13) << unit;
    EXPECT_NEAR(Watched(Ratio(scaled)).hi, Watched(Ratio(arms)).hi, 1e-13) << unit;
    EXPECT_NEAR(Watched(Difference(scaled)).hi / unit, Watched(Difference(arms)).hi, 1e-11) << unit;
    EXPECT_NEAR(Ratio(scaled).information, Ratio(arms).information, 1e-10) << unit;
    EXPECT_NEAR(Difference(scaled).information, Difference(arms).information, 1e-10) << unit;
  }
}

// Values in any order, because Welch's estimate does not depend on the order of the runs.
TEST(WelchTest, TheOrderOfTheRunsDoesNotMatterToTheLastInterval) {
  for (unsigned seed = kSeed; seed < kSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const TwoArms arms = DrawArms(seed, 20, 31);
    TwoArms shuffled = arms;
    std::mt19937_64 random(seed);
    std::shuffle(shuffled.base.begin(), shuffled.base.end(), random);
    std::shuffle(shuffled.candidate.begin(), shuffled.candidate.end(), random);
    EXPECT_NEAR(Watched(Ratio(shuffled)).lo, Watched(Ratio(arms)).lo, 1e-13);
    EXPECT_NEAR(Watched(Ratio(shuffled)).hi, Watched(Ratio(arms)).hi, 1e-13);
  }
}

// docs/statistics.md section 4: h is a mean of n_b and n_c, weighted by each arm's contribution.
TEST(WelchTest, TheClockLiesBetweenTheTwoCountsAndIsTheCountWhenTheyAgree) {
  for (unsigned seed = kSeed; seed < kSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const WelchEstimate uneven = Ratio(DrawArms(seed, 8, 31));
    EXPECT_GE(uneven.information, 8 - 1e-12);
    EXPECT_LE(uneven.information, 31);
    EXPECT_NEAR(Ratio(DrawArms(seed, 17, 17)).information, 17, 1e-12);
  }
  const TwoArms steady_base{Values(9, 5.0), DrawArms(kSeed, 2, 30).candidate};
  EXPECT_DOUBLE_EQ(Ratio(steady_base).information, 30);
  EXPECT_DOUBLE_EQ(Ratio(steady_base).dof, 29);
}

TEST(WelchTest, AClockThatRoundingPutBelowTheFirstLookIsTheFirstLook) {
  EXPECT_EQ(WelchBoundary().ZAtInformation(8 * (1 - 1e-15)), WelchBoundary().root());
  EXPECT_EQ(WelchBoundary().ZAtInformation(8), WelchBoundary().ZAt(8));
  EXPECT_EQ(WelchBoundary().ZAtInformation(1000), WelchBoundary().ZAt(1000));
  EXPECT_GT(WelchBoundary().ZAtInformation(8.5), WelchBoundary().ZAt(8));
  EXPECT_LT(WelchBoundary().ZAtInformation(8.5), WelchBoundary().ZAt(9));
}

TEST(WelchTest, TheRunningPNeverRisesAndIsBelowALevelExactlyWhenAnIntervalExcluded) {
  const auto horizon = SequentialBoundary::Horizon(0.01, 8, 200).value();
  for (unsigned seed = kSeed; seed < kSeed + 10; ++seed) {
    SCOPED_TRACE(seed);
    const TwoArms arms = DrawArms(seed, 120, 120);
    std::mt19937_64 coin(seed);
    for (const SequentialBoundary& boundary : {WelchBoundary(), horizon}) {
      for (double hypothesis : {0.0, 0.02, 0.05}) {
        Moments base;
        Moments candidate;
        RunningP p;
        bool excluded = false;
        while (base.count() < 120 && candidate.count() < 120) {
          if (coin() % 2 == 0) {
            base.Add(arms.base[base.count()]);
          } else {
            candidate.Add(arms.candidate[candidate.count()]);
          }
          if (base.count() < 8 || candidate.count() < 8) continue;
          const WelchEstimate estimate = EstimateWelchRatio(base, candidate);
          const double before = p.value();
          p.Watch(FindingAgainst(estimate, hypothesis), boundary);
          EXPECT_LE(p.value(), before);
          const Interval interval = PlainInterval(estimate, CriticalT(estimate, boundary));
          excluded = excluded || interval.lo > hypothesis || interval.hi < hypothesis;
          EXPECT_EQ(p.value() < 0.01, excluded) << base.count() << " " << candidate.count();
        }
      }
    }
  }
}

TEST(WelchTest, WithAHorizonTheCriticalTailIsTheSameAtEveryInformation) {
  const auto horizon = SequentialBoundary::Horizon(0.05, 8, 100).value();
  for (std::size_t n : {8u, 20u, 90u}) {
    const WelchEstimate estimate = Ratio(DrawArms(kSeed, 8, n));
    const double tail = StudentTUpperTail(CriticalT(estimate, horizon), estimate.dof);
    EXPECT_NEAR(tail / NormalUpperTail(horizon.root()), 1, 1e-11) << n;
  }
}

// Section 4: if both variances are 0, h = 2 n_b n_c / (n_b + n_c) and se = 0; 2*8*24/32 = 12.
TEST(WelchTest, ConstantCountersAreCertainUpToTheirResolution) {
  const Moments base = MomentsOf(Values(8, 1000.0));
  const Moments candidate = MomentsOf(Values(24, 1100.0));
  WelchEstimate estimate = EstimateWelchRatio(base, candidate);
  EXPECT_EQ(estimate.se, 0);
  EXPECT_DOUBLE_EQ(estimate.information, 12);
  ASSERT_TRUE(NeedsAllowance(base, candidate, 1));
  estimate.allowance = RatioAllowance(base, candidate, 1);
  EXPECT_DOUBLE_EQ(estimate.allowance, 1.0 / 1000 + 1.0 / 1100);
  const Interval interval = Watched(estimate);
  EXPECT_DOUBLE_EQ(interval.lo, std::log(1.1) - estimate.allowance);
  EXPECT_DOUBLE_EQ(interval.hi, std::log(1.1) + estimate.allowance);
  EXPECT_EQ(FixedPValue(estimate, std::log(1.02)), 0);
  RunningP p;
  p.Watch(FindingAgainst(estimate, std::log(1.02)), WelchBoundary());
  EXPECT_EQ(p.value(), 0);
  EXPECT_EQ(p.direction(), 1);
  EXPECT_EQ(FixedPValue(estimate, interval.lo + 1e-9), 1);
}

TEST(WelchTest, OneValueInAnArmSaysNothing) {
  const WelchEstimate estimate = Ratio({{1.0}, {2.0, 2.1, 2.2, 1.9}});
  EXPECT_FALSE(MayLook(estimate, WelchBoundary()));
  EXPECT_EQ(PlainInterval(estimate, 4), (Interval{-kInfinite, kInfinite}));
  EXPECT_EQ(FixedPValue(estimate, 0), 1);
}

TEST(WelchTest, MayLookOnceBothArmsHaveEnough) {
  EXPECT_FALSE(MayLook(Ratio(DrawArms(kSeed, 7, 100)), WelchBoundary()));
  EXPECT_FALSE(MayLook(Ratio(DrawArms(kSeed, 100, 7)), WelchBoundary()));
  EXPECT_TRUE(MayLook(Ratio(DrawArms(kSeed, 8, 8)), WelchBoundary()));
}

TEST(WelchTest, ARatioNeedsPositiveMeansInTheRangeOfADouble) {
  const Moments one = MomentsOf(Values{1.0, 1.1});
  EXPECT_TRUE(RatioDefined(one, one));
  EXPECT_FALSE(RatioDefined(one, Moments()));
  EXPECT_FALSE(RatioDefined(MomentsOf(Values{-1.0, 1.0}), one));
  EXPECT_TRUE(DifferenceDefined(MomentsOf(Values{-1.0, 1.0}), one));
  EXPECT_FALSE(RatioDefined(MomentsOf(Values{1e-200, 2e-200}), one));
  EXPECT_FALSE(DifferenceDefined(MomentsOf(Values{1e200, -1e200}), one));
}

TEST(WelchTest, OverwhelmingEvidenceGivesATinyPNotNaN) {
  const WelchEstimate strong = Ratio(
      {Values{1, 1 + 1e-9, 1 - 1e-9, 1, 1, 1, 1, 1}, Values{2, 2 + 1e-9, 2 - 1e-9, 2, 2, 2, 2, 2}});
  RunningP p;
  p.Watch(FindingAgainst(strong, 0), WelchBoundary());
  EXPECT_GT(p.value(), 0);
  EXPECT_LT(p.value(), 1e-50);
}

// A coin schedule with equal arms: section 3's rates (1.5 to 3.2 % at 5 %) hold with this boundary,
// too. The standard error of 600 repetitions is 0.7 points there.
TEST(WelchTest, WatchingEqualArmsRarelyExcludesTheTruth) {
  const auto boundary = SequentialBoundary::Robbins(0.05, 8).value();
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> noise(10, 0.5);
  int excluded = 0;
  for (int repetition = 0; repetition < 600; ++repetition) {
    Moments arm[2];
    bool wrong = false;
    for (int run = 0; run < 200 && !wrong; ++run) {
      arm[random() % 2].Add(noise(random));
      if (arm[0].count() < 8 || arm[1].count() < 8) continue;
      const WelchEstimate estimate = EstimateWelchRatio(arm[0], arm[1]);
      const Interval interval = PlainInterval(estimate, CriticalT(estimate, boundary));
      wrong = interval.lo > 0 || interval.hi < 0;
    }
    excluded += wrong;
  }
  EXPECT_LT(excluded, 33) << "seed " << kSeed;
  EXPECT_GT(excluded, 0) << "seed " << kSeed;
}

}  // namespace
}  // namespace benchd
