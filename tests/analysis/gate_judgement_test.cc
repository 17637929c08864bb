#include "core/analysis/gate_judgement.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/session_report.h"
#include "core/analysis/table_analysis.h"
#include "core/parse/harness_output.h"
#include "tests/analysis/every_harness.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

// Three inner benchmarks, so that harnesses that only name several benchmarks do so.
const std::vector<std::string> kAll{"Fine", "Other", "Gone"};
const std::vector<std::string> kFewer{"Fine", "Other"};

constexpr int kRuns = 12;

Result<TableReport> Analyzed(const std::string& format, const std::vector<std::string>& old_names,
                             const std::vector<std::string>& new_names, bool allow_missing) {
  std::vector<HarnessFile> files;
  for (int run = 0; run < kRuns; ++run) {
    const auto& print = kPrinters.at(format);
    files.push_back({"old", "old", print(MeasuredValues(run, old_names))});
    files.push_back({"new", "new", print(MeasuredValues(run + 1, new_names))});
  }
  TableOptions options;
  options.spec.default_margin = 0.2;
  options.spec.benchmarks.emplace_back().allow_missing = allow_missing;
  return AnalyzeHarnessFiles(format, files, options);
}

Run RunOf(const std::string& format, std::uint32_t arm, const std::vector<std::string>& names,
          int number) {
  const auto output =
      ParseHarnessOutput(format, kPrinters.at(format)(MeasuredValues(number, names)));
  EXPECT_TRUE(output) << format << ": " << output.error().message;
  Run run;
  run.arm = arm;
  run.position = arm;
  if (!output) return run;
  run.samples = output->samples;
  run.metrics = output->metrics;
  return run;
}

Report Live(const std::string& format, const std::vector<std::string>& base_names,
            const std::vector<std::string>& candidate_names, bool allow_missing) {
  SessionSpec spec = Two();
  spec.default_margin = 0.2;
  spec.benchmarks[0].parse = format;
  spec.benchmarks[0].allow_missing = allow_missing;
  SessionAnalysis analysis = Start(spec);
  const auto block = [&](int number) {
    return Block{RunOf(format, 0, base_names, number),
                 RunOf(format, 1, candidate_names, number + 1)};
  };
  analysis.AddWarmup(block(0));
  for (int i = 0; i < kRuns && !analysis.Finished(); ++i) Feed(analysis, block(i));
  EXPECT_TRUE(analysis.Finished()) << format << ": a missing metric keeps nothing open";
  return analysis.Conclude();
}

std::vector<std::string> Reasons(const Report& report) {
  std::vector<std::string> reasons;
  for (const Comparison& one : report.comparisons) {
    if (one.role == ComparisonRole::kGate && !one.reason.empty()) reasons.push_back(one.reason);
  }
  return reasons;
}

bool HasWarning(const Report& report, const std::string& code, Severity severity) {
  return std::ranges::any_of(report.warnings, [&](const Warning& one) {
    return one.code == code && one.severity == severity;
  });
}

TEST(GateJudgementTest, OfEveryFormatABenchmarkThatTheCandidateLacksIsARegression) {
  ASSERT_GE(Formats().size(), 8u);
  for (const std::string& format : Formats()) {
    SCOPED_TRACE(format);
    ASSERT_TRUE(kPrinters.contains(format)) << "add its output";
    const auto table = Analyzed(format, kAll, kFewer, false);
    ASSERT_TRUE(table) << table.error().message;
    for (const Report& report : {table->report, Live(format, kAll, kFewer, false)}) {
      EXPECT_EQ(report.verdict, Verdict::kRegression);
      const auto reasons = Reasons(report);
      EXPECT_FALSE(reasons.empty());
      for (const std::string& reason : reasons) EXPECT_EQ(reason, "missing_in_candidate");
    }
  }
}

TEST(GateJudgementTest, OfEveryFormatABenchmarkThatIsNewIsAVisibleWarning) {
  for (const std::string& format : Formats()) {
    SCOPED_TRACE(format);
    const auto table = Analyzed(format, kFewer, kAll, false);
    ASSERT_TRUE(table) << table.error().message;
    const Report live = Live(format, kFewer, kAll, false);
    for (const Report& report : {table->report, live}) {
      EXPECT_EQ(report.verdict, Verdict::kPass);
      EXPECT_TRUE(Reasons(report).empty());
      EXPECT_TRUE(HasWarning(report, "metric_missing", Severity::kCaution) ||
                  HasWarning(report, "not_compared", Severity::kCaution));
    }
  }
}

