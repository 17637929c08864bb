// What is shown of the second phase of a session (--confirm).

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/present/csv.h"
#include "client/present/gates.h"
#include "client/present/live_view.h"
#include "client/present/sentence.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

constexpr Style kConfirmationStyle{false, true, 100};

/// RegressionUpdate(), in whose second phase the change is between `lo` and `hi`.
v1::Update InSecondPhase(v1::Verdict verdict, double lo, double hi) {
  v1::Update update = RegressionUpdate();
  v1::Comparison& gate = *update.mutable_comparisons(0);
  v1::Confirmation& second = *gate.mutable_confirmation();
  second.set_verdict(verdict);
  second.set_blocks(24);
  second.set_confidence(0.99);
  second.mutable_change()->set_estimate((lo + hi) / 2);
  second.mutable_change()->set_lo(lo);
  second.mutable_change()->set_hi(hi);
  if (verdict == v1::VERDICT_REGRESSION) return update;
  gate.set_verdict(v1::VERDICT_UNDECIDED);
  gate.set_reason(verdict == v1::VERDICT_PASS ? "not_confirmed" : "confirming");
  update.set_verdict(v1::VERDICT_UNDECIDED);
  return update;
}

std::string View(const v1::Update& update) {
  LiveState state;
  state.session = "k3x9m2pq";
  state.started = SampleStarted();
  state.update = update;
  std::string text;
  for (const std::string& line : RenderLiveView(state, kConfirmationStyle, 20)) text += line + "\n";
  return text;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ConfirmationTest, TheLiveViewSaysWhatItConfirms) {
  v1::Update update = InSecondPhase(v1::VERDICT_UNDECIDED, -0.03, 0.05);
  update.set_state(v1::SESSION_STATE_RUNNING);
  EXPECT_EQ(ConfirmingSentence(update), "confirming 1 regression");
  const std::string view = View(update);
  EXPECT_TRUE(Contains(view, "confirming 1 regression")) << view;
  EXPECT_FALSE(Contains(view, "running")) << view;
  // The row shows the interval of the second phase.
  EXPECT_TRUE(Contains(view, "-3.0 … +5.0 %")) << view;
  update.set_state(v1::SESSION_STATE_PREPARING);
  EXPECT_TRUE(Contains(View(update), "confirming 1 regression"));
  EXPECT_EQ(ConfirmingSentence(RegressionUpdate()), "");
}

TEST(ConfirmationTest, ARegressionOfTheFirstPhaseIsSaidToWait) {
  v1::Update update = RegressionUpdate();
  update.set_state(v1::SESSION_STATE_RUNNING);
  update.mutable_comparisons(0)->set_verdict(v1::VERDICT_UNDECIDED);
  update.mutable_comparisons(0)->set_reason("confirming");
  EXPECT_TRUE(Contains(View(update), "confirming")) << View(update);
  v1::SessionEvent event;
  *event.mutable_update() = update;
  PlainNarrator narrator(kConfirmationStyle);
  const std::vector<std::string> lines = narrator.Describe(event, 0);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(Contains(lines[0], "regressed, to be confirmed")) << lines[0];
}

TEST(ConfirmationTest, LogsOfTheSecondPhaseSaySo) {
  v1::SessionEvent event;
  *event.mutable_update() = InSecondPhase(v1::VERDICT_UNDECIDED, -0.03, 0.05);
  event.mutable_update()->set_state(v1::SESSION_STATE_RUNNING);
  PlainNarrator narrator(kConfirmationStyle);
  const std::vector<std::string> lines = narrator.Describe(event, 0);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("confirming 1 regression: 24 blocks, ")) << lines[0];
}

TEST(ConfirmationTest, TheSentenceStatesBothPhases) {
  const v1::Update confirmed = InSecondPhase(v1::VERDICT_REGRESSION, 0.08, 0.1);
  const std::string sentence = VerdictSentence(confirmed.comparisons(0), kConfirmationStyle);
  EXPECT_TRUE(sentence.starts_with("REGRESSION: candidate is 10.2 % slower")) << sentence;
  EXPECT_TRUE(sentence.ends_with("; second phase: +9.0 % (+8.0 … +10.0 %) in 24 blocks"))
      << sentence;
  const v1::Update withdrawn = InSecondPhase(v1::VERDICT_PASS, -0.01, 0.01);
  EXPECT_EQ(VerdictSentence(withdrawn.comparisons(0), kConfirmationStyle),
            "UNDECIDED: wall_time of candidate regressed against base, but a second phase of fresh "
            "runs did not confirm it; second phase: +0.0 % (-1.0 … +1.0 %) in 24 blocks");
}

