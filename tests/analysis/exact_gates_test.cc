// Exact gates: counts that are judged as they are while they are constant in each arm.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/table_text.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

SessionSpec Exact(const Gate& gate = ExactGate("count")) {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = {gate};
  return spec;
}

/// A run of each arm that prints its count under the name of the gate.
Block Counts(const std::vector<double>& counts, const std::string& metric = "count",
             Better better = Better::kLower, std::uint32_t benchmark = 0) {
  Block block;
  for (std::uint32_t arm = 0; arm < counts.size(); ++arm) {
    block.push_back(RunBuilder(benchmark, arm, arm)
                        .Sample("wall_time", 0.5)
                        .Sample(metric, counts[arm])
                        .Metric(metric, better, "1", 1));
  }
  return block;
}

Report Constant(const SessionSpec& spec, double base, double candidate, int blocks = 8,
                Better better = Better::kLower) {
  SessionAnalysis analysis = Start(spec);
  const std::string& metric = spec.benchmarks[0].gates.front().metric;
  for (int i = 0; i < blocks; ++i) {
    EXPECT_FALSE(analysis.Finished()) << i;
    Feed(analysis, Counts({base, candidate}, metric, better));
  }
  EXPECT_TRUE(analysis.Finished());
  return analysis.Conclude();
}

void ExpectExactly(const Comparison& gate, Verdict verdict, double difference) {
  EXPECT_EQ(gate.verdict, verdict);
  EXPECT_EQ(gate.basis, Basis::kExact);
  EXPECT_EQ(gate.reason, "");
  EXPECT_EQ(gate.difference, (Effect{difference, difference, difference}));
  EXPECT_FALSE(gate.last_difference);
  EXPECT_FALSE(gate.difference_allowance);
  EXPECT_FALSE(gate.change_allowance);
  EXPECT_FALSE(gate.p_value) << "nothing was tested";
  ASSERT_TRUE(gate.decided);
  EXPECT_EQ(gate.decided->lo, difference);
  EXPECT_EQ(gate.decided->hi, difference);
}

// ---- constants ----

TEST(ExactGatesTest, AnyIncreaseIsARegressionAndAnythingElseAPass) {
  for (const auto& [candidate, verdict] :
       {std::pair(5.0, Verdict::kPass), std::pair(6.0, Verdict::kRegression),
        std::pair(4.0, Verdict::kPass), std::pair(5000.0, Verdict::kRegression)}) {
    const Report report = Constant(Exact(), 5, candidate);
    EXPECT_EQ(report.verdict, verdict) << candidate;
    const Comparison& gate = Find(report, "count");
    ExpectExactly(gate, verdict, candidate - 5);
    EXPECT_EQ(gate.decided->blocks, 8U);
    EXPECT_EQ(gate.margin_kind, MarginKind::kExact);
    EXPECT_EQ(gate.margin, 1);
    EXPECT_EQ(gate.change, (Effect{candidate / 5 - 1, candidate / 5 - 1, candidate / 5 - 1}));
    EXPECT_TRUE(report.warnings.empty());
  }
}

TEST(ExactGatesTest, OfARateAnyDropIsARegression) {
  Gate gate = ExactGate("hits");
  gate.better = Better::kHigher;
  ExpectExactly(Find(Constant(Exact(gate), 5, 4, 8, Better::kHigher), "hits"), Verdict::kRegression,
                -1);
  ExpectExactly(Find(Constant(Exact(gate), 5, 6, 8, Better::kHigher), "hits"), Verdict::kPass, 1);
}

TEST(ExactGatesTest, ZerosHaveADifferenceAndNoChange) {
  for (const auto& [candidate, verdict] :
       {std::pair(0.0, Verdict::kPass), std::pair(2.0, Verdict::kRegression)}) {
    const Report report = Constant(Exact(), 0, candidate);
    ExpectExactly(Find(report, "count"), verdict, candidate);
    EXPECT_FALSE(Find(report, "count").change);
  }
}

