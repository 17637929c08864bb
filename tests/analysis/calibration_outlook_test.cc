#include "core/analysis/calibration_outlook.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/analysis/visible_change.h"
#include "tests/analysis/session_builder.h"

namespace benchd {
namespace {

constexpr std::uint64_t kCalibratedPairs = 100;
constexpr double kPairSeconds = 0.2;

/// A session of `benchmarks` programs that take 0.1 s, each compared with itself.
class Calibration {
 public:
  explicit Calibration(std::vector<std::string> benchmarks = {"main"}) : names_(benchmarks) {
    run_.spec = planned_;
    run_.elapsed_seconds =
        static_cast<double>(kCalibratedPairs) * kPairSeconds * static_cast<double>(names_.size());
  }

  SessionSpec& planned() { return planned_; }

  /// Adds a metric whose pairs have this standard deviation on the log scale.
  Comparison& Add(const std::string& benchmark, const std::string& metric, double sd, double mean,
                  ComparisonRole role = ComparisonRole::kInfo, double gates = 1) {
    const double level = planned_.alpha / gates;
    const PlannedLooks looks(*MakeSequentialDesign(run_.spec), level, kExpectedProbability);
    const double half = *looks.VisibleAt({sd, 0}, kCalibratedPairs);
    Comparison comparison;
    comparison.benchmark = benchmark;
    comparison.metric = metric;
    comparison.role = role;
    comparison.better = Better::kLower;
    if (role == ComparisonRole::kGate) comparison.margin = 0.02;
    comparison.confidence = 1 - level;
    comparison.n_reference = comparison.n_candidate = kCalibratedPairs;
    comparison.mean_reference = comparison.mean_candidate = mean;
    comparison.change = Effect{0, std::expm1(-half), std::expm1(half)};
    run_.comparisons.push_back(comparison);
    return run_.comparisons.back();
  }
  Comparison& AddGate(const std::string& benchmark, const std::string& metric, double sd) {
    return Add(benchmark, metric, sd, 0.1, ComparisonRole::kGate,
               static_cast<double>(names_.size()));
  }

  CalibrationOutlook Forecast() const {
    auto outlook = ForecastFrom(run_, planned_);
    EXPECT_TRUE(outlook) << outlook.error().message;
    return outlook ? *outlook : CalibrationOutlook();
  }

  SelfComparison run_;

