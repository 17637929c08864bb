#include "core/analysis/gate_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "tests/analysis/session_builder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class GatePlanTest : public ::testing::Test {
 protected:
  GatePlanTest() : benchmark_(MakeBenchmark("main", 1, {"base", "candidate"})) {
    std::vector<std::size_t> ids;
    catalog_.Learn(RunBuilder(0, 0)
                       .Sample("wall_time", 1)
                       .Sample("ops", 2)
                       .Sample("latency", 3)
                       .Sample("widgets", 4)
                       .Metric("ops", Better::kHigher)
                       .Metric("latency", Better::kLower)
                       .Metric("widgets", std::nullopt),
                   ids);
  }

  Result<std::vector<PlannedGate>> Plan() { return PlanGates(benchmark_, 0.02, catalog_); }
  std::string Key(const PlannedGate& gate) const { return catalog_.metrics()[gate.metric].key; }

  Benchmark benchmark_;
  MetricCatalog catalog_;
};

TEST_F(GatePlanTest, WallTimeGatesByDefaultWithTheDefaultMargin) {
  const auto gates = Plan().value();
  ASSERT_EQ(gates.size(), 1u);
  EXPECT_EQ(Key(gates[0]), "wall_time");
  EXPECT_EQ(gates[0].margin, 0.02);
  EXPECT_DOUBLE_EQ(gates[0].threshold, std::log1p(0.02));
}

TEST_F(GatePlanTest, WithAHarnessEveryParsedMetricWithADirectionGatesAndNotWallTime) {
  benchmark_.parse = "lines";
  const auto gates = Plan().value();
  ASSERT_EQ(gates.size(), 2u);
  EXPECT_EQ(Key(gates[0]), "ops");
  EXPECT_DOUBLE_EQ(gates[0].threshold, -std::log1p(-0.02));
  EXPECT_EQ(Key(gates[1]), "latency");
}

TEST_F(GatePlanTest, WhatIsConstantInStepsAboveTheMarginGatesOnlyWhenNamed) {
  benchmark_.parse = "go";
  for (const auto& [value, gated] :
       {std::pair(1.0, false), std::pair(99.0, false), std::pair(101.0, true)}) {
    // 2 q / value against 2 %, for q = 1: statistics.md section 3, both arms at the same value.
    MetricCatalog catalog;
    std::vector<std::size_t> ids;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      catalog.Learn(RunBuilder(0, arm).Sample("n", value).Metric("n", Better::kLower, "1", 1), ids);
    }
    EXPECT_EQ(GateCountByCatalog(benchmark_, 0.02, catalog), gated ? 1U : 0U) << value;
    for (const double margin : {0.02, -0.02}) {
      EXPECT_EQ(NotGatedByDefault(benchmark_, margin, catalog).size(), gated ? 0U : 1U) << value;
    }
    catalog.Learn(RunBuilder(0, 0).Sample("n", value + 1).Metric("n", Better::kLower, "1", 1), ids);
    EXPECT_EQ(GateCountByCatalog(benchmark_, 0.02, catalog), 1U) << "it varies";
  }
}

TEST_F(GatePlanTest, NamedGatesReplaceTheDefaultAndMayTurnTheDirection) {
  benchmark_.parse = "lines";
  benchmark_.gates = {AbsoluteGate("widgets", 5)};
  benchmark_.gates[0].better = Better::kHigher;
  const auto gates = Plan().value();
  ASSERT_EQ(gates.size(), 1u);
  EXPECT_EQ(gates[0].threshold, 5);
  EXPECT_EQ(catalog_.metrics()[gates[0].metric].better, Better::kHigher);
}

