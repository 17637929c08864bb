#include "core/analysis/measurement_analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/analysis/forecast.h"
#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using testing::ElementsAre;

SessionSpec Measured(const std::vector<std::string>& arms, double precision = 0.01) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 0, arms)});
  for (Arm& arm : spec.benchmarks[0].arms) arm.role = ArmRole::kMeasured;
  spec.rule = {RuleKind::kPrecision, precision};
  return spec;
}

// Feeds blocks of normal times until the session is finished. Returns the number of blocks.
int FeedUntilDone(SessionAnalysis& analysis, const std::vector<double>& seconds, double variation,
                  int most = 2000) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int blocks = 0;
  for (; blocks < most && !analysis.Finished(); ++blocks) {
    std::vector<double> values;
    for (const double one : seconds) values.push_back(one * (1 + variation * normal(random)));
    Feed(analysis, WallBlock(0, values));
  }
  return blocks;
}

const Estimate& FindEstimate(const Report& report, std::string_view metric, std::string_view arm) {
  static const Estimate none;
  for (const Estimate& one : report.estimates) {
    if (one.metric == metric && one.arm == arm) return one;
  }
  return none;
}

std::vector<std::string> Codes(const Report& report) {
  std::vector<std::string> codes;
  for (const Warning& warning : report.warnings) codes.push_back(warning.code);
  return codes;
}

TEST(MeasurementAnalysisTest, EndsWhenEveryArmIsPrecise) {
  SessionAnalysis analysis = Start(Measured({"quick", "slow"}));
  const int blocks = FeedUntilDone(analysis, {0.001, 0.1}, 0.01);
  EXPECT_GT(blocks, 8);
  EXPECT_LT(blocks, 200);
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_TRUE(report.comparisons.empty());
  ASSERT_EQ(report.estimates.size(), 2U);
  for (const Estimate& one : report.estimates) {
    EXPECT_TRUE(one.asked);
    EXPECT_EQ(one.precise, true);
    EXPECT_EQ(one.precision, 0.01);
    EXPECT_DOUBLE_EQ(one.confidence, 0.995) << "alpha is shared by two arms";
    EXPECT_LE(*one.value->hi - *one.value->lo, 0.011 * one.value->estimate);
  }
  EXPECT_NEAR(FindEstimate(report, "wall_time", "slow").value->estimate, 0.1, 0.001);
  EXPECT_THAT(report.runs,
              ElementsAre(ArmRuns{"main", "quick", static_cast<std::uint64_t>(blocks)},
                          ArmRuns{"main", "slow", static_cast<std::uint64_t>(blocks)}));
  EXPECT_THAT(Codes(report), ElementsAre("other_sessions"));
}

TEST(MeasurementAnalysisTest, IsUndecidedAtALimit) {
  SessionSpec spec = Measured({"a"}, 1e-6);
  SessionAnalysis analysis = Start(spec);
  FeedUntilDone(analysis, {0.1}, 0.01, 20);
  EXPECT_FALSE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(report.estimates[0].precise, false);
  EXPECT_TRUE(report.estimates[0].value->lo) << "the precision that was reached";
  spec.limits.at_limit = AtLimit::kEstimate;
  SessionAnalysis accepting = Start(spec);
  FeedUntilDone(accepting, {0.1}, 0.01, 20);
  EXPECT_EQ(accepting.Look().verdict, Verdict::kUndecided) << "the limit was not reached yet";
  EXPECT_EQ(accepting.Conclude().verdict, Verdict::kPass);
}

TEST(MeasurementAnalysisTest, OtherMetricsAreForInformation) {
  SessionAnalysis analysis = Start(Measured({"a"}));
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {RunBuilder(0, 0).Sample("wall_time", 0.1).Sample("max_rss", 4096.0 * (i + 1))});
  }
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kPass);
  const Estimate& memory = FindEstimate(report, "max_rss", "a");
  EXPECT_FALSE(memory.asked);
  EXPECT_FALSE(memory.precise);
  EXPECT_FALSE(memory.precision);
  EXPECT_DOUBLE_EQ(memory.confidence, 0.99);
  EXPECT_TRUE(memory.value->lo);
}

TEST(MeasurementAnalysisTest, AMetricMayHaveItsOwnPrecision) {
  SessionSpec spec = Measured({"a"}, 0.01);
  spec.benchmarks[0].gates = {GateWithoutMargin("wall_time"), RatioGate("cpu_time", 0.5)};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {RunBuilder(0, 0).Sample("wall_time", 0.1).Sample("cpu_time", 0.1 + 0.002 * i)});
  }
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(FindEstimate(report, "wall_time", "a").precision, 0.01);
  EXPECT_EQ(FindEstimate(report, "cpu_time", "a").precision, 0.5);
  EXPECT_DOUBLE_EQ(FindEstimate(report, "cpu_time", "a").confidence, 0.995);
}