 private:
  std::vector<std::string> names_;
  SessionSpec planned_ = MakeSpec({MakeBenchmark("main", 1, {"base", "candidate"})});
};

TEST(CalibrationOutlookTest, StatesWhatTheTimeShows) {
  Calibration calibration;
  calibration.planned().limits.max_time = std::chrono::seconds(80);  // 400 pairs
  calibration.AddGate("main", "wall_time", 0.05);
  calibration.Add("main", "cpu_time", 0.02, 0.09);
  calibration.Add("main", "max_rss", 0.01, 1e6);
  const CalibrationOutlook outlook = calibration.Forecast();
  EXPECT_DOUBLE_EQ(outlook.measured_seconds, 20);
  EXPECT_EQ(outlook.planned_seconds, 80);
  EXPECT_FALSE(outlook.planned_runs);
  ASSERT_EQ(outlook.visible.size(), 2U) << "max_rss does not gate";
  EXPECT_EQ(outlook.visible[0].metric, "wall_time");
  EXPECT_EQ(outlook.visible[0].benchmarks, 1U);
  EXPECT_EQ(outlook.visible[0].least, outlook.visible[0].most);
  const PlannedLooks looks(*MakeSequentialDesign(calibration.planned()), 0.01);
  EXPECT_NEAR(outlook.visible[0].most.change, std::expm1(*looks.VisibleAt({0.05, 0}, 400)), 1e-6);
  EXPECT_NEAR(outlook.visible[1].most.change, std::expm1(*looks.VisibleAt({0.02, 0}, 400)), 1e-6);
}

TEST(CalibrationOutlookTest, RecommendsCpuTimeOnlyIfItIsMuchFinerAndTheProgramComputes) {
  const auto recommended = [](double sd_of_cpu, double cpu_seconds) {
    Calibration calibration;
    calibration.AddGate("main", "wall_time", 0.05);
    calibration.Add("main", "cpu_time", sd_of_cpu, cpu_seconds);
    return calibration.Forecast().recommended.value_or(RecommendedGate()).metric;
  };
  EXPECT_EQ(recommended(0.02, 0.09), "cpu_time");
  EXPECT_EQ(recommended(0.04, 0.09), "wall_time") << "not even twice as fine";
  EXPECT_EQ(recommended(0.02, 0.01), "wall_time") << "it waits most of its time";
}

TEST(CalibrationOutlookTest, GatesOnCpuTimeStayThere) {
  Calibration calibration;
  calibration.AddGate("main", "cpu_time", 0.05);
  calibration.Add("main", "wall_time", 0.05, 0.1);
  EXPECT_EQ(calibration.Forecast().recommended.value().metric, "cpu_time");
}

// 10 min are 3000 pairs, of which the recommended margin needs at most 2000. They show 1.3 %:
// (4.2 + 1.64) · 0.1 / √2000.
TEST(CalibrationOutlookTest, TheRecommendedMarginIsRoundAndHasAReserve) {
  Calibration calibration;
  calibration.AddGate("main", "wall_time", 0.1);
  const auto recommended = calibration.Forecast().recommended;
  ASSERT_TRUE(recommended);
  EXPECT_EQ(*recommended, (RecommendedGate{"wall_time", 0.015}));
  calibration.planned().limits.max_time = std::chrono::hours(10);
  EXPECT_EQ(calibration.Forecast().recommended->margin, 0.01) << "smaller ones are not recommended";
  calibration.planned().limits.max_time = std::chrono::seconds(2);
  EXPECT_FALSE(calibration.Forecast().recommended) << "even eight pairs take too long";
}

TEST(CalibrationOutlookTest, GatesOfOtherMetricsStayTheGates) {
  Calibration calibration;
  calibration.Add("main", "wall_time", 0.05, 0.1);
  calibration.AddGate("main", "allocations/s", 0.03).better = Better::kHigher;
  const CalibrationOutlook one = calibration.Forecast();
  ASSERT_EQ(one.visible.size(), 2U);
  EXPECT_EQ(one.visible[1].metric, "allocations/s");
  EXPECT_EQ(one.recommended.value().metric, "allocations/s");
  calibration.AddGate("main", "latency", 0.01);
  const CalibrationOutlook two = calibration.Forecast();
  EXPECT_EQ(two.visible[1].metric, "") << "several metrics";
  EXPECT_EQ(two.visible[1].benchmarks, 2U);
  EXPECT_EQ(two.recommended.value().metric, "");
}

TEST(CalibrationOutlookTest, AMarginThatTheTimeDecidesIsNotToldAbout) {
  Calibration calibration;
  calibration.AddGate("main", "wall_time", 0.05);
  EXPECT_TRUE(calibration.Forecast().open.empty());
  EXPECT_FALSE(calibration.Forecast().needed);
}

// Half of all sessions need 96 · 0.2 s = 19.2 s, by the case of the same noise in visible.json, and
// 95 % need 196 pairs.
TEST(CalibrationOutlookTest, ATooSmallMarginHasTheTimeThatSuffices) {
  Calibration calibration;
  calibration.planned().limits.max_time = std::chrono::seconds(19);
  calibration.AddGate("main", "wall_time", 0.05);
  const CalibrationOutlook outlook = calibration.Forecast();
  ASSERT_EQ(outlook.open.size(), 1U);
  EXPECT_EQ(outlook.open[0], (OpenGates{"wall_time", 0.02, MarginKind::kRatio, "", 1, 1, "main"}));
  ASSERT_TRUE(outlook.needed);
  EXPECT_EQ(outlook.needed->remedy, Remedy::kMoreTime);
  EXPECT_NEAR(*outlook.needed->seconds, 1.5 * 196 * 0.2, 0.5);
  calibration.planned().limits.max_time = std::chrono::seconds(20);
  EXPECT_TRUE(calibration.Forecast().open.empty());
}

TEST(CalibrationOutlookTest, RunsLimitAGateToo) {
  Calibration calibration;
  calibration.planned().limits.max_runs = 50;
  calibration.AddGate("main", "wall_time", 0.05);
  CalibrationOutlook outlook = calibration.Forecast();
  EXPECT_EQ(outlook.planned_runs, 50U);
  ASSERT_TRUE(outlook.needed);
  EXPECT_EQ(outlook.needed->remedy, Remedy::kMoreMaxRuns);
  EXPECT_GT(*outlook.needed->runs, 150U);
  EXPECT_FALSE(outlook.needed->seconds) << "10 min are enough for them";
  calibration.planned().limits.max_runs.reset();
  calibration.planned().limits.runs = 30;
  outlook = calibration.Forecast();
  ASSERT_TRUE(outlook.needed);
  EXPECT_EQ(outlook.needed->remedy, Remedy::kMoreRuns);
  EXPECT_EQ(outlook.needed->runs, 180U) << "1.5 times the 116 of visible.json, in tens";
  ASSERT_EQ(outlook.visible.size(), 1U);
  calibration.planned().limits.max_time = std::chrono::seconds(1);
  EXPECT_TRUE(calibration.Forecast().visible.empty()) << "the one look would not come";
}

TEST(CalibrationOutlookTest, AMarginWithinTheStepsIsNeverDecided) {
  Calibration calibration;
  calibration.AddGate("main", "wall_time", 0.05).change_allowance = 0.03;
  const CalibrationOutlook outlook = calibration.Forecast();
  ASSERT_TRUE(outlook.needed);
  EXPECT_EQ(outlook.needed->remedy, Remedy::kOtherMargin);
}

TEST(CalibrationOutlookTest, AnAbsoluteMarginIsRelativeToTheMean) {
  Calibration calibration;
  calibration.planned().limits.max_time = std::chrono::seconds(60);
  Comparison& gate = calibration.AddGate("main", "wall_time", 0.05);
  gate.margin_kind = MarginKind::kAbsolute;
  gate.margin = 0.002;  // 2 % of 0.1 s
  EXPECT_TRUE(calibration.Forecast().open.empty());
  gate.margin = 0.0002;
  EXPECT_EQ(calibration.Forecast().open.size(), 1U);
}

TEST(CalibrationOutlookTest, QuietBenchmarksLeaveTheirTimeToTheOthers) {
  Calibration calibration({"quiet", "noisy", "steady"});
  calibration.planned().limits.max_time = std::chrono::seconds(90);  // 450 pairs
  for (const auto& [name, sd] : {std::pair{"quiet", 0.005}, {"noisy", 0.08}, {"steady", 0.01}}) {
    calibration.AddGate(name, "wall_time", sd);
  }
  const CalibrationOutlook outlook = calibration.Forecast();
  EXPECT_EQ(outlook.benchmarks, 3U);
  ASSERT_EQ(outlook.visible.size(), 1U);
  EXPECT_EQ(outlook.visible[0].least.benchmark, "quiet");
  EXPECT_EQ(outlook.visible[0].most.benchmark, "noisy");
  EXPECT_GT(outlook.visible[0].most.change, 15 * outlook.visible[0].least.change);
  EXPECT_TRUE(outlook.open.empty()) << "noisy has nearly all of the 450 pairs";
  calibration.planned().limits.max_time = std::chrono::seconds(45);
  const CalibrationOutlook shorter = calibration.Forecast();
  ASSERT_EQ(shorter.open.size(), 1U);
  EXPECT_EQ(shorter.open[0].gates, 3U);
  EXPECT_EQ(shorter.open[0].open, 1U);
  EXPECT_EQ(shorter.open[0].benchmark, "noisy");
}

TEST(CalibrationOutlookTest, AGateWithoutAnIntervalIsUnknown) {
  Calibration calibration({"a", "b"});
  calibration.AddGate("a", "wall_time", 0.005);
  Comparison& short_one = calibration.AddGate("b", "wall_time", 0.005);
  short_one.change.reset();
  short_one.n_reference = short_one.n_candidate = 3;
  const CalibrationOutlook outlook = calibration.Forecast();
  EXPECT_EQ(outlook.unknown, 1U);
  EXPECT_FALSE(outlook.recommended);
  ASSERT_EQ(outlook.visible.size(), 1U);
  EXPECT_EQ(outlook.visible[0].benchmarks, 1U);
  // Eight pairs of each. The 40 s were 100 pairs of a, and 3 of b.
  EXPECT_NEAR(outlook.interval_seconds, 2 * 8 * 40.0 / 103, 1e-9);
}

TEST(CalibrationOutlookTest, NothingWasMeasured) {
  const CalibrationOutlook outlook = Calibration().Forecast();
  EXPECT_TRUE(outlook.visible.empty());
  EXPECT_FALSE(outlook.recommended);
  Calibration wrong;
  wrong.planned().limits.runs = 1;
  EXPECT_FALSE(ForecastFrom(wrong.run_, wrong.planned()));
}

}  // namespace
}  // namespace benchd
