#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/analysis/session_feed.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

// Output of a harness with its own benchmarks: one comparison per benchmark and metric.

namespace benchd {
namespace {

SessionSpec Parsed() {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = "google-benchmark";
  return spec;
}

/// One run of an arm that prints `values` as the time of BM_x and their sum as the time of BM_y.
RunBuilder Printed(std::uint32_t arm, const std::vector<double>& values) {
  RunBuilder run(0, arm, arm);
  run.Sample("wall_time", 1);
  double sum = 0;
  for (const double value : values) {
    run.Sample("time", value, "BM_x");
    sum += value;
  }
  run.Sample("time", sum, "BM_y");
  run.Metric("BM_x/time", Better::kLower, "s").Metric("BM_y/time", Better::kLower, "s");
  return run;
}

std::vector<std::string> GatesOf(const Report& report) {
  std::vector<std::string> gates;
  for (const Comparison& one : report.comparisons) {
    if (one.role == ComparisonRole::kGate) gates.push_back(one.metric);
  }
  return gates;
}

const Warning* FindWarning(const Report& report, const std::string& code) {
  const auto found = std::find_if(report.warnings.begin(), report.warnings.end(),
                                  [&code](const Warning& one) { return one.code == code; });
  return found == report.warnings.end() ? nullptr : &*found;
}

TEST(InnerBenchmarksTest, EachIsComparedByTheMeansOfItsRuns) {
  SessionAnalysis analysis = Start(Parsed());
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {Printed(0, {1, 2, 3}), Printed(1, {1, 2, 6})});
  }
  const Report report = analysis.Look();
  EXPECT_EQ(GatesOf(report), (std::vector<std::string>{"BM_x/time", "BM_y/time"}));
  const Comparison x = Find(report, "BM_x/time");
  EXPECT_EQ(x.n_reference, 8U) << "a run is one value, however many it printed";
  EXPECT_EQ(x.mean_reference, 2);
  EXPECT_EQ(x.mean_candidate, 3);
  EXPECT_EQ(x.verdict, Verdict::kRegression);
  EXPECT_DOUBLE_EQ(x.confidence, 1 - 0.01 / 2) << "two gates share alpha";
  EXPECT_EQ(Find(report, "BM_y/time").mean_candidate, 9);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(InnerBenchmarksTest, WhatOneArmDoesNotPrintIsNamedAndNotCompared) {
  SessionAnalysis analysis = Start(Parsed());
  const auto block = [] {
    RunBuilder candidate = Printed(1, {1, 2, 3});
    candidate.Sample("time", 5, "BM_new").Metric("BM_new/time", Better::kLower, "s");
    return Block{Printed(0, {1, 2, 3}), candidate};
  };
  analysis.AddWarmup(block());
  for (int i = 0; i < 8; ++i) Feed(analysis, block());
  const Report report = analysis.Conclude();
  EXPECT_EQ(GatesOf(report), (std::vector<std::string>{"BM_x/time", "BM_y/time"}));
  EXPECT_EQ(report.verdict, Verdict::kPass) << "it keeps nothing open";
  const Warning* warning = FindWarning(report, "metric_missing");
  ASSERT_NE(warning, nullptr);
  EXPECT_EQ(warning->arm, "base");
  EXPECT_TRUE(warning->message.ends_with(": BM_new/time")) << warning->message;
  EXPECT_WORDING(WarningText(*warning));
}

TEST(InnerBenchmarksTest, WhatStaysZeroHasNoDefaultGateAndIsNamed) {
  SessionAnalysis analysis = Start(Parsed());
  const auto block = [] {
    Block runs;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      RunBuilder run = Printed(arm, {1, 2, 3});
      run.Sample("pages/op", 0, "BM_x").Metric("BM_x/pages/op", Better::kLower, "1", 1);
      runs.push_back(run);
    }
    return runs;
  };
  for (int i = 0; i < 8; ++i) Feed(analysis, block());
  const Report report = analysis.Look();
  EXPECT_EQ(GatesOf(report), (std::vector<std::string>{"BM_x/time", "BM_y/time"}));
  const Comparison pages = Find(report, "BM_x/pages/op");
  EXPECT_EQ(pages.role, ComparisonRole::kInfo);
  EXPECT_FALSE(pages.change);
  ASSERT_TRUE(pages.difference);
  EXPECT_EQ(pages.difference->estimate, 0);
  const Warning* warning = FindWarning(report, "no_ratio");
  ASSERT_NE(warning, nullptr);
  EXPECT_EQ(warning->severity, Severity::kNote);
  EXPECT_NE(warning->hint.find("--metric BM_x/pages/op:+ABS"), std::string::npos) << warning->hint;
  EXPECT_WORDING(WarningText(*warning));
}