TEST_F(GatePlanTest, AMetricNobodyPrintedIsNamedWithWhatWas) {
  benchmark_.gates = {RatioGate("oops", 0.1)};
  EXPECT_TRUE(Plan().value().empty()) << "another benchmark may have it";
  EXPECT_EQ(GatesAboutNothing(benchmark_, catalog_), std::vector<std::size_t>{0});
  const Error unknown = UnknownGate(benchmark_.gates[0], benchmark_, catalog_);
  EXPECT_EQ(unknown.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(unknown.message.find("wall_time, ops, latency, widgets"), std::string::npos);
  EXPECT_WORDING(unknown);
}

TEST_F(GatePlanTest, AMetricWithoutDirectionNamesTheSuffixToAdd) {
  benchmark_.gates = {RatioGate("widgets", 0.1)};
  const auto gates = Plan();
  ASSERT_FALSE(gates);
  EXPECT_NE(gates.error().hint.find("--metric widgets:lower"), std::string::npos);
  EXPECT_WORDING(gates.error());
}

TEST_F(GatePlanTest, AHarnessWithoutAnyDirectionLeavesNoGate) {
  benchmark_.parse = "lines";
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(RunBuilder(0, 0).Sample("wall_time", 1).Sample("widgets", 4), ids);
  EXPECT_FALSE(PlanGates(benchmark_, 0.02, catalog));
  EXPECT_EQ(GateCountByCatalog(benchmark_, 0.02, catalog), 0u);
}

TEST_F(GatePlanTest, ARateCannotLoseAllOfItself) {
  benchmark_.gates = {RatioGate("ops", 1)};
  EXPECT_FALSE(Plan());
  benchmark_.gates = {RatioGate("latency", 1)};
  EXPECT_TRUE(Plan());
}

Gate GateIn(const std::string& unit, double margin) {
  Gate gate = AbsoluteGate("heap", margin);
  gate.unit = unit;
  return gate;
}

TEST_F(GatePlanTest, AMarginIsConvertedIntoTheUnitOfItsMetric) {
  struct Case {
    std::string unit;
    double margin;
    std::string of_metric;
    double expected;
  };
  for (const Case& one : {Case{"B", 1048576, "KiB", 1024}, Case{"MiB", 1, "KiB", 1024},
                          Case{"s", 0.002, "ms", 2}, Case{"s", 60, "sec", 60}, Case{"B", 5, "B", 5},
                          Case{"", 5, "KiB", 5}, Case{"", 5, "", 5}}) {
    MetricCatalog catalog;
    std::vector<std::size_t> ids;
    catalog.Learn(RunBuilder(0, 0).Sample("heap", 9).Metric("heap", Better::kLower, one.of_metric),
                  ids);
    benchmark_.gates = {GateIn(one.unit, one.margin)};
    const auto gates = PlanGates(benchmark_, 0.02, catalog);
    ASSERT_TRUE(gates) << gates.error().message;
    EXPECT_DOUBLE_EQ(gates->at(0).margin, one.expected) << one.unit << " " << one.of_metric;
    EXPECT_DOUBLE_EQ(gates->at(0).threshold, one.expected);
  }
}

TEST_F(GatePlanTest, AMarginInAUnitThatItsMetricHasNothingOfIsRefused) {
  const auto refusal = [this](const std::string& unit, const std::string& of_metric) {
    MetricCatalog catalog;
    std::vector<std::size_t> ids;
    catalog.Learn(RunBuilder(0, 0).Sample("heap", 9).Metric("heap", Better::kLower, of_metric),
                  ids);
    benchmark_.gates = {GateIn(unit, 1)};
    const auto gates = PlanGates(benchmark_, 0.02, catalog);
    EXPECT_FALSE(gates);
    return gates ? Error{} : gates.error();
  };
  EXPECT_WORDING(refusal("B", ""));
  EXPECT_WORDING(refusal("s", "KiB"));
  EXPECT_WORDING(refusal("s", "m")) << "it may mean metres";
}

TEST_F(GatePlanTest, AUnitThatNobodyKnowsIsRefusedBeforeAnythingRuns) {
  benchmark_.gates = {GateIn("KiB", 1)};
  EXPECT_TRUE(CheckGates(benchmark_, 0.02));
  benchmark_.gates = {GateIn("parsec", 1)};
  EXPECT_FALSE(CheckGates(benchmark_, 0.02));
  benchmark_.gates = {RatioGate("heap", 0.02)};
  benchmark_.gates[0].unit = "s";
  EXPECT_FALSE(CheckGates(benchmark_, 0.02));
}

TEST_F(GatePlanTest, BadMarginsAndDoubleNamesAreRefusedBeforeAnythingRuns) {
  EXPECT_TRUE(CheckGates(benchmark_, 0.02));
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    benchmark_.gates.clear();
    EXPECT_FALSE(CheckGates(benchmark_, bad));
    benchmark_.gates = {RatioGate("ops", bad)};
    EXPECT_FALSE(CheckGates(benchmark_, 0.02));
    benchmark_.gates = {AbsoluteGate("ops", bad)};
    EXPECT_FALSE(CheckGates(benchmark_, 0.02));
  }
  benchmark_.gates = {RatioGate("ops", 0.1), AbsoluteGate("ops", 5)};
  EXPECT_FALSE(CheckGates(benchmark_, 0.02));
}

