// Negative margins: a gate passes if the candidate is better by that much, and regresses if not.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_feed.h"

namespace benchd {
namespace {

constexpr unsigned kMarginSeed = 20260402;

/// A block of a metric of that direction with 1 % of noise, whose candidate has `factor` times the
/// value.
Block OwnBlock(Noise& noise, double factor, Better better) {
  Block block = noise.Wall({1, factor});
  for (Run& run : block) {
    run.samples.push_back({"own", "", 0, run.samples.front().value});
    run.metrics = {{"own", "u", better}};
  }
  return block;
}

/// A session of a gate on a metric with 1 % of noise, whose candidate has `factor` times the value.
Report Compared(const SessionSpec& spec, double factor, Better better = Better::kLower,
                int most_blocks = 400) {
  SessionAnalysis analysis = Start(spec);
  Noise noise(kMarginSeed);
  for (int i = 0; i < most_blocks && !analysis.Finished(); ++i) {
    Feed(analysis, OwnBlock(noise, factor, better));
  }
  return analysis.Conclude();
}

SessionSpec Required(double margin, Method method = Method::kPaired) {
  SessionSpec spec = Two();
  spec.method = method;
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = {RatioGate("own", margin)};
  return spec;
}

struct Case {
  double factor;
  Verdict verdict;
  Flag flag;
};

TEST(NegativeMarginsTest, TheCandidateHasToBeBetterByTheMargin) {
  for (const Method method : {Method::kPaired, Method::kWelch, Method::kExactT}) {
    for (const Case& one : {Case{0.85, Verdict::kPass, Flag::kImprovement},
                            Case{0.98, Verdict::kRegression, Flag::kImprovement},
                            Case{1.0, Verdict::kRegression, Flag::kNone},
                            Case{1.1, Verdict::kRegression, Flag::kNone}}) {
      SessionSpec spec = Required(-0.05, method);
      spec.limits.min_runs = 60;  // which tell 2 % from nothing
      const Report report = Compared(spec, one.factor);
      const Comparison& gate = Find(report, "own");
      EXPECT_EQ(report.verdict, one.verdict) << one.factor << " " << NameOf(method);
      EXPECT_EQ(gate.margin, -0.05);
      EXPECT_EQ(gate.reason, "");
      ASSERT_TRUE(gate.decided);
      const double threshold = -0.05;
      EXPECT_TRUE(one.verdict == Verdict::kPass ? *gate.decided->hi < threshold
                                                : *gate.decided->lo > threshold);
      EXPECT_EQ(gate.flag, one.flag) << one.factor << " " << NameOf(method);
    }
  }
}

TEST(NegativeMarginsTest, ARateHasToBeHigherByTheMargin) {
  for (const Case& one : {Case{1.15, Verdict::kPass, Flag::kImprovement},
                          Case{1.02, Verdict::kRegression, Flag::kImprovement},
                          Case{0.9, Verdict::kRegression, Flag::kNone}}) {
    for (const Method method : {Method::kPaired, Method::kWelch, Method::kExactT}) {
      const Report report = Compared(Required(-0.05, method), one.factor, Better::kHigher);
      EXPECT_EQ(report.verdict, one.verdict) << one.factor << " " << NameOf(method);
      EXPECT_EQ(Find(report, "own").flag, one.flag) << one.factor << " " << NameOf(method);
    }
  }
  // A rate may be required to grow by more than 100 %.
  EXPECT_EQ(Compared(Required(-1.5), 3, Better::kHigher).verdict, Verdict::kPass);
  EXPECT_EQ(Compared(Required(-1.5), 2, Better::kHigher).verdict, Verdict::kRegression);
}

TEST(NegativeMarginsTest, ADifferenceHasToBeOnTheGoodSideOfTheMargin) {
  SessionSpec spec = Required(-0.05);
  spec.benchmarks[0].gates = {AbsoluteGate("own", -0.05)};
  EXPECT_EQ(Compared(spec, 0.9).verdict, Verdict::kPass);
  EXPECT_EQ(Compared(spec, 0.99).verdict, Verdict::kRegression);
  EXPECT_EQ(Compared(spec, 1.1, Better::kHigher).verdict, Verdict::kPass);
  EXPECT_EQ(Compared(spec, 1.01, Better::kHigher).verdict, Verdict::kRegression);
  EXPECT_EQ(Find(Compared(spec, 0.9), "own").margin_kind, MarginKind::kAbsolute);
}

TEST(NegativeMarginsTest, AChangeOfExactlyTheMarginIsNotDecided) {
  const Report report = Compared(Required(-0.05), 0.95, Better::kLower, 60);
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(Find(report, "own").flag, Flag::kImprovement) << "5 % better than nothing";
}

TEST(NegativeMarginsTest, OneLookAndTheEstimateUseTheSameSide) {
  SessionSpec spec = Required(-0.05);
  spec.limits.runs = 10;
  EXPECT_EQ(Compared(spec, 0.85).verdict, Verdict::kPass);
  EXPECT_EQ(Compared(spec, 0.99).verdict, Verdict::kRegression);
  spec = Required(-0.05);
  spec.limits.at_limit = AtLimit::kEstimate;
  EXPECT_EQ(Compared(spec, 0.9, Better::kLower, 3).verdict, Verdict::kPass);
  EXPECT_EQ(Compared(spec, 0.99, Better::kLower, 3).verdict, Verdict::kRegression);
}

TEST(NegativeMarginsTest, ThePrecisionRuleJudgesByTheSideOfTheMargin) {
  SessionSpec spec = Required(-0.05);
  spec.rule = {RuleKind::kPrecision, 0.02};
  EXPECT_EQ(Compared(spec, 0.85).verdict, Verdict::kPass);
  EXPECT_EQ(Compared(spec, 1.0).verdict, Verdict::kRegression);
}

TEST(NegativeMarginsTest, ThePOfAGateIsAboutItsMargin) {
  // At the margin the interval excludes 0, but not the margin.
  const Report at = Compared(Required(-0.05), 0.95, Better::kLower, 60);
  EXPECT_GT(*Find(at, "own").p_value, 0.01);
  EXPECT_LE(*Find(Compared(Required(-0.05), 1.0), "own").p_value, 0.01);
}

/// Constant counts of allocations under the default margin.
Report OfCounts(double margin, double base, double candidate, std::vector<Gate> gates = {}) {
  SessionSpec spec = Two();
  spec.default_margin = margin;
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = std::move(gates);
  for (Gate& gate : spec.benchmarks[0].gates) gate.margin = margin;
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Block block;
    for (const double count : {base, candidate}) {
      const auto arm = static_cast<std::uint32_t>(block.size());
      block.push_back(RunBuilder(0, arm, arm)
                          .Sample("allocs/op", count)
                          .Metric("allocs/op", Better::kLower, "1", 1));
    }
    Feed(analysis, block);
  }
  EXPECT_TRUE(analysis.Finished());
  return analysis.Conclude();
}

TEST(NegativeMarginsTest, ACountOfWorkIsNotExactUnderANegativeDefault) {
  for (const std::vector<Gate>& gates :
       {std::vector<Gate>{}, std::vector<Gate>{GateWithoutMargin("allocs/op")}}) {
    // An exact gate would pass both.
    const Report same = OfCounts(-0.05, 1e6, 1e6, gates);
    EXPECT_EQ(same.verdict, Verdict::kRegression);
    EXPECT_FALSE(Find(same, "allocs/op").basis);
    EXPECT_EQ(Find(same, "allocs/op").margin, -0.05);
    EXPECT_EQ(Find(same, "allocs/op").margin_kind, MarginKind::kRatio);
    EXPECT_EQ(OfCounts(-0.05, 1e6, 9.6e5, gates).verdict, Verdict::kRegression);
    EXPECT_EQ(OfCounts(-0.05, 1e6, 9e5, gates).verdict, Verdict::kPass);
    EXPECT_EQ(Find(OfCounts(0.05, 1e6, 9e5, gates), "allocs/op").basis, Basis::kExact);
  }
}

// The metric is always 0 in the reference, so it has no relative change.
TEST(NegativeMarginsTest, HintsAskForAnImprovementToo) {
  const auto hint_of = [](double margin) {
    SessionAnalysis analysis = Start(Required(margin));
    for (int i = 0; i < 10; ++i) {
      Block block = WallBlock(0, {1, 1});
      for (benchd::Run& run : block) {
        run.samples.push_back({"own", "", 0, run.arm == 0 ? 0.0 : 1.0 + 0.01 * i});
        run.metrics = {{"own", "u", Better::kLower}};
      }
      Feed(analysis, block);
    }
    for (const Warning& warning : analysis.Conclude().warnings) {
      if (warning.code == "no_ratio") return warning.hint;
    }
    return std::string();
  };
  EXPECT_EQ(hint_of(0.05), "gate on the difference: --metric own:+ABS");
  EXPECT_EQ(hint_of(-0.05), "gate on the difference: --metric own:+-ABS");
}

TEST(ImprovedGatesTest, AGateIsImprovedIfItsIntervalExcludesNoChangeOnTheGoodSide) {
  for (const auto& [factor, better, flag] : {std::tuple(0.9, Better::kLower, Flag::kImprovement),
                                             std::tuple(1.1, Better::kLower, Flag::kNone),
                                             std::tuple(1.1, Better::kHigher, Flag::kImprovement),
                                             std::tuple(0.9, Better::kHigher, Flag::kNone)}) {
    const Comparison gate = Find(Compared(Required(0.02), factor, better), "own");
    EXPECT_EQ(gate.flag, flag) << factor << " " << NameOf(better);
    EXPECT_EQ(gate.verdict == Verdict::kPass, flag == Flag::kImprovement);
  }
  const Report early = Compared(Required(0.02), 0.9, Better::kLower, 3);
  EXPECT_EQ(Find(early, "own").flag, Flag::kNone) << "no interval yet";
}

TEST(ImprovedGatesTest, AnAbsoluteMarginIsAboutTheDifference) {
  SessionSpec spec = Required(0.02);
  spec.benchmarks[0].gates = {AbsoluteGate("own", 0.02)};
  EXPECT_EQ(Find(Compared(spec, 0.9), "own").flag, Flag::kImprovement);
  EXPECT_EQ(Find(Compared(spec, 1.1), "own").flag, Flag::kNone);
}

TEST(ImprovedGatesTest, FewerOfAConstantCountAreAnImprovement) {
  EXPECT_EQ(Find(OfCounts(0.02, 1e6, 1e6 - 1), "allocs/op").flag, Flag::kImprovement);
  EXPECT_EQ(Find(OfCounts(0.02, 1e6, 1e6), "allocs/op").flag, Flag::kNone);
  EXPECT_EQ(Find(OfCounts(0.02, 1e6, 1e6 + 1), "allocs/op").flag, Flag::kNone);
  EXPECT_EQ(Find(OfCounts(0.02, 5, 0), "allocs/op").flag, Flag::kImprovement)
      << "there is no ratio to 0, but a difference";
}

// The candidate is faster, but half of its runs fail.
TEST(ImprovedGatesTest, AGateWithAReasonIsNot) {
  SessionSpec spec = Required(0.02);
  spec.benchmarks[0].ignore_failure = true;
  SessionAnalysis analysis = Start(spec);
  Noise noise(kMarginSeed);
  for (int i = 0; i < 12; ++i) {
    Block block = OwnBlock(noise, 0.8, Better::kLower);
    if (i % 2 == 0) block[1].exit.code = 1;
    Feed(analysis, block);
  }
  const Report report = analysis.Conclude();
  EXPECT_EQ(Find(report, "own").reason, "failed_in_candidate");
  EXPECT_EQ(Find(report, "own").flag, Flag::kNone);
}

}  // namespace
}  // namespace benchd
