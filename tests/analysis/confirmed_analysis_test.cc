#include "core/analysis/confirmed_analysis.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/table_text.h"

namespace benchd {
namespace {

/// Far more blocks than gates with 1 % of noise and changes of several per cent need.
constexpr int kBlocksAtMost = 200;

class ConfirmedAnalysisTest : public testing::Test {
 protected:
  ConfirmedAnalysisTest() { spec_.confirm = true; }

  ConfirmedAnalysis Begin() const { return ConfirmedAnalysis::Create(spec_).value(); }

  static void Feed(ConfirmedAnalysis& analysis, const Block& block) {
    const Result<void> added = analysis.Add(block);
    ASSERT_TRUE(added) << added.error().message;
  }

  /// Feeds noisy blocks of the arms' times until the phase is finished.
  void MeasureAll(ConfirmedAnalysis& analysis, const std::vector<double>& seconds) {
    for (int i = 0; i < kBlocksAtMost && !analysis.Finished(); ++i) {
      Feed(analysis, noise_.Wall(seconds));
    }
    ASSERT_TRUE(analysis.Finished());
  }

  SessionSpec spec_ = Two();
  Noise noise_{7};
};

TEST_F(ConfirmedAnalysisTest, WithoutConfirmEveryReportIsThatOfOnePhase) {
  spec_.confirm = false;
  ConfirmedAnalysis analysis = Begin();
  SessionAnalysis plain = Start(spec_);
  Noise same(11);
  for (int i = 0; i < 40; ++i) {
    const Block block = same.Wall({1, 1.1});
    Feed(analysis, block);
    benchd::Feed(plain, block);
    ASSERT_EQ(analysis.Look(), plain.Look());
    ASSERT_EQ(analysis.Finished(), plain.Finished());
  }
  EXPECT_FALSE(analysis.BeginConfirmation());
  EXPECT_EQ(analysis.Conclude(), plain.Conclude());
  EXPECT_EQ(Find(plain.Conclude(), "wall_time").verdict, Verdict::kRegression);
}

TEST_F(ConfirmedAnalysisTest, ARegressionOfBothPhasesIsARegression) {
  ConfirmedAnalysis analysis = Begin();
  MeasureAll(analysis, {1, 1.1});
  Report report = analysis.Look();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(report, "wall_time").reason, "confirming");
  EXPECT_FALSE(Find(report, "wall_time").confirmation);

  ASSERT_TRUE(analysis.BeginConfirmation());
  EXPECT_FALSE(analysis.Finished());
  report = analysis.Look();
  EXPECT_EQ(Find(report, "wall_time").reason, "confirming");
  ASSERT_TRUE(Find(report, "wall_time").confirmation);
  EXPECT_EQ(Find(report, "wall_time").confirmation->blocks, 0U);