TEST_F(GatePlanTest, ANegativeMarginIsAThresholdOnTheGoodSide) {
  benchmark_.gates = {RatioGate("latency", -0.05), RatioGate("ops", -0.05)};
  auto gates = Plan().value();
  EXPECT_NEAR(gates[0].threshold, std::log(0.95), 1e-15);
  EXPECT_NEAR(gates[1].threshold, -std::log(1.05), 1e-15) << "slowness 1/1.05";
  EXPECT_EQ(gates[1].margin, -0.05) << "as written";
  benchmark_.gates = {AbsoluteGate("latency", -5), AbsoluteGate("ops", -5)};
  gates = Plan().value();
  EXPECT_EQ(gates[0].threshold, -5);
  EXPECT_EQ(gates[1].threshold, -5);
  benchmark_.gates = {RatioGate("ops", -3)};
  EXPECT_NEAR(Plan().value()[0].threshold, -std::log(4.0), 1e-15) << "four times as high";
}

TEST_F(GatePlanTest, NothingIsLowerBy100PercentOrMore) {
  for (const double margin : {-1.0, -1.5}) {
    benchmark_.parse.clear();
    benchmark_.gates.clear();
    EXPECT_FALSE(CheckGates(benchmark_, margin)) << "wall_time";
    benchmark_.parse = "lines";
    EXPECT_TRUE(CheckGates(benchmark_, margin)) << "the program may print rates alone";
    EXPECT_FALSE(PlanGates(benchmark_, margin, catalog_)) << "it also printed a latency";
    Gate gate = RatioGate("heap", margin);
    gate.better = Better::kLower;
    benchmark_.gates = {gate};
    EXPECT_FALSE(CheckGates(benchmark_, 0.02));
    benchmark_.gates[0].better = Better::kHigher;
    EXPECT_TRUE(CheckGates(benchmark_, 0.02));
    benchmark_.gates = {RatioGate("cpu_time", margin)};
    EXPECT_TRUE(CheckGates(benchmark_, 0.02)) << "a program may print a rate of that name";
    benchmark_.parse.clear();
    EXPECT_FALSE(CheckGates(benchmark_, 0.02));
  }
  benchmark_.gates.clear();
  EXPECT_TRUE(CheckGates(benchmark_, -0.999));
  EXPECT_WORDING(CheckGates(benchmark_, -1).error());
  benchmark_.gates = {RatioGate("cpu_time", -1)};
  EXPECT_WORDING(CheckGates(benchmark_, 0.02).error());
}

TEST_F(GatePlanTest, TheNumberOfGatesIsKnownFromTheSpecUnlessAHarnessDecides) {
  EXPECT_EQ(GateMetricsBySpec(benchmark_), 1u);
  benchmark_.parse = "lines";
  EXPECT_FALSE(GateMetricsBySpec(benchmark_));
  EXPECT_EQ(GateCountByCatalog(benchmark_, 0.02, catalog_), 2u);
  benchmark_.gates = {RatioGate("ops", 0.1)};
  EXPECT_FALSE(GateMetricsBySpec(benchmark_)) << "of every inner benchmark";
  EXPECT_EQ(GateCountByCatalog(benchmark_, 0.02, catalog_), 1u);
  benchmark_.parse.clear();
  EXPECT_EQ(GateMetricsBySpec(benchmark_), 1u);
  benchmark_.gates = {RatioGate("*_time", 0.1)};
  EXPECT_FALSE(GateMetricsBySpec(benchmark_));
}

