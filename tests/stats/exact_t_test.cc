#include "core/stats/exact_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/stats/decision.h"
#include "core/stats/paired.h"
#include "tests/golden/golden.h"
#include "tests/stats/two_arms.h"

namespace benchd {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

constexpr unsigned kExactTSeed = 20260418;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

CentredMoments MomentsOfFirst(const Values& base, const Values& candidate, std::size_t n) {
  PairedMoments moments;
  for (std::size_t i = 0; i < n; ++i) moments.Add(base[i], candidate[i]);
  return moments.Centred();
}

CentredMoments MomentsOfPairs(const TwoArms& arms) {
  return MomentsOfFirst(arms.base, arms.candidate, arms.base.size());
}

const ExactTBoundary& TBoundary() {
  static const ExactTBoundary boundary = ExactTBoundary::Make(0.05, 8).value();
  return boundary;
}

double T(const CentredMoments& moments, double factor, const ArmSteps& steps = {}) {
  return ExactT(EstimateAgainstFactor(moments, factor, steps), 0);
}

TEST(ExactTBoundaryTest, RootsAndBoundariesMatchTheReference) {
  for (const Json& one : golden::Cases("lai_1976")) {
    SCOPED_TRACE(one.at("id"));
    const auto boundary =
        ExactTBoundary::Make(one["input"]["alpha"], one["input"]["m"].get<std::uint64_t>());
    ASSERT_TRUE(boundary) << boundary.error().message;
    EXPECT_TRUE(golden::Close(boundary->root(), one["expected"]["a"], one["rel_tol"]));
    for (std::size_t i = 0; i < one["input"]["n"].size(); ++i) {
      EXPECT_TRUE(golden::Close(boundary->CriticalT(one["input"]["n"][i]), one["expected"]["xi"][i],
                                one["rel_tol"]));
    }
  }
}

TEST(ExactTBoundaryTest, CrossingUndoesTheBoundaryAndRootIsTheCrossingOfTheBoundary) {
  for (std::uint64_t n : {8u, 9u, 100u, 100000u}) {
    EXPECT_NEAR(TBoundary().Crossing(TBoundary().CriticalT(n), n), TBoundary().root(), 1e-9) << n;
    EXPECT_NEAR(TBoundary().PValue(TBoundary().Crossing(-TBoundary().CriticalT(n), n)), 0.05,
                1e-10);
  }
  EXPECT_EQ(TBoundary().Crossing(0.1, 100), 0);
  EXPECT_EQ(TBoundary().PValue(0), 1);
  EXPECT_EQ(TBoundary().PValue(TBoundary().Crossing(kUnbounded, 100)), 0);
}

TEST(ExactTBoundaryTest, RootsReachLevelsOf1e300) {
  for (double alpha : {0.999, 0.5, 1e-10, 1e-100, 1e-300}) {
    for (std::uint64_t m : {3u, 8u, 30u, 1000u}) {
      const auto boundary = ExactTBoundary::Make(alpha, m).value();
      EXPECT_NEAR(LaiLevel(boundary.root(), m) / alpha, 1, 1e-9) << alpha << " " << m;
      EXPECT_NEAR(boundary.CriticalT(m) / boundary.root(), 1, 1e-9) << alpha << " " << m;
    }
  }
}

TEST(ExactTBoundaryTest, RefusesLevelsAndFirstLooksThatHaveNoRoot) {
  EXPECT_FALSE(ExactTBoundary::Make(0, 8));
  EXPECT_FALSE(ExactTBoundary::Make(1, 8));
  EXPECT_FALSE(ExactTBoundary::Make(std::numeric_limits<double>::quiet_NaN(), 8));
  EXPECT_FALSE(ExactTBoundary::Make(0.05, 2));
}

std::string NameOfT(LookDecision decision) {
  return decision == LookDecision::kPass         ? "pass"
         : decision == LookDecision::kRegression ? "regression"
                                                 : "continue";
}

void ExpectChange(const Json& row, const std::optional<Interval>& interval, double tol) {
  ASSERT_EQ(interval.has_value(), row["bounded"].get<bool>());
  if (!interval) return;
  if (row["change_lo_reported"] == -1.0) {
    EXPECT_EQ(ToChange(*interval).lo, -kUnbounded);
  } else {
    EXPECT_TRUE(golden::Close(ToChange(*interval).lo, row["change_lo_reported"], tol));
  }
  EXPECT_TRUE(golden::Close(ToChange(*interval).hi, row["change_hi"], tol));
}

// Looks at every n, and compares those that the reference lists.
void ReplayCase(const Json& one) {
  const Json& input = one["input"];
  const double tol = one["rel_tol"];
  ASSERT_EQ(input["better"], "lower");
  ASSERT_EQ(input["margin_kind"], "ratio");
  const double alpha = input["alpha"].get<double>() * (input["sided"] == "one" ? 2 : 1);
  const auto boundary = ExactTBoundary::Make(alpha, input["n0"].get<std::uint64_t>()).value();
  EXPECT_TRUE(golden::Close(boundary.root(), one["expected"]["a"], tol));
  const Values base = input["base"];
  RunningP running;
  std::size_t compared = 0;
  std::size_t stop = 0;
  std::string verdict = "undecided";
  for (std::size_t n = boundary.first_look(); n <= base.size(); ++n) {
    const CentredMoments moments = MomentsOfFirst(base, input["candidate"], n);
    const double t = T(moments, LowerIsBetterFactor(input["margin"]));
    const double xi = boundary.CriticalT(n);
    const std::string word = NameOfT(DecideExactT(t, xi));
    running.WatchExact(t, n, boundary);
    if (stop == 0 && word != "continue") {
      stop = n;
      verdict = word;
    }
    for (const Json& row : one["expected"]["rows"]) {
      if (row["n"] != n) continue;
      SCOPED_TRACE(n);
      ++compared;
      EXPECT_TRUE(golden::Close(xi, row["xi"], tol));
      EXPECT_TRUE(golden::Close(t, row["T"], tol));
      EXPECT_EQ(word, row["verdict_alone"].get<std::string>());
      ExpectChange(row, ExactRatioInterval(moments, xi, {}), tol);
      EXPECT_TRUE(golden::Close(boundary.PValue(boundary.Crossing(t, n)), row["p_look"], tol));
      EXPECT_TRUE(golden::Close(running.value(), row["p"], tol));
    }
  }
  const Json& expected = one["expected"];
  EXPECT_EQ(compared, expected["rows"].size());
  EXPECT_EQ(verdict, expected["verdict"].get<std::string>());
  EXPECT_EQ(stop, expected["stop_n"].is_null() ? 0 : expected["stop_n"].get<std::size_t>());
}

TEST(ExactTTest, TrajectoriesMatchLookByLook) {
  for (const Json& one : golden::Cases("exact_t_interval")) {
    SCOPED_TRACE(one.at("id"));
    ReplayCase(one);
  }
}

// The interval of the change contains exactly the margins that T does not reject, also with the
// allowance for the metric's steps.
TEST(ExactTTest, TheIntervalHoldsTheMarginsThatTDoesNotExclude) {
  int regressions = 0;
  int passes = 0;
  for (unsigned seed = kExactTSeed; seed < kExactTSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const CentredMoments moments = MomentsOfPairs(DrawArms(seed, 20, 20));
    const double xi = TBoundary().CriticalT(20);
    for (const ArmSteps& steps : {ArmSteps{}, ArmSteps{0.3, 0.3}, ArmSteps{0.1, 0.4}}) {
      const std::optional<Interval> interval = ExactRatioInterval(moments, xi, steps);
      ASSERT_TRUE(interval);
      for (double margin = -0.15; margin < 0.2; margin += 0.0031) {
        const LookDecision by_interval = DecideAgainst(*interval, LowerIsBetterThreshold(margin));
        EXPECT_EQ(DecideExactT(T(moments, LowerIsBetterFactor(margin), steps), xi), by_interval)
            << margin;
        regressions += by_interval == LookDecision::kRegression;
        passes += by_interval == LookDecision::kPass;
      }
    }
  }
  EXPECT_GT(regressions, 0);
  EXPECT_GT(passes, 0);
}

TEST(ExactTTest, SwappingTheArmsMirrorsTheLogInterval) {
  for (unsigned seed = kExactTSeed; seed < kExactTSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const TwoArms arms = DrawArms(seed, 20, 20);
    const double xi = TBoundary().CriticalT(20);
    for (const ArmSteps& steps : {ArmSteps{}, ArmSteps{0.1, 0.4}}) {
      const auto there = ExactRatioInterval(MomentsOfPairs(arms), xi, steps);
      const auto back =
          ExactRatioInterval(MomentsOfPairs({arms.candidate, arms.base}), xi, {steps.c, steps.b});
      ASSERT_TRUE(there && back);
      EXPECT_NEAR(back->lo, -there->hi, 1e-12);
      EXPECT_NEAR(back->hi, -there->lo, 1e-12);
    }
    const double t = T(MomentsOfPairs(arms), 1.03);
    EXPECT_NEAR(T(MomentsOfPairs({arms.candidate, arms.base}), 1 / 1.03), -t, 1e-10 * std::abs(t));
  }
}

TEST(ExactTTest, TheUnitOfTheValuesDoesNotMatter) {
  const TwoArms arms = DrawArms(kExactTSeed, 20, 20);
  const double xi = TBoundary().CriticalT(20);
  const auto expected = ExactRatioInterval(MomentsOfPairs(arms), xi, {});
  for (double unit : {1e-9, 1.0 / 3, 60.0, 1e9}) {
    TwoArms scaled = arms;
    for (double& x : scaled.base) x *= unit;
    for (double& x : scaled.candidate) x *= unit;
    const CentredMoments moments = MomentsOfPairs(scaled);
    EXPECT_NEAR(T(moments, 1.02), T(MomentsOfPairs(arms), 1.02), 1e-10) << unit;
    EXPECT_NEAR(ExactRatioInterval(moments, xi, {})->hi, expected->hi, 1e-12) << unit;
  }
}

// Fieller's condition: with mean_b = 1 and s_b^2 = 1 the ratio is bounded while n > xi^2.
TEST(ExactTTest, TheChangeIsAbsentWhereTheRatioIsUnbounded) {
  CentredMoments moments;
  moments.n = 16;
  moments.mean_b = 1;
  moments.mean_c = 2;
  moments.mean_difference = 1;
  moments.s_bb = 15;
  moments.s_cc = 15;
  EXPECT_TRUE(ExactRatioInterval(moments, 3.99, {}));
  EXPECT_FALSE(ExactRatioInterval(moments, 4.01, {}));
  EXPECT_FALSE(ExactRatioInterval(moments, 3.99, {0.1, 0.1}));
  EXPECT_FALSE(ExactRatioInterval(moments, 0, {1, 1}));
}

// c = 1 with s_c = 1: at xi > sqrt(n) the roots include negative ratios. No change is below -100 %,
// so the runs do not bound it there.
TEST(ExactTTest, TheChangeHasNoLowerEndIfTheRootsIncludeNegativeRatios) {
  CentredMoments moments;
  moments.n = 16;
  moments.mean_b = 100;
  moments.mean_c = 1;
  moments.mean_difference = -99;
  moments.s_bb = 15;
  moments.s_cc = 15;
  const auto interval = ExactRatioInterval(moments, 4.5, {});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->lo, -kUnbounded);
  EXPECT_EQ(ToChange(*interval).lo, -kUnbounded);
  EXPECT_TRUE(std::isfinite(interval->hi));
  EXPECT_EQ(ExactRatioInterval(moments, 0.1, {2, 2})->lo, -kUnbounded);
}

