#include "core/model/summary.h"

#include <gtest/gtest.h>

#include "core/model/labels.h"

namespace benchd {
namespace {

SessionRecord Done() {
  SessionRecord record;
  record.spec.caller.uid = 1000;
  record.spec.labels = {{"branch", "main"}};
  Benchmark benchmark;
  benchmark.arms = {{.name = "base", .role = ArmRole::kReference, .command = "./old"},
                    {.name = "new", .command = "./new", .commit = Commit{"0123", "v1"}}};
  record.spec.benchmarks = {benchmark};
  SessionSnapshot& snapshot = record.snapshot;
  snapshot.id = {"abcd"};
  snapshot.state = SessionState::kDone;
  snapshot.ended_at = Timestamp(Nanoseconds(7));
  snapshot.machine =
      MachineReport{.environment = {{{"kernel", "6.1"}, {"cpu", "EPYC"}, {"cpus", "0-3"}}},
                    .isolation = {{.setting = "governor", .actual = "performance", .held = true},
                                  {.setting = "boost", .actual = "1", .held = false}},
                    .benchmark_cpus = {1, 2}};
  snapshot.report = Report{};
  Comparison gate{.benchmark = "main",
                  .reference = "base",
                  .candidate = "new",
                  .metric = "wall_time",
                  .unit = "s",
                  .role = ComparisonRole::kGate};
  gate.mean_candidate = 0.5;
  gate.verdict = Verdict::kPass;
  Comparison info = gate;
  info.role = ComparisonRole::kInfo;
  info.verdict.reset();
  snapshot.report->comparisons = {info, gate};
  return record;
}

TEST(SummaryTest, HasAGateWithItsArmsAndWhereItWasMeasured) {
  const std::vector<GateSummary> summaries = SummariesOf(Done());
  ASSERT_EQ(summaries.size(), 1U);
  const GateSummary& summary = summaries[0];
  EXPECT_EQ(summary.session.value, "abcd");
  EXPECT_EQ(summary.position, 0U);
  EXPECT_EQ(summary.uid, 1000U);
  EXPECT_EQ(summary.ended_at, Timestamp(Nanoseconds(7)));
  EXPECT_EQ(summary.command, "./new");
  EXPECT_EQ(summary.candidate_commit, (Commit{"0123", "v1"}));
  EXPECT_FALSE(summary.reference_commit);
  EXPECT_EQ(summary.mean_candidate, 0.5);
  EXPECT_EQ(summary.verdict, Verdict::kPass);
  EXPECT_EQ(summary.machine, "EPYC, CPUs 0-3");
  EXPECT_EQ(summary.kernel, "6.1");
  EXPECT_EQ(summary.settings, "cpus=1-2 governor=performance");
}

TEST(SummaryTest, OfASessionWhoseControlChangedNoVerdictIsKept) {
  SessionRecord record = Done();
  EXPECT_FALSE(SummariesOf(record).at(0).control_changed);
  record.snapshot.report->control_changed = true;
  record.snapshot.report->comparisons[1].verdict = Verdict::kRegression;
  const std::vector<GateSummary> summaries = SummariesOf(record);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_TRUE(summaries[0].control_changed);
  EXPECT_EQ(summaries[0].verdict, Verdict::kUndecided);
  EXPECT_EQ(summaries[0].mean_candidate, 0.5);
}

TEST(SummaryTest, SampledRunsLeaveNoTraceInTheHistory) {
  SessionRecord record = Done();
  record.spec.profile.emplace();
  EXPECT_TRUE(SummariesOf(record).empty());
}

TEST(SummaryTest, AMeasuredArmHasItsValueAndNoReference) {
  SessionRecord record = Done();
  for (Arm& arm : record.spec.benchmarks[0].arms) arm.role = ArmRole::kMeasured;
  record.snapshot.report->comparisons.clear();
  Estimate asked{.benchmark = "main", .arm = "new", .metric = "wall_time", .unit = "s"};
  asked.asked = true;
  asked.n = 12;
  asked.value = Effect{0.5, 0.49, 0.51};
  asked.precise = true;
  Estimate other = asked;
  other.asked = false;
  other.precise.reset();
  Estimate open = asked;
  open.metric = "cpu_time";
  open.precise = false;
  record.snapshot.report->estimates = {asked, open, other};
  const std::vector<GateSummary> summaries = SummariesOf(record);
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].candidate, "new");
  EXPECT_EQ(summaries[0].command, "./new");
  EXPECT_EQ(summaries[0].reference, "");
  EXPECT_EQ(summaries[0].n_candidate, 12U);
  EXPECT_EQ(summaries[0].mean_candidate, 0.5);
  EXPECT_EQ(summaries[0].value, asked.value);
  EXPECT_FALSE(summaries[0].change);
  EXPECT_EQ(summaries[0].verdict, Verdict::kPass);
  EXPECT_EQ(summaries[0].kernel, "6.1");
  EXPECT_EQ(summaries[1].position, 1U);
  EXPECT_EQ(summaries[1].verdict, Verdict::kUndecided);
}

// The published vector of FNV-1a for "foobar" is 85944171f73967e8.
TEST(SummaryTest, OneWithoutANameIsKnownByItsCommand) {
  SessionRecord record = Done();
  record.spec.benchmarks[0].arms[1].command = "foobar";
  EXPECT_EQ(SummariesOf(record).at(0).series, "85944171f73967e8");
  // The time of another interpreter is no step of the same series.
  record.spec.benchmarks[0].arms[1].shell = true;
  EXPECT_EQ(SummariesOf(record).at(0).series, "85944171f73967e8");
  record.spec.benchmarks[0].arms[1].interpreter = "bash";
  const std::string of_bash = SummariesOf(record).at(0).series;
  EXPECT_NE(of_bash, "85944171f73967e8");
  record.spec.benchmarks[0].arms[1].interpreter = "zsh";
  EXPECT_NE(SummariesOf(record).at(0).series, of_bash);
  record.spec.benchmarks[0].name = "parse";
  record.snapshot.report->comparisons[1].benchmark = "parse";
  EXPECT_EQ(SummariesOf(record).at(0).series, "");
}

TEST(SummaryTest, OnlySessionsThatAreDoneHaveSome) {
  SessionRecord record = Done();
  for (const SessionState state :
       {SessionState::kRunning, SessionState::kFailed, SessionState::kCancelled}) {
    record.snapshot.state = state;
    EXPECT_TRUE(SummariesOf(record).empty()) << NameOf(state);
  }
}

TEST(SummaryTest, ACalibrationHasNone) {
  SessionRecord record = Done();
  record.spec.labels[kCalibrationLabel] = "base";
  EXPECT_TRUE(SummariesOf(record).empty());
}

}  // namespace
}  // namespace benchd