TEST_F(GatePlanTest, WhatGatesByNameOnlyGatesWhenItIsNamed) {
  benchmark_.parse = "go";
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  benchd::Run run = RunBuilder(0, 0)
                        .Sample("sec/op", 1, "BenchmarkX")
                        .Sample("B/s", 2, "BenchmarkX")
                        .Metric("BenchmarkX/sec/op", Better::kLower)
                        .Metric("BenchmarkX/B/s", Better::kHigher);
  run.metrics.back().by_name_only = true;
  catalog.Learn(run, ids);
  const auto keys = [&] {
    std::vector<std::string> found;
    const auto planned = PlanGates(benchmark_, 0.02, catalog).value();
    for (const PlannedGate& gate : planned) {
      found.push_back(catalog.metrics()[gate.metric].key);
    }
    return found;
  };
  EXPECT_EQ(keys(), std::vector<std::string>{"BenchmarkX/sec/op"});
  EXPECT_EQ(GateCountByCatalog(benchmark_, 0.02, catalog), 1U);
  benchmark_.gates = {RatioGate("B/s", 0.1)};
  EXPECT_EQ(keys(), std::vector<std::string>{"BenchmarkX/B/s"});
}

// ---- exact gates ----

/// The plan of a gate on a metric that has this value, unit and step.
Result<PlannedGate> PlannedFor(Gate gate, double value, const std::string& unit = "1",
                               double step = 1, const GateDefaults& defaults = 0.02) {
  Benchmark benchmark = MakeBenchmark("main", 1, {"base", "candidate"});
  benchmark.parse = "go";
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(
      RunBuilder(0, 0).Sample(gate.metric, value).Metric(gate.metric, Better::kLower, unit, step),
      ids);
  benchmark.gates = {std::move(gate)};
  auto planned = PlanGates(benchmark, defaults, catalog);
  if (!planned) return planned.error();
  return planned->at(0);
}

TEST(ExactGatePlanTest, ItsMarginIsOneUnitOrOneStepIfThatIsMore) {
  const auto plan = [](const std::string& unit, double step) {
    const auto planned = PlannedFor(ExactGate("pages"), 5, unit, step);
    EXPECT_TRUE(planned) << planned.error().message;
    EXPECT_TRUE(planned->exact);
    EXPECT_EQ(planned->kind, MarginKind::kExact);
    EXPECT_EQ(planned->threshold, planned->margin);
    return planned->margin;
  };
  EXPECT_EQ(plan("1", 1), 1);
  EXPECT_EQ(plan("", 0), 1);
  EXPECT_EQ(plan("B", 4096), 4096);
  EXPECT_EQ(plan("", 0.01), 1);
}

TEST(ExactGatePlanTest, ATimeOrARateIsNoCount) {
  for (const char* unit : {"s", "ns", "1/s", "MB/s", "ns/op"}) {
    EXPECT_FALSE(PlannedFor(ExactGate("lag"), 5, unit)) << unit;
  }
  for (const char* unit : {"", "1", "B", "KiB", "B/op", "allocs", "widgets/op"}) {
    EXPECT_TRUE(PlannedFor(ExactGate("lag"), 5, unit)) << unit;
  }
  EXPECT_WORDING(PlannedFor(ExactGate("lag"), 5, "ns").error());
}

TEST(ExactGatePlanTest, ABuiltinTimeIsRefusedBeforeAnythingRuns) {
  Benchmark benchmark = MakeBenchmark("main", 1, {"base", "candidate"});
  benchmark.gates = {ExactGate("minor_faults"), ExactGate("max_rss")};
  EXPECT_TRUE(CheckGates(benchmark, 0.02));
  benchmark.gates = {ExactGate("wall_time")};
  const auto refused = CheckGates(benchmark, 0.02);
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error());
  benchmark.parse = "lines";
  EXPECT_TRUE(CheckGates(benchmark, 0.02)) << "a file may have a count of that name";
}