TEST(GateJudgementTest, OfEveryFormatWhatIsMissingMayBeAllowed) {
  for (const std::string& format : Formats()) {
    SCOPED_TRACE(format);
    const auto table = Analyzed(format, kAll, kFewer, true);
    ASSERT_TRUE(table) << table.error().message;
    for (const Report& report : {table->report, Live(format, kAll, kFewer, true)}) {
      EXPECT_EQ(report.verdict, Verdict::kPass);
      EXPECT_TRUE(HasWarning(report, "metric_missing", Severity::kCaution) ||
                  HasWarning(report, "not_compared", Severity::kCaution));
    }
  }
}

// ---- named gates ----

Run PrintedBy(std::uint32_t arm, const PrintedValues& values, Better better = Better::kLower) {
  RunBuilder run(0, arm, arm);
  run.Sample("wall_time", 0.5 + 0.001 * arm);
  for (const auto& [name, value] : values) run.Sample(name, value).Metric(name, better, "1", 1);
  return run;
}

Report ReportOf(const SessionSpec& spec, const PrintedValues& base, const PrintedValues& candidate,
                Better better = Better::kLower, int blocks = 8) {
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < blocks; ++i) {
    Feed(analysis, {PrintedBy(0, base, better), PrintedBy(1, candidate, better)});
  }
  EXPECT_TRUE(analysis.Finished()) << "there is nothing to wait for";
  return analysis.Conclude();
}

SessionSpec GatedSpec(const std::string& metric, double margin = 0.02) {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = {RatioGate(metric, margin)};
  return spec;
}

TEST(GateJudgementTest, ANamedMetricThatOneArmLacks) {
  const Report in_candidate = ReportOf(GatedSpec("allocs"), {{"allocs", 5}}, {});
  EXPECT_EQ(in_candidate.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(in_candidate, "allocs").reason, "missing_in_candidate");
  const Report in_reference = ReportOf(GatedSpec("allocs"), {}, {{"allocs", 5}});
  EXPECT_EQ(in_reference.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(in_reference, "allocs").reason, "missing_in_reference");
}

TEST(GateJudgementTest, WhereAllThatGatesIsAllowedToBeMissingNothingIsJudged) {
  SessionSpec spec = GatedSpec("allocs");
  spec.benchmarks[0].allow_missing = true;
  const Report report = ReportOf(spec, {{"allocs", 5}}, {});
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_TRUE(HasWarning(report, "metric_missing", Severity::kCaution));
}

// Of several candidates, one that lacks the metric takes nothing from the others.
TEST(GateJudgementTest, OneCandidateMayLackWhatTheOthersAreGatedOn) {
  for (const bool named : {false, true}) {
    SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "slow", "without"})});
    spec.benchmarks[0].parse = "lines";
    spec.benchmarks[0].allow_missing = true;
    if (named) spec.benchmarks[0].gates = {RatioGate("a", 0.02)};
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 8; ++i) {
      Feed(analysis, {PrintedBy(0, {{"a", 1000 + i % 3}}), PrintedBy(1, {{"a", 1300 + i % 5}}),
                      PrintedBy(2, {{"b", 1}})});
    }
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, Verdict::kRegression);
    EXPECT_TRUE(HasWarning(report, "metric_missing", Severity::kCaution));
    std::size_t gates = 0;
    for (const Comparison& one : report.comparisons) {
      if (one.role != ComparisonRole::kGate) continue;
      ++gates;
      EXPECT_EQ(one.candidate, "slow");
      EXPECT_EQ(one.verdict, Verdict::kRegression);
    }
    EXPECT_EQ(gates, 1U);
  }
}

// ---- metrics that appear after the gates were fixed ----

/// Gives each arm of a block its printed values; the arms are base and candidate.
using PrintedInBlock = std::function<PrintedValues(int block, std::uint32_t arm)>;

PrintedValues AandB(int block, bool with_b, double b) {
  PrintedValues values{{"a", 2000 + (block * 7) % 5}};
  if (with_b) values.emplace_back("b", b + (block * 3) % 5);
  return values;
}