  MeasureAll(analysis, {1, 1.1});
  EXPECT_EQ(analysis.Look().verdict, Verdict::kRegression);
  const Report last = analysis.Conclude();
  const Comparison& gate = Find(last, "wall_time");
  EXPECT_EQ(last.verdict, Verdict::kRegression);
  EXPECT_EQ(gate.verdict, Verdict::kRegression);
  EXPECT_EQ(gate.reason, "");
  ASSERT_TRUE(gate.decided);
  EXPECT_EQ(gate.confirmation->verdict, Verdict::kRegression);
  EXPECT_GE(gate.confirmation->blocks, 8U);
  EXPECT_GT(*gate.confirmation->change->lo, 0.02);
  EXPECT_EQ(analysis.Conclude(), last);
}

TEST_F(ConfirmedAnalysisTest, ARegressionOfTheFirstPhaseAloneIsUndecided) {
  ConfirmedAnalysis analysis = Begin();
  MeasureAll(analysis, {1, 1.1});
  const Report first = analysis.Look();
  ASSERT_TRUE(analysis.BeginConfirmation());
  MeasureAll(analysis, {1, 1});
  const Report last = analysis.Conclude();
  const Comparison& gate = Find(last, "wall_time");
  EXPECT_EQ(last.verdict, Verdict::kUndecided);
  EXPECT_EQ(gate.verdict, Verdict::kUndecided);
  EXPECT_EQ(gate.reason, "not_confirmed");
  EXPECT_EQ(gate.confirmation->verdict, Verdict::kPass);
  // Both phases can be seen.
  EXPECT_EQ(gate.change, Find(first, "wall_time").change);
  EXPECT_EQ(gate.decided, Find(first, "wall_time").decided);
  EXPECT_LT(*gate.confirmation->change->hi, 0.02);
}

// The candidate was slower, and then fails: it is not confirmed to be slower.
TEST_F(ConfirmedAnalysisTest, ARegressionOfAnotherCauseConfirmsNothing) {
  const auto fail = [](Block block) {
    block[1].exit.code = 3;
    return block;
  };
  for (const bool fails_first : {false, true}) {
    ConfirmedAnalysis analysis = Begin();
    for (int i = 0; i < kBlocksAtMost && !analysis.Finished(); ++i) {
      const Block block = noise_.Wall({1, 1.1});
      Feed(analysis, fails_first ? fail(block) : block);
    }
    ASSERT_TRUE(analysis.BeginConfirmation());
    for (int i = 0; i < 16; ++i) {
      const Block block = noise_.Wall({1, 1.1});
      Feed(analysis, fails_first ? block : fail(block));
    }
    const Report last = analysis.Conclude();
    const Comparison& gate = Find(last, "wall_time");
    EXPECT_EQ(last.verdict, Verdict::kUndecided);
    EXPECT_EQ(gate.reason, "not_confirmed");
    EXPECT_EQ(gate.confirmation->verdict, Verdict::kRegression);
    EXPECT_EQ(gate.confirmation->reason, fails_first ? "" : "failed_in_candidate");
    EXPECT_EQ(gate.confirmation->first_reason, fails_first ? "failed_in_candidate" : "");
  }
}

TEST_F(ConfirmedAnalysisTest, FailuresOfBothPhasesAreOneCause) {
  ConfirmedAnalysis analysis = Begin();
  for (const bool again : {false, true}) {
    for (int i = 0; i < kBlocksAtMost && !analysis.Finished(); ++i) {
      Block block = noise_.Wall({1, 1});
      // In the second phase, a run of the reference fails, too.
      block[1].exit.code = 3;
      if (again && i == 0) block[0].exit.code = 3;
      Feed(analysis, block);
    }
    if (!again) {
      ASSERT_TRUE(analysis.BeginConfirmation());
    }
  }
  const Report last = analysis.Conclude();
  EXPECT_EQ(last.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(last, "wall_time").reason, "failed_in_candidate");
  EXPECT_EQ(Find(last, "wall_time").confirmation->reason, "candidate_always_failed");
}

TEST_F(ConfirmedAnalysisTest, ASecondPhaseWithoutAVerdictConfirmsNothing) {
  for (const int blocks : {0, 5}) {
    ConfirmedAnalysis analysis = Begin();
    MeasureAll(analysis, {1, 1.1});
    ASSERT_TRUE(analysis.BeginConfirmation());
    for (int i = 0; i < blocks; ++i) Feed(analysis, noise_.Wall({1, 1.1}));
    const Report last = analysis.Conclude();
    EXPECT_EQ(last.verdict, Verdict::kUndecided);
    EXPECT_EQ(Find(last, "wall_time").reason, "not_confirmed");
    EXPECT_EQ(Find(last, "wall_time").confirmation->verdict, Verdict::kUndecided);
    EXPECT_EQ(Find(last, "wall_time").confirmation->blocks, static_cast<std::uint64_t>(blocks));
  }
}

TEST_F(ConfirmedAnalysisTest, ASessionWithoutARegressionHasNoSecondPhase) {
  ConfirmedAnalysis analysis = Begin();
  MeasureAll(analysis, {1, 1});
  EXPECT_FALSE(analysis.BeginConfirmation());
  EXPECT_FALSE(analysis.confirming());
  const Report last = analysis.Conclude();
  EXPECT_EQ(last.verdict, Verdict::kPass);
  EXPECT_FALSE(Find(last, "wall_time").confirmation);
}

/// Three benchmarks: two regress, one passes.
class ThreeBenchmarksTest : public ConfirmedAnalysisTest {
 protected:
  ThreeBenchmarksTest() {
    spec_ = MakeSpec({MakeBenchmark("slow", 1, {"base", "candidate"}),
                      MakeBenchmark("same", 1, {"base", "candidate"}),
                      MakeBenchmark("unsteady", 1, {"base", "candidate"})});
    spec_.confirm = true;
  }

