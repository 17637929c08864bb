#include "client/present/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/present/gates.h"
#include "client/present/json.h"
#include "client/present/live_view.h"
#include "client/present/pages.h"
#include "client/present/report.h"
#include "client/request/replay.h"
#include "client/session/follow.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

using testing::HasSubstr;
using testing::Not;

v1::Estimate Of(const std::string& arm, const std::string& metric, double value, double width) {
  v1::Estimate estimate;
  estimate.set_benchmark("main");
  estimate.set_arm(arm);
  estimate.set_metric(metric);
  estimate.set_unit("s");
  estimate.set_asked(true);
  estimate.set_better(v1::BETTER_LOWER);
  estimate.mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_MEAN);
  estimate.set_confidence(0.995);
  estimate.set_n(40);
  estimate.mutable_value()->set_estimate(value);
  estimate.mutable_value()->set_lo(value * (1 - width / 2));
  estimate.mutable_value()->set_hi(value * (1 + width / 2));
  estimate.set_sd(value / 50);
  estimate.set_min(value * 0.9);
  estimate.set_max(value * 1.2);
  estimate.set_precision(0.01);
  estimate.set_precise(width <= 0.01);
  return estimate;
}

// Two programs, of which the second is not precise, and a metric for information.
v1::Update TwoPrograms() {
  v1::Update update;
  update.set_state(v1::SESSION_STATE_DONE);
  update.set_verdict(v1::VERDICT_UNDECIDED);
  update.set_elapsed_seconds(12);
  *update.add_estimates() = Of("quick", "wall_time", 0.0101234, 0.008);
  *update.add_estimates() = Of("slow", "wall_time", 0.25, 0.04);
  *update.add_estimates() = Of("quick", "cpu_time", 0.009, 0.01);
  update.mutable_estimates(2)->set_asked(false);
  update.mutable_estimates(2)->clear_precise();
  update.mutable_estimates(2)->clear_precision();
  for (const char* arm : {"quick", "slow"}) {
    v1::ArmRuns* const runs = update.add_runs();
    runs->set_benchmark("main");
    runs->set_arm(arm);
    runs->set_runs(40);
  }
  v1::Warning* const note = update.add_warnings();
  note->set_code("other_sessions");
  note->set_severity(v1::SEVERITY_NOTE);
  note->set_message("these intervals are about this session");
  note->set_hint("to compare programs, use `benchctl compare`");
  return update;
}

v1::Session MeasuredSession() {
  v1::Session session;
  session.set_session("k3x9m2pq");
  session.set_state(v1::SESSION_STATE_DONE);
  *session.mutable_report() = TwoPrograms();
  v1::Benchmark* const benchmark = session.mutable_spec()->add_benchmarks();
  benchmark->set_name("main");
  for (const char* name : {"quick", "slow"}) {
    v1::Arm* const arm = benchmark->add_arms();
    arm->set_name(name);
    arm->set_role(v1::ARM_ROLE_MEASURED);
    arm->set_command(std::string("./") + name);
    arm->set_cwd("/");
  }
  session.mutable_spec()->mutable_rule()->set_precision_width(0.005);
  session.mutable_started()->set_seed(7);
  return session;
}

TEST(MeasurementTest, OnlyASessionOfMeasuredArmsMeasures) {
  EXPECT_TRUE(Measures(MeasuredSession().spec()));
  EXPECT_TRUE(Measures(TwoPrograms()));
  EXPECT_FALSE(Measures(SampleSession().spec()));
  EXPECT_FALSE(Measures(SampleSession().report()));
  EXPECT_FALSE(Measures(v1::SessionSpec()));
}

TEST(MeasurementTest, HasTheDigitsThatItsIntervalNeeds) {
  const v1::Estimate estimate = Of("a", "wall_time", 0.0101234, 0.008);
  EXPECT_EQ(EstimateValue(estimate, Style()), "10.12 ms");
  EXPECT_EQ(EstimateInterval(estimate, Style()), "10.08 … 10.16 ms");
  EXPECT_EQ(EstimateWidth(estimate), "0.80 %");
  EXPECT_EQ(EstimateText(estimate, Style()), "10.12 ms (10.08 … 10.16 ms, 0.80 % wide)");
  EXPECT_EQ(EstimateState(estimate), "measured");
}

