#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr unsigned kLimitSeed = 20260303;

TEST(SessionLimitsTest, FailFastStopsAtTheFirstRegression) {
  for (bool fail_fast : {false, true}) {
    SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "slow", "same"})});
    spec.limits.fail_fast = fail_fast;
    spec.limits.at_limit = AtLimit::kEstimate;
    spec.limits.max_runs = 1000;
    SessionAnalysis analysis = Start(spec);
    Noise noise(kLimitSeed);
    for (int i = 0; i < 8; ++i) Feed(analysis, noise.Wall({1, 1.5, 1.02}));
    EXPECT_EQ(analysis.Finished(), fail_fast);
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, Verdict::kRegression);
    EXPECT_EQ(report.basis, Basis::kInterval);
    // A stop by --fail-fast is not a limit: the other gate stays open.
    if (fail_fast) {
      EXPECT_EQ(Find(report, "wall_time", "same").verdict, Verdict::kUndecided);
    }
  }
}

TEST(SessionLimitsTest, RunsTakesOneUnguardedLookAtTheEndAndIsSequentialUntilThen) {
  SessionSpec spec = Two(0.05);
  spec.limits.runs = 12;
  SessionAnalysis analysis = Start(spec);
  Noise noise(kLimitSeed);
  for (int i = 0; i < 12; ++i) {
    EXPECT_FALSE(analysis.Finished());
    Feed(analysis, noise.Wall({1, 1.2}));
    EXPECT_EQ(analysis.Look().verdict, Verdict::kUndecided);
  }
  EXPECT_TRUE(analysis.Finished());
  EXPECT_TRUE(analysis.OpenBenchmarks().empty());
  const Comparison live = Find(analysis.Look(), "wall_time");
  EXPECT_EQ(live.method, Method::kPaired);
  EXPECT_EQ(live.expected_blocks, 0);
  EXPECT_EQ(analysis.Add(WallBlock(0, {1, 1})).error().code, ErrorCode::kFailedPrecondition);

  const Report report = analysis.Conclude();
  const Comparison& fixed = Find(report, "wall_time");
  EXPECT_EQ(report.verdict, Verdict::kRegression) << "seed " << kLimitSeed;
  EXPECT_EQ(fixed.method, Method::kFixed);
  EXPECT_EQ(fixed.decided->blocks, 12u);
  EXPECT_EQ(fixed.decided->lo, *fixed.change->lo);
  EXPECT_GT(*fixed.change->lo, *live.last_change->lo);
  EXPECT_FALSE(fixed.expected_blocks);
  EXPECT_EQ(analysis.Conclude(), report);
}

TEST(SessionLimitsTest, RunsCutShortLeavesTheVerdictOpenAndSaysWhy) {
  SessionSpec spec = Two();
  spec.limits.runs = 30;
  SessionAnalysis analysis = Start(spec);
  FeedWall(analysis, 12, {1, 2});
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].code, "runs_incomplete");
  EXPECT_EQ(Find(report, "wall_time").reason, "runs_incomplete");
  EXPECT_EQ(Find(report, "wall_time").method, Method::kPaired);
}

TEST(SessionLimitsTest, MaxRunsEndsUndecidedWhenTheIntervalStraddlesTheMargin) {
  SessionSpec spec = Two();
  spec.limits.max_runs = 9;
  SessionAnalysis analysis = Start(spec);
  Noise noise(kLimitSeed);
  for (int i = 0; i < 9; ++i) Feed(analysis, noise.Wall({1, 1.02}));
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided) << "seed " << kLimitSeed;
  EXPECT_EQ(report.basis, Basis::kInterval);
}

TEST(SessionLimitsTest, TheForecastEndsAtMaxRuns) {
  SessionSpec spec = Two();
  spec.limits.max_runs = 20;
  SessionAnalysis analysis = Start(spec);
  Noise noise(kLimitSeed);
  for (int i = 0; i < 9; ++i) Feed(analysis, noise.Wall({1, 1.02}));
  EXPECT_EQ(Find(analysis.Look(), "wall_time").expected_blocks, 11) << "seed " << kLimitSeed;
}

TEST(SessionLimitsTest, AtLimitEstimateTakesTheSideOfTheEstimateAndSaysSo) {
  for (double change : {1.03, 1.01}) {
    SessionSpec spec = Two();
    spec.limits.at_limit = AtLimit::kEstimate;
    SessionAnalysis analysis = Start(spec);
    FeedWall(analysis, 3, {1, change});
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, change > 1.02 ? Verdict::kRegression : Verdict::kPass);
    EXPECT_EQ(report.basis, Basis::kEstimate);
    EXPECT_FALSE(Find(report, "wall_time").decided);
  }
}

TEST(SessionLimitsTest, OneSidedHalvesThePrintedP) {
  Noise one(kLimitSeed);
  SessionSpec spec = Two(0.02);
  SessionAnalysis two_sided = Start(spec);
  spec.sided = Sided::kOne;
  spec.alpha = 0.01;
  SessionAnalysis one_sided = Start(spec);
  for (int i = 0; i < 10; ++i) {
    const Block block = one.Wall({1, 1.03});
    Feed(two_sided, block);
    Feed(one_sided, block);
  }
  const Comparison a = Find(two_sided.Look(), "wall_time");
  const Comparison b = Find(one_sided.Look(), "wall_time");
  EXPECT_EQ(a.change, b.change);
  EXPECT_EQ(*a.p_value / 2, *b.p_value);
  EXPECT_DOUBLE_EQ(a.confidence, 0.98);
  EXPECT_DOUBLE_EQ(b.confidence, 0.99);
}

