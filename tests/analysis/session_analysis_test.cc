#include "core/analysis/session_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr unsigned kSessionSeed = 20260303;

// "constant counters 1000 against 1100 are a regression at n0 pairs" (docs/statistics.md section
// 3).
TEST(SessionAnalysisTest, ConstantCountersTenPercentApartAreARegressionAtTheEighthBlock) {
  SessionSpec spec = Two();
  spec.benchmarks[0].gates = {RatioGate("minor_faults", 0.05)};
  SessionAnalysis analysis = Start(spec);
  for (int block = 1; block <= 8; ++block) {
    EXPECT_FALSE(analysis.Finished());
    Feed(analysis, {RunBuilder(0, 0).Sample("minor_faults", 1000),
                    RunBuilder(0, 1).Sample("minor_faults", 1100)});
  }
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  EXPECT_EQ(report.basis, Basis::kInterval);
  const Comparison& gate = Find(report, "minor_faults");
  ASSERT_TRUE(gate.decided);
  EXPECT_EQ(gate.decided->blocks, 8u);
  // Golden resolution_widening_01.
  EXPECT_NEAR(gate.decided->lo.value(), 0.0979020032704433, 1e-12);
  EXPECT_EQ(gate.p_value, 0);
  EXPECT_EQ(gate.unit, "1");
}

TEST(SessionAnalysisTest, ACopyPassesWithAGenerousMargin) {
  SessionSpec spec = Two();
  spec.default_margin = 0.2;
  SessionAnalysis analysis = Start(spec);
  Noise noise(kSessionSeed);
  while (!analysis.Finished()) Feed(analysis, noise.Wall({1, 1}));
  EXPECT_EQ(analysis.Conclude().verdict, Verdict::kPass) << "seed " << kSessionSeed;
}

TEST(SessionAnalysisTest, ABenchmarksOwnMarginIsThatOfItsDefaultGate) {
  SessionSpec spec = Two();
  spec.default_margin = 0.2;
  spec.benchmarks[0].default_margin = 0.05;
  SessionAnalysis analysis = Start(spec);
  FeedWall(analysis, 1, {1, 1});
  EXPECT_EQ(Find(analysis.Look(), "wall_time").margin, 0.05);
}

TEST(SessionAnalysisTest, OneBlockThatIsNotZeroDoesNotFlagAnInfoMetric) {
  SessionAnalysis analysis = Start(Two());
  Noise noise(kSessionSeed);
  for (int block = 0; block < 20; ++block) {
    Block runs = noise.Wall({1, 1});
    runs[0].samples.push_back({"read_bytes", "", 0, block == 7 ? 4096.0 : 0.0});
    runs[1].samples.push_back({"read_bytes", "", 0, block == 7 ? 36864.0 : 0.0});
    Feed(analysis, runs);
  }
  const Report report = analysis.Look();
  const Comparison& info = Find(report, "read_bytes");
  EXPECT_EQ(info.role, ComparisonRole::kInfo);
  EXPECT_FALSE(info.change);
  ASSERT_TRUE(info.difference);
  EXPECT_LT(*info.difference->lo, 0);
  EXPECT_GT(*info.difference->hi, 0);
  EXPECT_EQ(info.flag, Flag::kNone);
}

// Programs of 3.5 and 4 ms whose CPU time is all user time. A tick of 4 ms sometimes finds them in
// the kernel (fork, exec, exit), the second one more often. The kernel then attributes all of the
// time to the system.
TEST(SessionAnalysisTest, WhatTheKernelsTickMakesOfShortRunsIsNoChange) {
  constexpr double kTick = 0.004;
  const auto flags = [](bool with_step) {
    SessionAnalysis analysis = Start(Two());
    Noise noise(kSessionSeed);
    for (int block = 0; block < 100; ++block) {
      Block runs = noise.Wall({1, 1});
      for (std::size_t arm = 0; arm < runs.size(); ++arm) {
        const double cpu = arm == 0 ? 0.0035 : 0.004;
        const bool in_kernel = (block + 3) % 5 < (arm == 0 ? 1 : 4);
        runs[arm].samples.push_back({"user_time", "", 0, in_kernel ? 0 : cpu});
        runs[arm].samples.push_back({"system_time", "", 0, in_kernel ? cpu : 0});
        if (!with_step) continue;
        runs[arm].metrics = {{"user_time", "s", Better::kLower, kTick},
                             {"system_time", "s", Better::kLower, kTick}};
      }
      Feed(analysis, runs);
    }
    const Report report = analysis.Look();
    return std::pair(Find(report, "user_time").flag, Find(report, "system_time").flag);
  };
  EXPECT_EQ(flags(false), std::pair(Flag::kImprovement, Flag::kWorse)) << "as a clock would be";
  EXPECT_EQ(flags(true), std::pair(Flag::kNone, Flag::kNone));
}