Report LateReport(const SessionSpec& spec, const PrintedInBlock& prints, int blocks = 8,
                  int warmup = 0) {
  SessionAnalysis analysis = Start(spec);
  for (int i = -warmup; i < blocks; ++i) {
    const Block block{PrintedBy(0, prints(i, 0)), PrintedBy(1, prints(i, 1))};
    if (i < 0) {
      analysis.AddWarmup(block);
    } else {
      Feed(analysis, block);
    }
  }
  EXPECT_TRUE(analysis.Finished()) << "a gate that cannot be judged is not waited for";
  return analysis.Conclude();
}

SessionSpec ParsedSpec() {
  SessionSpec spec = GatedSpec("a", 0.05);
  spec.default_margin = 0.05;
  spec.benchmarks[0].gates.clear();
  return spec;
}

void ExpectLate(const Report& report, const std::string& metric, const std::string& reason) {
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  const Comparison& late = Find(report, metric);
  EXPECT_EQ(late.role, ComparisonRole::kGate);
  EXPECT_EQ(late.verdict, Verdict::kUndecided);
  EXPECT_EQ(late.reason, reason);
  EXPECT_EQ(late.margin, 0.05);
  EXPECT_FALSE(late.decided);
  const Comparison& planned = Find(report, "a");
  EXPECT_EQ(planned.verdict, Verdict::kPass);
  EXPECT_DOUBLE_EQ(planned.confidence, 0.99) << "the level of one gate";
}

TEST(GateJudgementTest, ANamedMetricThatOneArmPrintedLateIsUndecided) {
  SessionSpec spec = GatedSpec("a", 0.05);
  spec.benchmarks[0].gates.push_back(RatioGate("b", 0.05));
  spec.benchmarks[0].allow_missing = true;
  ExpectLate(LateReport(spec,
                        [](int block, std::uint32_t arm) {
                          return AandB(block, arm == 0 || block > 0, arm == 0 ? 1000 : 2000);
                        }),
             "b", "late_metric");
}

TEST(GateJudgementTest, WhatTheCandidateNeverPrintsIsAllowedToBeMissing) {
  SessionSpec spec = GatedSpec("a", 0.05);
  spec.benchmarks[0].gates.push_back(RatioGate("b", 0.05));
  spec.benchmarks[0].allow_missing = true;
  const Report report =
      LateReport(spec, [](int block, std::uint32_t arm) { return AandB(block, arm == 0, 1000); });
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_TRUE(HasWarning(report, "metric_missing", Severity::kCaution));
}

TEST(GateJudgementTest, AMetricThatTheBaseOrBothPrintedLateIsUndecided) {
  for (const int first_of_candidate : {0, 1}) {
    for (const int warmup : {0, 1}) {
      SCOPED_TRACE(warmup);
      ExpectLate(LateReport(
                     ParsedSpec(),
                     [&](int block, std::uint32_t arm) {
                       const int first = arm == 0 ? 1 : first_of_candidate;
                       return AandB(block, block >= first - warmup, arm == 0 ? 1000 : 2000);
                     },
                     8, warmup),
                 "b", "late_metric");
    }
  }
}

TEST(GateJudgementTest, AMetricThatWas0OrAllTheSameAtFirstAloneIsUndecided) {
  for (const double at_first : {0.0, 1.0}) {
    const Report report = LateReport(ParsedSpec(), [&](int block, std::uint32_t arm) {
      if (block > 0) return AandB(block, true, arm == 0 ? 1000 : 2000);
      return PrintedValues{{"a", 2000}, {"b", at_first}};
    });
    ExpectLate(report, "b", "late_values");
    EXPECT_FALSE(HasWarning(report, "no_ratio", Severity::kCaution)) << "the gate reports it";
  }
}

TEST(GateJudgementTest, ADirectionThatIsSaidLateIsUndecided) {
  SessionAnalysis analysis = Start(ParsedSpec());
  for (int i = 0; i < 8; ++i) {
    Block block;
    for (const std::uint32_t arm : {0U, 1U}) {
      RunBuilder run(0, arm, arm);
      run.Sample("a", 2000 + (i * 7) % 5).Metric("a", Better::kLower);
      run.Sample("b", (arm == 0 ? 1000 : 2000) + (i * 3) % 5);
      run.Metric("b", i == 0 ? std::nullopt : std::optional(Better::kLower));
      block.push_back(run);
    }
    Feed(analysis, block);
  }
  ExpectLate(analysis.Conclude(), "b", "late_direction");
}

