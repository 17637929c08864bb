#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "client/present/findings.h"
#include "client/present/json.h"
#include "client/present/report.h"
#include "client/present/sentence.h"
#include "core/model/verdict_reason.h"
#include "tests/client/golden.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

constexpr Style kPipe{false, true, 0};
constexpr Style kPlainAscii{false, false, 0};

Style Terminal(int width) { return {false, true, width}; }

int WidestOf(const std::string& text) { return Widest(Lines(text)); }

std::string ResultOf(const v1::Session& session, const Style& style,
                     Detail detail = Detail::kUsual) {
  return RenderFindings(session.report(), OptionsFor(session, detail), style);
}

// Two candidates against one reference.
v1::Update TwoCandidates() {
  v1::Update update = RegressionUpdate();
  update.clear_warnings();
  const v1::Update once = update;
  for (const v1::Comparison& c : once.comparisons()) {
    *update.add_comparisons() = c;
    update.mutable_comparisons(update.comparisons_size() - 1)->set_candidate("candidate-2");
  }
  return update;
}

TEST(ResultTest, OneGateIsTenLinesAtMostAndFitsATerminal) {
  const v1::Session session = SampleSession();
  const std::string text = ResultOf(session, Terminal(80));
  EXPECT_LE(std::ranges::count(text, '\n'), 10) << text;
  EXPECT_LE(WidestOf(text), 80) << text;
  ExpectGolden("result_regression.txt", ResultOf(session, kPipe));
  ExpectGolden("result_regression_color.txt", ResultOf(session, {true, true, 80}));
  ExpectGolden("result_regression_ascii.txt", ResultOf(session, kPlainAscii));
}

TEST(ResultTest, AsciiStaysAscii) {
  for (const char c : ResultOf(SampleSession(), kPlainAscii, Detail::kAll)) {
    EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  }
}

TEST(ResultTest, VerboseHasEverythingAndQuietTheVerdictAlone) {
  v1::Session session = SampleSession();
  session.mutable_report()->mutable_comparisons(0)->set_pairing_gain(0.4);
  ExpectGolden("result_verbose.txt", ResultOf(session, kPipe, Detail::kAll));
  const std::string quiet = ResultOf(session, kPipe, Detail::kVerdict);
  EXPECT_TRUE(quiet.starts_with("REGRESSION: ")) << quiet;
  EXPECT_WORDING(quiet);
}

TEST(ResultTest, SaysWhatPairingSavedWithAllDetails) {
  v1::Session session = SampleSession();
  v1::Comparison* gate = session.mutable_report()->mutable_comparisons(0);
  // 1 - 0.4^2, because the number of runs grows with the square of the standard error.
  gate->set_pairing_gain(0.4);
  EXPECT_EQ(ResultOf(session, kPipe).find("pairing"), std::string::npos);
  const std::string saved = LineWith(ResultOf(session, kPipe, Detail::kAll), "pairing: ");
  EXPECT_NE(saved.find("84 %"), std::string::npos) << saved;
  EXPECT_WORDING(saved);
  gate->set_pairing_gain(1.1);
  EXPECT_WORDING(LineWith(ResultOf(session, kPipe, Detail::kAll), "pairing: "));
}

TEST(ResultTest, ASuiteIsTheSameTable) {
  ExpectGolden("result_suite.txt", ResultOf(SuiteSession(), kPipe));
}

TEST(ResultTest, NarrowTerminalsLoseColumnsAndNeverBreakACell) {
  std::string golden;
  for (const int width : {100, 80, 60, 40, 24}) {
    golden += "# " + std::to_string(width) + "\n";
    for (const v1::Update& update : {RegressionUpdate(), SuiteUpdate(), TwoCandidates()}) {
      const std::string text =
          RenderResultTable(update, RowsShown::kWhatMatters, "", Terminal(width));
      EXPECT_LE(WidestOf(text), width) << text;
      golden += text + "\n";
    }
  }
  ExpectGolden("result_widths.txt", golden);
}

