// Passes with a confidence of their own: the two ends of an interval have different levels.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stats/decision.h"
#include "core/stats/exact_t.h"
#include "core/stats/sequential_boundary.h"
#include "tests/analysis/session_feed.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using golden::Close;

SessionSpec Spec(Method method, std::optional<double> pass_confidence, double alpha = 0.01) {
  SessionSpec spec = Two(alpha);
  spec.method = method;
  spec.pass_confidence = pass_confidence;
  return spec;
}

struct Values {
  std::vector<double> base;
  std::vector<double> candidate;
};

/// Feeds the values as the metric `m`, a time or a rate.
Report ReportOf(SessionSpec spec, const Values& values, Better better = Better::kLower) {
  spec.benchmarks.front().gates = {RatioGate("m", 0.02)};
  SessionAnalysis analysis = Start(spec);
  for (std::size_t i = 0; i < values.base.size(); ++i) {
    Feed(analysis, {RunBuilder(0, 0, 0).Metric("m", better).Sample("m", values.base[i]),
                    RunBuilder(0, 1, 1).Metric("m", better).Sample("m", values.candidate[i])});
  }
  return analysis.Conclude();
}

/// 40 pairs with 1 % of noise.
Values Drawn(double change, unsigned seed = 3) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Values values;
  for (int i = 0; i < 40; ++i) {
    values.base.push_back(1 + 0.01 * normal(random));
    values.candidate.push_back((1 + change) * (1 + 0.01 * normal(random)));
  }
  return values;
}

const Effect& ChangeOf(const Report& report) { return *report.comparisons.front().change; }

TEST(TwoLevelsTest, IntervalsAgreeWithAnIndependentProgram) {
  const nlohmann::json& file = golden::ReadFile("two_levels.json");
  const double rel_tol = file.at("rel_tol");
  ASSERT_GE(file.at("cases").size(), 20u);
  for (const nlohmann::json& one : file.at("cases")) {
    const std::string name = one.at("method");
    SessionSpec spec = Spec(ValueOf<Method>(name).value(), one.at("pass_confidence").get<double>(),
                            one.at("alpha"));
    if (one.at("sided") == "one") spec.sided = Sided::kOne;
    const Values values{one.at("base"), one.at("candidate")};
    if (one.at("once")) {
      // Welch at one look has the schedule coin.
      if (name == "welch") spec.schedule.kind = ScheduleKind::kCoin;
      spec.method = Method::kFixed;
      spec.limits.runs = values.base.size();
    }
    const bool rate = one.at("better") == "higher";
    const Report report = ReportOf(spec, values, rate ? Better::kHigher : Better::kLower);
    const Effect& change = ChangeOf(report);
    ASSERT_TRUE(change.lo && change.hi) << name;
    EXPECT_TRUE(Close(*change.lo, one.at("lo"), rel_tol)) << name << " " << one.at("once");
    EXPECT_TRUE(Close(*change.hi, one.at("hi"), rel_tol)) << name << " " << one.at("once");
  }
}

TEST(TwoLevelsTest, OnlyTheWorseEndMoves) {
  const Values values = Drawn(0);
  for (const Method method : {Method::kPaired, Method::kWelch, Method::kExactT}) {
    const Effect plain = ChangeOf(ReportOf(Spec(method, {}), values));
    const Effect own = ChangeOf(ReportOf(Spec(method, 0.95), values));
    EXPECT_EQ(own.lo, plain.lo) << NameOf(method);
    EXPECT_LT(*own.hi, *plain.hi) << NameOf(method);
    // The worse end of a rate is its lower end.
    const Effect plain_rate = ChangeOf(ReportOf(Spec(method, {}), values, Better::kHigher));
    const Effect rate = ChangeOf(ReportOf(Spec(method, 0.95), values, Better::kHigher));
    EXPECT_EQ(rate.hi, plain_rate.hi) << NameOf(method);
    EXPECT_GT(*rate.lo, *plain_rate.lo) << NameOf(method);
  }
}

