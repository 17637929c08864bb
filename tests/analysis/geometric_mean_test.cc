#include "core/analysis/geometric_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/stats/tails.h"
#include "tests/analysis/session_feed.h"

namespace benchd {
namespace {

Comparison GateIn(const std::string& benchmark, double change, double lo, double hi) {
  Comparison gate;
  gate.benchmark = benchmark;
  gate.reference = "base";
  gate.candidate = "candidate";
  gate.metric = "t";
  gate.role = ComparisonRole::kGate;
  gate.confidence = 0.995;  // alpha = 1 %, two gates
  gate.change = Effect{change, lo, hi};
  return gate;
}

/// With these deviations, relative to the means, for ten values each.
Comparison AtOneLook(Comparison gate, double sd_reference, double sd_candidate) {
  gate.method = Method::kFixed;
  gate.n_reference = gate.n_candidate = 10;
  gate.mean_reference = 2;
  gate.sd_reference = 2 * sd_reference;
  gate.mean_candidate = 3;
  gate.sd_candidate = 3 * sd_candidate;
  return gate;
}

TEST(GeometricMeanTest, IsThatOfTheRatios) {
  // sqrt(2 * 0.5) = 1: twice as slow and twice as fast cancel out.
  const auto changes =
      ChangesOverBenchmarks(std::vector{GateIn("a", 1, 0.9, 1.2), GateIn("b", -0.5, -0.6, -0.4)});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].benchmarks, 2U);
  EXPECT_EQ(changes[0].metric, "t");
  EXPECT_DOUBLE_EQ(changes[0].change.estimate, 0);
  EXPECT_EQ(changes[0].confidence, 0.99);
}

TEST(GeometricMeanTest, UnderWatchingItsEndsAreTheMeansOfTheEnds) {
  const auto changes =
      ChangesOverBenchmarks(std::vector{GateIn("a", 0.1, 0.05, 0.15), GateIn("b", 0.2, 0.1, 0.3)});
  ASSERT_TRUE(changes[0].change.lo);
  EXPECT_DOUBLE_EQ(*changes[0].change.lo, std::sqrt(1.05 * 1.1) - 1);
  EXPECT_DOUBLE_EQ(*changes[0].change.hi, std::sqrt(1.15 * 1.3) - 1);
}

TEST(GeometricMeanTest, OneLookTakesTheBenchmarksForIndependent) {
  const std::vector gates{AtOneLook(GateIn("a", 0.1, -0.3, 0.5), 0.05, 0.05),
                          AtOneLook(GateIn("b", 0.1, -0.3, 0.5), 0.05, 0.05)};
  const auto changes = ChangesOverBenchmarks(gates);
  // For each ratio: variance 2 * 0.05^2 / 10, 18 degrees of freedom; for their mean 36, half of it.
  const double half = StudentTUpperQuantile(0.005, 36) * std::sqrt(2 * 0.0025 / 10 / 2);
  ASSERT_TRUE(changes[0].change.lo && changes[0].change.hi);
  EXPECT_NEAR(*changes[0].change.lo, std::expm1(std::log(1.1) - half), 1e-12);
  EXPECT_NEAR(*changes[0].change.hi, std::expm1(std::log(1.1) + half), 1e-12);
}

TEST(GeometricMeanTest, WhatPairingSavedIsSavedHereToo) {
  std::vector gates{AtOneLook(GateIn("a", 0.1, -0.3, 0.5), 0.05, 0.05),
                    AtOneLook(GateIn("b", 0.1, -0.3, 0.5), 0.05, 0.05)};
  for (Comparison& gate : gates) gate.pairing_gain = 0.5;
  const auto changes = ChangesOverBenchmarks(gates);
  const double half = 0.5 * StudentTUpperQuantile(0.005, 18) * std::sqrt(2 * 0.0025 / 10 / 2);
  EXPECT_NEAR(*changes[0].change.hi, std::expm1(std::log(1.1) + half), 1e-12);
}

