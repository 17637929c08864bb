#include "client/present/sentence.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/client/golden.h"
#include "tests/client/present/sentence_cases.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

v1::Comparison GateWith(const Ends& change, v1::Verdict verdict) {
  v1::Comparison gate = RegressionUpdate().comparisons(0);
  gate.mutable_change()->set_lo(change.lo);
  gate.mutable_change()->set_estimate(change.estimate);
  gate.mutable_change()->set_hi(change.hi);
  gate.set_verdict(verdict);
  return gate;
}

v1::Comparison Absolute(v1::Comparison gate, double margin, const Ends& difference) {
  gate.set_margin_absolute(margin);
  gate.mutable_difference()->set_lo(difference.lo);
  gate.mutable_difference()->set_estimate(difference.estimate);
  gate.mutable_difference()->set_hi(difference.hi);
  return gate;
}

std::string FirstSentence(const v1::Update& update, const Asked& asked) {
  return VerdictSentences(WithFindings(update, asked.spec, asked.source), kUtf8)[0];
}

TEST(SentenceTest, EveryCaseOfARegression) {
  Cases cases;
  cases.Add("slower", GateWith({0.021, 0.089, 0.152}, kWorse));
  cases.Add("slower, known to a tenth of a per cent", GateWith({0.098, 0.102, 0.106}, kWorse));
  cases.Add("eight times slower", GateWith({6.9, 7.24, 8.1}, kWorse));
  cases.Add("another time", Of(GateWith({0.02, 0.088, 0.15}, kWorse), "cpu_time", "s"));
  cases.Add("a size", Of(GateWith({0.04, 0.05, 0.06}, kWorse), "max_rss", "B"));
  cases.Add("a rate", Of(GateWith({-0.06, -0.05, -0.04}, kWorse), "rate", "1", v1::BETTER_HIGHER));
  cases.Add("a size by an absolute margin",
            Absolute(Of(GateWith({0.0598, 0.06, 0.0602}, kWorse), "max_rss", "B"), 1048576,
                     {2.99e6, 3e6, 3.01e6}));
  cases.Add("wall time by an absolute margin",
            Absolute(GateWith({0.0598, 0.06, 0.0602}, kWorse), 0.001, {0.0012, 0.003, 0.0045}));
  v1::Comparison without = GateWith({0, 0.089, 0}, kWorse);
  without.mutable_change()->clear_lo();
  without.mutable_change()->clear_hi();
  cases.Add("a method without an interval", without);
  v1::Comparison guessed = GateWith({-0.006, 0.032, 0.07}, kWorse);
  guessed.clear_decided();
  v1::Update by_estimate = With({guessed}, kWorse);
  by_estimate.set_basis(v1::BASIS_ESTIMATE);
  cases.Add("by the estimate", by_estimate);
  ExpectGolden("sentences_regression.txt", cases.text());
}

TEST(SentenceTest, EveryCaseOfAPass) {
  Cases cases;
  cases.Add("within the margin", GateWith({-0.003, 0.004, 0.012}, kPass));
  cases.Add("the bound rounds to zero", GateWith({-0.03, -0.01, 0.0001}, kPass));
  cases.Add("a little faster", GateWith({-0.012, -0.003, -0.001}, kPass));
  cases.Add("much faster", GateWith({-0.213, -0.187, -0.16}, kPass));
  cases.Add("another time, faster", Of(GateWith({-0.213, -0.187, -0.16}, kPass), "cpu_time", "s"));
  cases.Add("another time, within the margin",
            Of(GateWith({-0.003, 0.004, 0.012}, kPass), "cpu_time", "s"));
  cases.Add("a rate, within the margin",
            Of(GateWith({-0.012, -0.003, 0.01}, kPass), "rate", "1", v1::BETTER_HIGHER));
  cases.Add("a rate, higher",
            Of(GateWith({0.04, 0.05, 0.06}, kPass), "rate", "1", v1::BETTER_HIGHER));
  cases.Add("a size by an absolute margin",
            Absolute(Of(GateWith({-0.001, 0, 0.001}, kPass), "max_rss", "B"), 1048576,
                     {-20480, 4096, 40960}));
  v1::Comparison guessed = GateWith({-0.006, 0.012, 0.03}, kPass);
  guessed.clear_decided();
  v1::Update by_estimate = With({guessed}, kPass);
  by_estimate.set_basis(v1::BASIS_ESTIMATE);
  cases.Add("by the estimate", by_estimate);
  ExpectGolden("sentences_pass.txt", cases.text());
}