TEST(SessionAnalysisTest, BeforeTheFirstLookThereAreEstimatesAndNoIntervals) {
  SessionAnalysis analysis = Start(Two());
  EXPECT_EQ(analysis.Look().verdict, Verdict::kUndecided);
  EXPECT_EQ(analysis.OpenBenchmarks(), std::vector<std::size_t>{0});
  FeedWall(analysis, 1, {2, 3});
  const Report report = analysis.Look();
  const Comparison& gate = Find(report, "wall_time");
  EXPECT_EQ(gate.role, ComparisonRole::kGate);
  EXPECT_EQ(gate.n_reference, 1u);
  EXPECT_DOUBLE_EQ(gate.change->estimate, 0.5);
  EXPECT_DOUBLE_EQ(gate.difference->estimate, 1);
  EXPECT_FALSE(gate.change->lo);
  EXPECT_FALSE(gate.p_value);
  EXPECT_FALSE(gate.sd_reference);
  EXPECT_EQ(gate.verdict, Verdict::kUndecided);
  EXPECT_EQ(report.runs, (std::vector<ArmRuns>{{"main", "base", 1}, {"main", "candidate", 1}}));
}

TEST(SessionAnalysisTest, GatesShareTheLevelAndInfoMetricsKeepTheirOwn) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 2, {"r1", "r2", "a", "b", "c"})}, 0.06);
  spec.benchmarks[0].gates = {RatioGate("wall_time", 0.02)};
  SessionAnalysis analysis = Start(spec);
  Block block;
  for (std::uint32_t arm = 0; arm < 5; ++arm) {
    block.push_back(RunBuilder(0, arm, arm).Sample("wall_time", 1).Sample("max_rss", 4096));
  }
  Feed(analysis, block);
  const Report report = analysis.Look();
  ASSERT_EQ(report.comparisons.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    const bool gate = i < 6;
    EXPECT_EQ(report.comparisons[i].metric, gate ? "wall_time" : "max_rss");
    EXPECT_DOUBLE_EQ(report.comparisons[i].confidence, gate ? 0.99 : 0.94);
    EXPECT_EQ(report.comparisons[i].verdict.has_value(), gate);
    EXPECT_EQ(report.comparisons[i].reference, i % 6 < 3 ? "r1" : "r2");
  }
}

TEST(SessionAnalysisTest, ADecidedGateIsFrozenWhileItsLastLookGoesOn) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "candidate", "late"})});
  SessionAnalysis analysis = Start(spec);
  Noise noise(kSessionSeed);
  for (int i = 0; i < 8; ++i) Feed(analysis, noise.Wall({1, 1.5, 1.02}));
  const Comparison before = Find(analysis.Look(), "wall_time");
  ASSERT_EQ(before.verdict, Verdict::kRegression) << "seed " << kSessionSeed;
  ASSERT_FALSE(analysis.Finished());
  for (int i = 0; i < 8; ++i) Feed(analysis, noise.Wall({1, 0.5, 1.02}));
  const Comparison after = Find(analysis.Look(), "wall_time");
  EXPECT_EQ(after.verdict, Verdict::kRegression);
  EXPECT_EQ(after.decided, before.decided);
  EXPECT_LT(after.change->estimate, 0.05);
  EXPECT_LT(*after.last_change->lo, *after.decided->lo);
  EXPECT_GE(*after.change->lo, *after.decided->lo);
  EXPECT_LE(*after.p_value, *before.p_value);
}

