// What every output says of a session with controls.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/ci/outcome.h"
#include "client/present/gates.h"
#include "client/present/report.h"
#include "client/present/sentence.h"
#include "client/present/verdict_words.h"
#include "client/report/page.h"
#include "client/request/replay.h"
#include "core/analysis/control_report.h"
#include "tests/client/present/sentence_cases.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

constexpr char kChangedWords[] = "the control changed: the machine, not the code";

void SetEnds(const Ends& ends, v1::Effect* effect) {
  effect->set_lo(ends.lo);
  effect->set_estimate(ends.estimate);
  effect->set_hi(ends.hi);
}

v1::Comparison GateIn(const std::string& benchmark, const Ends& change, v1::Verdict verdict) {
  v1::Comparison gate = RegressionUpdate().comparisons(0);
  gate.set_benchmark(benchmark);
  SetEnds(change, gate.mutable_change());
  gate.set_verdict(verdict);
  return gate;
}

v1::Comparison ControlGate(const Ends& change, v1::ControlState state) {
  v1::Comparison control =
      GateIn("steady", change, state == v1::CONTROL_STATE_UNCHANGED ? kPass : kOpen);
  control.set_control(state);
  if (state == v1::CONTROL_STATE_CHANGED) control.set_reason("control_changed");
  return control;
}

/// A benchmark that regressed, and a control.
v1::Session SessionWithControl(const v1::Comparison& control) {
  v1::Session session = SampleSession();
  const bool changed = control.control() == v1::CONTROL_STATE_CHANGED;
  *session.mutable_report() =
      With({GateIn("work", {0.098, 0.102, 0.106}, kWorse), control}, changed ? kOpen : kWorse);
  session.mutable_report()->set_control_changed(changed);
  if (!changed) return session;
  v1::Warning* const warning = session.mutable_report()->add_warnings();
  warning->set_code("control_changed");
  warning->set_severity(v1::SEVERITY_INVALIDATES);
  warning->set_message(std::string(kChangedWords) +
                       ": wall_time of candidate against base in steady");
  return session;
}

v1::Session ChangedSession() {
  return SessionWithControl(ControlGate({0.29, 0.3, 0.31}, v1::CONTROL_STATE_CHANGED));
}