TEST(SentenceTest, OfConstantValuesTheDifferenceIsTold) {
  const auto said = [](double difference, v1::Verdict verdict) {
    // A ratio of 0.0 % would not show one more of a million.
    const double change = difference / 1e6;
    v1::Comparison gate = Of(GateWith({change, change, change}, verdict), "instructions", "1");
    for (const auto set : {&v1::Effect::set_lo, &v1::Effect::set_hi, &v1::Effect::set_estimate}) {
      (gate.mutable_difference()->*set)(difference);
    }
    gate.set_basis(v1::BASIS_EXACT);
    return VerdictSentence(gate, kUtf8);
  };
  const std::string subject = "candidate's instructions is ";
  EXPECT_EQ(said(0, kPass),
            "PASS: " + subject + "not higher than base's, decided on constant values");
  EXPECT_EQ(said(1, kWorse),
            "REGRESSION: " + subject + "1 higher than base's, decided on constant values");
  EXPECT_EQ(said(-2, kPass),
            "PASS: " + subject + "2 lower than base's, decided on constant values");
}

TEST(SentenceTest, TheLinesOfLayoutsNameTheirGate) {
  v1::Comparison wall = GateWith({-0.01, 0.004, 0.02}, kOpen);
  wall.set_method(v1::METHOD_LAYOUTS);
  for (const auto set : {&v1::Comparison::set_mean_reference, &v1::Comparison::set_mean_candidate})
    (wall.*set)(1);
  for (const auto set : {&v1::Comparison::set_sd_reference, &v1::Comparison::set_sd_candidate})
    (wall.*set)(0.02);
  const v1::Update one = With({wall}, kOpen);
  EXPECT_TRUE(LayoutSentence(wall, one, kUtf8).starts_with("effect of the code: +0.4 ± "));
  const v1::Comparison cpu = Of(wall, "cpu_time", "s");
  const v1::Update two = With({wall, cpu}, kOpen);
  const std::string of_wall = LayoutSentence(wall, two, kUtf8);
  const std::string of_cpu = LayoutSentence(cpu, two, kUtf8);
  EXPECT_TRUE(of_wall.starts_with("candidate vs base wall_time: effect of the code: ")) << of_wall;
  EXPECT_TRUE(of_cpu.starts_with("candidate vs base cpu_time: effect of the code: ")) << of_cpu;
}

/// A gate whose change has one end.
v1::Comparison OneEnded(std::optional<double> lo, double estimate, std::optional<double> hi,
                        v1::Verdict verdict, v1::Better better = v1::BETTER_LOWER) {
  v1::Comparison gate = GateWith({0, estimate, 0}, verdict);
  gate.set_better(better);
  gate.mutable_change()->clear_lo();
  gate.mutable_change()->clear_hi();
  if (lo) gate.mutable_change()->set_lo(*lo);
  if (hi) gate.mutable_change()->set_hi(*hi);
  return gate;
}