TEST(ResultTest, WideCharactersAlign) {
  v1::Update update = SuiteUpdate();
  for (v1::Comparison& c : *update.mutable_comparisons()) {
    c.set_benchmark(c.benchmark() == "parse" ? "解析" : "ページを描く");
    c.set_candidate("候補");
  }
  std::string golden;
  for (const int width : {0, 80, 40}) {
    golden += RenderResultTable(update, RowsShown::kWhatMatters, "", Terminal(width)) + "\n";
  }
  ExpectGolden("result_cjk.txt", golden);
}

TEST(ResultTest, OnlyWhatIsStillChangedHasARowBesideTheGates) {
  v1::Session session = SuiteSession();
  v1::Comparison* info = session.mutable_report()->add_comparisons();
  *info = session.report().comparisons(0);
  info->set_role(v1::COMPARISON_ROLE_INFO);
  info->set_metric("cpu_time");
  info->clear_verdict();
  info->set_flag(v1::FLAG_IMPROVEMENT);
  EXPECT_NE(ResultOf(session, kPipe).find("improved"), std::string::npos);
  info->mutable_change()->set_hi(0.3);
  const std::string text = ResultOf(session, kPipe);
  EXPECT_EQ(text.find("cpu_time"), std::string::npos) << text;
  EXPECT_WORDING(LineWith(text, "1 other"));
}

TEST(ResultTest, OfManyChangesTheFirstTenAreShown) {
  v1::Update update = RegressionUpdate();
  for (int i = 0; i < 12; ++i) {
    v1::Comparison* c = update.add_comparisons();
    *c = update.comparisons(1);
    c->set_metric("m" + std::to_string(i));
  }
  const std::string text = RenderResultTable(update, RowsShown::kWhatMatters, "", kPipe);
  EXPECT_WORDING(LineWith(text, "3 more"));
  EXPECT_WORDING(LineWith(text, "1 other"));
  EXPECT_EQ(text.find("m9"), std::string::npos) << text;
  // After the end of the session, an option of the finished command would not help.
  const std::string later = RenderResultTable(update, RowsShown::kWhatMatters, "k3x9m2pq", kPipe);
  EXPECT_WORDING(LineWith(later, "benchctl show k3x9m2pq"));
}

TEST(ResultTest, TreeCpuTimeHasARowOnlyWhereItDiffersFromCpuTime) {
  v1::Update update = RegressionUpdate();
  const auto add = [&update](const char* metric, double reference, double candidate) {
    v1::Comparison* c = update.add_comparisons();
    *c = update.comparisons(1);
    c->set_metric(metric);
    c->set_mean_reference(reference);
    c->set_mean_candidate(candidate);
    return c;
  };
  ASSERT_EQ(update.comparisons(1).metric(), "cpu_time");  // 9.8 and 10.8 ms
  v1::Comparison* tree = add("tree_cpu_time", 0.00981, 0.01083);
  for (const RowsShown shown : {RowsShown::kWhatMatters, RowsShown::kAll}) {
    const std::string text = RenderResultTable(update, shown, "", kPipe);
    EXPECT_EQ(text.find("\ntree_cpu_time "), std::string::npos) << text;
    EXPECT_EQ(text.find("tree_cpu_time: ") != std::string::npos, shown == RowsShown::kAll) << text;
    if (shown == RowsShown::kAll) {
      EXPECT_WORDING(LineWith(text, "tree_cpu_time: "));
    }
  }
  const auto has_a_row = [&update] {
    return RenderResultTable(update, RowsShown::kWhatMatters, "", kPipe).find("\ntree_cpu_time ") !=
           std::string::npos;
  };
  tree->set_mean_candidate(0.016);  // a worker that was not waited for
  EXPECT_TRUE(has_a_row());
  tree->set_mean_candidate(0.01083);
  EXPECT_FALSE(has_a_row());
  tree->set_role(v1::COMPARISON_ROLE_GATE);
  EXPECT_TRUE(has_a_row());
}

TEST(ResultTest, AMetricWithoutADirectionDiffers) {
  v1::Update update = RegressionUpdate();
  v1::Comparison* c = update.mutable_comparisons(1);
  c->clear_better();
  c->clear_flag();
  EXPECT_NE(RenderResultTable(update, RowsShown::kWhatMatters, "", kPipe).find("differs"),
            std::string::npos);
}

