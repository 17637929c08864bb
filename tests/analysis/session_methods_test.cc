#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/exact_t.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/order_statistics.h"
#include "core/stats/paired.h"
#include "core/stats/resampling.h"
#include "core/stats/welch.h"
#include "tests/analysis/session_feed.h"
#include "tests/support/pairs.h"
#include "tests/support/wording.h"

// Each method and estimator of a session is that of stats/, at the level, looks and scale that
// docs/statistics.md sections 4 and 5 specify. stats/ tests the numbers themselves.

namespace benchd {
namespace {

constexpr unsigned kMethodSeed = 20261121;

/// Values of two arms: the candidate slower by `change`.
struct Arms {
  std::vector<double> base;
  std::vector<double> candidate;
};

Arms DrawArms(std::size_t n, double change, double spread = 0.02) {
  std::mt19937_64 random(kMethodSeed);
  std::normal_distribution<double> normal;
  Arms arms;
  for (std::size_t i = 0; i < n; ++i) {
    arms.base.push_back(10 * std::exp(spread * normal(random)));
    arms.candidate.push_back(10 * (1 + change) * std::exp(spread * normal(random)));
  }
  return arms;
}

SessionSpec MethodSpec(Method method, EstimatorKind estimator = EstimatorKind::kMean,
                       std::optional<std::uint64_t> runs = {}) {
  SessionSpec spec = Two();
  spec.method = method;
  spec.estimator.kind = estimator;
  spec.limits.runs = runs;
  spec.seed = 7;
  return spec;
}

/// The blocks one by one, then the end.
Report ReportOf(const SessionSpec& spec, const Arms& arms) {
  SessionAnalysis analysis = Start(spec);
  for (std::size_t i = 0; i < arms.base.size(); ++i) {
    Feed(analysis, WallBlock(0, {arms.base[i], arms.candidate[i]}));
  }
  return analysis.Conclude();
}

void ExpectChange(const Comparison& shown, double centre, const Interval& interval) {
  ASSERT_TRUE(shown.change);
  EXPECT_EQ(shown.change->estimate, std::expm1(centre));
  // Under watching this is the last look's own interval.
  const std::optional<Effect>& look = shown.last_change ? shown.last_change : shown.change;
  ASSERT_TRUE(look->lo && look->hi);
  EXPECT_EQ(*look->lo, std::expm1(interval.lo));
  EXPECT_EQ(*look->hi, std::expm1(interval.hi));
}

SequentialBoundary Boundary() { return SequentialBoundary::Robbins(0.01, 8).value(); }

TEST(SessionMethodsTest, WelchTakesTheArmsForIndependent) {
  const Arms arms = DrawArms(20, 0.1);
  const Report report = ReportOf(MethodSpec(Method::kWelch), arms);
  const Comparison& shown = Find(report, "wall_time");
  EXPECT_EQ(shown.method, Method::kWelch);
  const WelchEstimate estimate =
      EstimateWelchRatio(MomentsOf(arms.base), MomentsOf(arms.candidate));
  ExpectChange(shown, estimate.centre, PlainInterval(estimate, CriticalT(estimate, Boundary())));
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  ASSERT_TRUE(shown.difference && shown.difference->lo);
}

TEST(SessionMethodsTest, CoinBlocksMayLackAnArm) {
  SessionSpec spec = MethodSpec(Method::kWelch);
  spec.schedule.kind = ScheduleKind::kCoin;
  SessionAnalysis analysis = Start(spec);
  const Arms arms = DrawArms(24, 0.1);
  for (std::size_t i = 0; i < 24; i += 2) {
    Block both_base{RunBuilder(0, 0, 0).Sample("wall_time", arms.base[i]),
                    RunBuilder(0, 0, 1).Sample("wall_time", arms.base[i + 1])};
    Block both_candidate{RunBuilder(0, 1, 0).Sample("wall_time", arms.candidate[i]),
                         RunBuilder(0, 1, 1).Sample("wall_time", arms.candidate[i + 1])};
    Feed(analysis, both_base);
    Feed(analysis, both_candidate);
  }
  const Comparison shown = Find(analysis.Look(), "wall_time");
  EXPECT_EQ(shown.n_reference, 24u);
  EXPECT_EQ(shown.n_candidate, 24u);
  const WelchEstimate estimate =
      EstimateWelchRatio(MomentsOf(arms.base), MomentsOf(arms.candidate));
  ExpectChange(shown, estimate.centre, PlainInterval(estimate, CriticalT(estimate, Boundary())));
}

TEST(SessionMethodsTest, ExactTDecidesAgainstTheMarginItself) {
  for (double change : {0.1, 0.0}) {
    const Arms arms = DrawArms(60, change);
    const Report report = ReportOf(MethodSpec(Method::kExactT), arms);
    const Comparison& shown = Find(report, "wall_time");
    EXPECT_EQ(shown.method, Method::kExactT);
    PairedMoments moments;
    for (std::size_t i = 0; i < 60; ++i) moments.Add(arms.base[i], arms.candidate[i]);
    const double critical = ExactTBoundary::Make(0.01, 8).value().CriticalT(60);
    const auto interval = ExactRatioInterval(moments.Centred(), critical, {});
    ASSERT_TRUE(interval);
    ExpectChange(shown, EstimateRatio(moments.Centred()).centre, *interval);
    EXPECT_EQ(report.verdict, change > 0 ? Verdict::kRegression : Verdict::kPass);
    ASSERT_TRUE(shown.decided);
    EXPECT_LE(shown.decided->blocks, 60u);
  }
}

TEST(SessionMethodsTest, HodgesLehmannLooksAtItsOwnPlacesAndKeepsTheLastInterval) {
  // 8 * 1.05^22 = 23.4: a look at 24 pairs, the next at 25 (24.6); from 41 on not every n is one.
  const Arms arms = DrawArms(44, 0.1);
  const Report report = ReportOf(MethodSpec(Method::kPaired, EstimatorKind::kHodgesLehmann), arms);
  const Comparison& shown = Find(report, "wall_time");
  EXPECT_EQ(shown.estimator.kind, EstimatorKind::kHodgesLehmann);
  auto pairs = PairValues(arms.base, arms.candidate, Contrast::kLogRatio);
  const auto at = [&pairs](std::size_t n) {
    std::vector<double> sorted(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(n));
    std::sort(sorted.begin(), sorted.end());
    return HodgesLehmann(sorted, LevelOfOneLook(Boundary(), static_cast<double>(n))).value();
  };
  // 8 * 1.05^34 = 42.03: a look at 43; the next one is at 45 (44.1).
  ASSERT_TRUE(shown.change && shown.change->lo);
  EXPECT_EQ(*shown.last_change->lo, std::expm1(at(43).interval->lo));
  EXPECT_EQ(*shown.last_change->hi, std::expm1(at(43).interval->hi));
  EXPECT_EQ(shown.change->estimate, std::expm1(at(44).estimate));
  EXPECT_EQ(report.verdict, Verdict::kRegression);
}

TEST(SessionMethodsTest, MedianLooksAtEveryPair) {
  const Arms arms = DrawArms(41, 0.1);
  const Report report = ReportOf(MethodSpec(Method::kPaired, EstimatorKind::kMedian), arms);
  auto sorted = PairValues(arms.base, arms.candidate, Contrast::kLogRatio);
  std::sort(sorted.begin(), sorted.end());
  const OneLook look = MedianInterval(sorted, LevelOfOneLook(Boundary(), 41)).value();
  ASSERT_TRUE(look.interval);
  ExpectChange(Find(report, "wall_time"), look.estimate, *look.interval);
  EXPECT_EQ(report.verdict, Verdict::kRegression);
}

TEST(SessionMethodsTest, RankedEstimatorsHaveNoIntervalBeforeThereCanBeOne) {
  // docs/statistics.md section 5: hl has an interval from 12 pairs at 1 %, later under watching.
  const Arms arms = DrawArms(9, 0.1);
  const Report report = ReportOf(MethodSpec(Method::kPaired, EstimatorKind::kHodgesLehmann), arms);
  const Comparison& shown = Find(report, "wall_time");
  ASSERT_TRUE(shown.change);
  EXPECT_FALSE(shown.change->lo);
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
}

TEST(SessionMethodsTest, LognormalMeanTakesOneLookAndHasAnEstimateBefore) {
  const Arms arms = DrawArms(30, 0.1);
  SessionAnalysis analysis = Start(MethodSpec(Method::kPaired, EstimatorKind::kLognormalMean, 30));
  for (std::size_t i = 0; i < 29; ++i) {
    Feed(analysis, WallBlock(0, {arms.base[i], arms.candidate[i]}));
  }
  const Comparison before = Find(analysis.Look(), "wall_time");
  ASSERT_TRUE(before.change);
  EXPECT_FALSE(before.change->lo || before.change->hi);
  EXPECT_FALSE(before.p_value);
  Feed(analysis, WallBlock(0, {arms.base[29], arms.candidate[29]}));
  const Report report = analysis.Conclude();
  Moments b;
  Moments c;
  for (double x : arms.base) b.Add(std::log(x));
  for (double x : arms.candidate) c.Add(std::log(x));
  const OneLook look = LognormalMeanRatio(b, c, 0.01).value();
  const Comparison& shown = Find(report, "wall_time");
  EXPECT_EQ(shown.method, Method::kFixed);
  ExpectChange(shown, look.estimate, *look.interval);
  EXPECT_FALSE(shown.difference);
  EXPECT_EQ(report.verdict, Verdict::kRegression);
}

// From 82 values at 99 % on, docs/statistics.md section 5; the next looks are at 87 and 91.
TEST(SessionMethodsTest, ALowQuantileIsWatchedByOrderStatistics) {
  SessionSpec spec = MethodSpec(Method::kPaired, EstimatorKind::kQuantile);
  spec.estimator.quantile = 0.1;
  Arms arms = DrawArms(90, 0.1);
  SessionAnalysis analysis = Start(spec);
  for (std::size_t i = 0; i < 81; ++i) {
    Feed(analysis, WallBlock(0, {arms.base[i], arms.candidate[i]}));
  }
  const Comparison before = Find(analysis.Look(), "wall_time");
  ASSERT_TRUE(before.change);
  EXPECT_FALSE(before.change->lo || before.change->hi);
  EXPECT_EQ(before.verdict, Verdict::kUndecided);
  Feed(analysis, WallBlock(0, {arms.base[81], arms.candidate[81]}));
  arms.base.resize(82);
  arms.candidate.resize(82);
  std::sort(arms.base.begin(), arms.base.end());
  std::sort(arms.candidate.begin(), arms.candidate.end());
  const double level = LevelOfOneLook(SequentialBoundary::Robbins(0.01, 82).value(), 82);
  const OneLook look =
      CompareQuantiles(arms.base, arms.candidate, 0.1, Contrast::kLogRatio, level).value();
  ASSERT_TRUE(look.interval);
  const Comparison shown = Find(analysis.Look(), "wall_time");
  EXPECT_EQ(shown.method, Method::kPaired);
  ExpectChange(shown, look.estimate, *look.interval);
  EXPECT_TRUE(shown.difference && shown.difference->lo);
  EXPECT_EQ(shown.verdict, Verdict::kRegression);
  EXPECT_TRUE(analysis.Finished());
}

TEST(SessionMethodsTest, AWatchedQuantileOfIndependentArmsNeedsNoPairs) {
  SessionSpec spec = MethodSpec(Method::kWelch, EstimatorKind::kQuantile);
  spec.estimator.quantile = 0.5;
  const Report report = ReportOf(spec, DrawArms(60, 0.1));
  const Comparison& shown = Find(report, "wall_time");
  EXPECT_EQ(shown.method, Method::kWelch);
  EXPECT_EQ(shown.verdict, Verdict::kRegression);
}

TEST(SessionMethodsTest, QuantileTakesItsOneLookAtTheEnd) {
  const Arms arms = DrawArms(120, 0.1);
  SessionSpec spec = MethodSpec(Method::kPaired, EstimatorKind::kQuantile, 120);
  spec.estimator.quantile = 0.75;
  const Report report = ReportOf(spec, arms);
  const Comparison& shown = Find(report, "wall_time");
  EXPECT_EQ(shown.method, Method::kFixed);
  const Bootstrap bootstrap =
      QuantileContrast(arms.base, arms.candidate, 0.75, Contrast::kLogRatio, Pairing::kPaired, 7)
          .value();
  ExpectChange(shown, bootstrap.estimate(), bootstrap.At(0.01).value());
  EXPECT_EQ(shown.p_value, bootstrap.PValue(std::log1p(0.02), 0));
  EXPECT_EQ(report.verdict, Verdict::kRegression);
}

TEST(SessionMethodsTest, HodgesLehmannOfIndependentArmsIsMannWhitney) {
  const Arms arms = DrawArms(15, 0.1);
  const Report report =
      ReportOf(MethodSpec(Method::kWelch, EstimatorKind::kHodgesLehmann, 15), arms);
  std::vector<double> b;
  std::vector<double> c;
  for (double x : arms.base) b.push_back(std::log(x));
  for (double x : arms.candidate) c.push_back(std::log(x));
  std::sort(b.begin(), b.end());
  std::sort(c.begin(), c.end());
  const OneLook look = HodgesLehmannShift(b, c, 0.01).value();
  ExpectChange(Find(report, "wall_time"), look.estimate, *look.interval);
}

TEST(SessionMethodsTest, SubselectionTakesTheRunsMediansForItsValues) {
  SessionSpec spec = MethodSpec(Method::kPaired, EstimatorKind::kSubselection, 6);
  spec.benchmarks[0].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  std::mt19937_64 random(kMethodSeed);
  std::normal_distribution<double> normal(100, 1);
  Moments base;
  Moments candidate;
  for (std::uint64_t block = 0; block < 6; ++block) {
    Block runs;
    for (std::uint32_t arm : {0u, 1u}) {
      RunBuilder run(0, arm, arm);
      std::vector<double> samples;
      for (int i = 0; i < 10; ++i) samples.push_back(normal(random) * (arm == 1 ? 1.1 : 1));
      for (double x : samples) run.Sample("ns", x);
      run.Metric("ns", Better::kLower);
      runs.push_back(run);
      const double value =
          SubselectedMean(samples, MeanKind::kArithmetic, 7, 2 * block + arm).value();
      (arm == 0 ? base : candidate).Add(value);
    }
    Feed(analysis, runs);
  }
  const Report report = analysis.Conclude();
  const WelchEstimate estimate = EstimateWelchRatio(base, candidate);
  ExpectChange(Find(report, "ns"), estimate.centre,
               PlainInterval(estimate, FixedCriticalT(0.01, estimate)));
  EXPECT_EQ(report.verdict, Verdict::kRegression);
}

// The arms of a block share a machine that moves by ten times their own noise.
TEST(SessionMethodsTest, PairsSayWhatTheySaved) {
  Arms arms = DrawArms(100, 0, 0.01);
  std::mt19937_64 random(kMethodSeed);
  std::normal_distribution<double> machine(0, 0.1);
  for (std::size_t i = 0; i < 100; ++i) {
    const double speed = std::exp(machine(random));
    arms.base[i] *= speed;
    arms.candidate[i] *= speed;
  }
  const auto gain = Find(ReportOf(MethodSpec(Method::kPaired), arms), "wall_time").pairing_gain;
  ASSERT_TRUE(gain);
  // sqrt(2 * 0.01^2) / sqrt(2 * (0.01^2 + 0.1^2)) = 0.0995; a quarter for the sample.
  EXPECT_NEAR(*gain, 0.0995, 0.025);
  EXPECT_FALSE(Find(ReportOf(MethodSpec(Method::kWelch), arms), "wall_time").pairing_gain);
}

// The metrics of a harness are known only after the warm-up, and no measured run is lost.
TEST(SessionMethodsTest, AQuantileThatItsGatesLeaveNoIntervalEndsWithTheWarmUp) {
  SessionSpec spec = MethodSpec(Method::kPaired, EstimatorKind::kQuantile, 100);
  spec.estimator.quantile = 0.5;
  spec.benchmarks[0].parse = "lines";
  for (const int metrics : {49, 51}) {
    Block block;
    for (const std::uint32_t arm : {0u, 1u}) {
      RunBuilder run(0, arm, arm);
      for (int i = 0; i < metrics; ++i) {
        const std::string name = "m" + std::to_string(i);
        run.Sample(name, 1000.0 + i + arm).Metric(name, Better::kLower);
      }
      block.push_back(run);
    }
    SessionAnalysis analysis = Start(spec);
    analysis.AddWarmup(block);
    const Result<void> added = analysis.Add(block);
    EXPECT_EQ(added.has_value(), metrics == 49);
    if (added) continue;
    EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(added.error().message.starts_with("estimator: ")) << added.error().message;
    EXPECT_WORDING(added.error());
  }
}

TEST(SessionMethodsTest, PrecisionGoesOnUntilTheIntervalIsThatShort) {
  SessionSpec spec = MethodSpec(Method::kPaired);
  spec.rule = {RuleKind::kPrecision, 0.03};
  SessionAnalysis analysis = Start(spec);
  // At the margin itself: the margin rule would not end; this one ends, undecided.
  const Arms arms = DrawArms(400, 0.02);
  std::size_t n = 0;
  for (; n < 400 && !analysis.Finished(); ++n) {
    Feed(analysis, WallBlock(0, {arms.base[n], arms.candidate[n]}));
  }
  const Comparison shown = Find(analysis.Conclude(), "wall_time");
  EXPECT_LT(n, 400u);
  ASSERT_TRUE(shown.change && shown.change->lo);
  EXPECT_LT(*shown.change->hi - *shown.change->lo, 0.03);
  EXPECT_EQ(shown.verdict, Verdict::kUndecided);
  ASSERT_TRUE(shown.decided);
  EXPECT_EQ(shown.decided->blocks, n);
}

// The reference's mean may be close to 0, so that no ratio is too large. The ratio certainly
// exceeds the margin all the same.
TEST(SessionMethodsTest, ADecisionHasNoEndWhereItsIntervalHasNone) {
  SessionAnalysis analysis = Start(MethodSpec(Method::kExactT));
  for (int i = 0; i < 400 && !analysis.Finished(); ++i) {
    Feed(analysis, WallBlock(0, {i % 2 == 0 ? 1.0 : 200.0, 1000.0 + i % 3}));
  }
  const Comparison shown = Find(analysis.Conclude(), "wall_time");
  EXPECT_EQ(shown.verdict, Verdict::kRegression);
  ASSERT_TRUE(shown.change && shown.decided);
  EXPECT_FALSE(shown.decided->hi);
  EXPECT_EQ(shown.decided->lo, shown.change->lo);
  EXPECT_EQ(shown.decided->hi, shown.change->hi);
}

// Section 2: a rate is analysed as 1/x with every method; swapping good and bad changes the sign.
TEST(SessionMethodsTest, ARateSaysWhatItsInverseSays) {
  for (const auto& [method, estimator] : {std::pair{Method::kPaired, EstimatorKind::kMean},
                                          {Method::kWelch, EstimatorKind::kMean},
                                          {Method::kExactT, EstimatorKind::kMean},
                                          {Method::kPaired, EstimatorKind::kMedian},
                                          {Method::kPaired, EstimatorKind::kHodgesLehmann},
                                          {Method::kPaired, EstimatorKind::kQuantile}}) {
    const Arms arms = DrawArms(40, 0.1);
    SessionSpec spec = MethodSpec(method, estimator);
    spec.estimator.quantile = estimator == EstimatorKind::kQuantile ? 0.4 : 0;
    spec.benchmarks[0].parse = "lines";
    spec.benchmarks[0].gates = {RatioGate("time", 0.02), RatioGate("rate", 0.02 / 1.02)};
    SessionAnalysis analysis = Start(spec);
    for (std::size_t i = 0; i < 40; ++i) {
      Block block;
      for (std::uint32_t arm : {0u, 1u}) {
        const double x = (arm == 0 ? arms.base : arms.candidate)[i];
        block.push_back(RunBuilder(0, arm, arm)
                            .Sample("time", x)
                            .Metric("time", Better::kLower)
                            .Sample("rate", 1 / x)
                            .Metric("rate", Better::kHigher));
      }
      Feed(analysis, block);
    }
    const Report report = analysis.Look();
    const Comparison& time = Find(report, "time");
    const Comparison& rate = Find(report, "rate");
    ASSERT_TRUE(time.change && rate.change && time.change->lo && rate.change->lo);
    EXPECT_NEAR(1 / (1 + time.change->estimate), 1 + rate.change->estimate, 1e-12);
    EXPECT_NEAR(1 / (1 + *time.change->hi), 1 + *rate.change->lo, 1e-12);
    EXPECT_NEAR(*time.p_value, *rate.p_value, 1e-9);
    EXPECT_EQ(time.verdict, rate.verdict);
  }
}

}  // namespace
}  // namespace benchd