TEST(GeometricMeanTest, TheStepsOfTheMetricWidenItAsTheyDoEachGate) {
  std::vector gates{AtOneLook(GateIn("a", 0.1, -0.3, 0.5), 0.05, 0.05),
                    AtOneLook(GateIn("b", 0.1, -0.3, 0.5), 0.05, 0.05)};
  const double narrow = std::log1p(*ChangesOverBenchmarks(gates)[0].change.hi);
  gates[0].change_allowance = 0.1;
  gates[1].change_allowance = 0.3;
  const SuiteChange wide = ChangesOverBenchmarks(gates)[0];
  EXPECT_NEAR(std::log1p(*wide.change.hi), narrow + 0.2, 1e-12);
  EXPECT_NEAR(std::log1p(*wide.change.lo), 2 * std::log(1.1) - narrow - 0.2, 1e-12);
}

// Two benchmarks that read 10 and occasionally 11 ticks, at one look of eight pairs.
TEST(GeometricMeanTest, ASuiteOfCoarseClocksIsNoSurerThanItsGates) {
  SessionSpec spec = MakeSpec(
      {MakeBenchmark("a", 1, {"base", "candidate"}), MakeBenchmark("b", 1, {"base", "candidate"})});
  spec.limits.runs = 8;
  for (Benchmark& benchmark : spec.benchmarks) {
    benchmark.parse = "lines";
    benchmark.gates = {RatioGate("ticks", 0.02)};
  }
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    for (const std::uint32_t benchmark : {0U, 1U}) {
      Block block;
      for (const std::uint32_t arm : {0U, 1U}) {
        const double read = i % 8 == static_cast<int>(arm) ? 11 : 10;
        block.push_back(RunBuilder(benchmark, arm, arm)
                            .Sample("ticks", read)
                            .Metric("ticks", Better::kLower, "1", 1));
      }
      Feed(analysis, block);
    }
  }
  const Report report = analysis.Conclude();
  const double allowance = report.comparisons[0].change_allowance.value_or(0);
  EXPECT_NEAR(allowance, 2 / 10.125, 1e-12);
  const SuiteChange mean = ChangesOverBenchmarks(report.comparisons)[0];
  EXPECT_GT(std::log1p(*mean.change.hi), allowance);
  EXPECT_LT(std::log1p(*mean.change.lo), -allowance);
}

TEST(GeometricMeanTest, WithoutSpreadTheStepsOfTheMetricCount) {
  const auto changes =
      ChangesOverBenchmarks(std::vector{AtOneLook(GateIn("a", 0.1, 0.05, 0.15), 0, 0),
                                        AtOneLook(GateIn("b", 0.2, 0.1, 0.3), 0.05, 0.05)});
  EXPECT_DOUBLE_EQ(*changes[0].change.lo, std::sqrt(1.05 * 1.1) - 1);
}

TEST(GeometricMeanTest, HasNoIntervalWhileABenchmarkHasNone) {
  std::vector gates{GateIn("a", 0.1, 0.05, 0.15), GateIn("b", 0.2, 0, 0)};
  gates[1].change = Effect{0.2, {}, {}};
  const auto changes = ChangesOverBenchmarks(gates);
  EXPECT_DOUBLE_EQ(changes[0].change.estimate, std::sqrt(1.1 * 1.2) - 1);
  EXPECT_FALSE(changes[0].change.lo);
}

TEST(GeometricMeanTest, IsOfGatesThatSeveralBenchmarksHave) {
  std::vector gates{GateIn("a", 0.1, 0.05, 0.15), GateIn("b", 0.2, 0.1, 0.3),
                    GateIn("c", 0.2, 0.1, 0.3)};
  gates[1].metric = "other";
  gates[2].role = ComparisonRole::kInfo;
  EXPECT_TRUE(ChangesOverBenchmarks(gates).empty());
  gates[1] = GateIn("b", 0.2, 0.1, 0.3);
  gates[1].change.reset();
  EXPECT_TRUE(ChangesOverBenchmarks(gates).empty()) << "a benchmark without a ratio";
}

}  // namespace
}  // namespace benchd