TEST(MeasurementAnalysisTest, WithRunsThereIsOneLookAndNoPrecision) {
  SessionSpec spec = Measured({"a"});
  spec.rule = {};
  spec.limits.runs = 5;
  SessionAnalysis analysis = Start(spec);
  EXPECT_EQ(FeedUntilDone(analysis, {0.1}, 0.05), 5);
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kPass);
  EXPECT_FALSE(report.estimates[0].precision);
  EXPECT_EQ(report.estimates[0].precise, true);
  EXPECT_FALSE(report.estimates[0].last);
  EXPECT_FALSE(analysis.Add(WallBlock(0, {0.1})));
}

TEST(MeasurementAnalysisTest, ParsedMetricsAreAskedForByTheirDirection) {
  SessionSpec spec = Measured({"a"}, 0.5);
  spec.benchmarks[0].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {RunBuilder(0, 0)
                        .Sample("wall_time", 0.1)
                        .Sample("rate", 100 + i)
                        .Sample("note", 3)
                        .Metric("rate", Better::kHigher)
                        .Metric("note", std::nullopt)});
  }
  const Report report = analysis.Conclude();
  EXPECT_TRUE(FindEstimate(report, "rate", "a").asked);
  EXPECT_EQ(FindEstimate(report, "rate", "a").better, Better::kHigher);
  EXPECT_FALSE(FindEstimate(report, "note", "a").asked);
  EXPECT_FALSE(FindEstimate(report, "wall_time", "a").asked);
  EXPECT_EQ(report.estimates[0].metric, "rate") << "what was asked for comes first";
}

TEST(MeasurementAnalysisTest, WithoutAnyDirectionEveryParsedMetricIsAskedFor) {
  SessionSpec spec = Measured({"a"}, 0.5);
  spec.benchmarks[0].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) Feed(analysis, {RunBuilder(0, 0).Sample("note", 3 + 0.1 * i)});
  EXPECT_TRUE(FindEstimate(analysis.Look(), "note", "a").asked);
}

TEST(MeasurementAnalysisTest, AMetricThatAnArmNeverPrintsEndsUndecided) {
  SessionSpec spec = Measured({"a", "b"}, 0.5);
  spec.benchmarks[0].gates = {GateWithoutMargin("x")};
  spec.benchmarks[0].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, {RunBuilder(0, 0, 0).Sample("x", 1 + 0.001 * i),
                    RunBuilder(0, 1, 1).Sample("wall_time", 0.1)});
  }
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(FindEstimate(report, "x", "b").reason, "missing");
  EXPECT_FALSE(FindEstimate(report, "x", "b").value);
}

// 0.9^n <= 0.01 / 2 from n = 51 on, and 0.5^n <= 0.01 / 2 from n = 8 on.
TEST(MeasurementAnalysisTest, TooFewRunsForAnIntervalSayHowManyItTakes) {
  const auto after = [](const Estimator& estimator, const Limits& limits, int blocks) {
    SessionSpec spec = Measured({"a"});
    spec.estimator = estimator;
    spec.limits.runs = limits.runs;
    spec.limits.max_runs = limits.max_runs;
    if (limits.runs) spec.rule = {};
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < blocks; ++i) Feed(analysis, WallBlock(0, {0.1 + 0.001 * (i % 7)}));
    std::string told;
    for (const Warning& warning : analysis.Conclude().warnings) {
      if (warning.code == "few_runs") told = warning.message + "; " + warning.hint;
    }
    return told;
  };
  const Estimator quantile{EstimatorKind::kQuantile, 0.9};
  const Estimator median{EstimatorKind::kMedian};
  const std::string takes = "an interval of the quantile 0.9 at this confidence takes ";
  EXPECT_EQ(after(quantile, {.runs = 50}, 50), takes + "51 runs, but there were 50; use --runs 51");
  EXPECT_EQ(after(quantile, {.runs = 51}, 51), "");
  EXPECT_EQ(after(quantile, {.runs = 60}, 20), "") << "it was cut short";
  EXPECT_EQ(after(median, {.runs = 5}, 5),
            "an interval of the median at this confidence takes 8 runs, but there were 5; use "
            "--runs 8");
  EXPECT_EQ(after(median, {.runs = 8}, 8), "");
  // The boundary of a watched session depends on the limit itself: 76 runs are enough, 75 are not.
  EXPECT_EQ(after(quantile, {.max_runs = 20}, 20),
            takes + "76 runs, but there were 20; use --max-runs 76 or more");
  EXPECT_EQ(after(quantile, {.max_runs = 75}, 75),
            takes + "76 runs, but there were 75; use --max-runs 76 or more");
  EXPECT_EQ(after(quantile, {.max_runs = 76}, 76), "");
  EXPECT_EQ(after(quantile, {.max_runs = 100}, 20),
            takes + "76 runs, but there were 20; raise --max-time");
  const std::string median_takes = "an interval of the median at this confidence takes ";
  EXPECT_TRUE(after(median, {.max_runs = 9}, 9).starts_with(median_takes));
  EXPECT_EQ(after({}, {.runs = 2}, 2), "") << "two values have a mean with an interval";
  // Under watching, the look that has an interval first.
  int needed = 0;
  for (const std::string told = after(quantile, {}, 20); needed < 200; ++needed) {
    if (told.starts_with(takes + std::to_string(needed) + " runs")) break;
  }
  ASSERT_GT(needed, 51);
  ASSERT_LT(needed, 200);
  EXPECT_NE(after(quantile, {}, needed - 1), "");
  EXPECT_EQ(after(quantile, {}, needed), "");
}