TEST(GateJudgementTest, APatternIsAboutWhatComesLateToo) {
  SessionSpec spec = GatedSpec("a", 0.05);
  spec.benchmarks[0].gates.push_back(RatioGate("b*", 0.05));
  spec.benchmarks[0].gates[1].better = Better::kHigher;
  const Report report = LateReport(spec, [](int block, std::uint32_t) {
    PrintedValues values = AandB(block, true, 1000);
    if (block > 0) values.emplace_back("b2", 1000 + block % 3);
    return values;
  });
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(report, "b2").reason, "late_metric");
  EXPECT_EQ(Find(report, "b2").better, Better::kHigher);
}

TEST(GateJudgementTest, OfTwoReferencesTheOneThatPrintsLateIsUndecided) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 2, {"v1", "v2", "candidate"})});
  spec.benchmarks[0].parse = "lines";
  spec.default_margin = 0.05;
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Block block;
    for (const std::uint32_t arm : {0U, 1U, 2U}) {
      block.push_back(PrintedBy(arm, AandB(i, arm != 1 || i > 0, 1000)));
    }
    Feed(analysis, block);
  }
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Reasons(report), std::vector<std::string>{"late_metric"});
}

TEST(GateJudgementTest, ARegressionIsOneBesideALateGate) {
  const Report report = LateReport(ParsedSpec(), [](int block, std::uint32_t arm) {
    PrintedValues values = AandB(block, block > 0, 1000);
    if (arm == 1) values[0].second *= 2;
    return values;
  });
  EXPECT_EQ(report.verdict, Verdict::kRegression);
}

// ---- counts ----

TEST(GateJudgementTest, ACountThatLeft0IsARegressionByItsDifference) {
  for (const bool named : {true, false}) {
    SessionSpec spec = GatedSpec("allocs");
    if (!named) spec.benchmarks[0].gates.clear();
    const Report report =
        ReportOf(spec, {{"allocs", 0}, {"time", 2000}}, {{"allocs", 3}, {"time", 2000}});
    EXPECT_EQ(report.verdict, Verdict::kRegression) << named;
    const Comparison& gate = Find(report, "allocs");
    EXPECT_EQ(gate.role, ComparisonRole::kGate);
    EXPECT_EQ(gate.reason, "left_zero");
    EXPECT_FALSE(gate.change);
    ASSERT_TRUE(gate.difference);
    EXPECT_EQ(gate.difference->estimate, 3);
  }
}

TEST(GateJudgementTest, ACountThatLeft0IsARegressionOfFilesToo) {
  const auto text = [](const char* allocs) {
    std::string lines;
    for (int i = 0; i < 8; ++i) {
      lines +=
          "BenchmarkA-8 \t 100\t 150" + std::to_string(i) + " ns/op\t " + allocs + " allocs/op\n";
    }
    return lines;
  };
  const std::vector<HarnessFile> files{{"old", "old", text("0")}, {"new", "new", text("3")}};
  TableOptions options;
  options.spec.default_margin = 0.2;
  const auto table = AnalyzeHarnessFiles("go", files, options);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->report.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(table->report, "allocs/op", "new", "BenchmarkA-8").basis, Basis::kExact);
}

// One value per arm cannot show that a count is constant, but it shows that it left 0.
TEST(GateJudgementTest, ACountThatLeft0InItsOnlyRunIsARegressionOfFiles) {
  const std::vector<HarnessFile> files{{"old", "old", "BenchmarkA-8 1 15 ns/op 0 allocs/op\n"},
                                       {"new", "new", "BenchmarkA-8 1 15 ns/op 3 allocs/op\n"}};
  const auto table = AnalyzeHarnessFiles("go", files, {});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->report.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(table->report, "allocs/op", "new", "BenchmarkA-8").reason, "left_zero");
}

TEST(GateJudgementTest, WhatIsNoCountAndLeft0IsUndecided) {
  SessionSpec spec = GatedSpec("allocs");
  spec.benchmarks[0].gates.clear();
  const Report report =
      ReportOf(spec, {{"allocs", 0}, {"time", 2000}}, {{"allocs", 0.5}, {"time", 2000}});
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(report, "allocs").reason, "no_ratio");
  EXPECT_TRUE(HasWarning(report, "no_ratio", Severity::kInvalidates));
  const auto warning = std::ranges::find(report.warnings, "allocs", &Warning::metric);
  ASSERT_NE(warning, report.warnings.end());
  EXPECT_NE(warning->hint.find("--metric allocs:+ABS"), std::string::npos) << warning->hint;
  EXPECT_WORDING(WarningText(*warning));
}