TEST(MeasurementTest, AnIntervalWithOneEndIsABound) {
  v1::Estimate estimate = Of("a", "wall_time", 0.01, 0.02);
  EXPECT_EQ(EstimateState(estimate), "wider than 1 %");
  estimate.mutable_value()->clear_hi();
  EXPECT_THAT(EstimateInterval(estimate, Style()), testing::StartsWith("at least 9."));
  EXPECT_THAT(EstimateText(estimate, Style()), HasSubstr(" ms (at least 9."));
  EXPECT_EQ(EstimateWidth(estimate), "");
  EXPECT_EQ(EstimateState(estimate), "no upper end");
  estimate.mutable_value()->clear_lo();
  EXPECT_EQ(EstimateInterval(estimate, Style()), "");
  EXPECT_EQ(EstimateState(estimate), "no interval");
  estimate.mutable_value()->set_hi(0.0101);
  EXPECT_THAT(EstimateInterval(estimate, Style()), testing::StartsWith("at most 10."));
  EXPECT_EQ(EstimateState(estimate), "no lower end");
  estimate.set_reason("intervals_disjoint");
  EXPECT_EQ(EstimateState(estimate), "changed during the session");
  estimate.set_reason("of_a_newer_benchd");
  EXPECT_THAT(EstimateState(estimate), HasSubstr("newer"));
  estimate.clear_value();
  EXPECT_EQ(EstimateValue(estimate, Style()), "-");
}

TEST(MeasurementTest, SentencesCountAndNameWhatIsNotPrecise) {
  v1::Update update = TwoPrograms();
  for (const std::string& line : MeasuredSentences(update, Style())) EXPECT_WORDING(line);
  EXPECT_THAT(MeasuredSentences(update, Style()).back(),
              HasSubstr("raise the limit (--max-time or --max-runs)"));
  *update.mutable_estimates(1) = Of("slow", "wall_time", 0.25, 0.01);
  update.set_verdict(v1::VERDICT_PASS);
  EXPECT_EQ(MeasuredSentences(update, Style()),
            (std::vector<std::string>{"measured: both estimates"}));
  update.mutable_estimates()->DeleteSubrange(1, 2);
  EXPECT_EQ(MeasuredSentences(update, Style()),
            (std::vector<std::string>{"measured: the mean wall_time of quick is 10.12 ms (10.08 … "
                                      "10.16 ms, 0.80 % wide)"}));
}

TEST(MeasurementTest, WithoutARequestedPrecisionNothingFallsShortOfIt) {
  v1::Update update = TwoPrograms();
  update.set_verdict(v1::VERDICT_UNDECIDED);
  for (v1::Estimate& one : *update.mutable_estimates()) one.clear_precision();
  update.mutable_estimates(1)->set_precise(false);
  update.mutable_estimates(1)->mutable_value()->clear_lo();
  update.mutable_estimates(1)->mutable_value()->clear_hi();
  const std::vector<std::string> lines = MeasuredSentences(update, Style());
  EXPECT_THAT(lines.front(), testing::StartsWith("not measured: "));
  EXPECT_THAT(lines.back(), Not(HasSubstr("raise the limit")));
  update.clear_estimates();
  EXPECT_EQ(MeasuredSentences(update, Style()).front(),
            "not measured: no program printed a metric");
  update.mutable_runs(0)->set_runs(0);
  EXPECT_EQ(MeasuredSentences(update, Style()).front(),
            "not measured: the limit was reached before every arm had run once");
}

// No precision is wide enough for an arm without an interval.
TEST(MeasurementTest, AWiderPrecisionIsNotAdvisedWithoutAnInterval) {
  v1::Update update = TwoPrograms();
  update.mutable_estimates()->DeleteSubrange(0, 1);
  update.mutable_estimates()->DeleteSubrange(1, update.estimates_size() - 1);
  EXPECT_THAT(MeasuredSentences(update, Style()).front(), HasSubstr("ask for a wider --precision"));
  update.mutable_estimates(0)->mutable_value()->clear_hi();
  EXPECT_THAT(MeasuredSentences(update, Style()).front(),
              testing::EndsWith("raise the limit (--max-time or --max-runs)"));
}