TEST(ExactGatesTest, EveryMethodAndEstimatorDecidesAfterMinRuns) {
  std::vector<SessionSpec> specs(6, Exact());
  specs[1].method = Method::kWelch;
  specs[2].method = Method::kExactT;
  specs[3].estimator.kind = EstimatorKind::kHodgesLehmann;
  specs[4].estimator.kind = EstimatorKind::kMedian;
  specs[5].limits.max_runs = 1000;
  for (SessionSpec& spec : specs) {
    spec.limits.min_runs = 11;
    const Comparison gate = Find(Constant(spec, 7, 8, 11), "count");
    SCOPED_TRACE(NameOf(spec.method));
    ExpectExactly(gate, Verdict::kRegression, 1);
    EXPECT_EQ(gate.decided->blocks, 11U);
    ExpectExactly(Find(Constant(spec, 7, 7, 11), "count"), Verdict::kPass, 0);
  }
}

TEST(ExactGatesTest, TheOneLookOfAFixedNumberOfRunsDecides) {
  for (const EstimatorKind estimator : {EstimatorKind::kMean, EstimatorKind::kHodgesLehmann}) {
    SessionSpec spec = Exact();
    spec.limits.runs = 3;
    spec.estimator.kind = estimator;
    ExpectExactly(Find(Constant(spec, 7, 8, 3), "count"), Verdict::kRegression, 1);
    ExpectExactly(Find(Constant(spec, 7, 7, 3), "count"), Verdict::kPass, 0);
  }
}

TEST(ExactGatesTest, BuildsOfOneArmThatCountTheSameAreConstant) {
  std::vector<std::string> arms;
  for (const char* group : {"base/", "candidate/"}) {
    for (int i = 1; i <= 4; ++i) arms.push_back(group + std::to_string(i));
  }
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 4, arms)});
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = {ExactGate("count")};
  spec.method = Method::kLayouts;
  spec.limits.max_runs = 1000;
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) Feed(analysis, Counts({5, 5, 5, 5, 6, 6, 6, 6}));
  EXPECT_TRUE(analysis.Finished());
  ExpectExactly(Find(analysis.Conclude(), "count"), Verdict::kRegression, 1);
}

TEST(ExactGatesTest, ThePartOfAlphaIsKeptInCaseValuesVary) {
  SessionSpec spec = Exact();
  spec.benchmarks[0].gates.push_back(RatioGate("wall_time", 0.02));
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) Feed(analysis, Counts({5, 6}));
  EXPECT_DOUBLE_EQ(Find(analysis.Conclude(), "count").confidence, 1 - 0.01 / 2);
}

TEST(ExactGatesTest, TheGeometricMeanTakesConstantsAsTheyAre) {
  std::vector<Benchmark> benchmarks;
  for (const char* name : {"one", "two"}) {
    Benchmark& made = benchmarks.emplace_back(MakeBenchmark(name, 1, {"base", "candidate"}));
    made.parse = "lines";
    made.gates = {ExactGate("count")};
  }
  SessionAnalysis analysis = Start(MakeSpec(benchmarks));
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, Counts({100, 200}));
    Feed(analysis, Counts({100, 50}, "count", Better::kLower, 1));
  }
  const Report report = analysis.Conclude();
  ASSERT_EQ(report.geometric_means.size(), 1U);
  const Effect mean = report.geometric_means[0].change;
  EXPECT_NEAR(mean.estimate, 0, 1e-12);
  EXPECT_NEAR(mean.lo.value_or(9), 0, 1e-12);
  EXPECT_NEAR(mean.hi.value_or(9), 0, 1e-12);
}

// ---- values that vary ----

/// Counts of both arms in a block.
using CountsInBlock = std::function<std::vector<double>(int block)>;

Report Varying(const SessionSpec& spec, const CountsInBlock& counts, int* blocks = nullptr) {
  constexpr int kMost = 1000;
  SessionAnalysis analysis = Start(spec);
  int fed = 0;
  while (fed < kMost && !analysis.Finished()) Feed(analysis, Counts(counts(fed++)));
  EXPECT_TRUE(analysis.Finished()) << "after " << fed << " blocks";
  if (blocks != nullptr) *blocks = fed;
  return analysis.Conclude();
}

/// Counts that vary by up to two, in both arms independently.
CountsInBlock Around(double base, double candidate) {
  return [base, candidate, random = std::mt19937(7)](int) mutable {
    const double b = base + static_cast<double>(random() % 3);
    return std::vector<double>{b, candidate + static_cast<double>(random() % 3)};
  };
}