TEST(GateJudgementTest, ACountThatStays0IsInNobodysWay) {
  SessionSpec spec = GatedSpec("allocs");
  spec.benchmarks[0].gates.clear();
  const Report report =
      ReportOf(spec, {{"allocs", 0}, {"time", 2000}}, {{"allocs", 0}, {"time", 2000}});
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_EQ(Find(report, "allocs").role, ComparisonRole::kInfo);
  EXPECT_TRUE(HasWarning(report, "no_ratio", Severity::kNote)) << "nothing to act on";
}

TEST(GateJudgementTest, ARateThatFellTo0IsARegression) {
  for (const bool named : {true, false}) {
    SessionSpec spec = GatedSpec("rate");
    if (!named) spec.benchmarks[0].gates = {};
    const Report report = ReportOf(spec, {{"rate", 100}, {"other", 2000}},
                                   {{"rate", 0}, {"other", 2000}}, Better::kHigher);
    EXPECT_EQ(report.verdict, Verdict::kRegression) << named;
    EXPECT_EQ(Find(report, "rate").reason, "fell_to_zero");
  }
}

// Only this gate is affected: the session continues, and the other gate is decided.
TEST(GateJudgementTest, AZeroInARateLeavesThatGateUndecidedAndNoOther) {
  for (const int zero : {0, 3, 12}) {
    SessionSpec spec = GatedSpec("rate");
    spec.benchmarks[0].gates.push_back(RatioGate("other", 0.02));
    spec.limits.runs = 16;
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 16; ++i) {
      const double rate = i == zero ? 0 : 100;
      Feed(analysis, {PrintedBy(0, {{"rate", 100}, {"other", 2000}}, Better::kHigher),
                      PrintedBy(1, {{"rate", rate}, {"other", 2000}}, Better::kHigher)});
    }
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, Verdict::kUndecided) << zero;
    EXPECT_EQ(Find(report, "rate").reason, "not_positive");
    EXPECT_FALSE(Find(report, "rate").decided);
    EXPECT_EQ(Find(report, "other").verdict, Verdict::kPass);
    const auto warning = std::ranges::find(report.warnings, "rate", &Warning::metric);
    ASSERT_NE(warning, report.warnings.end());
    EXPECT_EQ(warning->severity, Severity::kInvalidates);
    EXPECT_NE(warning->hint.find("--metric rate:+ABS"), std::string::npos) << warning->hint;
    EXPECT_WORDING(WarningText(*warning)) << zero;
  }
}

TEST(GateJudgementTest, AGateThatPassedBeforeItsRateBecame0HasNotPassed) {
  SessionSpec spec = GatedSpec("rate");
  spec.benchmarks[0].gates.push_back(RatioGate("other", 0.02));
  SessionAnalysis analysis = Start(spec);
  const auto feed = [&analysis](double rate, double other) {
    Feed(analysis, {PrintedBy(0, {{"rate", 100}, {"other", 2000}}, Better::kHigher),
                    PrintedBy(1, {{"rate", rate}, {"other", other}}, Better::kHigher)});
  };
  for (int i = 0; i < 8; ++i) feed(100, i % 2 == 0 ? 1000 : 4000);
  EXPECT_EQ(Find(analysis.Look(), "rate").verdict, Verdict::kPass);
  feed(0, 2000);
  const Report report = analysis.Look();
  EXPECT_EQ(Find(report, "rate").verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(report, "rate").reason, "not_positive");
}

// One additional allocation is certain with any number of runs, and so is none.
TEST(GateJudgementTest, WhatNoRunCanDecideEndsAtTheFirstLookWithItsReason) {
  for (const auto& [base, candidate] : {std::pair{1.0, 2.0}, std::pair{5.0, 5.0}}) {
    for (const Method method : {Method::kPaired, Method::kWelch}) {
      SessionSpec spec = GatedSpec("allocs");
      spec.method = method;
      const Report report = ReportOf(spec, {{"allocs", base}}, {{"allocs", candidate}});
      EXPECT_EQ(report.verdict, Verdict::kUndecided);
      EXPECT_EQ(Find(report, "allocs").reason, "resolution");
      EXPECT_TRUE(HasWarning(report, "resolution", Severity::kInvalidates));
    }
  }
}