TEST(SessionAnalysisTest, RatesAreReportedWithTheirOwnSignAndHarmonicMeans) {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  const std::vector<std::pair<double, double>> pairs{{2, 1}, {8, 4}};
  for (int i = 0; i < 8; ++i) {
    const auto [base, candidate] = pairs[static_cast<std::size_t>(i) % 2];
    Feed(analysis,
         {RunBuilder(0, 0).Sample("ops", base).Metric("ops", Better::kHigher, "1/s"),
          RunBuilder(0, 1).Sample("ops", candidate).Metric("ops", Better::kHigher, "1/s")});
  }
  const Comparison gate = Find(analysis.Conclude(), "ops");
  EXPECT_EQ(gate.verdict, Verdict::kRegression);
  EXPECT_DOUBLE_EQ(*gate.mean_reference, 3.2);  // golden harmonic_mean_01
  // 3.2^2 times the standard deviation of 1/2 and 1/8, four of each: 0.1875 sqrt(8/7).
  EXPECT_DOUBLE_EQ(*gate.sd_reference, 3.2 * 3.2 * 0.1875 * std::sqrt(8.0 / 7));
  EXPECT_NEAR(gate.change->estimate, -0.5, 1e-12);
  EXPECT_NEAR(*gate.change->hi, -0.5, 1e-12);
  EXPECT_DOUBLE_EQ(gate.difference->estimate, -2.5);
  EXPECT_LT(*gate.difference->lo, -2.5);
  EXPECT_LE(gate.decided->lo.value(), gate.decided->hi.value());
  EXPECT_EQ(gate.better, Better::kHigher);
  EXPECT_EQ(gate.unit, "1/s");
}

TEST(SessionAnalysisTest, EqualRatesChangeByZeroWithoutASign) {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = {RatioGate("ops", 0.02)};
  for (const Method method : {Method::kPaired, Method::kWelch, Method::kExactT}) {
    spec.method = method;
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 8; ++i) {
      Feed(analysis, {RunBuilder(0, 0).Sample("ops", 5).Metric("ops", Better::kHigher, "1/s"),
                      RunBuilder(0, 1).Sample("ops", 5).Metric("ops", Better::kHigher, "1/s")});
    }
    const Comparison gate = Find(analysis.Conclude(), "ops");
    ASSERT_TRUE(gate.change && gate.difference);
    for (const double zero : {gate.change->estimate, gate.difference->estimate}) {
      EXPECT_EQ(zero, 0);
      EXPECT_FALSE(std::signbit(zero));
    }
  }
}

TEST(SessionAnalysisTest, ValuesBeyondDoublePrecisionAreNotCalledNegative) {
  for (const auto& [first, second] : {std::pair{1e308, 1e308}, {1e-300, 1e300}}) {
    SessionAnalysis analysis = Start(Two());
    for (int i = 0; i < 8; ++i) {
      const double value = i % 2 == 0 ? first : second;
      Feed(analysis, WallBlock(0, {value, value}));
    }
    EXPECT_TRUE(analysis.Finished());
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, Verdict::kUndecided);
    EXPECT_EQ(Find(report, "wall_time").reason, "out_of_range");
    const auto told = std::ranges::find(report.warnings, "no_ratio", &Warning::code);
    ASSERT_NE(told, report.warnings.end());
    EXPECT_EQ(told->severity, Severity::kInvalidates);
    EXPECT_WORDING(WarningText(*told)) << first;
  }
}

TEST(SessionAnalysisTest, DefaultGatesAreWhatTheWarmupPrintedAndLaterMetricsAreUndecided) {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  auto block = [](bool with_late) {
    Block runs;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      RunBuilder run(0, arm, arm);
      run.Sample("wall_time", 1).Sample("time", 2, "BM_x").Metric("time", Better::kLower);
      if (with_late) run.Sample("late", 3).Metric("late", Better::kLower);
      runs.push_back(run);
    }
    return runs;
  };
  analysis.AddWarmup(block(false));
  Feed(analysis, block(true));
  const Report report = analysis.Look();
  ASSERT_EQ(report.comparisons.size(), 3u);
  EXPECT_EQ(report.comparisons[0].metric, "BM_x/time");
  EXPECT_EQ(report.comparisons[0].role, ComparisonRole::kGate);
  EXPECT_DOUBLE_EQ(report.comparisons[0].confidence, 0.99) << "the late gate has no share of alpha";
  EXPECT_EQ(report.comparisons[1].metric, "late");
  EXPECT_EQ(report.comparisons[1].role, ComparisonRole::kGate);
  EXPECT_EQ(report.comparisons[1].verdict, Verdict::kUndecided);
  EXPECT_EQ(report.comparisons[1].reason, "late_metric");
  EXPECT_EQ(report.comparisons[2].metric, "wall_time");
  EXPECT_EQ(report.comparisons[2].role, ComparisonRole::kInfo);
}