TEST(ExactGatePlanTest, ATimeThatBenchdMeasuresIsNoCountOfASession) {
  Benchmark benchmark = MakeBenchmark("main", 1, {"base", "candidate"});
  for (const char* metric : {"wall_time", "cpu_time", "*", "*_time", "wall_tim?"}) {
    benchmark.gates = {ExactGate(metric)};
    EXPECT_FALSE(CheckExactGates(benchmark)) << metric;
  }
  EXPECT_WORDING(CheckExactGates(benchmark).error());
  for (const char* metric : {"max_rss", "*_faults", "instructions", "anything"}) {
    benchmark.gates = {ExactGate(metric)};
    EXPECT_TRUE(CheckExactGates(benchmark)) << metric;
  }
  benchmark.parse = "lines";
  benchmark.gates = {ExactGate("wall_time")};
  EXPECT_FALSE(CheckExactGates(benchmark));
  benchmark.gates = {ExactGate("*_time")};
  EXPECT_TRUE(CheckExactGates(benchmark)) << "a program may print counts of such names";
  benchmark.gates.front().kind = MarginKind::kRatio;
  benchmark.gates.front().metric = "wall_time";
  EXPECT_TRUE(CheckExactGates(benchmark));
}

TEST(ExactGatePlanTest, ACountOfWorkIsExactIfNobodyGaveAMargin) {
  // 2 % of 5 allocations is less than one of them; 2 % of 5000 are 100.
  const auto few = PlannedFor(GateWithoutMargin("allocs/op"), 5).value();
  EXPECT_TRUE(few.exact);
  EXPECT_EQ(few.kind, MarginKind::kExact);
  EXPECT_EQ(few.margin, 1);
  EXPECT_EQ(PlannedFor(GateWithoutMargin("allocs/op"), 0).value().kind, MarginKind::kExact);
  const auto many = PlannedFor(GateWithoutMargin("instructions"), 5000).value();
  EXPECT_TRUE(many.exact);
  EXPECT_EQ(many.kind, MarginKind::kRatio);
  EXPECT_EQ(many.margin, 0.02);

  EXPECT_FALSE(PlannedFor(RatioGate("allocs/op", 0.02), 5).value().exact) << "a margin was given";
  EXPECT_FALSE(PlannedFor(GateWithoutMargin("pages"), 5).value().exact) << "no count of work";
  EXPECT_FALSE(PlannedFor(GateWithoutMargin("allocs/op"), 5, "1", 1, {0.02, false}).value().exact)
      << "the design does not allow it";
}

TEST(ExactGatePlanTest, ANegativeDefaultMarginIsOneOfCountsToo) {
  for (const double count : {5.0, 5000.0}) {
    Gate without = GateWithoutMargin("allocs/op");
    without.margin = -0.05;
    const auto planned = PlannedFor(without, count, "1", 1, -0.05).value();
    EXPECT_FALSE(planned.exact);
    EXPECT_EQ(planned.kind, MarginKind::kRatio);
    EXPECT_EQ(planned.margin, -0.05);
    EXPECT_NEAR(planned.threshold, std::log(0.95), 1e-15);
  }
  EXPECT_TRUE(PlannedFor(ExactGate("allocs/op"), 5, "1", 1, -0.05).value().exact) << "asked for";
}

TEST(ExactGatePlanTest, ACountOfWorkGatesByDefaultEvenIfItIs0) {
  Benchmark benchmark = MakeBenchmark("main", 1, {"base", "candidate"});
  benchmark.parse = "go";
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(RunBuilder(0, 0)
                    .Sample("allocs/op", 0)
                    .Sample("B/op", 0)
                    .Metric("allocs/op", Better::kLower, "1", 1)
                    .Metric("B/op", Better::kLower, "B", 1),
                ids);
  EXPECT_EQ(GateCountByCatalog(benchmark, 0.02, catalog), 1U);
  EXPECT_EQ(NotGatedByDefault(benchmark, 0.02, catalog), std::vector<std::size_t>{1});
  EXPECT_EQ(GateCountByCatalog(benchmark, {0.02, false}, catalog), 0U);
  EXPECT_EQ(GateCountByCatalog(benchmark, -0.02, catalog), 0U) << "0 is not better than 0";
}

}  // namespace
}  // namespace benchd