TEST(ResultTest, AMissingBenchmarkHasNoDirection) {
  v1::Update update = RegressionUpdate();
  v1::Comparison* c = update.mutable_comparisons(0);
  c->set_metric("benchmark");
  c->clear_better();
  for (const Style& style : {kPipe, Style{.unicode = true}}) {
    const std::string table = RenderResultTable(update, RowsShown::kAll, "", style);
    EXPECT_NE(table.find("benchmark"), std::string::npos);
    EXPECT_EQ(table.find("is better"), std::string::npos) << table;
    EXPECT_EQ(table.find("\u2191"), std::string::npos) << table;
  }
}

// The sentence, the row and `change` in JSON all have the interval of the last look, so that they
// agree.
TEST(ResultTest, RowAndSentenceShowTheLastLook) {
  v1::Session session = SampleSession();
  v1::Comparison& gate = *session.mutable_report()->mutable_comparisons(0);
  gate.set_verdict(v1::VERDICT_PASS);
  gate.mutable_change()->set_hi(0.09);
  gate.mutable_change()->set_lo(-0.03);
  gate.mutable_decided()->set_blocks(8);
  gate.mutable_decided()->set_lo(-0.005);
  gate.mutable_decided()->set_hi(0.015);
  const std::string result = ResultOf(session, kPipe, Detail::kAll);
  EXPECT_NE(result.find("-3.0 … +9.0 %"), std::string::npos) << result;
  EXPECT_WORDING(LineWith(result, "8 pairs"));
  EXPECT_EQ(result.find("1.5 %"), std::string::npos) << result;
}

TEST(ResultTest, AllTimesInOneUnit) {
  Style style = kPipe;
  style.time_unit = "s";
  const std::string text =
      RenderResultTable(RegressionUpdate(), RowsShown::kWhatMatters, "", style);
  EXPECT_NE(text.find("wall_time  0.01012 s  0.01115 s"), std::string::npos) << text;
}

TEST(ResultTest, AGateThatWasDecidedOnConstantsIsExactAndHasNoInterval) {
  v1::Session session = SampleSession();
  v1::Comparison& gate = *session.mutable_report()->mutable_comparisons(0);
  gate.set_metric("allocs/op");
  gate.set_unit("1");
  gate.set_mean_reference(5);
  gate.set_mean_candidate(6);
  gate.set_margin_absolute(1);
  gate.set_exact(true);
  for (v1::Effect* effect : {gate.mutable_change(), gate.mutable_difference()}) {
    for (const auto set : {&v1::Effect::set_lo, &v1::Effect::set_hi, &v1::Effect::set_estimate}) {
      (effect->*set)(1);
    }
  }
  const auto row = [&session] {
    for (const std::string& line : Lines(ResultOf(session, kPlainAscii))) {
      if (line.starts_with("allocs/op")) return line;
    }
    return std::string();
  };
  gate.mutable_difference()->set_lo(0.5);
  EXPECT_EQ(row().find("exact"), std::string::npos) << "its values vary, so it has a margin";
  gate.mutable_difference()->set_lo(1);
  gate.set_basis(v1::BASIS_EXACT);
  const std::string constant = row();
  EXPECT_NE(constant.find(" +1 "), std::string::npos) << constant;
  EXPECT_NE(constant.find(" - "), std::string::npos) << constant;
  EXPECT_NE(constant.find(" exact "), std::string::npos) << constant;
  EXPECT_NE(Exported("markdown", session).find("exact"), std::string::npos);
}