// Counts of 5 or 6 differ by a fifth at least; a margin of 2 % is less than a step.
TEST(GateJudgementTest, CountsThatVaryEndWhenTheirStepIsKnownToBeTooCoarse) {
  for (const bool by_width : {false, true}) {
    SessionSpec spec = GatedSpec("allocs", by_width ? 2.0 : 0.02);
    if (by_width) spec.rule = {RuleKind::kPrecision, 0.01};
    spec.limits.max_runs = 1000;
    SessionAnalysis analysis = Start(spec);
    int blocks = 0;
    for (; blocks < 1000 && !analysis.Finished(); ++blocks) {
      const double base = 5.0 + (blocks * 7 % 11) % 2;
      const double candidate = 5.0 + (blocks * 5 % 13) % 2;
      Feed(analysis, {PrintedBy(0, {{"allocs", base}}), PrintedBy(1, {{"allocs", candidate}})});
    }
    EXPECT_LT(blocks, 400);
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, Verdict::kUndecided);
    EXPECT_EQ(Find(report, "allocs").reason, "resolution");
    EXPECT_TRUE(HasWarning(report, "resolution", Severity::kInvalidates));
  }
}

TEST(GateJudgementTest, WhatVariesMayBeDecidedYet) {
  SessionAnalysis analysis = Start(GatedSpec("allocs", 1.0));
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {PrintedBy(0, {{"allocs", 1}}), PrintedBy(1, {{"allocs", i % 2 * 5 + 1.0}})});
  }
  EXPECT_FALSE(analysis.Finished());
}

TEST(GateJudgementTest, AtTheLimitTheEstimateMayStillBeAskedFor) {
  SessionSpec spec = GatedSpec("allocs");
  spec.limits.at_limit = AtLimit::kEstimate;
  const Report report = ReportOf(spec, {{"allocs", 1}}, {{"allocs", 2}});
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  EXPECT_EQ(report.basis, Basis::kEstimate);
}

// ---- failed runs ----

Block WithExits(int base, int candidate, double base_s = 0.5, double candidate_s = 0.25) {
  Block block = WallBlock(0, {base_s, candidate_s});
  block[0].exit.code = base;
  block[1].exit.code = candidate;
  return block;
}

Report Failing(int base, int candidate, std::vector<int> accepted = {}) {
  SessionSpec spec = Two();
  spec.benchmarks[0].ignore_failure = true;
  spec.benchmarks[0].accept_exit = std::move(accepted);
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) Feed(analysis, WithExits(base, candidate));
  EXPECT_TRUE(analysis.Finished());
  return analysis.Conclude();
}

TEST(GateJudgementTest, RunsThatFailInOneArmAlone) {
  const Report in_candidate = Failing(0, 3);
  EXPECT_EQ(in_candidate.verdict, Verdict::kRegression) << "however fast it failed";
  EXPECT_EQ(Find(in_candidate, "wall_time").reason, "failed_in_candidate");
  const Report in_reference = Failing(3, 0);
  EXPECT_EQ(in_reference.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(in_reference, "wall_time").reason, "failed_in_reference");
  const Report in_both = Failing(3, 3);
  EXPECT_EQ(in_both.verdict, Verdict::kPass);
  for (const Report& report : {in_candidate, in_reference, in_both}) {
    EXPECT_TRUE(HasWarning(report, "failed_runs", Severity::kCaution));
  }
}

/// `failed` of 20 runs of each arm fail; the candidate is ten times as fast.
Report FailingNowAndThen(int failed_of_base, int failed_of_candidate) {
  SessionSpec spec = Two();
  spec.benchmarks[0].ignore_failure = true;
  spec.method = Method::kFixed;
  spec.limits.runs = 20;
  SessionAnalysis analysis = Start(spec);
  Noise noise(1);
  for (int i = 0; i < 20; ++i) {
    Block block = noise.Wall({0.5, 0.05});
    block[0].exit.code = i < failed_of_base ? 3 : 0;
    block[1].exit.code = i < failed_of_candidate ? 3 : 0;
    Feed(analysis, block);
  }
  return analysis.Conclude();
}

TEST(GateJudgementTest, OneFailedRunOfTheReferenceHidesNoneOfTheCandidate) {
  const Report always = FailingNowAndThen(1, 20);
  EXPECT_EQ(always.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(always, "wall_time").reason, "candidate_always_failed");
  for (const auto& [base, candidate] : {std::pair(1, 19), std::pair(3, 15), std::pair(19, 3)}) {
    const Report unequal = FailingNowAndThen(base, candidate);
    EXPECT_EQ(unequal.verdict, Verdict::kUndecided) << base << " against " << candidate;
    EXPECT_EQ(Find(unequal, "wall_time").reason, "failed_unequally");
  }
  for (const auto& [base, candidate] : {std::pair(3, 3), std::pair(3, 6), std::pair(19, 20)}) {
    EXPECT_EQ(FailingNowAndThen(base, candidate).verdict, Verdict::kPass)
        << base << " against " << candidate;
  }
}