TEST(SessionLimitsTest, InfoMetricsAreTwoSidedWhateverTheGatesAre) {
  const auto infos = [](Sided sided) {
    SessionSpec spec = Two(0.05);
    spec.sided = sided;
    SessionAnalysis analysis = Start(spec);
    Noise noise(kLimitSeed);
    for (int i = 0; i < 40; ++i) {
      Block block = noise.Wall({1, 1});
      const Block other = noise.Wall({1, 1.006});
      for (std::size_t arm : {0U, 1U}) {
        block[arm].samples.push_back({"cpu_time", "", 0, other[arm].samples[0].value});
      }
      Feed(analysis, block);
    }
    return Find(analysis.Conclude(), "cpu_time");
  };
  const Comparison two = infos(Sided::kTwo);
  const Comparison one = infos(Sided::kOne);
  EXPECT_EQ(one.p_value, two.p_value);
  EXPECT_EQ(one.change, two.change);
  EXPECT_EQ(one.flag, two.flag);
  EXPECT_EQ(one.confidence, two.confidence);
}

TEST(SessionLimitsTest, TooManyMissingPairsHoldTheVerdictBackAndAreWarnedAbout) {
  SessionAnalysis analysis = Start(Two());
  for (int i = 0; i < 20; ++i) {
    Block block = WallBlock(0, {1, 2});
    if (i == 2 || i == 5) block[1].samples.clear();
    Feed(analysis, block);
  }
  const Report report = analysis.Look();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);  // 2 of 20 is over 5 %
  EXPECT_EQ(Find(report, "wall_time").n_reference, 18u);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].code, "missing_values");
  EXPECT_NE(report.warnings[0].message.find("2 of 20 "), std::string::npos);
  EXPECT_WORDING(WarningText(report.warnings[0]));
  FeedWall(analysis, 20, {1, 2});
  EXPECT_EQ(analysis.Look().verdict, Verdict::kRegression);
  EXPECT_EQ(Find(analysis.Look(), "wall_time").decided->blocks, 40u);
}

TEST(SessionLimitsTest, TheForecastShrinksToTheVerdict) {
  SessionSpec spec = Two();
  SessionAnalysis analysis = Start(spec);
  Noise noise(kLimitSeed);
  for (int i = 0; i < 4; ++i) Feed(analysis, noise.Wall({1, 1}));
  const auto early = Find(analysis.Look(), "wall_time").expected_blocks;
  ASSERT_TRUE(early);
  EXPECT_GE(*early, 4);
  int blocks = 4;
  while (!analysis.Finished()) {
    const auto expected = Find(analysis.Look(), "wall_time").expected_blocks;
    if (expected) {
      EXPECT_GE(*expected, 1);
    }
    Feed(analysis, noise.Wall({1, 1}));
    ASSERT_LT(++blocks, 1000) << "seed " << kLimitSeed;
  }
  EXPECT_FALSE(Find(analysis.Look(), "wall_time").expected_blocks);
}

/// Base, candidate and placebo; the placebo slower by `lie`.
Report WithPlacebo(double lie, int blocks = 40) {
  SessionSpec spec = Two();
  Arm placebo = spec.benchmarks[0].arms[0];
  placebo.name = "placebo";
  placebo.role = ArmRole::kPlacebo;
  spec.benchmarks[0].arms.push_back(placebo);
  SessionAnalysis analysis = Start(spec);
  Noise noise(20261121);
  for (int i = 0; i < blocks; ++i) Feed(analysis, noise.Wall({1, 1, 1 + lie}));
  return analysis.Conclude();
}

TEST(SessionPlaceboTest, ThePlaceboIsAControlAndNeverGates) {
  const Report report = WithPlacebo(0.2);
  EXPECT_EQ(report.verdict, Verdict::kUndecided) << "the machine finds what is not there";
  EXPECT_TRUE(report.control_changed);
  const Comparison& placebo = Find(report, "wall_time", "placebo");
  EXPECT_EQ(placebo.role, ComparisonRole::kInfo);
  ASSERT_TRUE(placebo.change && placebo.change->lo);
  EXPECT_GT(*placebo.change->lo, 0.1);
  EXPECT_FALSE(placebo.verdict);
  EXPECT_EQ(placebo.control, ControlState::kChanged);
  // The gate keeps its verdict, and shares the level with the control.
  EXPECT_EQ(Find(report, "wall_time").verdict, Verdict::kPass);
  EXPECT_EQ(Find(report, "wall_time").confidence, 0.995);
  EXPECT_EQ(placebo.confidence, 0.995);
}

TEST(SessionPlaceboTest, APlaceboThatDiffersWithinItsMarginIsACaution) {
  const auto warned = [](const Report& report, std::string_view code) {
    return std::ranges::find(report.warnings, code, &Warning::code) != report.warnings.end();
  };
  const Report within = WithPlacebo(0.01, 200);
  EXPECT_EQ(within.verdict, Verdict::kPass);
  EXPECT_TRUE(warned(within, "placebo"));
  EXPECT_FALSE(warned(within, "control_changed"));
  const Report beyond = WithPlacebo(0.2);
  EXPECT_FALSE(warned(beyond, "placebo"));
  EXPECT_TRUE(warned(beyond, "control_changed"));
  EXPECT_FALSE(warned(WithPlacebo(0), "placebo"));
  EXPECT_EQ(WithPlacebo(0).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace benchd