// Arms are measured independently, so an arm without the metric takes nothing from the others.
TEST(MeasurementAnalysisTest, AllowMissingMeasuresTheArmsThatHaveTheMetric) {
  for (const bool named : {false, true}) {
    SessionSpec spec = Measured({"a", "b"});
    spec.benchmarks[0].parse = "lines";
    spec.benchmarks[0].allow_missing = true;
    spec.rule = {};
    spec.limits.runs = 10;
    if (named) spec.benchmarks[0].gates = {GateWithoutMargin("x")};
    SessionAnalysis analysis = Start(spec);
    for (int i = 0; i < 10; ++i) {
      Feed(analysis, {RunBuilder(0, 0, 0).Sample("x", 1 + 0.001 * i),
                      RunBuilder(0, 1, 1).Sample("wall_time", 0.1)});
    }
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, Verdict::kPass);
    const Estimate& of_a = FindEstimate(report, "x", "a");
    EXPECT_TRUE(of_a.asked);
    EXPECT_TRUE(of_a.precise);
    EXPECT_EQ(of_a.confidence, 0.99) << "there is one interval";
    EXPECT_EQ(std::ranges::count_if(report.estimates, &Estimate::asked), 1);
    const auto missing = std::ranges::find(report.warnings, "metric_missing", &Warning::code);
    ASSERT_NE(missing, report.warnings.end());
    EXPECT_EQ(missing->message,
              "b did not print at first metrics that another arm of main printed; they are not "
              "measured there: x");
    EXPECT_EQ(missing->severity, Severity::kCaution);
  }
}

TEST(MeasurementAnalysisTest, ADriftIsACaution) {
  SessionAnalysis analysis = Start(Measured({"a"}, 1e-6));
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 200; ++i) {
    Feed(analysis, WallBlock(0, {0.1 * (1 + 0.0002 * i + 0.01 * normal(random))}));
  }
  const Report report = analysis.Conclude();
  const auto drift = std::ranges::find(report.warnings, "drift", &Warning::code);
  ASSERT_NE(drift, report.warnings.end());
  EXPECT_EQ(drift->severity, Severity::kCaution);
  EXPECT_WORDING(drift->message + "; " + drift->hint);
}

TEST(MeasurementAnalysisTest, AJumpOfTheProgramInvalidatesItsInterval) {
  SessionAnalysis analysis = Start(Measured({"a"}, 1e-9));
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 400 && !analysis.Finished(); ++i) {
    Feed(analysis, WallBlock(0, {(i < 100 ? 0.1 : 0.2) * (1 + 0.001 * normal(random))}));
  }
  EXPECT_TRUE(analysis.Finished()) << "no later run can bring the interval back";
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  EXPECT_EQ(report.estimates[0].reason, "intervals_disjoint");
  EXPECT_THAT(Codes(report), testing::Contains("intervals_disjoint"));
}