// Several candidates, a placebo, builds: independent of the rest of the table.
TEST(GateJudgementTest, ABenchmarkThatOneCandidateLacksIsARegressionWhoeverElseIsThere) {
  const auto judged = [](const std::vector<std::string>& arms, const TableOptions& options) {
    std::string text = "arm,benchmark,wall_time\n";
    for (int i = 0; i < 10; ++i) {
      for (const std::string& arm : arms) {
        const std::string value = "," + std::to_string(0.5 + 0.001 * (i % 3)) + "\n";
        text += arm + ",x" + value;
        if (!arm.starts_with("lacks")) text += arm + ",y" + value;
      }
    }
    const auto table = AnalyzeTable(WholeText(text), options);
    EXPECT_TRUE(table) << table.error().message;
    return table ? table->report : Report{};
  };
  TableOptions options;
  EXPECT_EQ(judged({"base", "has"}, options).verdict, Verdict::kPass);
  EXPECT_EQ(judged({"base", "lacks"}, options).verdict, Verdict::kRegression);
  EXPECT_EQ(judged({"base", "has", "lacks"}, options).verdict, Verdict::kRegression);
  TableOptions placebo = options;
  placebo.spec.placebo = true;
  EXPECT_EQ(judged({"base", "lacks", "placebo"}, placebo).verdict, Verdict::kRegression);
  TableOptions allowed = options;
  allowed.spec.benchmarks.emplace_back().allow_missing = true;
  const Report warned = judged({"base", "has", "lacks"}, allowed);
  EXPECT_EQ(warned.verdict, Verdict::kPass);
  EXPECT_TRUE(HasWarning(warned, "not_compared", Severity::kCaution));
}

TEST(GateJudgementTest, AnExitCodeThatIsAcceptedIsNoFailure) {
  EXPECT_EQ(Failing(0, 3, {0, 3}).verdict, Verdict::kPass);
  EXPECT_FALSE(HasWarning(Failing(0, 3, {0, 3}), "failed_runs", Severity::kCaution));
  EXPECT_EQ(Find(Failing(3, 0, {3}), "wall_time").reason, "failed_in_candidate")
      << "0 is not in the list";
}

// A run's exit code means the same in a table as in a session.
TEST(GateJudgementTest, AnExitCodeOfATableIsOneOfARun) {
  const auto judged = [](int base, int candidate, std::vector<int> accepted) {
    std::string text = "arm,exit_code,wall_time\n";
    for (int i = 0; i < 10; ++i) {
      const std::string value = std::to_string(0.5 + 0.001 * (i % 3));
      text += "a," + std::to_string(base) + "," + value + "\n";
      text += "b," + std::to_string(candidate) + "," + value + "\n";
    }
    TableOptions options;
    options.references = {"a"};
    options.spec.benchmarks.emplace_back().accept_exit = std::move(accepted);
    const auto table = AnalyzeTable(WholeText(text), options);
    EXPECT_TRUE(table) << table.error().message;
    return table ? table->report : Report{};
  };
  EXPECT_EQ(judged(0, 0, {}).verdict, Verdict::kPass);
  EXPECT_EQ(Find(judged(0, 3, {}), "wall_time", "b").reason, "failed_in_candidate");
  EXPECT_EQ(Find(judged(0, -11, {0, 3}), "wall_time", "b").reason, "failed_in_candidate");
  EXPECT_EQ(judged(0, 3, {0, 3}).verdict, Verdict::kPass);
  EXPECT_EQ(Find(judged(3, 0, {3}), "wall_time", "b").reason, "failed_in_candidate");
}

