#include "client/present/verdict_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/present/live_view.h"
#include "client/present/report.h"
#include "client/present/sentence.h"
#include "client/report/metric_picture.h"
#include "client/report/page.h"
#include "tests/client/golden.h"
#include "tests/client/present/sentence_cases.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

void Set(const Ends& ends, v1::Effect* effect) {
  effect->set_lo(ends.lo);
  effect->set_estimate(ends.estimate);
  effect->set_hi(ends.hi);
}

/// A gate that requires an improvement of 5 %.
v1::Comparison Required(const Ends& change, v1::Verdict verdict) {
  v1::Comparison gate = RegressionUpdate().comparisons(0);
  gate.set_margin_ratio(-0.05);
  Set(change, gate.mutable_change());
  gate.set_verdict(verdict);
  return gate;
}

/// A gate on a difference of 5 ms.
v1::Comparison Absolute(const Ends& difference, v1::Verdict verdict) {
  v1::Comparison gate = Required({-0.03, -0.02, -0.01}, verdict);
  gate.set_margin_absolute(-0.005);
  Set(difference, gate.mutable_difference());
  return gate;
}

v1::Comparison Slower() {
  v1::Comparison gate = RegressionUpdate().comparisons(0);
  Set({0.021, 0.089, 0.152}, gate.mutable_change());
  return gate;
}

/// A change that is an improvement, but of less than 5 %.
const Ends kALittle{-0.007, -0.004, -0.001};