// No output omits the reason of a gate or a warning that invalidates the verdict.
TEST(ReasonTest, EveryReasonStandsInEveryOutput) {
  for (const VerdictReason& reason : kVerdictReasons) {
    SCOPED_TRACE(reason.code);
    v1::Session session = SampleSession();
    v1::Comparison& gate = *session.mutable_report()->mutable_comparisons(0);
    gate.set_reason(std::string(reason.code));
    const std::string sentence = GateSentence(gate, kPipe);
    EXPECT_EQ(sentence.find('{'), std::string::npos) << sentence;
    const std::string result = ResultOf(session, kPipe);
    EXPECT_NE(result.find("REGRESSION, " + std::string(reason.words)), std::string::npos) << result;
    EXPECT_NE(result.find(sentence), std::string::npos) << result;
    EXPECT_NE(Exported("markdown", session).find("regression, " + std::string(reason.words)),
              std::string::npos);
    EXPECT_NE(Exported("junit", session).find(sentence), std::string::npos);
    EXPECT_NE(Exported("github", session).find(sentence), std::string::npos);
    EXPECT_NE(ExportJson(session, {}).find("\"reason\":\"" + std::string(reason.code)),
              std::string::npos);
  }
}

TEST(ReasonTest, WhatInvalidatesStandsInEveryOutput) {
  v1::Session session = SampleSession();
  v1::Warning& warning = *session.mutable_report()->mutable_warnings(0);
  warning.set_severity(v1::SEVERITY_INVALIDATES);
  warning.set_message("the assumptions do not hold");
  warning.set_code("of_a_newer_daemon");
  v1::Comparison& gate = *session.mutable_report()->mutable_comparisons(0);
  gate.set_reason("of_a_newer_daemon");
  gate.set_verdict(v1::VERDICT_UNDECIDED);
  const std::string markdown = Exported("markdown", session);
  for (const std::string& text :
       {ResultOf(session, kPipe), ExportJson(session, {}), Exported("junit", session), markdown}) {
    EXPECT_NE(text.find("the assumptions do not hold"), std::string::npos) << text;
  }
  EXPECT_LT(markdown.find("the assumptions do not hold"), markdown.find("<details>"));
  EXPECT_NE(Exported("github", session).find("undecided: of a newer daemon"), std::string::npos);
}

TEST(ReasonTest, OfABisectionWhatIsMissingIsSkipped) {
  v1::Session session = SampleSession();
  v1::Comparison& gate = *session.mutable_report()->mutable_comparisons(0);
  EXPECT_TRUE(RenderBisectStep(session, kPipe).starts_with("bad: "));
  gate.set_reason("missing_in_candidate");
  EXPECT_TRUE(RenderBisectStep(session, kPipe).starts_with("skip: "));
}

TEST(WarningsTest, OnlyThoseToActOnAreShownAndSayWhatToDo) {
  v1::Update update = RegressionUpdate();
  EXPECT_EQ(RenderWarnings(update, WarningsShown::kToActOn, kPipe), "") << "outliers inform";
  EXPECT_NE(RenderWarnings(update, WarningsShown::kAll, kPipe)
                .find("warning: candidate: 2 of 12 values lie far out"),
            std::string::npos);
  update.mutable_warnings(0)->set_code("runs_incomplete");  // an older daemon sends only the code
  const std::string advice = RenderWarnings(update, WarningsShown::kToActOn, kPipe);
  EXPECT_NE(advice.find("--max-time"), std::string::npos) << advice;
  EXPECT_WORDING(advice);
  update.mutable_warnings(0)->set_code("of_a_newer_daemon");
  EXPECT_NE(RenderWarnings(update, WarningsShown::kToActOn, kPipe), "");
}

TEST(WarningsTest, TheDaemonSaysHowMuchAWarningMattersAndWhatToDo) {
  v1::Update update = RegressionUpdate();
  v1::Warning& warning = *update.mutable_warnings(0);
  warning.set_severity(v1::SEVERITY_INVALIDATES);
  warning.set_hint("measure less");
  EXPECT_TRUE(RenderWarnings(update, WarningsShown::kToActOn, kPipe).ends_with("; measure less\n"));
  warning.set_code("runs_incomplete");
  warning.clear_hint();
  EXPECT_EQ(RenderWarnings(update, WarningsShown::kToActOn, kPipe).find("max-time"),
            std::string::npos)
      << "the daemon gave no advice";
  warning.set_severity(v1::SEVERITY_NOTE);
  EXPECT_EQ(RenderWarnings(update, WarningsShown::kToActOn, kPipe), "");
}