TEST(TwoLevelsTest, EstimatorsOfValuesHaveTwoLevelsToo) {
  const Values values = Drawn(0);
  for (const auto& [kind, once] : {std::pair(EstimatorKind::kHodgesLehmann, false),
                                   {EstimatorKind::kHodgesLehmann, true},
                                   {EstimatorKind::kMedian, false},
                                   {EstimatorKind::kMedian, true},
                                   {EstimatorKind::kQuantile, false},
                                   {EstimatorKind::kLognormalMean, true}}) {
    SessionSpec spec = Spec(Method::kPaired, {});
    spec.estimator.kind = kind;
    if (kind == EstimatorKind::kQuantile) spec.estimator.quantile = 0.5;
    if (once) spec.limits.runs = 40;
    const Effect plain = ChangeOf(ReportOf(spec, values));
    spec.pass_confidence = 0.95;
    const Effect own = ChangeOf(ReportOf(spec, values));
    ASSERT_TRUE(plain.lo && plain.hi && own.lo && own.hi) << NameOf(kind);
    EXPECT_EQ(own.lo, plain.lo) << NameOf(kind);
    EXPECT_LT(*own.hi, *plain.hi) << NameOf(kind);
  }
}

// A few pairs bound a rank estimate at the level of a pass, but not at that of a regression.
TEST(TwoLevelsTest, AnEndThatTheRunsDoNotBoundIsAbsent) {
  Values values = Drawn(0);
  values.base.resize(9);
  values.candidate.resize(9);
  for (const EstimatorKind kind : {EstimatorKind::kHodgesLehmann, EstimatorKind::kMedian}) {
    SessionSpec spec = Spec(Method::kPaired, 0.7);
    spec.estimator.kind = kind;
    const Effect time = ChangeOf(ReportOf(spec, values));
    EXPECT_FALSE(time.lo) << NameOf(kind) << " " << *time.lo;
    EXPECT_TRUE(time.hi) << NameOf(kind);
    const Effect rate = ChangeOf(ReportOf(spec, values, Better::kHigher));
    EXPECT_TRUE(rate.lo) << NameOf(kind);
    EXPECT_FALSE(rate.hi) << NameOf(kind);
  }
}

// With a horizon, 2 (1 - P) must have a root.
TEST(TwoLevelsTest, TheHorizonHasTwoConstants) {
  SessionSpec spec = Spec(Method::kPaired, 0.95);
  spec.limits.max_runs = 100;
  SequentialDesign design = MakeSequentialDesign(spec).value();
  const SignificanceLevel level(design, 0.01, 0.05);
  EXPECT_EQ(level.lower().boundary().root(), HorizonRoot(0.01, 100.0 / 8).value());
  EXPECT_EQ(level.upper().boundary().root(), HorizonRoot(0.1, 100.0 / 8).value());
  spec.pass_confidence = 0.8;
  EXPECT_TRUE(MakeSequentialDesign(spec).error().message.starts_with("pass-confidence: "));
}

TEST(TwoLevelsTest, APassOfItsOwnLevelComesEarlierAndARegressionDoesNot) {
  const auto decided_at = [](std::optional<double> pass_confidence, double change) {
    const Report report = ReportOf(Spec(Method::kPaired, pass_confidence), Drawn(change));
    return report.comparisons.front().decided->blocks;
  };
  EXPECT_LT(decided_at(0.8, 0.009), decided_at({}, 0.009));
  EXPECT_EQ(decided_at(0.8, 0.034), decided_at({}, 0.034));
}

TEST(TwoLevelsTest, ExactTDecidesEachSideByItsOwnBoundary) {
  const double regression = ExactTBoundary::Make(0.01, 8).value().CriticalT(40);
  const double pass = ExactTBoundary::Make(0.1, 8).value().CriticalT(40);
  ASSERT_LT(pass, regression);
  const double between = (pass + regression) / 2;
  EXPECT_EQ(DecideExactT(between, CriticalValues{regression, pass}), LookDecision::kContinue);
  EXPECT_EQ(DecideExactT(-between, CriticalValues{regression, pass}), LookDecision::kPass);
}

TEST(TwoLevelsTest, GatesShareBothLevels) {
  SessionSpec spec = Spec(Method::kPaired, 0.95);
  spec.benchmarks.front().gates = {RatioGate("wall_time", 0.02), RatioGate("user_time", 0.02)};
  SessionAnalysis analysis = Start(spec);
  Noise noise(1);
  for (int i = 0; i < 8; ++i) {
    Block block = noise.Wall({1, 1});
    for (auto& run : block) run.samples.push_back({"user_time", {}, 0, run.samples[0].value});
    Feed(analysis, block);
  }
  const Report report = analysis.Look();
  for (const Comparison& gate : report.comparisons) {
    ASSERT_EQ(gate.role, ComparisonRole::kGate);
    EXPECT_DOUBLE_EQ(gate.confidence, 1 - 0.01 / 2);
    ASSERT_TRUE(gate.pass_confidence);
    EXPECT_DOUBLE_EQ(*gate.pass_confidence, 1 - 0.05 / 2);
  }
}