bool HasWords(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string SentencesOf(const v1::Session& session) {
  std::string text;
  for (const std::string& line : VerdictSentences(session.report(), kUtf8)) text += line + "\n";
  return text;
}

TEST(ControlsTest, TheWordsAreTheDaemons) { EXPECT_STREQ(kControlChangedWords, kChangedWords); }

TEST(ControlsTest, ASessionWhoseControlChangedIsAboutNothingElse) {
  EXPECT_EQ(SentencesOf(ChangedSession()),
            "UNDECIDED: the control changed: the machine, not the code\n"
            "  steady: candidate is 30.0 % slower (1.30 times, 1.29 … 1.31) than base\n");
  v1::Session faster =
      SessionWithControl(ControlGate({-0.25, -0.24, -0.23}, v1::CONTROL_STATE_CHANGED));
  EXPECT_TRUE(HasWords(SentencesOf(faster), "steady: candidate is 24.0 % faster"))
      << SentencesOf(faster);
}

TEST(ControlsTest, AControlThatDidNotChangeIsNotCounted) {
  const v1::Session session =
      SessionWithControl(ControlGate({-0.01, 0.001, 0.01}, v1::CONTROL_STATE_UNCHANGED));
  EXPECT_EQ(SentencesOf(session),
            "REGRESSION: candidate is 10.2 % slower (1.102 times, 1.098 … 1.106) than base\n");
  EXPECT_EQ(JudgedGatesOf(session.report()).size(), 1U);
}

TEST(ControlsTest, AControlHasWordsOfItsOwn) {
  EXPECT_EQ(VerdictWords(ControlGate({0, 0, 0}, v1::CONTROL_STATE_UNCHANGED), kUtf8),
            "control unchanged");
  EXPECT_EQ(VerdictWords(ControlGate({0, 0, 0}, v1::CONTROL_STATE_CHANGED), kUtf8),
            "control changed");
  EXPECT_EQ(VerdictWords(ControlGate({0, 0, 0}, v1::CONTROL_STATE_OPEN), kUtf8), "control open");
  EXPECT_EQ(LeadingWord(ControlGate({0, 0, 0}, v1::CONTROL_STATE_CHANGED)), "CONTROL CHANGED");
  v1::Comparison failed = ControlGate({0, 0, 0}, v1::CONTROL_STATE_OPEN);
  failed.set_verdict(kWorse);
  EXPECT_EQ(VerdictWords(failed, kUtf8), "regression") << "not the machine's";
}

TEST(ControlsTest, EveryOutputSaysThatTheControlChanged) {
  const v1::Session session = ChangedSession();
  ReportSource source;
  source.session = session;
  source.name = "k3x9m2pq";
  for (const std::string& text :
       {RenderFindings(session.report(), {}, kUtf8), Exported("markdown", session),
        Exported("junit", session), Exported("github", session), RenderReportPage({&source, 1})}) {
    EXPECT_TRUE(HasWords(text, kChangedWords)) << text;
  }
  const std::string table = RenderResultTable(session.report(), RowsShown::kWhatMatters, "", kUtf8);
  EXPECT_TRUE(HasWords(table, "CONTROL CHANGED")) << table;
  EXPECT_TRUE(HasWords(table, "REGRESSION")) << "the gate keeps its word\n" << table;
}

TEST(ControlsTest, JsonSaysItOfTheSessionAndOfTheControl) {
  const std::string json = Exported("json", ChangedSession());
  EXPECT_TRUE(HasWords(json, R"("control_changed":true)")) << json;
  EXPECT_TRUE(HasWords(json, R"("control":"changed")")) << json;
  const std::string without = Exported("json", SampleSession());
  EXPECT_FALSE(HasWords(without, "control")) << without;
}

TEST(ControlsTest, JunitFailsNoCaseOfASessionWhoseControlChanged) {
  const std::string junit = Exported("junit", ChangedSession());
  EXPECT_FALSE(HasWords(junit, "<failure")) << junit;
  EXPECT_TRUE(HasWords(junit, R"(tests="2" failures="0" errors="0" skipped="2")")) << junit;
  EXPECT_TRUE(HasWords(junit, std::string(kChangedWords) + " (regression: ")) << junit;
  const std::string usual = Exported(
      "junit", SessionWithControl(ControlGate({-0.01, 0, 0.01}, v1::CONTROL_STATE_UNCHANGED)));
  EXPECT_TRUE(HasWords(usual, "<failure")) << usual;
}

TEST(ControlsTest, TheMarkdownBeginsWithIt) {
  EXPECT_EQ(
      Exported("markdown", ChangedSession()).find("**❔ UNDECIDED: " + std::string(kChangedWords)),
      0U);
}

TEST(ControlsTest, ChangesForLaterStepsNameTheControl) {
  const Json changes = ChangesOf(ChangedSession().report());
  ASSERT_EQ(changes.size(), 2U) << changes;
  EXPECT_FALSE(changes[0].contains("control"));
  EXPECT_EQ(changes[1]["benchmark"], "steady");
  EXPECT_EQ(changes[1]["control"], "changed");
}

TEST(ControlsTest, ThePlaceboIsTold) {
  v1::Session session = SampleSession();
  v1::Comparison placebo = RegressionUpdate().comparisons(0);
  placebo.set_candidate("placebo");
  placebo.set_role(v1::COMPARISON_ROLE_INFO);
  placebo.clear_verdict();
  placebo.clear_decided();
  placebo.set_control(v1::CONTROL_STATE_CHANGED);
  *session.mutable_report() = With({RegressionUpdate().comparisons(0), placebo}, kOpen);
  session.mutable_report()->set_control_changed(true);
  EXPECT_TRUE(HasWords(SentencesOf(session), "  placebo is ")) << SentencesOf(session);
}

TEST(ControlsTest, TheReplayOfTheExportNamesTheControls) {
  v1::Session session = ChangedSession();
  v1::Benchmark* const work = session.mutable_spec()->mutable_benchmarks(0);
  work->set_name("work");
  work->add_controls("stea*");
  *session.mutable_spec()->add_benchmarks() = *work;
  session.mutable_spec()->mutable_benchmarks(1)->set_name("steady");
  EXPECT_EQ(ControlNamesOf(session), std::vector<std::string>{"steady"});
  EXPECT_TRUE(HasWords(ReplayAnalysis(session, {}).command, " --control steady"))
      << ReplayAnalysis(session, {}).command;
  work->set_control(true);
  EXPECT_EQ(ControlNamesOf(session), (std::vector<std::string>{"work", "steady"}));
}

TEST(ControlsTest, ANameOfAnInnerBenchmarkIsKept) {
  v1::Session session = SampleSession();
  v1::Benchmark* const main = session.mutable_spec()->mutable_benchmarks(0);
  main->set_name("main");
  main->add_controls("BM_A");
  main->add_controls("BM_B");
  v1::Comparison inner = RegressionUpdate().comparisons(0);
  inner.set_benchmark("main");
  inner.set_metric("BM_A/8/real_time");
  inner.set_control(v1::CONTROL_STATE_UNCHANGED);
  *session.mutable_report() = With({inner}, kPass);
  EXPECT_EQ(ControlNamesOf(session), std::vector<std::string>{"BM_A"});
}

}  // namespace
}  // namespace benchd::client