TEST(WarningsTest, OfASuiteOneOfAKindIsTold) {
  v1::Update update = SuiteUpdate();
  for (int i = 0; i < 5; ++i) {
    v1::Warning* warning = update.add_warnings();
    warning->set_code("warmup");
    warning->set_benchmark("b" + std::to_string(i));
    warning->set_message("it warms up");
  }
  EXPECT_WORDING(RenderWarnings(update, WarningsShown::kToActOn, kPipe));
}

v1::Warning FailedRuns(const std::string& benchmark, const std::string& arm, int failed,
                       int runs = 20) {
  v1::Warning warning;
  warning.set_code("failed_runs");
  warning.set_benchmark(benchmark);
  warning.set_arm(arm);
  warning.set_share(static_cast<double>(failed) / runs);
  warning.set_message(std::to_string(failed) + " of " + std::to_string(runs) + " runs of " + arm +
                      " failed, but count like any other");
  return warning;
}

TEST(WarningsTest, OfEachArmOneIsTold) {
  v1::Session session = SampleSession();
  v1::Update& update = *session.mutable_report();
  *update.add_warnings() = FailedRuns("main", "base", 1);
  *update.add_warnings() = FailedRuns("main", "candidate", 18);
  const std::string told = RenderWarnings(update, WarningsShown::kToActOn, kPipe);
  for (const std::string& text : {told, Exported("markdown", session)}) {
    EXPECT_NE(text.find("1 of 20 runs of base failed"), std::string::npos) << text;
    EXPECT_NE(text.find("18 of 20 runs of candidate failed"), std::string::npos) << text;
  }
  EXPECT_WORDING(told);
}

TEST(WarningsTest, OfASuiteTheWorstOfAKindIsTold) {
  v1::Update update = SuiteUpdate();
  *update.add_warnings() = FailedRuns("b0", "base", 1);
  *update.add_warnings() = FailedRuns("b0", "candidate", 2);
  *update.add_warnings() = FailedRuns("b1", "candidate", 18);
  *update.add_warnings() = FailedRuns("b2", "candidate", 18, 40);
  v1::Warning* const values = update.add_warnings();
  values->set_code("resolution");
  values->set_severity(v1::SEVERITY_CAUTION);
  values->set_message("a step is near");
  *update.add_warnings() = *values;
  update.mutable_warnings()->rbegin()->set_severity(v1::SEVERITY_INVALIDATES);
  update.mutable_warnings()->rbegin()->set_message("a step is too large");
  EXPECT_WORDING(RenderWarnings(update, WarningsShown::kToActOn, kPipe));
}

TEST(WarningsTest, TheBuildsOfAnArmAreOneArm) {
  v1::Update update = RegressionUpdate();
  update.clear_warnings();
  for (v1::Comparison& c : *update.mutable_comparisons()) c.set_method(v1::METHOD_LAYOUTS);
  *update.add_warnings() = FailedRuns("main", "base/1", 1);
  *update.add_warnings() = FailedRuns("main", "candidate/1", 1);
  *update.add_warnings() = FailedRuns("main", "candidate/2", 3);
  EXPECT_WORDING(RenderWarnings(update, WarningsShown::kToActOn, kPipe));
}

struct GroupOfArms {
  std::vector<std::string> arms;
  std::vector<std::pair<std::string, std::string>> clear = {};
};

v1::ArmOrder OrderOf(std::initializer_list<GroupOfArms> groups) {
  v1::ArmOrder order;
  order.set_benchmark("main");
  order.set_metric("wall_time");
  for (const auto& [arms, clear] : groups) {
    v1::ArmGroup* const group = order.add_groups();
    for (const std::string& arm : arms) group->add_arms(arm);
    for (const auto& [better, worse] : clear) {
      v1::ClearPair* const pair = group->add_clear();
      pair->set_better(better);
      pair->set_worse(worse);
    }
  }
  return order;
}

std::string Ordered(const v1::ArmOrder& order, v1::Update update = {}) {
  *update.add_orders() = order;
  return RenderArmOrder(update, Style());
}