v1::Session SessionOf(const v1::Comparison& gate) {
  v1::Session session = SampleSession();
  session.set_state(v1::SESSION_STATE_DONE);
  *session.mutable_report() = With({gate}, gate.verdict());
  return session;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- sentences ----

TEST(VerdictWordsTest, EveryCaseOfARequiredImprovement) {
  v1::Comparison open = Required({-0.07, -0.05, -0.03}, kOpen);
  open.clear_decided();
  Cases cases;
  cases.Add("a little faster", Required(kALittle, kWorse));
  cases.Add("slower", Required({0.021, 0.03, 0.04}, kWorse));
  cases.Add("neither", Required({-0.006, 0.001, 0.008}, kWorse));
  cases.Add("a size", Of(Required(kALittle, kWorse), "max_rss", "B"));
  cases.Add("a rate", Of(Required({0.01, 0.02, 0.03}, kWorse), "rate", "1", v1::BETTER_HIGHER));
  cases.Add("a difference", Absolute({-0.003, -0.002, -0.001}, kWorse));
  cases.Add("faster by the margin", Required({-0.09, -0.08, -0.07}, kPass));
  cases.Add("a rate by the margin",
            Of(Required({0.07, 0.08, 0.09}, kPass), "rate", "1", v1::BETTER_HIGHER));
  cases.Add("a difference by the margin", Absolute({-0.009, -0.008, -0.007}, kPass));
  cases.Add("undecided", open);
  ExpectGolden("sentences_better.txt", cases.text());
}

TEST(VerdictWordsTest, SeveralOfThemAreCountedApartFromRegressions) {
  const v1::Comparison not_better = Required(kALittle, kWorse);
  const v1::Comparison better = Required({-0.09, -0.08, -0.07}, kPass);
  v1::Comparison open = Required({-0.07, -0.05, -0.03}, kOpen);
  open.clear_decided();
  v1::Comparison by_ten = not_better;
  by_ten.set_margin_ratio(-0.1);
  Cases cases;
  cases.Add("neither of two", With({not_better, not_better}, kWorse));
  cases.Add("none of three", With({not_better, not_better, not_better}, kWorse));
  cases.Add("one of three", With({not_better, better, better}, kWorse));
  cases.Add("two of three", With({not_better, not_better, better}, kWorse));
  cases.Add("of different margins", With({not_better, by_ten, better}, kWorse));
  cases.Add("with a regression", With({Slower(), not_better, open}, kWorse));
  ExpectGolden("sentences_better_several.txt", cases.text());
}

// Told in terms of margins: 0.8 of 5 %, and 0.6 of 2 %.
TEST(VerdictWordsTest, OfGatesThatPassedTheClosestToItsMarginIsTold) {
  v1::Comparison near = RegressionUpdate().comparisons(0);
  near.set_verdict(kPass);
  near.set_margin_ratio(0.05);
  near.set_benchmark("near");
  Set({0.01, 0.02, 0.04}, near.mutable_change());
  v1::Comparison far = near;
  far.set_margin_ratio(0.02);
  far.set_benchmark("far");
  Set({-0.01, 0.001, 0.012}, far.mutable_change());
  const auto told = [](const std::vector<v1::Comparison>& gates) {
    const auto lines = VerdictSentences(With(gates, kPass), kUtf8);
    return lines.size() == 2 ? lines[1] : "";
  };
  EXPECT_EQ(told({far, near}),
            "  closest to its margin: near: candidate is at most 4.0 % slower than base "
            "(+2.0 %, +1.0 … +4.0 %)");
  // A rate that may drop by 2 %, of which 1.8 % are used.
  v1::Comparison rate = Of(far, "rate", "1", v1::BETTER_HIGHER);
  Set({-0.018, -0.01, 0}, rate.mutable_change());
  EXPECT_TRUE(told({near, rate}).starts_with("  closest to its margin: far: candidate's rate is"));
  // Better by 6 % where 5 % are required leaves a fifth of the margin.
  v1::Comparison better = Required({-0.08, -0.07, -0.0501}, kPass);
  better.set_benchmark("better");
  EXPECT_TRUE(told({near, better}).starts_with("  closest to its margin: better: "))
      << told({near});
  // Constant values have no interval.
  for (v1::Comparison* gate : {&near, &far}) {
    gate->set_basis(v1::BASIS_EXACT);
    Set({0, 0, 0}, gate->mutable_difference());
  }
  EXPECT_EQ(told({near, far}), "");
}

// ---- words ----

TEST(VerdictWordsTest, OnlyAnIntervalThatExcludesTheImprovementIsNotBetter) {
  EXPECT_TRUE(IsNotBetter(Required(kALittle, kWorse)));
  EXPECT_FALSE(IsNotBetter(Required(kALittle, kPass)));
  EXPECT_FALSE(IsNotBetter(Required(kALittle, kOpen)));
  EXPECT_FALSE(IsNotBetter(Slower()));
  v1::Comparison missing = Required(kALittle, kWorse);
  missing.set_reason("missing_in_candidate");
  EXPECT_FALSE(IsNotBetter(missing));
  EXPECT_EQ(VerdictWords(missing, kUtf8), "regression");
  EXPECT_EQ(LeadingWord(missing), "REGRESSION");
  EXPECT_EQ(VerdictWords(Required(kALittle, kWorse), kUtf8), "not 5 % better");
  EXPECT_EQ(VerdictWords(Absolute(kALittle, kWorse), kUtf8), "not 5 ms better");
  EXPECT_EQ(VerdictWords(Slower(), kUtf8), "regression");
}

TEST(VerdictWordsTest, ASessionIsNotBetterIfNothingElseRegressed) {
  const v1::Comparison not_better = Required(kALittle, kWorse);
  const auto words = [](const std::vector<v1::Comparison>& gates) {
    const v1::Update update = With(gates, kWorse);
    return LeadingWord(update) + ", " + VerdictWords(update, kUtf8);
  };
  EXPECT_EQ(words({not_better}), "NOT BETTER, not 5 % better");
  EXPECT_EQ(words({not_better, Slower()}), "REGRESSION, regression");
  v1::Comparison by_ten = not_better;
  by_ten.set_margin_ratio(-0.1);
  EXPECT_EQ(words({not_better, by_ten}), "NOT BETTER, not better by the margin");
  EXPECT_EQ(VerdictWords(With({not_better}, kOpen), kUtf8), "undecided");
}

TEST(VerdictWordsTest, EveryOutputSaysNotBetterInsteadOfRegression) {
  const v1::Session session = SessionOf(Required(kALittle, kWorse));
  const v1::Update& report = session.report();
  ReportSource source;
  source.session = session;
  source.name = "k3x9m2pq";
  PlainNarrator narrator(kUtf8);
  v1::SessionEvent running;
  *running.mutable_update() = report;
  running.mutable_update()->set_state(v1::SESSION_STATE_RUNNING);
  LiveState live;
  live.session = "k3x9m2pq";
  live.update = running.update();
  const auto joined = [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  };
  for (const std::string& text :
       {RenderResultTable(report, RowsShown::kWhatMatters, "", kUtf8),
        RenderFindings(report, OptionsFor(session, Detail::kUsual), kUtf8),
        joined(narrator.Describe(running, 100)),
        joined(RenderLiveView(live, {false, true, 100}, 9)), Exported("markdown", session),
        Exported("junit", session), Exported("github", session), RenderReportPage({&source, 1})}) {
    EXPECT_TRUE(Has(text, "not 5 % better") || Has(text, "  not better")) << text;
    // The style sheet of the page has a class of that name.
    const bool page = text.starts_with("<!");
    EXPECT_TRUE(page || !Has(text, "regress")) << text;
    EXPECT_FALSE(Has(text, "REGRESS") || Has(text, "Regress")) << text;
  }
  EXPECT_TRUE(Has(Exported("json", session), R"("verdict":"regression")") ||
              Has(Exported("json", session), R"("verdict": "regression")"));
  EXPECT_TRUE(Has(RenderReportPage({&source, 1}), "Not 5 % better"));
}

// ---- improved ----

TEST(VerdictWordsTest, EveryExportSaysThatAGateIsImproved) {
  v1::Comparison gate = Required({-0.09, -0.08, -0.07}, kPass);
  const auto outputs = [](const v1::Comparison& of) {
    const v1::Session session = SessionOf(of);
    return std::vector<std::string>{
        RenderResultTable(session.report(), RowsShown::kWhatMatters, "", kUtf8),
        Exported("markdown", session), Exported("junit", session), Exported("github", session),
        Outcome(of)};
  };
  for (const std::string& text : outputs(gate)) EXPECT_FALSE(Has(text, "improved")) << text;
  gate.set_flag(v1::FLAG_IMPROVEMENT);
  for (const std::string& text : outputs(gate)) EXPECT_TRUE(Has(text, "improved")) << text;
  EXPECT_EQ(ResultWords(gate, kUtf8), "pass, improved");
  gate.set_verdict(kWorse);
  EXPECT_EQ(ResultWords(gate, kUtf8), "not 5 % better, improved");
  gate.set_role(v1::COMPARISON_ROLE_INFO);
  EXPECT_FALSE(IsImproved(gate)) << "a flag of its own";
}

}  // namespace
}  // namespace benchd::client