TEST(MeasurementTest, ATableLeavesOutColumnsBeforeItIsTooWide) {
  const std::string wide =
      RenderEstimates(TwoPrograms(), EstimatesShown::kAll, "k3x9m2pq", Style());
  EXPECT_THAT(wide, HasSubstr("min"));
  EXPECT_THAT(wide, HasSubstr("cpu_time"));
  EXPECT_WORDING(wide);
  const std::string usual =
      RenderEstimates(TwoPrograms(), EstimatesShown::kAsked, "k3x9m2pq", Style());
  EXPECT_THAT(usual, Not(HasSubstr("cpu_time")));
  EXPECT_THAT(usual, HasSubstr("1 estimate of other metrics: benchctl show k3x9m2pq lists them"));
  const Style narrow{.width = 70};
  const std::string shortened =
      RenderEstimates(TwoPrograms(), EstimatesShown::kAsked, "k3x9m2pq", narrow);
  EXPECT_LE(Widest(Lines(shortened)), 70);
  EXPECT_THAT(shortened, HasSubstr("10.08 … 10.16 ms"));
}

TEST(MeasurementTest, AResultSaysOnceThatSessionsAreNotComparable) {
  for (const Detail detail : {Detail::kUsual, Detail::kAll}) {
    const std::string text =
        RenderFindings(TwoPrograms(), OptionsFor(MeasuredSession(), detail), Style());
    const std::size_t first = text.find("these intervals are about this session");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_EQ(text.find("these intervals are about", first + 1), std::string::npos) << text;
    EXPECT_THAT(text, HasSubstr("40 runs each"));
    EXPECT_THAT(text, HasSubstr("99 % confidence for all these intervals together"));
    EXPECT_THAT(text, Not(HasSubstr("PASS")));
  }
}

TEST(MeasurementTest, ALiveViewShowsOpenEstimatesFirstIfTheyDoNotAllFit) {
  v1::Update update = TwoPrograms();
  update.set_state(v1::SESSION_STATE_RUNNING);
  const auto both = MeasuredLines(update, 0, {.width = 80}, 5);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_THAT(both[0], HasSubstr("quick"));
  const auto one = MeasuredLines(update, 0, {.width = 80}, 1);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_THAT(one[0], HasSubstr("slow"));
  LiveState state;
  state.session = "k3x9m2pq";
  v1::SessionEvent event;
  *event.mutable_update() = update;
  state.Apply(event);
  const auto lines = RenderLiveView(state, {.width = 80}, 10);
  EXPECT_THAT(lines[0], HasSubstr("40 blocks"));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("4.0 % wide")));
}

TEST(MeasurementTest, PlainLinesAndAnEarlyEndTellTheEstimates) {
  v1::Update update = TwoPrograms();
  update.set_state(v1::SESSION_STATE_RUNNING);
  PlainNarrator narrator{Style()};
  v1::SessionEvent event;
  *event.mutable_update() = update;
  const auto lines = narrator.Describe(event, 0);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("quick 10.12 ms"));
  EXPECT_THAT(KnownSoFar(update, Style()), HasSubstr("ended early: 40 blocks"));
}

TEST(MeasurementTest, TheExitCodeIsThatOfThePrecision) {
  v1::Update update = TwoPrograms();
  EXPECT_EQ(ExitFor(update), ExitCode::kUndecided);
  update.set_verdict(v1::VERDICT_PASS);
  EXPECT_EQ(ExitFor(update), ExitCode::kPass);
  EXPECT_EQ(MeasuredWord(update.verdict()), "measured");
}

TEST(MeasurementTest, ReplaysAsAMeasurement) {
  const v1::Session session = MeasuredSession();
  EXPECT_EQ(
      ReplayCommand(session.spec(), 7),
      "benchctl measure --seed 7 --precision 0.5% --cwd / -n quick -n slow -- ./quick ./slow");
  EXPECT_EQ(ReplayAnalysis(session, {}).command, "") << "there is no comparison to recompute";
}

TEST(MeasurementTest, JsonReadsBack) {
  const v1::Estimate estimate = Of("a", "wall_time", 0.01, 0.02);
  v1::Estimate read;
  ASSERT_TRUE(ReadMessage(MessageJson(estimate), &read));
  EXPECT_EQ(read.SerializeAsString(), estimate.SerializeAsString());
  EXPECT_FALSE(MessageJson(SampleSession().report()).contains("estimates"))
      << "comparisons are written as before";
}

TEST(MeasurementTest, EveryExportHasTheEstimates) {
  const v1::Session session = MeasuredSession();
  for (const char* format : {"markdown", "junit", "github", "bmf"}) {
    const std::string text = Exported(format, session);
    EXPECT_THAT(text, HasSubstr("slow")) << format;
    EXPECT_WORDING(text);
  }
  EXPECT_THAT(Exported("junit", session), HasSubstr("skipped=\"1\""));
}

}  // namespace
}  // namespace benchd::client