TEST(ArmOrderTest, SaysNoMoreThanThePairsDo) {
  EXPECT_WORDING(Ordered(OrderOf({{{"b"}}, {{"a"}}, {{"c"}}})));
  EXPECT_WORDING(Ordered(OrderOf({{{"a", "b", "c"}}})));
  EXPECT_WORDING(Ordered(OrderOf({{{"c"}}, {{"a", "b"}}})));
  EXPECT_WORDING(Ordered(OrderOf({{{"a", "b", "c"}, {{"a", "c"}}}})));
  EXPECT_EQ(RenderArmOrder({}, Style()), "");
}

// The values of the arms are means, whatever the gates compare.
TEST(EstimatorNoteTest, NamesTheEstimatorOfTheGates) {
  v1::Update update = RegressionUpdate();
  EXPECT_EQ(EstimatorNote(update), "");
  v1::Comparison* const gate = update.mutable_comparisons(0);
  gate->mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_MEDIAN);
  EXPECT_EQ(EstimatorNote(update),
            "the gates compare by --estimator median; the values of the arms are means");
  gate->mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_QUANTILE);
  gate->mutable_estimator()->set_quantile(0.9);
  EXPECT_EQ(EstimatorNote(update),
            "the gates compare by --estimator quantile:0.9; the values of the arms are means");
  gate->set_better(v1::BETTER_HIGHER);
  EXPECT_EQ(EstimatorNote(update),
            "the gates compare by --estimator quantile:0.9, counted from the fast end; the values "
            "of the arms are means");
  EXPECT_NE(RenderFindings(update, {}, Style()).find("counted from the fast end"),
            std::string::npos);
}

TEST(ArmOrderTest, APairWithoutAnIntervalIsNotCalledAlike) {
  const auto lacks = [](v1::ArmOrder order, int group,
                        std::initializer_list<std::pair<std::string, std::string>> pairs) {
    for (const auto& [first, second] : pairs) {
      v1::ArmPair* const pair = order.mutable_groups(group)->add_without_interval();
      pair->set_first(first);
      pair->set_second(second);
    }
    return order;
  };
  const v1::ArmOrder two = OrderOf({{{"a", "b"}}});
  EXPECT_WORDING(Ordered(lacks(two, 0, {{"a", "b"}})));
  const v1::ArmOrder three = OrderOf({{{"a", "b", "c"}}});
  EXPECT_WORDING(Ordered(lacks(three, 0, {{"a", "b"}, {"a", "c"}, {"b", "c"}})));
  EXPECT_WORDING(Ordered(lacks(three, 0, {{"a", "b"}, {"a", "c"}})));
  EXPECT_WORDING(Ordered(lacks(OrderOf({{{"a", "b", "c"}, {{"a", "c"}}}}), 0, {{"a", "b"}})));
  const v1::ArmOrder four = OrderOf({{{"z"}}, {{"a", "b", "c", "d"}}});
  EXPECT_WORDING(Ordered(lacks(four, 1, {{"a", "b"}, {"a", "c"}, {"b", "c"}})));
}

void AddFactor(v1::ArmOrder* order, const std::string& arm, double estimate,
               std::optional<double> lo, std::optional<double> hi) {
  v1::ArmFactor* const factor = order->add_factors();
  factor->set_arm(arm);
  factor->mutable_factor()->set_estimate(estimate);
  if (lo) factor->mutable_factor()->set_lo(*lo);
  if (hi) factor->mutable_factor()->set_hi(*hi);
}

TEST(ArmOrderTest, EveryArmButTheFirstHasItsFactor) {
  v1::ArmOrder order = OrderOf({{{"zstd"}}, {{"gzip"}}, {{"bzip2", "lzma"}}, {{"xz"}}});
  AddFactor(&order, "gzip", 3.7213, 3.518, 3.914);
  AddFactor(&order, "bzip2", 17.02, 16.6, 17.5);
  AddFactor(&order, "lzma", 17.3, 16.4, 18.3);
  AddFactor(&order, "xz", 33.11, 32.2, 34.0);
  EXPECT_WORDING(Ordered(order));
  order.mutable_factors(3)->mutable_factor()->set_estimate(4000);
  order.mutable_factors(0)->mutable_factor()->clear_hi();
  order.mutable_factors()->DeleteSubrange(1, 2);
  EXPECT_WORDING(Ordered(order));
  order.mutable_groups()->DeleteSubrange(1, 3);
  EXPECT_EQ(Ordered(order), "zstd: no clear difference\n");
}