  /// Feeds `blocks` of each benchmark that the phase measures.
  void Measure(ConfirmedAnalysis& analysis, const std::vector<double>& candidates, int blocks) {
    for (int i = 0; i < blocks; ++i) {
      for (const std::uint32_t benchmark : analysis.BenchmarksOfPhase()) {
        Block block = noise_.Wall({1, candidates[benchmark]});
        for (benchd::Run& run : block) run.benchmark = benchmark;
        Feed(analysis, block);
      }
    }
  }
};

TEST_F(ThreeBenchmarksTest, OnlyTheGatesThatRegressedEnterAndTheyShareTheLevel) {
  ConfirmedAnalysis analysis = Begin();
  EXPECT_EQ(analysis.BenchmarksOfPhase(), (std::vector<std::uint32_t>{0, 1, 2}));
  Measure(analysis, {1.1, 1, 1.1}, 60);
  ASSERT_TRUE(analysis.Finished());
  ASSERT_TRUE(analysis.BeginConfirmation());
  EXPECT_EQ(analysis.BenchmarksOfPhase(), (std::vector<std::uint32_t>{0, 2}));
  const std::vector<BenchmarkOutlook> outlooks = analysis.Outlook();
  EXPECT_TRUE(outlooks[0].open);
  EXPECT_FALSE(outlooks[1].open);
  EXPECT_TRUE(outlooks[2].open);
  Measure(analysis, {1.1, 1, 1}, 60);
  EXPECT_TRUE(analysis.Finished());
  const Report last = analysis.Conclude();
  const Comparison& slow = Find(last, "wall_time", "candidate", "slow");
  const Comparison& same = Find(last, "wall_time", "candidate", "same");
  const Comparison& unsteady = Find(last, "wall_time", "candidate", "unsteady");
  EXPECT_EQ(last.verdict, Verdict::kRegression);
  EXPECT_EQ(slow.verdict, Verdict::kRegression);
  EXPECT_EQ(same.verdict, Verdict::kPass);
  EXPECT_FALSE(same.confirmation);
  EXPECT_EQ(unsteady.verdict, Verdict::kUndecided);
  EXPECT_EQ(unsteady.reason, "not_confirmed");
  // alpha / 3 in the first phase, alpha / 2 in the second.
  EXPECT_DOUBLE_EQ(slow.confidence, 1 - 0.01 / 3);
  EXPECT_DOUBLE_EQ(slow.confirmation->confidence, 1 - 0.01 / 2);
}

TEST_F(ThreeBenchmarksTest, TheSecondPhaseIsAnAnalysisOfItsOwn) {
  ConfirmedAnalysis analysis = Begin();
  Measure(analysis, {1, 1, 1.1}, 60);
  ASSERT_TRUE(analysis.BeginConfirmation());
  SessionSpec alone = spec_;
  alone.benchmarks = {spec_.benchmarks[2]};
  SessionAnalysis own = Start(alone);
  Noise same(3);
  for (int i = 0; i < 40; ++i) {
    Block block = same.Wall({1, 1.05});
    benchd::Feed(own, block);
    for (benchd::Run& run : block) run.benchmark = 2;
    Feed(analysis, block);
  }
  const Report last = analysis.Conclude();
  const Comparison& gate = Find(last, "wall_time", "candidate", "unsteady");
  const Report expected = own.Conclude();
  const Comparison& single = Find(expected, "wall_time", "candidate", "unsteady");
  EXPECT_EQ(gate.confirmation->change, single.change);
  EXPECT_EQ(gate.confirmation->difference, single.difference);
  EXPECT_EQ(gate.confirmation->verdict, single.verdict);
  EXPECT_EQ(gate.confirmation->confidence, single.confidence);
}

TEST_F(ThreeBenchmarksTest, TheSameBlocksGiveTheSameStateInEachPhase) {
  ConfirmedAnalysis one = Begin();
  ConfirmedAnalysis other = Begin();
  const auto both = [&](const std::vector<double>& candidates) {
    for (int i = 0; i < 30; ++i) {
      for (const std::uint32_t benchmark : one.BenchmarksOfPhase()) {
        Block block = noise_.Wall({1, candidates[benchmark]});
        for (benchd::Run& run : block) run.benchmark = benchmark;
        Feed(one, block);
        one.Look();  // looking changes nothing
        Feed(other, block);
      }
    }
  };
  both({1.1, 1.05, 1});
  ASSERT_TRUE(one.BeginConfirmation());
  ASSERT_TRUE(other.BeginConfirmation());
  both({1.1, 1, 1});
  EXPECT_EQ(one.Look(), other.Look());
  EXPECT_EQ(one.Outlook(), other.Outlook());
  EXPECT_EQ(one.Conclude(), other.Conclude());
}

TEST_F(ThreeBenchmarksTest, FailFastConfirmsTheFirstRegression) {
  spec_.limits.fail_fast = true;
  ConfirmedAnalysis analysis = Begin();
  for (int i = 0; i < 60 && !analysis.Finished(); ++i) Measure(analysis, {1.1, 1, 1}, 1);
  ASSERT_TRUE(analysis.BeginConfirmation());
  EXPECT_EQ(analysis.BenchmarksOfPhase(), (std::vector<std::uint32_t>{0}));
  for (int i = 0; i < 60 && !analysis.Finished(); ++i) Measure(analysis, {1.1, 1, 1}, 1);
  const Report last = analysis.Conclude();
  EXPECT_EQ(last.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(last, "wall_time", "candidate", "slow").confirmation->verdict,
            Verdict::kRegression);
}

TEST_F(ConfirmedAnalysisTest, OfSeveralCandidatesOnlyTheSlowerOneIsJudgedAgain) {
  spec_ = MakeSpec({MakeBenchmark("main", 1, {"base", "slow", "same"})});
  spec_.confirm = true;
  ConfirmedAnalysis analysis = Begin();
  for (int i = 0; i < 60; ++i) Feed(analysis, noise_.Wall({1, 1.1, 1}));
  ASSERT_TRUE(analysis.BeginConfirmation());
  for (int i = 0; i < 60; ++i) Feed(analysis, noise_.Wall({1, 1.1, 1.1}));
  const Report last = analysis.Conclude();
  EXPECT_DOUBLE_EQ(Find(last, "wall_time", "slow").confirmation->confidence, 0.99);
  EXPECT_EQ(Find(last, "wall_time", "slow").verdict, Verdict::kRegression);
  EXPECT_EQ(Find(last, "wall_time", "same").verdict, Verdict::kPass);
  EXPECT_FALSE(Find(last, "wall_time", "same").confirmation);
}

TEST_F(ConfirmedAnalysisTest, ACountThatLeftZeroIsConfirmedAfterTheBlocksOfALook) {
  spec_.benchmarks[0].parse = "lines";
  const auto block_of = [](double errors) {
    Block block;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      block.push_back(RunBuilder(0, arm, arm)
                          .Sample("speed", 1)
                          .Sample("errors", arm == 1 ? errors : 0)
                          .Metric("speed", Better::kLower)
                          .Metric("errors", Better::kLower));
    }
    return block;
  };
  ConfirmedAnalysis analysis = Begin();
  analysis.AddWarmup(block_of(0));
  for (int i = 0; i < 8; ++i) Feed(analysis, block_of(2));
  ASSERT_TRUE(analysis.BeginConfirmation());
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(analysis.Finished()) << i;
    Feed(analysis, block_of(2));
  }
  EXPECT_TRUE(analysis.Finished());
  const Report last = analysis.Conclude();
  EXPECT_EQ(Find(last, "errors").verdict, Verdict::kRegression);
  EXPECT_EQ(Find(last, "errors").reason, "left_zero");
  EXPECT_EQ(Find(last, "errors").confirmation->reason, "left_zero");
}

