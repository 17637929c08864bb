// The method layouts: several builds of each arm, with the build as the unit.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/layout_groups.h"
#include "core/analysis/session_analysis.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

SessionSpec Layouts(std::uint32_t builds, double alpha = 0.01) {
  std::vector<std::string> arms;
  for (const char* group : {"base", "candidate"}) {
    for (std::uint32_t i = 1; i <= builds; ++i) {
      arms.push_back(group + ("/" + std::to_string(i)));
    }
  }
  SessionSpec spec = MakeSpec({MakeBenchmark("main", builds, arms)}, alpha);
  spec.method = Method::kLayouts;
  spec.limits.max_runs = 1000;
  return spec;
}

/// Builds with times `spread` apart, and runs of each with 1 % of noise.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {}

  std::vector<double> Build(std::uint32_t builds, double spread, double ratio) {
    std::vector<double> seconds;
    for (std::uint32_t i = 0; i < 2 * builds; ++i) {
      seconds.push_back((i < builds ? 0.01 : 0.01 * ratio) * std::exp(spread * normal_(random_)));
    }
    return seconds;
  }

  Block Run(const std::vector<double>& seconds, double noise = 0.01) {
    std::vector<double> values;
    for (const double mean : seconds) values.push_back(mean * (1 + noise * normal_(random_)));
    return WallBlock(0, values);
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

Report Measured(const SessionSpec& spec, Machine& machine, const std::vector<double>& builds) {
  SessionAnalysis analysis = Start(spec);
  while (!analysis.Finished()) Feed(analysis, machine.Run(builds));
  return analysis.Conclude();
}

TEST(LayoutOfTest, ReadsTheNamesOfBuildsAndNoOthers) {
  EXPECT_EQ(LayoutOf("base/3"), (ArmLayout{"base", 3}));
  EXPECT_EQ(LayoutOf("feature/x/12"), (ArmLayout{"feature/x", 12}));
  for (const char* other : {"base", "base/", "base/0", "base/01", "/1", "base/x", "base/1x",
                            "base/-1", "base/1000", ""}) {
    EXPECT_FALSE(LayoutOf(other)) << other;
  }
}

TEST(LayoutsTest, IsWelchsIntervalOverTheLogsOfTheBuildsMeans) {
  const std::vector<double> builds = {0.010,  0.0102, 0.0099, 0.0104,
                                      0.0107, 0.0105, 0.0109, 0.0103};
  SessionSpec spec = Layouts(4);
  spec.limits = {.runs = 8};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    std::vector<double> block = builds;
    for (double& value : block) value *= i % 2 == 0 ? 0.99 : 1.01;  // each build's mean stays
    Feed(analysis, WallBlock(0, block));
  }
  EXPECT_FALSE(Find(analysis.Look(), "wall_time").change->lo) << "one look, and not before";
  const Report report = analysis.Conclude();
  const Comparison& gate = Find(report, "wall_time");
  Moments base;
  Moments candidate;
  for (int i = 0; i < 4; ++i) base.Add(std::log(builds[static_cast<std::size_t>(i)]));
  for (int i = 4; i < 8; ++i) candidate.Add(std::log(builds[static_cast<std::size_t>(i)]));
  const WelchEstimate welch = EstimateWelchDifference(base, candidate);
  const double half = welch.se * StudentTUpperQuantile(0.005, welch.dof);
  EXPECT_NEAR(gate.change->estimate, std::expm1(welch.centre), 1e-12);
  EXPECT_NEAR(*gate.change->lo, std::expm1(welch.centre - half), 1e-12);
  EXPECT_NEAR(*gate.change->hi, std::expm1(welch.centre + half), 1e-12);
  EXPECT_EQ(gate.method, Method::kLayouts);
  EXPECT_EQ(gate.reference, "base");
  EXPECT_EQ(gate.n_candidate, 4U) << "builds, not runs";
  EXPECT_EQ(report.runs[0].runs, 32U);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front().message;
}

TEST(LayoutMeansTest, OneMeanABuildAndTheirRatioIsTheChange) {
  using Runs = std::vector<std::pair<std::uint32_t, double>>;
  const Runs base = {{1, 0.010}, {2, 0.0102}, {3, 0.01}, {4, 0.01},
                     {1, 0.012}, {2, 0.0104}, {3, 0.01}, {4, 0.01}};
  const Runs candidate = {{1, 0.011}, {2, 0.0101}, {3, 0.01}, {4, 0.01},
                          {1, 0.013}, {2, 0.0109}, {3, 0.01}, {4, 0.01}};
  const auto of_base = MeansOfLayouts(base, false);
  ASSERT_EQ(of_base.size(), 4U);
  EXPECT_EQ(of_base[0].layout, 1U);
  EXPECT_EQ(of_base[0].runs, 2U);
  EXPECT_NEAR(of_base[0].mean, 0.011, 1e-15);

  SessionSpec spec = Layouts(4);
  spec.limits = {.runs = 2};
  SessionAnalysis analysis = Start(spec);
  Feed(analysis, WallBlock(0, {0.010, 0.0102, 0.01, 0.01, 0.011, 0.0101, 0.01, 0.01}));
  Feed(analysis, WallBlock(0, {0.012, 0.0104, 0.01, 0.01, 0.013, 0.0109, 0.01, 0.01}));
  const double ratio =
      MeanOfLayouts(MeansOfLayouts(candidate, false), true) / MeanOfLayouts(of_base, true);
  EXPECT_NEAR(Find(analysis.Conclude(), "wall_time").change->estimate, ratio - 1, 1e-12);
  EXPECT_NEAR(MeanOfLayouts(of_base, false), (0.011 + 0.0103 + 0.02) / 4, 1e-15);
}

