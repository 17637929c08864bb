#include "core/analysis/geometric_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/stats/tails.h"

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

/// With those deviations, relative to the means, of ten values each.
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
  // sqrt(2 * 0.5) = 1: twice as slow and twice as fast are no change.
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
  // Of each ratio: variance 2 * 0.05^2 / 10, 18 degrees of freedom; of their mean 36, half of it.
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