TEST_F(ConfirmedAnalysisTest, ForecastsOfTheFirstPhaseLeaveTimeForTheSecond) {
  spec_.limits.max_time = std::chrono::seconds(100);
  const Nanoseconds elapsed = std::chrono::seconds(30);
  ConfirmedAnalysis analysis = Begin();
  MeasureAll(analysis, {1, 1.1});
  Report report = analysis.Look();
  report.elapsed = elapsed;
  analysis.Forecast(spec_, elapsed, report);
  EXPECT_FALSE(report.eta);
  EXPECT_EQ(report.time_left, std::chrono::seconds(170));

  ASSERT_TRUE(analysis.BeginConfirmation());
  for (int i = 0; i < 9; ++i) Feed(analysis, noise_.Wall({1, 1.03}));
  report = analysis.Look();
  report.elapsed = elapsed + std::chrono::seconds(9);
  analysis.Forecast(spec_, std::chrono::seconds(9), report);
  ASSERT_TRUE(report.eta || report.time_left);
  EXPECT_LE(report.eta.value_or(*report.time_left), std::chrono::seconds(91));
  EXPECT_EQ(Find(report, "wall_time").eta, report.eta);
}

TEST_F(ConfirmedAnalysisTest, VerdictsByEstimateAreRefused) {
  spec_.limits.at_limit = AtLimit::kEstimate;
  const auto refused = ConfirmedAnalysis::Create(spec_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(refused.error().message.starts_with("confirm: ")) << refused.error().message;
}

/// An export of sessions with two phases: the candidate's times in each.
std::string ExportOf(double first, std::optional<double> second, bool interleaved = false) {
  std::string csv = "arm,role,benchmark,pair,order,started_at,phase,wall_time\n";
  int order = 0;
  const auto add = [&](int pair, const std::string& phase, double candidate) {
    const double jitter = 0.001 * (pair % 5);
    csv += "base,reference,main," + std::to_string(pair) + "," + std::to_string(++order) + ",," +
           phase + "," + std::to_string(1 + jitter) + "\n";
    csv += "candidate,candidate,main," + std::to_string(pair) + "," + std::to_string(++order) +
           ",," + phase + "," + std::to_string(candidate + 2 * jitter) + "\n";
  };
  for (int pair = 0; pair < 12; ++pair) {
    add(pair, "measured", first);
    if (interleaved) add(11 - pair, "confirming", *second);
  }
  for (int pair = 0; second && pair < 12 && !interleaved; ++pair) add(pair, "confirming", *second);
  return csv;
}

TEST(ConfirmedTableTest, ThePhasesOfAnExportAreNeverPooled) {
  for (const bool interleaved : {false, true}) {
    const auto confirmed = Analyze(ExportOf(1.1, 1.1, interleaved), {});
    ASSERT_TRUE(confirmed) << confirmed.error().message;
    EXPECT_EQ(confirmed->report.verdict, Verdict::kRegression);
    EXPECT_EQ(Find(confirmed->report, "wall_time").n_candidate, 12U);
    EXPECT_EQ(Find(confirmed->report, "wall_time").confirmation->blocks, 12U);
    EXPECT_EQ(confirmed->report.runs.front().runs, 12U);

    const auto withdrawn = Analyze(ExportOf(1.1, 1.0, interleaved), {});
    ASSERT_TRUE(withdrawn) << withdrawn.error().message;
    EXPECT_EQ(withdrawn->report.verdict, Verdict::kUndecided);
    EXPECT_EQ(Find(withdrawn->report, "wall_time").reason, "not_confirmed");
    EXPECT_EQ(Find(withdrawn->report, "wall_time").confirmation->verdict, Verdict::kPass);
  }
}

// Where each row is a block of its own, the second phase has as many runs as the candidate.
TEST(ConfirmedTableTest, TheClassicIntervalCountsTheCandidatesRows) {
  TableOptions options;
  options.classic_interval = true;
  options.spec.method = Method::kFixed;
  const auto classic = Analyze(ExportOf(1.1, 1.1), options);
  ASSERT_TRUE(classic) << classic.error().message;
  EXPECT_EQ(Find(classic->report, "wall_time").confirmation->blocks, 12U);
}

TEST(ConfirmedTableTest, AnEstimateIsRefusedWithoutAnOptionThatNobodyGave) {
  TableOptions options;
  options.spec.limits.at_limit = AtLimit::kEstimate;
  const auto refused = Analyze(ExportOf(1.1, 1.1), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "omit --at-limit: this session confirmed its regressions");
}

// The session was cancelled before a block of its second phase.
TEST(ConfirmedTableTest, ARegressionWithoutASecondPhaseIsToBeConfirmed) {
  const auto cancelled = Analyze(ExportOf(1.1, {}), {});
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  EXPECT_EQ(cancelled->report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(cancelled->report, "wall_time").verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(cancelled->report, "wall_time").reason, "confirming");
}

TEST(ConfirmedTableTest, RowsOfASecondPhaseDoNotCountIfNothingRegressed) {
  const auto passed = Analyze(ExportOf(1.0, 1.1), {});
  ASSERT_TRUE(passed) << passed.error().message;
  EXPECT_EQ(passed->report.verdict, Verdict::kPass);
  EXPECT_FALSE(Find(passed->report, "wall_time").confirmation);
}

}  // namespace
}  // namespace benchd