TEST(SessionAnalysisTest, NoGateLooksBeforeEveryBenchmarkHasShownItsMetrics) {
  SessionSpec spec = MakeSpec(
      {MakeBenchmark("A", 1, {"base", "candidate"}), MakeBenchmark("B", 1, {"base", "candidate"})});
  for (Benchmark& benchmark : spec.benchmarks) benchmark.parse = "lines";
  SessionAnalysis analysis = Start(spec);
  auto block = [](std::uint32_t benchmark) {
    return Block{RunBuilder(benchmark, 0).Sample("x", 1).Metric("x", Better::kLower, "u", 0.1),
                 RunBuilder(benchmark, 1).Sample("x", 2).Metric("x", Better::kLower, "u", 0.1)};
  };
  for (int i = 0; i < 9; ++i) Feed(analysis, block(0));
  EXPECT_EQ(Find(analysis.Look(), "x", "candidate", "A").verdict, Verdict::kUndecided);
  Feed(analysis, block(1));
  Feed(analysis, block(0));
  const Report report = analysis.Look();
  EXPECT_EQ(Find(report, "x", "candidate", "A").verdict, Verdict::kRegression);
  EXPECT_DOUBLE_EQ(Find(report, "x", "candidate", "A").confidence, 0.995);
  EXPECT_EQ(analysis.OpenBenchmarks(), std::vector<std::size_t>{1});
}

TEST(SessionAnalysisTest, ARatioGateOnZerosIsUndecidedAndNamesTheAbsoluteOption) {
  SessionSpec spec = Two();
  spec.benchmarks[0].gates = {RatioGate("major_faults", 0.02)};
  SessionAnalysis analysis = Start(spec);
  const Block block{RunBuilder(0, 0).Sample("major_faults", 0),
                    RunBuilder(0, 1).Sample("major_faults", 0)};
  for (int i = 0; i < 8; ++i) Feed(analysis, block);
  EXPECT_TRUE(analysis.Finished());
  const Report zeros = analysis.Conclude();
  EXPECT_EQ(zeros.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(zeros, "major_faults").reason, "no_ratio");
  const auto told = std::ranges::find(zeros.warnings, "no_ratio", &Warning::code);
  ASSERT_NE(told, zeros.warnings.end());
  EXPECT_NE(told->hint.find("--metric major_faults:+ABS"), std::string::npos) << told->hint;
  EXPECT_WORDING(WarningText(*told));

  spec.benchmarks[0].gates = {AbsoluteGate("major_faults", 5)};
  SessionAnalysis absolute = Start(spec);
  for (int i = 0; i < 8; ++i) Feed(absolute, block);
  const Report report = absolute.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_FALSE(Find(report, "major_faults").change);
  EXPECT_EQ(Find(report, "major_faults").difference->lo, -2);  // widened by 2q, q = 1
}

// No number of runs gives a rate its ratio back, so there is nothing to wait for.
TEST(SessionAnalysisTest, ARateOfZeroEndsTheSessionUndecidedAtItsFirstLook) {
  SessionSpec spec = Two();
  spec.benchmarks[0].gates = {RatioGate("ops", 0.02)};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Feed(analysis,
         {RunBuilder(0, 0).Sample("ops", 5).Metric("ops", Better::kHigher, "1/s"),
          RunBuilder(0, 1).Sample("ops", i == 0 ? 0 : 5).Metric("ops", Better::kHigher, "1/s")});
  }
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(report, "ops").reason, "not_positive");
}

TEST(SessionAnalysisTest, AnUnprintedGateFailsAtTheFirstBlock) {
  SessionSpec spec = Two();
  spec.benchmarks[0].gates = {RatioGate("ops", 0.02)};
  SessionAnalysis analysis = Start(spec);
  const Result<void> added = analysis.Add(WallBlock(0, {1, 1}));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(added.error().message.substr(0, 11), "metric ops:");
  EXPECT_WORDING(added.error());
}