// Rates are analysed as 1/x: 1/c against factor 1/(1 - m) is b (1 - m) against c, reversed.
TEST(ExactTTest, ADropOfARateByTheMarginIsWhereTChangesItsSign) {
  PairedMoments inverse;
  PairedMoments raw;
  for (int i = 0; i < 10; ++i) {
    const double wobble = 1 + 0.01 * (i % 2);
    raw.Add(100 * wobble, 90 * wobble);
    inverse.Add(1 / (100 * wobble), 1 / (90 * wobble));
  }
  EXPECT_GT(T(inverse.Centred(), RateFactor(0.09)), 0);
  EXPECT_LT(T(inverse.Centred(), RateFactor(0.11)), 0);
  EXPECT_DOUBLE_EQ(LowerIsBetterFactor(0.1), 1.1);
  EXPECT_DOUBLE_EQ(LowerIsBetterFactor(-0.05), 0.95);
  EXPECT_DOUBLE_EQ(RateFactor(-0.05), 1 / 1.05) << "a slowness for a rate that is 5 % higher";
  // A step of 1 is the fraction 1/100.5 of a mean of 100.5, and the same fraction of the mean of
  // 1/x.
  const ArmSteps steps = StepsOf(raw.Centred(), inverse.Centred(), 1);
  EXPECT_NEAR(steps.b / inverse.Centred().mean_b, 1 / 100.5, 1e-15);
  EXPECT_EQ(StepsOf(raw.Centred(), inverse.Centred(), 0.1).b, 0);
}