TEST(GateJudgementTest, AcceptedExitCodesNeedATableThatHasSome) {
  TableOptions options;
  options.references = {"a"};
  options.spec.benchmarks.emplace_back().accept_exit = {3};
  const auto none = AnalyzeTable(WholeText("arm,wall_time\na,1\nb,1\n"), options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(none.error().message.starts_with("accept-exit: ")) << none.error().message;
  EXPECT_WORDING(none.error());
}

TEST(GateJudgementTest, OneFailedRunIsJudgedAtTheEnd) {
  SessionSpec spec = Two();
  spec.benchmarks[0].ignore_failure = true;
  SessionAnalysis analysis = Start(spec);
  Noise noise(1);
  for (int i = 0; i < 8; ++i) {
    Block block = noise.Wall({0.5, 0.5});
    if (i == 2) block[1].exit.code = 1;
    Feed(analysis, block);
  }
  EXPECT_EQ(Find(analysis.Look(), "wall_time").reason, "failed_in_candidate");
  EXPECT_FALSE(analysis.Finished()) << "the other arm may still fail";
  Block block = noise.Wall({0.5, 0.5});
  block[0].exit.code = 1;
  Feed(analysis, block);
  EXPECT_EQ(Find(analysis.Look(), "wall_time").reason, "");
}

// ---- invalid data ----

TEST(GateJudgementTest, AWarningThatInvalidatesMakesItsGateUndecided) {
  for (const Verdict verdict : {Verdict::kPass, Verdict::kRegression}) {
    Report report;
    report.verdict = verdict;
    Comparison gate;
    gate.benchmark = "main";
    gate.reference = "base";
    gate.candidate = "new";
    gate.metric = "wall_time";
    gate.role = ComparisonRole::kGate;
    gate.verdict = verdict;
    gate.decided = Decision{8, {}, {}};
    report.comparisons = {gate};
    Warning warning = MakeWarning("resolution", "too near", "main", "new");
    warning.metric = "cpu_time";
    report.warnings = {warning};
    Invalidate(report.warnings, report);
    EXPECT_EQ(report.verdict, verdict) << "of another gate";
    report.warnings[0].metric = "wall_time";
    report.warnings[0].severity = Severity::kCaution;
    Invalidate(report.warnings, report);
    EXPECT_EQ(report.verdict, verdict) << "only a caution";
    report.warnings[0].severity = Severity::kInvalidates;
    Invalidate(report.warnings, report);
    EXPECT_EQ(report.verdict, Verdict::kUndecided);
    EXPECT_EQ(report.comparisons[0].verdict, Verdict::kUndecided);
    EXPECT_EQ(report.comparisons[0].reason, "resolution");
    EXPECT_FALSE(report.comparisons[0].decided);
  }
}

// Every other run of the candidate prints nothing, so further runs will not bring that below 5 %.
TEST(GateJudgementTest, AMetricThatHalfOfTheRunsLackEndsLongBeforeTheLimit) {
  SessionSpec spec = GatedSpec("speed");
  spec.limits.max_runs = 1000;
  SessionAnalysis analysis = Start(spec);
  int blocks = 0;
  for (; blocks < 1000 && !analysis.Finished(); ++blocks) {
    const double value = 100 + blocks * 7 % 3;
    Feed(analysis,
         {PrintedBy(0, {{"speed", value}}),
          PrintedBy(1, blocks % 2 == 0 ? PrintedValues{{"speed", value}} : PrintedValues())});
  }
  EXPECT_LT(blocks, 60);
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(report, "speed").reason, "missing_values");
}

// With two references, a problem with one gate does not affect the other.
TEST(GateJudgementTest, AWarningAboutOneReferenceLeavesTheGateOfTheOther) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 2, {"v1", "v2", "candidate"})});
  spec.benchmarks[0].gates = {RatioGate("speed", 0.02)};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 20; ++i) {
    Block block;
    for (const unsigned arm : {0u, 1u, 2u}) {
      RunBuilder run(0, arm, arm);
      run.Metric("speed", Better::kHigher);
      if (arm != 1 || i % 5 != 4) run.Sample("speed", 100 + (i * 7 + static_cast<int>(arm)) % 3);
      block.push_back(run);
    }
    Feed(analysis, block);
  }
  const Report report = analysis.Conclude();
  ASSERT_EQ(report.comparisons.size(), 2);
  EXPECT_EQ(report.comparisons[0].reference, "v1");
  EXPECT_EQ(report.comparisons[0].verdict, Verdict::kPass) << report.comparisons[0].reason;
  EXPECT_EQ(report.comparisons[1].verdict, Verdict::kUndecided);
  EXPECT_EQ(report.comparisons[1].reason, "missing_values");
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  const auto said = std::ranges::find(report.warnings, "missing_values", &Warning::code);
  ASSERT_NE(said, report.warnings.end());
  EXPECT_EQ(said->reference, "v2");
}

}  // namespace
}  // namespace benchd