TEST(ConfirmationTest, ASecondPhaseWithoutAnIntervalSaysSo) {
  v1::Update update = InSecondPhase(v1::VERDICT_UNDECIDED, -0.01, 0.03);
  v1::Comparison& gate = *update.mutable_comparisons(0);
  v1::Confirmation& second = *gate.mutable_confirmation();
  const auto told = [&gate] {
    const std::string sentence = GateSentence(gate, kConfirmationStyle);
    const std::size_t start = sentence.find("; second phase");
    return start == std::string::npos ? sentence : sentence.substr(start);
  };
  second.mutable_change()->clear_lo();
  EXPECT_EQ(told(), "; second phase: +1.0 % (at most +3.0 %) in 24 blocks");
  second.mutable_change()->clear_hi();
  second.set_blocks(3);
  EXPECT_EQ(told(), "; second phase: +1.0 % in 3 blocks, no interval");
  second.clear_change();
  EXPECT_EQ(told(), "; second phase: 3 blocks, no interval");
  second.set_reason("missing_in_candidate");
  EXPECT_EQ(told(), "; second phase: 3 blocks, missing in candidate");
  second.set_blocks(0);
  EXPECT_EQ(told(), "; second phase: nothing was measured");
}

TEST(ConfirmationTest, ASecondPhaseOfAnotherCauseIsNamed) {
  v1::Update update = InSecondPhase(v1::VERDICT_PASS, -0.183, -0.161);
  v1::Comparison& gate = *update.mutable_comparisons(0);
  gate.mutable_confirmation()->set_verdict(v1::VERDICT_REGRESSION);
  gate.mutable_confirmation()->set_reason("failed_in_candidate");
  const std::string told = GateSentence(gate, kConfirmationStyle);
  EXPECT_TRUE(
      told.ends_with("; second phase: -17.2 % (-18.3 … -16.1 %) in 24 blocks, "
                     "runs of candidate failed"))
      << told;
}

TEST(ConfirmationTest, TheCauseOfTheFirstPhaseIsNamed) {
  v1::Update update = InSecondPhase(v1::VERDICT_PASS, 0.31, 0.54);
  v1::Comparison& gate = *update.mutable_comparisons(0);
  gate.mutable_confirmation()->set_verdict(v1::VERDICT_REGRESSION);
  gate.mutable_confirmation()->set_first_reason("failed_in_candidate");
  const std::string told = GateSentence(gate, kConfirmationStyle);
  EXPECT_TRUE(
      told.starts_with("runs of candidate failed, but no run of base did; a second phase "
                       "of fresh runs did not confirm it; second phase: +"))
      << told;
}

// Under a negative margin, the candidate need not be worse than the reference.
TEST(ConfirmationTest, ANegativeMarginSaysNotBetterInsteadOfRegressed) {
  v1::Update update = InSecondPhase(v1::VERDICT_UNDECIDED, -0.03, 0.05);
  update.set_state(v1::SESSION_STATE_RUNNING);
  v1::Comparison& gate = *update.mutable_comparisons(0);
  gate.set_margin_ratio(-0.05);
  EXPECT_EQ(ConfirmingSentence(update), "confirming that 1 gate is not better");
  EXPECT_TRUE(GateSentence(gate, kConfirmationStyle)
                  .starts_with("candidate is not 5 % better than base, and this is to be confirmed;"
                               " second phase: "))
      << GateSentence(gate, kConfirmationStyle);
  gate.clear_confirmation();
  v1::SessionEvent event;
  *event.mutable_update() = update;
  const std::vector<std::string> lines = PlainNarrator(kConfirmationStyle).Describe(event, 0);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(Contains(lines[0], "not 5 % better, to be confirmed")) << lines[0];
  gate.set_reason("not_confirmed");
  EXPECT_EQ(GateSentence(gate, kConfirmationStyle),
            "candidate is not 5 % better than base, but a second phase of fresh runs did not "
            "confirm it");
  gate.clear_change();
  gate.clear_difference();
  EXPECT_TRUE(Contains(GateSentence(gate, kConfirmationStyle), "regressed against base"));
}

TEST(ConfirmationTest, OnlyASessionThatConfirmsNamesThePhases) {
  std::vector<v1::Run> runs = SampleRuns();
  v1::Session session = SampleSession();
  EXPECT_FALSE(Contains(RunsToCsv(runs, session), "phase"));
  session.mutable_spec()->set_confirm(true);
  // It was cancelled before the second phase had a run.
  const std::string early = RunsToCsv(runs, session);
  EXPECT_TRUE(early.starts_with("arm,role,benchmark,pair,order,started_at,phase,")) << early;
  EXPECT_FALSE(Contains(early, "confirming")) << early;
  ASSERT_TRUE(TableOfRuns(runs, session));
  EXPECT_TRUE(TableOfRuns(runs, session)->HasPhases());
  v1::Run again = runs[2];
  again.set_phase(v1::RUN_PHASE_CONFIRMING);
  runs.push_back(again);
  const std::string csv = RunsToCsv(runs, session);
  EXPECT_TRUE(csv.starts_with("arm,role,benchmark,pair,order,started_at,phase,")) << csv;
  EXPECT_TRUE(Contains(csv, ",measured,")) << csv;
  EXPECT_TRUE(Contains(csv, ",confirming,")) << csv;
  const auto table = TableOfRuns(runs, session);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_TRUE(table->HasPhases());
  EXPECT_FALSE(table->IsConfirming(0));
  EXPECT_TRUE(table->IsConfirming(table->rows() - 1));
}

}  // namespace
}  // namespace benchd::client