// `improved` is a statement at the session's own confidence, whatever the level of a pass is.
TEST(TwoLevelsTest, ImprovedIsSaidAtTheLevelOfARegression) {
  struct LevelWay {
    Method method;
    EstimatorKind estimator;
  };
  for (const LevelWay& way : {LevelWay{Method::kPaired, EstimatorKind::kMean},
                              LevelWay{Method::kWelch, EstimatorKind::kMean},
                              LevelWay{Method::kExactT, EstimatorKind::kMean},
                              LevelWay{Method::kPaired, EstimatorKind::kHodgesLehmann},
                              LevelWay{Method::kPaired, EstimatorKind::kMedian},
                              LevelWay{Method::kPaired, EstimatorKind::kLognormalMean}}) {
    for (const bool once : {false, true}) {
      if (once && way.method != Method::kPaired) continue;
      if (!once && way.estimator == EstimatorKind::kLognormalMean) continue;  // takes one look
      int narrower = 0;  // the end of a pass alone excludes no change
      int wider = 0;     // the end of a pass alone includes it
      for (int step = 0; step <= 30; ++step) {
        const Values values = Drawn(-0.001 * step);
        for (const Better better : {Better::kLower, Better::kHigher}) {
          const bool lower = better == Better::kLower;
          SessionSpec spec = Spec(way.method, {});
          spec.estimator.kind = way.estimator;
          if (once) spec.limits.runs = 40;
          const Values& fed = lower ? values : Values{values.candidate, values.base};
          const Flag flag = ReportOf(spec, fed, better).comparisons.front().flag;
          for (const double own : {0.8, 0.99999}) {
            spec.pass_confidence = own;
            const Comparison gate = ReportOf(spec, fed, better).comparisons.front();
            EXPECT_EQ(gate.flag, flag) << NameOf(way.estimator) << " " << step << " " << own;
            const bool excluded = lower ? *gate.change->hi < 0 : *gate.change->lo > 0;
            if (excluded && flag == Flag::kNone) ++narrower;
            if (!excluded && flag == Flag::kImprovement) ++wider;
          }
        }
      }
      EXPECT_GT(narrower, 0) << NameOf(way.method) << " " << NameOf(way.estimator) << once;
      EXPECT_GT(wider, 0) << NameOf(way.method) << " " << NameOf(way.estimator) << once;
    }
  }
}

// A flag may err in both directions, and so may an order.
TEST(TwoLevelsTest, OtherStatementsKeepAlphaAtBothEnds) {
  for (const std::optional<double> own : {std::optional<double>(), std::optional(0.9)}) {
    SessionSpec spec = Spec(Method::kPaired, own);
    spec.benchmarks.front().gates = {RatioGate("wall_time", 0.02)};
    const SequentialDesign design = MakeSequentialDesign(spec).value().ForInfo();
    const SignificanceLevel level(design, 0.01, design.pass_alpha);
    EXPECT_EQ(level.upper().boundary().root(), RobbinsRoot(0.01).value());
  }
}

TEST(TwoLevelsTest, TheForecastUsesTheBoundaryOfTheEndThatDecides) {
  const PairedEstimate estimate{.n = 20, .centre = 0, .se = 0.005};
  const double threshold = 0.02;
  const SequentialDesign design = MakeSequentialDesign(Spec(Method::kPaired, 0.95)).value();
  const SignificanceLevel level(design, 0.01, 0.05);
  const auto by_default = ForecastPairs(estimate, threshold, level.lower().boundary());
  const auto by_pass = ForecastPairs(estimate, threshold, level.upper().boundary());
  ASSERT_TRUE(by_default && by_pass);
  EXPECT_LT(*by_pass, *by_default);
  // The same values with and without a level of their own.
  const auto expected = [](std::optional<double> own) {
    SessionSpec spec = Spec(Method::kPaired, own);
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 12; ++i) {
      const double step = i % 2 == 0 ? 0.02 : -0.02;
      Feed(analysis, WallBlock(0, {1 - step, 1 + step}));
    }
    return analysis.Look().comparisons.front().expected_blocks;
  };
  ASSERT_TRUE(expected({}) && expected(0.9));
  EXPECT_LT(*expected(0.9), *expected({}));
}

TEST(TwoLevelsTest, RefusesALevelThatIsNone) {
  for (const double wrong : {0.5, 1.0, -1.0, std::nan("")}) {
    const auto design = MakeSequentialDesign(Spec(Method::kPaired, wrong));
    ASSERT_FALSE(design) << wrong;
    EXPECT_TRUE(design.error().message.starts_with("pass-confidence: "));
  }
}

}  // namespace
}  // namespace benchd