TEST(LayoutMeansTest, OfRatesTheyAreHarmonic) {
  const std::vector<std::pair<std::uint32_t, double>> rates = {{3, 1}, {3, 3}};
  EXPECT_EQ(MeansOfLayouts(rates, true), (std::vector<LayoutMean>{{3, 2, 1.5}}));
}

TEST(LayoutsTest, RunsAreEnoughWhenTheirNoiseIsSmallBesideTheLayouts) {
  Machine machine(7);
  const std::vector<double> wide = machine.Build(8, 0.03, 1);
  SessionAnalysis far = Start(Layouts(8));
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(far.Finished()) << i;
    Feed(far, machine.Run(wide));
  }
  EXPECT_TRUE(far.Finished()) << "3 % between builds against 1 % / sqrt(8) of a build's mean";
  // Equal builds: until each is known to a tenth of the margin, 1 % / sqrt(n) = 0.2 %.
  SessionAnalysis near = Start(Layouts(8));
  int blocks = 0;
  for (; !near.Finished(); ++blocks) Feed(near, machine.Run(std::vector<double>(16, 0.01)));
  EXPECT_GT(blocks, 15);
  EXPECT_LT(blocks, 40);
}

TEST(LayoutsTest, WhenItStopsSaysNothingOfTheEffect) {
  for (const double ratio : {1.0, 1.5}) {
    Machine machine(11);
    const std::vector<double> builds = machine.Build(8, 0.004, ratio);
    SessionAnalysis analysis = Start(Layouts(8));
    int blocks = 0;
    for (; !analysis.Finished(); ++blocks) Feed(analysis, machine.Run(builds));
    static const int of_equal_arms = blocks;
    EXPECT_EQ(blocks, of_equal_arms);
  }
}

TEST(LayoutsTest, ARateIsWorseWhenItFalls) {
  SessionSpec spec = Layouts(4);
  spec.limits = {.runs = 8};
  spec.benchmarks[0].gates = {{.metric = "rate", .margin = 0.02, .better = Better::kHigher}};
  spec.benchmarks[0].parse = "lines";
  SessionAnalysis analysis = Start(spec);
  const std::vector<double> rates = {100, 100.1, 100, 100.1, 90, 90.1, 90, 90.1};
  for (int i = 0; i < 8; ++i) {
    Block block;
    for (std::uint32_t arm = 0; arm < 8; ++arm) {
      block.push_back(RunBuilder(0, arm, arm).Sample("rate", rates[arm]).Metric("rate", {}));
    }
    Feed(analysis, block);
  }
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kRegression);
  EXPECT_NEAR(Find(report, "rate").change->estimate, -0.1, 0.001);
}

TEST(LayoutsTest, RefusesArmsThatAreNoBuildsAndWhatDoesNotFit) {
  const auto refused = [](SessionSpec spec, const std::string& field) {
    const auto analysis = SessionAnalysis::Create(spec);
    ASSERT_FALSE(analysis) << field;
    EXPECT_EQ(analysis.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(analysis.error().message.starts_with(field + ": ")) << analysis.error().message;
    EXPECT_WORDING(analysis.error());
  };
  SessionSpec spec = Layouts(4);
  spec.benchmarks[0].arms[1].name = "other";
  refused(spec, "layouts");
  spec = Layouts(4);
  spec.benchmarks[0].arms[0].role = ArmRole::kCandidate;
  refused(spec, "layouts");
  // Layouts that have two modes: with two and three builds the error exceeds the stated one.
  for (const std::uint32_t few : {1U, 2U, 3U}) refused(Layouts(few), "layouts");
  spec = Layouts(4);
  spec.schedule.kind = ScheduleKind::kCoin;
  refused(spec, "schedule");
  spec = Layouts(4);
  spec.estimator.kind = EstimatorKind::kMedian;
  refused(spec, "method");
  spec = Layouts(4);
  spec.rule = {RuleKind::kPrecision, 0.01};
  refused(spec, "rule");
}

// A short round of `./dev bench validity --replication`.
TEST(LayoutsTest, EqualCodeIsToldApartNoMoreOftenThanPromisedAndSlowerCodeIsFound) {
  constexpr unsigned kSeed = 20261123;
  constexpr int kRepetitions = 200;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Machine machine(kSeed);
  for (const double spread : {0.01, 0.05}) {
    int wrong = 0;
    for (int i = 0; i < kRepetitions; ++i) {
      const Comparison gate =
          Find(Measured(Layouts(8, 0.05), machine, machine.Build(8, spread, 1)), "wall_time");
      wrong += *gate.change->lo > 0 || *gate.change->hi < 0;
    }
    EXPECT_LE(wrong, 24) << spread << ": P(Bin(200, 0.05) > 24) = 3e-5";
  }
  int found = 0;
  for (int i = 0; i < 50; ++i) {
    found +=
        Measured(Layouts(8), machine, machine.Build(8, 0.025, 1.1)).verdict == Verdict::kRegression;
  }
  EXPECT_GE(found, 45) << "10 % with builds 2.5 % apart";
}

}  // namespace
}  // namespace benchd