// docs/statistics.md section 4: |mean D| is reduced by q (2 + m); 1100 - 1.02 * 1000 = 80.
TEST(ExactTTest, ConstantCountersDecideUpToTheirResolution) {
  PairedMoments pairs;
  for (int i = 0; i < 8; ++i) pairs.Add(1000, 1100);
  const CentredMoments moments = pairs.Centred();
  const ArmSteps steps = StepsOf(moments, moments, 1);
  const PairedEstimate estimate = EstimateAgainstFactor(moments, 1.02, steps);
  EXPECT_NEAR(estimate.centre, 80, 1e-9);
  EXPECT_EQ(estimate.se, 0);
  EXPECT_DOUBLE_EQ(estimate.allowance, 2.02);
  EXPECT_EQ(ExactT(estimate, 0), kUnbounded);
  EXPECT_EQ(DecideExactT(ExactT(estimate, 0), 3.6), LookDecision::kRegression);
  const auto interval = ExactRatioInterval(moments, 3.6, steps);
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->lo, std::log(1099.0 / 1001));
  EXPECT_DOUBLE_EQ(interval->hi, std::log(1101.0 / 999));
  RunningP p;
  p.WatchExact(ExactT(estimate, 0), 8, TBoundary());
  EXPECT_EQ(p.value(), 0);
  EXPECT_EQ(p.direction(), 1);

  const ArmSteps coarse = StepsOf(moments, moments, 50);
  EXPECT_EQ(T(moments, 1.02, coarse), 0);
}