TEST(ExactGatesTest, WhatVariesIsJudgedByAMarginOfOneUnit) {
  for (const auto& [candidate, verdict] :
       {std::pair(100.0, Verdict::kPass), std::pair(103.0, Verdict::kRegression),
        std::pair(95.0, Verdict::kPass)}) {
    for (const Method method : {Method::kPaired, Method::kWelch, Method::kExactT}) {
      SessionSpec spec = Exact();
      spec.method = method;
      const Report report = Varying(spec, Around(100, candidate));
      const Comparison& gate = Find(report, "count");
      EXPECT_EQ(gate.verdict, verdict) << candidate << " " << NameOf(method);
      EXPECT_FALSE(gate.basis);
      EXPECT_EQ(gate.margin, 1);
      EXPECT_EQ(gate.margin_kind, MarginKind::kExact);
      ASSERT_TRUE(gate.difference && gate.difference->lo && gate.difference->hi);
      EXPECT_LT(*gate.difference->lo, *gate.difference->hi);
      EXPECT_TRUE(gate.p_value);
      const auto note = std::ranges::find(report.warnings, "not_constant", &Warning::code);
      ASSERT_NE(note, report.warnings.end());
      EXPECT_EQ(note->severity, Severity::kNote);
      EXPECT_EQ(note->metric, "count");
    }
  }
  EXPECT_WORDING(WarningText(Varying(Exact(), Around(100, 100)).warnings, "not_constant"));
}

// A count is not rounded. With its step as an error of measurement, no number of runs could decide
// a gate whose arms spread over less than a step.
TEST(ExactGatesTest, ASpreadOfLessThanOneUnitIsDecidedToo) {
  int blocks = 0;
  const auto sometimes_one_more = [](int block) {
    return std::vector<double>{100, block % 4 == 3 ? 101.0 : 100.0};
  };
  const Report report = Varying(Exact(), sometimes_one_more, &blocks);
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_FALSE(Find(report, "count").basis);
  EXPECT_FALSE(Find(report, "count").difference_allowance);
  EXPECT_LT(blocks, 100);
}

TEST(ExactGatesTest, SamplesThatDifferInsideARunAreNotConstant) {
  SessionAnalysis analysis = Start(Exact());
  for (int i = 0; i < 8; ++i) {
    Block block = Counts({2, 2});
    // The mean of the run is 2 in every run.
    block[1].samples[1].value = 1;
    block[1].samples.push_back({"count", {}, 1, 3});
    Feed(analysis, block);
  }
  const Report report = analysis.Conclude();
  EXPECT_FALSE(Find(report, "count").basis);
  EXPECT_NE(WarningText(report.warnings, "not_constant"), "");
}

TEST(ExactGatesTest, ACountThatLeft0IsARegressionEvenIfItVaries) {
  SessionAnalysis analysis = Start(Exact());
  for (int i = 0; i < 8; ++i) Feed(analysis, Counts({0, i % 2 == 0 ? 3.0 : 4.0}));
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  EXPECT_FALSE(Find(report, "count").basis);
}

/// A gate that was decided on eight constant blocks, and `more` blocks after them.
Report DecidedThen(double base, double candidate, const CountsInBlock& counts, int more) {
  SessionAnalysis analysis = Start(Exact());
  for (int i = 0; i < 8; ++i) Feed(analysis, Counts({base, candidate}));
  EXPECT_TRUE(analysis.Finished());
  // Another gate of the benchmark may still be open.
  for (int i = 0; i < more; ++i) Feed(analysis, Counts(counts(i)));
  return analysis.Conclude();
}

TEST(ExactGatesTest, ADecidedGateStaysDecidedIfItsValuesVaryLater) {
  const Report report = DecidedThen(100, 100, Around(100, 100), 50);
  const Comparison& gate = Find(report, "count");
  EXPECT_EQ(gate.verdict, Verdict::kPass);
  EXPECT_EQ(gate.basis, Basis::kExact);
  EXPECT_EQ(gate.decided, (Decision{8, 0.0, 0.0}));
  ASSERT_TRUE(gate.difference && gate.difference->lo && gate.difference->hi);
  EXPECT_LT(*gate.difference->lo, *gate.difference->hi) << "the interval of all values";
  EXPECT_WORDING(WarningText(report.warnings, "not_constant"));

  EXPECT_EQ(Find(DecidedThen(100, 101, Around(100, 101), 50), "count").verdict,
            Verdict::kRegression)
      << "an increase, even if it is less than one unit now";
}