TEST(ArmOrderTest, NamesAnotherMetricAndTheBenchmarks) {
  v1::ArmOrder rate = OrderOf({{{"b"}}, {{"a"}}});
  rate.set_benchmark("parse");
  rate.set_metric("rate");
  rate.set_better(v1::BETTER_HIGHER);
  EXPECT_WORDING(Ordered(rate));
  EXPECT_WORDING(Ordered(rate, SuiteUpdate()));
}

TEST(WorstRunsTest, TellsTheirCauses) {
  v1::Update update;
  v1::WorstRun* run = update.add_worst_runs();
  run->set_number(25);
  run->set_arm("base");
  run->set_unit("s");
  run->set_value(0.031);
  run->set_ratio(3.1);
  for (const auto& [metric, value] :
       {std::pair("interrupts", 212.0), std::pair("stolen_time", 0.02),
        std::pair("involuntary_switches", 1.0)}) {
    v1::RunCause* const cause = run->add_causes();
    cause->set_metric(metric);
    cause->set_value(value);
  }
  *update.add_worst_runs() = *run;
  update.mutable_worst_runs(1)->clear_causes();
  EXPECT_WORDING(RenderWorstRuns(update, kPipe));
}

TEST(BisectLineTest, IsOneLineForEachStep) {
  v1::Session session = SampleSession();
  const std::string bad = RenderBisectStep(session, kPipe);
  EXPECT_TRUE(bad.starts_with("bad: candidate: ")) << bad;
  EXPECT_WORDING(bad);
  v1::Commit* commit =
      session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(1)->mutable_commit();
  commit->set_description("v1.2-3-gabc1234");
  session.mutable_report()->mutable_comparisons(0)->set_verdict(v1::VERDICT_PASS);
  session.mutable_report()->set_verdict(v1::VERDICT_PASS);
  const std::string good = RenderBisectStep(session, kPipe);
  EXPECT_TRUE(good.starts_with("good: v1.2-3-gabc1234: ")) << good;
  EXPECT_WORDING(good);
  session.set_state(v1::SESSION_STATE_FAILED);
  *session.mutable_failed() = SampleFailed();
  EXPECT_EQ(RenderBisectStep(session, kPipe),
            "skip: v1.2-3-gabc1234: candidate exited with code 1\n");
}

TEST(BisectLineTest, ABrokenBaseStopsTheSearch) {
  v1::Session session = SampleSession();
  session.set_state(v1::SESSION_STATE_FAILED);
  v1::Failed& failed = *session.mutable_failed();
  failed.set_error("base failed in block 0: exited with code 1");
  failed.mutable_run()->set_arm("base");
  EXPECT_EQ(RenderBisectStep(session, kPipe),
            "stop: base: base failed in block 0: exited with code 1\n");
  failed.mutable_run()->set_block(3);
  EXPECT_FALSE(IsBaseBroken(session)) << "it has worked before";

  v1::Benchmark& benchmark = *session.mutable_spec()->mutable_benchmarks(0);
  benchmark.mutable_arms(0)->mutable_commit()->set_id("aaaa");
  benchmark.mutable_arms(0)->mutable_commit()->set_description("v1");
  benchmark.mutable_arms(1)->mutable_commit()->set_id("bbbb");
  failed.set_error("build: exited with code 127");
  *failed.mutable_run() = v1::FailedRun();
  EXPECT_FALSE(IsBaseBroken(session)) << "nobody knows whose build it was";
  failed.mutable_run()->set_commit("aaaa");
  EXPECT_EQ(RenderBisectStep(session, kPipe), "stop: base v1: build: exited with code 127\n");
  failed.mutable_run()->set_commit("bbbb");
  EXPECT_FALSE(IsBaseBroken(session));
}

}  // namespace
}  // namespace benchd::client