TEST(SentenceTest, AnIntervalWithOneEndIsABound) {
  const auto said = [](const v1::Comparison& gate) { return GateSentence(gate, kUtf8); };
  const auto of_rate = [](std::optional<double> lo, double estimate, v1::Verdict verdict) {
    return Of(OneEnded(lo, estimate, {}, verdict), "rate", "1", v1::BETTER_HIGHER);
  };
  EXPECT_EQ(said(OneEnded({}, 0.004, 0.012, kPass)),
            "candidate is at most 1.2 % slower than base (+0.4 %, at most +1.2 %)");
  EXPECT_EQ(said(OneEnded({}, -0.1, -0.04, kPass)),
            "candidate is 10.0 % faster (0.90 times, at most 0.96) than base");
  EXPECT_EQ(said(of_rate(-0.012, -0.004, kPass)),
            "candidate's rate is at most 1.2 % lower than base's (-0.4 %, at least -1.2 %)");
  EXPECT_EQ(said(of_rate(0.012, 0.03, kPass)),
            "candidate's rate is 3.0 % higher (at least 1.2 %) than base's");
  EXPECT_EQ(said(OneEnded(0.03, 0.04, {}, kWorse)),
            "candidate is 4.0 % slower (at least 3.0 %) than base");
  EXPECT_EQ(said(OneEnded({}, 0.004, 0.03, kOpen)),
            "candidate is at most 3.0 % slower than base (margin 2 %)");
  EXPECT_EQ(said(OneEnded({}, -0.03, -0.01, kOpen)),
            "candidate is at least 1.0 % faster than base (margin 2 %)");
  EXPECT_EQ(said(OneEnded(-0.03, 0.01, {}, kOpen)),
            "candidate is at most 3.0 % faster than base (margin 2 %)");
  EXPECT_EQ(said(OneEnded(0.01, 0.03, {}, kOpen)),
            "candidate is at least 1.0 % slower than base (margin 2 %)");
  const Judged vague = JudgedBy(OneEnded({}, 0.5, 1e20, kOpen));
  EXPECT_EQ(vague.Interval(kUtf8), "wider than 1000 times");
}

// The runs give no usable bound, as with two runs of `echo 1`.
TEST(SentenceTest, WhatHasNoBoundIsToldInWords) {
  const Ends boundless{-0.9999999, 1.2, 1.6592927066541146e23};
  Asked limits;
  Cases cases;
  cases.Add("by its time", GateWith(boundless, kOpen), limits);
  cases.Add("of a size", Of(GateWith(boundless, kOpen), "max_rss", "B"), limits);
  limits.spec.limits.runs = 2;
  cases.Add("by its number of runs", GateWith(boundless, kOpen), limits);
  cases.Add("far slower", GateWith({1e5, 2e6, 3e7}, kWorse), limits);
  cases.Add("far faster", GateWith({-0.9999999, -0.999999, -0.99999}, kPass), limits);
  ExpectGolden("sentences_boundless.txt", cases.text());
  EXPECT_EQ(cases.text().find("000000"), std::string::npos) << cases.text();
}

TEST(SentenceTest, NoForecastIsBeyondWhatTheOptionsTake) {
  // Some 1.5 million times as many runs: an interval of 4000 % against a margin of 2 %.
  Asked limits;
  limits.spec.limits.runs = 12;
  const v1::Comparison gate = GateWith({-0.95, 0.019, 40}, kOpen);
  EXPECT_WORDING(FirstSentence(With({gate}, kOpen), limits));
  limits.spec.limits.runs.reset();
  v1::Update slow = With({gate}, kOpen);
  slow.set_elapsed_seconds(3600);
  EXPECT_WORDING(FirstSentence(slow, limits));
}

TEST(SentenceTest, AnUndecidedOneSaysWhatWouldDecideIt) {
  v1::Comparison open = GateWith({-0.006, 0.012, 0.0305}, kOpen);
  open.clear_decided();
  Asked limits;
  Cases cases;
  cases.Add("by its time", open, limits);
  cases.Add("near to the margin", GateWith({0.006, 0.0195, 0.033}, kOpen), limits);
  cases.Add("on one side of zero", GateWith({0.006, 0.025, 0.045}, kOpen), limits);
  cases.Add("hardly known yet", GateWith({-0.096, 0.019, 0.173}, kOpen), limits);
  limits.spec.limits.runs = 12;
  cases.Add("by its number of runs", open, limits);
  limits.spec.limits.runs.reset();
  limits.spec.limits.max_runs = 12;
  cases.Add("by its greatest number of runs", open, limits);
  limits.spec.rule.kind = RuleKind::kPrecision;
  limits.spec.rule.width = 0.018;
  cases.Add("not yet as precise", open, limits);
  v1::Comparison precise = open;
  precise.mutable_decided()->set_blocks(12);
  cases.Add("precise enough", precise, limits);
  Asked fail_fast;
  fail_fast.spec.limits.fail_fast = true;
  v1::Update stopped = With({GateWith({0.021, 0.089, 0.152}, kWorse), open}, kWorse);
  cases.Add("a regression elsewhere ended it", stopped, fail_fast);
  const Asked table{.spec = {}, .source = DataSource::kTable};
  cases.Add("a file", open, table);
  cases.Add("without an interval", EarlyUpdate());
  v1::Update stuck = With({open}, kOpen);
  v1::Warning* warning = stuck.add_warnings();
  warning->set_code("resolution");
  warning->set_benchmark("main");
  warning->set_arm("candidate");
  cases.Add("a warning says why", stuck);
  ExpectGolden("sentences_undecided.txt", cases.text());
}