TEST(ExactGatesTest, ADecidedGateIsWithdrawnOnlyIfTheIntervalContradictsIt) {
  const Report pass = DecidedThen(100, 100, Around(100, 150), 100);
  const Report regression = DecidedThen(100, 101, Around(100, 50), 100);
  for (const Report* report : {&pass, &regression}) {
    EXPECT_EQ(report->verdict, Verdict::kUndecided);
    const Comparison& gate = Find(*report, "count");
    EXPECT_EQ(gate.verdict, Verdict::kUndecided);
    EXPECT_EQ(gate.reason, "exact_contradicted");
    EXPECT_FALSE(gate.basis);
    EXPECT_FALSE(gate.decided);
    EXPECT_EQ(WarningText(report->warnings, "not_constant"), "");
  }
  EXPECT_WORDING(WarningText(pass.warnings, "exact_contradicted"));
}

// ---- limits and missing values ----

TEST(ExactGatesTest, TooFewRunsLeaveItUndecidedUnlessTheEstimateIsAskedFor) {
  for (const auto& [limit, equal, more] :
       {std::tuple(AtLimit::kUndecided, Verdict::kUndecided, Verdict::kUndecided),
        std::tuple(AtLimit::kEstimate, Verdict::kPass, Verdict::kRegression)}) {
    SessionSpec spec = Exact();
    spec.limits.at_limit = limit;
    for (const auto& [candidate, verdict] : {std::pair(5.0, equal), std::pair(6.0, more)}) {
      SessionAnalysis analysis = Start(spec);
      for (int i = 0; i < 4; ++i) Feed(analysis, Counts({5, candidate}));
      const Report report = analysis.Conclude();
      EXPECT_EQ(report.verdict, verdict);
      EXPECT_FALSE(Find(report, "count").basis) << "not after min_runs";
      EXPECT_EQ(report.basis == Basis::kEstimate, limit == AtLimit::kEstimate);
    }
  }
}

TEST(ExactGatesTest, AMetricThatOneArmLacksIsMissingAsEver) {
  for (const bool allowed : {false, true}) {
    SessionSpec spec = Exact();
    spec.benchmarks[0].allow_missing = allowed;
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 8; ++i) {
      Block block = Counts({5, 5});
      block[1].samples.pop_back();
      Feed(analysis, block);
    }
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, allowed ? Verdict::kUndecided : Verdict::kRegression);
    EXPECT_EQ(Find(report, "count").reason, allowed ? "" : "missing_in_candidate");
    EXPECT_FALSE(Find(report, "count").basis);
  }
}

TEST(ExactGatesTest, ThereIsNoVerdictWhileTooManyRunsLackTheMetric) {
  SessionAnalysis analysis = Start(Exact());
  for (int i = 0; i < 20; ++i) {
    Block block = Counts({5, 5});
    if (i % 4 == 0) block[1].samples.pop_back();
    Feed(analysis, block);
  }
  EXPECT_EQ(Find(analysis.Conclude(), "count").reason, "missing_values");
}

// ---- without a margin ----

TEST(ExactGatesTest, ACountOfWorkIsExactWithoutAMargin) {
  const auto judged = [](const Gate& gate, double base, double candidate) {
    return Find(Constant(Exact(gate), base, candidate), gate.metric);
  };
  ExpectExactly(judged(GateWithoutMargin("allocs/op"), 1, 2), Verdict::kRegression, 1);
  ExpectExactly(judged(GateWithoutMargin("allocs/op"), 5, 5), Verdict::kPass, 0);
  // One in a million is far below 2 %, but it is no accident.
  const Comparison one_more = judged(GateWithoutMargin("instructions"), 1e6, 1e6 + 1);
  EXPECT_EQ(one_more.verdict, Verdict::kRegression);
  EXPECT_EQ(one_more.basis, Basis::kExact);
  EXPECT_EQ(one_more.margin, 0.02) << "the margin that would apply if values varied";
  EXPECT_EQ(one_more.margin_kind, MarginKind::kRatio);
  EXPECT_EQ(one_more.decided->lo, one_more.change->estimate);
  const Comparison given = judged(RatioGate("instructions", 0.02), 1e6, 1e6 + 1);
  EXPECT_EQ(given.verdict, Verdict::kPass) << "a margin was given";
  EXPECT_FALSE(given.basis);
}