TEST(ExactTTest, ProportionalArmsHaveAPointForAnInterval) {
  PairedMoments pairs;
  std::mt19937_64 random(kExactTSeed);
  std::gamma_distribution<double> noise(0.5, 3);
  for (int i = 0; i < 1000; ++i) {
    const double b = 5 + noise(random);
    pairs.Add(b, 1.1 * b);
  }
  const auto interval = ExactRatioInterval(pairs.Centred(), TBoundary().CriticalT(1000), {});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->lo, interval->hi);
  EXPECT_NEAR(interval->lo, std::log(1.1), 1e-14);
  EXPECT_EQ(EstimateAgainstFactor(pairs.Centred(), 1.1, {}).se, 0);
  EXPECT_GT(EstimateAgainstFactor(pairs.Centred(), 1.09, {}).se, 0);
}

// Absolute margins: D = c - b - m is the difference, compared with m.
TEST(ExactTTest, AnAbsoluteMarginIsReachedWhereTheIntervalOfTheDifferenceIs) {
  for (unsigned seed = kExactTSeed; seed < kExactTSeed + 10; ++seed) {
    SCOPED_TRACE(seed);
    PairedEstimate estimate = EstimateDifference(MomentsOfPairs(DrawArms(seed, 20, 20)));
    const double xi = TBoundary().CriticalT(20);
    for (double resolution : {0.0, 0.1}) {
      estimate.allowance = DifferenceAllowance(resolution);
      const Interval interval = PlainInterval(estimate, xi);
      for (double margin = -1; margin < 1.5; margin += 0.0073) {
        EXPECT_EQ(DecideExactT(ExactT(estimate, margin), xi), DecideAgainst(interval, margin));
      }
    }
  }
}

TEST(ExactTTest, TheRunningPNeverRisesAndIsBelowALevelExactlyWhenTWasBeyondIt) {
  for (unsigned seed = kExactTSeed; seed < kExactTSeed + 20; ++seed) {
    SCOPED_TRACE(seed);
    const TwoArms arms = DrawArms(seed, 120, 120);
    for (double margin : {0.0, 0.02, 0.05}) {
      RunningP p;
      bool excluded = false;
      for (std::size_t n = 8; n <= 120; ++n) {
        const double t =
            T(MomentsOfFirst(arms.base, arms.candidate, n), LowerIsBetterFactor(margin));
        const double before = p.value();
        p.WatchExact(t, n, TBoundary());
        EXPECT_LE(p.value(), before);
        excluded = excluded || std::abs(t) > TBoundary().CriticalT(n);
        EXPECT_EQ(p.value() < 0.05, excluded) << n;
      }
    }
  }
}

// Lai's bound is exact for normal pairs: the rate exceeds 5 % by no more than the simulation error,
// 0.9 points with 600 repetitions, even if |T| is watched at every n.
TEST(ExactTTest, WatchingEqualNormalArmsExcludesTheTruthInAtMostAlphaOfAllCases) {
  std::vector<double> xi(301);
  for (std::uint64_t n = 8; n <= 300; ++n) xi[n] = TBoundary().CriticalT(n);
  std::mt19937_64 random(kExactTSeed);
  std::normal_distribution<double> noise(10, 2);
  int excluded = 0;
  for (int repetition = 0; repetition < 600; ++repetition) {
    PairedMoments moments;
    bool wrong = false;
    for (std::uint64_t n = 1; n <= 300 && !wrong; ++n) {
      moments.Add(noise(random), noise(random));
      wrong = n >= 8 && std::abs(T(moments.Centred(), 1)) > xi[n];
    }
    excluded += wrong;
  }
  EXPECT_LT(excluded, 46) << "seed " << kExactTSeed;
  EXPECT_GT(excluded, 0) << "seed " << kExactTSeed;
}

}  // namespace
}  // namespace benchd