TEST(InnerBenchmarksTest, WhatIsZeroGatesOnADifference) {
  SessionSpec spec = Parsed();
  spec.benchmarks[0].gates = {AbsoluteGate("BM_x/allocs/op", 5)};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Block runs;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      RunBuilder run = Printed(arm, {1});
      // A change of one, known to a step of one each: below five.
      run.Sample("allocs/op", arm, "BM_x").Metric("BM_x/allocs/op", Better::kLower, "1", 1);
      runs.push_back(run);
    }
    Feed(analysis, runs);
  }
  EXPECT_EQ(Find(analysis.Look(), "BM_x/allocs/op").verdict, Verdict::kPass);
}

TEST(InnerBenchmarksTest, NothingButZerosLeavesNoGateAndSaysHowToHaveOne) {
  SessionAnalysis analysis = Start(Parsed());
  Block runs;
  for (std::uint32_t arm = 0; arm < 2; ++arm) {
    runs.push_back(RunBuilder(0, arm, arm).Sample("n", 0).Metric("n", Better::kLower));
  }
  const auto added = analysis.Add(runs);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(added.error().hint.find(":+ABS"), std::string::npos) << added.error().hint;
  EXPECT_WORDING(added.error());
}

TEST(InnerBenchmarksTest, OneMetricInTwoUnitsIsAnError) {
  SessionAnalysis analysis = Start(Parsed());
  const auto added =
      analysis.Add(Block{RunBuilder(0, 0).Sample("lag", 12).Metric("lag", Better::kLower, "ms"),
                         RunBuilder(0, 1).Sample("lag", 0.012).Metric("lag", Better::kLower, "s")});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(added.error().message.starts_with("metric lag: ")) << added.error().message;
  EXPECT_WORDING(added.error());
}

// The direction must not depend on which arm runs first.
TEST(InnerBenchmarksTest, OneMetricInTwoDirectionsIsAnErrorWhicheverArmRunsFirst) {
  for (const bool base_first : {true, false}) {
    for (const bool in_warmup : {true, false}) {
      SessionAnalysis analysis = Start(Parsed());
      const Block block{
          RunBuilder(0, 0, base_first ? 0 : 1).Sample("a", 1.5).Metric("a", Better::kLower, "s"),
          RunBuilder(0, 1, base_first ? 1 : 0).Sample("a", 9.5).Metric("a", Better::kHigher, "s")};
      if (in_warmup) analysis.AddWarmup(block);
      const auto added = analysis.Add(block);
      ASSERT_FALSE(added);
      EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
      EXPECT_WORDING(added.error()) << base_first << in_warmup;
    }
  }
}

TEST(InnerBenchmarksTest, OfTwoDirectionsAGateSaysWhichHolds) {
  for (const bool base_first : {true, false}) {
    SessionSpec spec = Parsed();
    spec.benchmarks[0].gates = {RatioGate("a", 0.2)};
    spec.benchmarks[0].gates[0].better = Better::kLower;
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 8; ++i) {
      Feed(analysis,
           {RunBuilder(0, 0, base_first ? 0 : 1).Sample("a", 1.5).Metric("a", Better::kLower, "s"),
            RunBuilder(0, 1, base_first ? 1 : 0)
                .Sample("a", 9.5)
                .Metric("a", Better::kHigher, "s")});
    }
    EXPECT_EQ(analysis.Conclude().verdict, Verdict::kRegression) << base_first;
  }
}

TEST(InnerBenchmarksTest, ADirectionThatOneArmAloneSaysGatesWhicheverRunsFirst) {
  for (const bool base_first : {true, false}) {
    SessionAnalysis analysis = Start(Parsed());
    for (int i = 0; i < 8; ++i) {
      Feed(analysis,
           {RunBuilder(0, 0, base_first ? 0 : 1).Sample("a", 1.5).Metric("a", Better::kLower, "s"),
            RunBuilder(0, 1, base_first ? 1 : 0).Sample("a", 9.5).Metric("a", {}, "s")});
    }
    EXPECT_EQ(analysis.Conclude().verdict, Verdict::kRegression) << base_first;
  }
}

TEST(InnerBenchmarksTest, ManyOfThemAreNamedShortly) {
  SessionAnalysis analysis = Start(Parsed());
  const auto block = [] {
    RunBuilder candidate = Printed(1, {1});
    for (int i = 0; i < 12; ++i) candidate.Sample("time", 5, "BM_" + std::to_string(i));
    return Block{Printed(0, {1}), candidate};
  };
  Feed(analysis, block());
  const Report report = analysis.Look();
  const Warning* warning = FindWarning(report, "metric_missing");
  ASSERT_NE(warning, nullptr);
  EXPECT_NE(warning->message.find("BM_4/time and 7 "), std::string::npos) << warning->message;
  EXPECT_WORDING(WarningText(*warning));
}

}  // namespace
}  // namespace benchd