TEST(ExactGatesTest, ACountOfWorkThatVariesHasTheDefaultMargin) {
  SessionAnalysis analysis = Start(Exact(GateWithoutMargin("instructions")));
  std::mt19937 random(3);
  for (int i = 0; i < 100 && !analysis.Finished(); ++i) {
    const auto count = [&random] { return 1e6 + static_cast<double>(random() % 1000); };
    const double base = count();
    Feed(analysis, Counts({base, count()}, "instructions"));
  }
  const Report report = analysis.Conclude();
  const Comparison& gate = Find(report, "instructions");
  EXPECT_EQ(gate.verdict, Verdict::kPass);
  EXPECT_FALSE(gate.basis);
  EXPECT_EQ(gate.margin, 0.02);
  EXPECT_EQ(WarningText(report.warnings, "not_constant"), "") << "nobody asked for it";
}

// ---- tables ----

std::string CountTable(const std::string& header, int rows, double base, double candidate) {
  std::string text = header + "\n";
  const bool pairs = header.find("pair") != std::string::npos;
  for (int i = 0; i < rows; ++i) {
    for (const auto& [arm, value] : {std::pair("a", base), std::pair("b", candidate)}) {
      text += std::string(arm) + (pairs ? "," + std::to_string(i) : "") + "," +
              std::to_string(static_cast<int>(value)) + "\n";
    }
  }
  return text;
}

TableOptions ExactTable() {
  TableOptions options = AgainstA();
  Gate gate = ExactGate("count");
  gate.better = Better::kLower;
  options.spec.benchmarks.emplace_back().gates = {gate};
  return options;
}

TEST(ExactGatesTest, AnalyzeJudgesARepeatedCountAsASessionDoes) {
  for (const auto& [candidate, verdict] :
       {std::pair(5.0, Verdict::kPass), std::pair(6.0, Verdict::kRegression)}) {
    const auto pairs = Analyze(CountTable("arm,pair,count", 20, 5, candidate), ExactTable());
    ASSERT_TRUE(pairs) << pairs.error().message;
    ExpectExactly(Find(pairs->report, "count", "b"), verdict, candidate - 5);
    EXPECT_EQ(pairs->decided_at, 8U);
    const auto fixed = Analyze(CountTable("arm,count", 2, 5, candidate), ExactTable());
    ASSERT_TRUE(fixed) << fixed.error().message;
    ExpectExactly(Find(fixed->report, "count", "b"), verdict, candidate - 5);
  }
  const auto once = Analyze(CountTable("arm,count", 1, 5, 6), ExactTable());
  ASSERT_TRUE(once) << once.error().message;
  EXPECT_EQ(once->report.verdict, Verdict::kUndecided)
      << "one value cannot show that it is constant";
}

// ---- what is refused ----

TEST(ExactGatesTest, WhatNeedsAnIntervalOrARatioIsRefused) {
  const auto refusal = [](const std::function<void(SessionSpec&)>& change) {
    SessionSpec spec = Exact();
    change(spec);
    const auto analysis = SessionAnalysis::Create(spec);
    EXPECT_FALSE(analysis);
    return analysis ? Error{} : analysis.error();
  };
  EXPECT_WORDING(refusal([](SessionSpec& spec) { spec.rule = {RuleKind::kPrecision, 0.01}; }));
  EXPECT_WORDING(refusal([](SessionSpec& spec) {
    spec.estimator.kind = EstimatorKind::kLognormalMean;
    spec.limits.runs = 10;
  }));
  EXPECT_WORDING(refusal([](SessionSpec& spec) {
    spec.benchmarks[0].parse.clear();
    spec.benchmarks[0].gates = {ExactGate("cpu_time")};
  }));
  // Without :exact, these two judge a count of work as they judge anything else.
  SessionSpec spec = Exact(GateWithoutMargin("instructions"));
  spec.estimator.kind = EstimatorKind::kLognormalMean;
  spec.limits.runs = 8;
  EXPECT_FALSE(Find(Constant(spec, 1e6, 1e6), "instructions").basis);
}

}  // namespace
}  // namespace benchd