TEST(SessionAnalysisTest, InfoMetricsAreFlaggedWithTheirDirection) {
  SessionAnalysis analysis = Start(Two());
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {RunBuilder(0, 0)
                        .Sample("wall_time", 1)
                        .Sample("max_rss", 409600)
                        .Sample("minor_faults", 1000)
                        .Sample("major_faults", 0)
                        .Sample("voluntary_switches", 0),
                    RunBuilder(0, 1)
                        .Sample("wall_time", 1)
                        .Sample("max_rss", 819200)
                        .Sample("minor_faults", 500)
                        .Sample("major_faults", 7)
                        .Sample("voluntary_switches", 0)});
  }
  const Report report = analysis.Look();
  EXPECT_EQ(Find(report, "max_rss").flag, Flag::kWorse);
  EXPECT_EQ(Find(report, "minor_faults").flag, Flag::kImprovement);
  EXPECT_EQ(Find(report, "major_faults").flag, Flag::kWorse);  // by the difference: no ratio to 0
  EXPECT_FALSE(Find(report, "major_faults").change);
  EXPECT_EQ(Find(report, "voluntary_switches").flag, Flag::kNone);
  EXPECT_FALSE(Find(report, "max_rss").verdict);
}

TEST(SessionAnalysisTest, ACoarseMetricAtTheMarginIsWarnedAbout) {
  SessionSpec spec = Two();
  spec.benchmarks[0].gates = {RatioGate("minor_faults", 0.02)};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {RunBuilder(0, 0).Sample("minor_faults", 50),
                    RunBuilder(0, 1).Sample("minor_faults", 51)});
  }
  const Report report = analysis.Look();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].code, "resolution");
  EXPECT_FALSE(Find(report, "minor_faults").expected_blocks);
}

TEST(SessionAnalysisTest, TheOrderOfTheRunsHandedOverChangesNoBit) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "candidate"})});
  SessionAnalysis ordered = Start(spec);
  SessionAnalysis shuffled = Start(spec);
  std::mt19937_64 random(kSessionSeed);
  std::gamma_distribution<double> noise(2, 1);
  for (int i = 0; i < 20; ++i) {
    Block block;
    for (std::uint32_t position = 0; position < 8; ++position) {
      block.push_back(RunBuilder(0, position % 2, position).Sample("wall_time", 1 + noise(random)));
    }
    Feed(ordered, block);
    std::shuffle(block.begin(), block.end(), random);
    Feed(shuffled, block);
  }
  EXPECT_EQ(ordered.Look(), shuffled.Look()) << "seed " << kSessionSeed;
}

TEST(SessionAnalysisTest, BlocksThatAreNotWholeAreRefused) {
  SessionAnalysis analysis = Start(Two());
  EXPECT_FALSE(analysis.Add(Block{}));
  EXPECT_FALSE(analysis.Add(Block{RunBuilder(0, 0).Sample("wall_time", 1)}));
  EXPECT_FALSE(analysis.Add(WallBlock(1, {1, 1})));
  EXPECT_FALSE(analysis.Add(WallBlock(0, {1, 1, 1})));
  EXPECT_EQ(analysis.Look().runs[0].runs, 0u);
}

TEST(SessionAnalysisTest, SpecsWithoutTwoSidesAreRefused) {
  EXPECT_FALSE(SessionAnalysis::Create(MakeSpec({})));
  EXPECT_FALSE(SessionAnalysis::Create(MakeSpec({MakeBenchmark("main", 1, {"base"})})));
  EXPECT_FALSE(SessionAnalysis::Create(MakeSpec({MakeBenchmark("main", 0, {"candidate"})})));
}

// benchctl combine needs it for a count that is 0 in an arm and therefore has no ratio.
TEST(SessionAnalysisTest, AnAbsoluteGateReportsWhatTheStepsAddToItsDifference) {
  SessionSpec spec = Two();
  spec.limits.runs = 8;
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = {AbsoluteGate("errors", 3)};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Block block;
    for (const std::uint32_t arm : {0U, 1U}) {
      const double read = i % 8 == static_cast<int>(arm) ? 1 : 0;
      block.push_back(
          RunBuilder(0, arm, arm).Sample("errors", read).Metric("errors", Better::kLower, "1", 1));
    }
    Feed(analysis, block);
  }
  const Report report = analysis.Conclude();
  const Comparison& gate = Find(report, "errors");
  EXPECT_DOUBLE_EQ(gate.difference_allowance.value_or(0), 2);
}

}  // namespace
}  // namespace benchd