TEST(SentenceTest, SeveralGatesAreCounted) {
  const v1::Comparison worse = GateWith({0.021, 0.089, 0.152}, kWorse);
  const v1::Comparison fine = Of(GateWith({-0.003, 0.004, 0.012}, kPass), "max_rss", "B");
  v1::Comparison open = Of(GateWith({-0.006, 0.012, 0.0305}, kOpen), "cpu_time", "s");
  open.clear_decided();
  Cases cases;
  cases.Add("of two both pass", With({fine, fine}, kPass));
  cases.Add("of two both regress", With({worse, worse}, kWorse));
  cases.Add("all of three", With({fine, fine, fine}, kPass));
  cases.Add("one of three regresses", With({worse, fine, fine}, kWorse));
  cases.Add("one of each", With({worse, open, fine}, kWorse));
  cases.Add("one of two is open", With({open, fine}, kOpen));
  cases.Add("a suite", SuiteUpdate());
  v1::Comparison a = GateWith({-0.213, -0.187, -0.16}, kPass);
  v1::Comparison b = GateWith({-0.003, 0.004, 0.012}, kPass);
  b.set_candidate("b");
  a.set_candidate("a");
  cases.Add("several candidates are told one by one", With({a, b}, kPass));
  v1::Update many = With({}, kWorse);
  for (int i = 0; i < 9; ++i) *many.add_comparisons() = worse;
  cases.Add("more than anybody reads", many);
  cases.Add("none", With({}, kPass));
  v1::Update early = With({}, v1::VERDICT_UNDECIDED);
  early.clear_runs();
  cases.Add("no block was complete at the limit", early);
  ExpectGolden("sentences_several.txt", cases.text());
}

TEST(SentenceTest, APassOfItsOwnConfidenceNamesIt) {
  v1::Comparison pass = GateWith({-0.003, 0.004, 0.012}, kPass);
  const std::string usual = GateSentence(pass, kUtf8);
  pass.set_pass_confidence(0.95);
  EXPECT_EQ(GateSentence(pass, kUtf8), usual + ", with 95 % confidence");
  v1::Comparison worse = GateWith({0.021, 0.089, 0.152}, kWorse);
  const std::string regression = GateSentence(worse, kUtf8);
  worse.set_pass_confidence(0.95);
  EXPECT_EQ(GateSentence(worse, kUtf8), regression) << "a regression has the usual confidence";
}

TEST(SentenceTest, CountsWhatADecisionTook) {
  v1::Comparison gate = RegressionUpdate().comparisons(0);
  EXPECT_EQ(DecisionCount(gate, 8), "8 pairs");
  EXPECT_EQ(DecisionCount(gate, 1), "1 pair");
  EXPECT_EQ(DecidedEarlier(gate), "") << "at the last look";
  gate.mutable_decided()->set_blocks(8);
  EXPECT_TRUE(DecidedEarlier(gate).ends_with(DecisionCount(gate, 8)));
  EXPECT_WORDING(DecidedEarlier(gate));
  v1::Comparison together = gate;
  together.mutable_decided()->set_by("holm");
  EXPECT_EQ(DecidedEarlier(together), DecidedEarlier(gate) + " by holm");
  together.mutable_decided()->set_blocks(together.n_candidate());
  EXPECT_EQ(DecidedEarlier(together), "decided by holm") << "at the last look";
  gate.set_method(v1::METHOD_WELCH);
  EXPECT_EQ(DecisionCount(gate, 8), "8 blocks");
  EXPECT_EQ(DecisionCount(gate, 20), "20 runs") << "more than the 12 values of an arm";
  gate.set_method(v1::METHOD_FIXED);
  gate.mutable_decided()->set_blocks(24);
  EXPECT_EQ(DecidedEarlier(gate), "") << "one look at all";
}

}  // namespace
}  // namespace benchd::client