TEST(MeasurementAnalysisTest, ASuiteSharesAlphaAndSpendsTimeOnWhatIsOpen) {
  SessionSpec spec = Measured({"a"}, 0.01);
  spec.benchmarks.push_back(spec.benchmarks[0]);
  spec.benchmarks[1].name = "other";
  SessionAnalysis analysis = Start(spec);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 12; ++i) {
    Feed(analysis, WallBlock(0, {0.1}));
    Feed(analysis, WallBlock(1, {0.1 * (1 + 0.1 * normal(random))}));
  }
  EXPECT_THAT(analysis.OpenBenchmarks(), ElementsAre(1U));
  EXPECT_TRUE(analysis.Outlook()[1].expected_blocks);
  Report report = analysis.Look();
  EXPECT_DOUBLE_EQ(report.estimates[0].confidence, 0.995);
  report.elapsed = std::chrono::seconds(10);
  ForecastVerdict(spec, analysis.Outlook(), report);
  EXPECT_TRUE(report.time_left || report.eta);
}

TEST(MeasurementAnalysisTest, RefusesWhatOnlyAComparisonHas) {
  const auto refused = [](const auto& change) {
    SessionSpec spec = Measured({"a"});
    change(spec);
    const auto analysis = SessionAnalysis::Create(spec);
    ASSERT_FALSE(analysis);
    EXPECT_EQ(analysis.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(analysis.error());
  };
  refused([](SessionSpec& spec) { spec.estimator.kind = EstimatorKind::kHodgesLehmann; });
  refused([](SessionSpec& spec) { spec.estimator = {EstimatorKind::kQuantile, 1}; });
  refused([](SessionSpec& spec) { spec.method = Method::kWelch; });
  refused([](SessionSpec& spec) { spec.sided = Sided::kOne; });
  refused([](SessionSpec& spec) { spec.placebo = true; });
  refused([](SessionSpec& spec) { spec.pass_confidence = 0.95; });
  refused([](SessionSpec& spec) { spec.error_rate = ErrorRate::kFdr; });
  refused([](SessionSpec& spec) { spec.confirm = true; });
  refused([](SessionSpec& spec) { spec.benchmarks[0].gates = {RatioGate("wall_time", -0.01)}; });
  refused([](SessionSpec& spec) { spec.rule = {}; });
  refused([](SessionSpec& spec) { spec.benchmarks[0].default_margin = -0.01; });
  refused([](SessionSpec& spec) { spec.benchmarks[0].gates = {AbsoluteGate("wall_time", 1)}; });
  refused([](SessionSpec& spec) {
    spec.rule = {};
    spec.limits.runs = 5;
    spec.benchmarks[0].gates = {RatioGate("wall_time", 0.01)};
  });
}

TEST(MeasurementAnalysisTest, ABenchmarkMayHaveAWidthOfItsOwn) {
  SessionSpec spec = Measured({"a"}, 0.01);
  spec.benchmarks[0].default_margin = 0.2;
  spec.benchmarks[0].gates = {GateWithoutMargin("wall_time"), RatioGate("cpu_time", 0.3)};
  SessionAnalysis analysis = Start(spec);
  Feed(analysis, {RunBuilder(0, 0).Sample("wall_time", 1).Sample("cpu_time", 1)});
  const Report report = analysis.Look();
  EXPECT_EQ(FindEstimate(report, "wall_time", "a").precision, 0.2);
  EXPECT_EQ(FindEstimate(report, "cpu_time", "a").precision, 0.3);
}

TEST(MeasurementAnalysisTest, AllowsEachEstimatorOfOneArm) {
  for (const Estimator& estimator :
       {Estimator{EstimatorKind::kMean}, Estimator{EstimatorKind::kMedian},
        Estimator{EstimatorKind::kQuantile, 0.9}}) {
    SessionSpec spec = Measured({"a"}, 0.2);
    spec.estimator = estimator;
    SessionAnalysis analysis = Start(spec);
    FeedUntilDone(analysis, {0.1}, 0.01);
    const Report report = analysis.Conclude();
    EXPECT_EQ(report.verdict, Verdict::kPass);
    EXPECT_EQ(report.estimates[0].estimator, estimator);
  }
}

// As for comparisons, the order in which the caller passes the runs of a block does not matter.
TEST(MeasurementAnalysisTest, TheOrderOfTheRunsDoesNotMatter) {
  SessionAnalysis forward = Start(Measured({"a", "b"}));
  SessionAnalysis backward = Start(Measured({"a", "b"}));
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20; ++i) {
    Block block = WallBlock(0, {0.1 + 0.01 * normal(random), 0.2 + 0.01 * normal(random)});
    Feed(forward, block);
    std::swap(block[0], block[1]);
    Feed(backward, block);
  }
  EXPECT_EQ(forward.Conclude(), backward.Conclude());
}

}  // namespace
}  // namespace benchd
