#include "core/analysis/run_units.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/analysis/session_builder.h"
#include "tests/support/cpu_time.h"

namespace benchd {
namespace {

Run Printed(std::uint32_t arm, const std::string& unit, double value, double resolution = 0) {
  return RunBuilder(0, arm).Metric("lag", Better::kLower, unit, resolution).Sample("lag", value);
}

TEST(RunUnitsTest, AnotherUnitOfTimeBecomesThatOfTheFirstArm) {
  RunUnits units;
  Block block{Printed(1, "us", 1500, 1), Printed(0, "ms", 2)};
  units.Unify(block);
  EXPECT_EQ(block[0].samples[0].value, 1.5);
  EXPECT_EQ(block[0].metrics[0], (MetricInfo{"lag", "ms", Better::kLower, 0.001}));
  EXPECT_EQ(block[1].samples[0].value, 2);
  const Block before = block;
  units.Unify(block);
  EXPECT_EQ(block, before) << "conversion leaves its input unchanged";
  // From then on the session has that unit.
  Block second{Printed(0, "s", 0.002)};
  units.Unify(second);
  EXPECT_EQ(second[0].samples[0].value, 2);
  EXPECT_EQ(second[0].metrics[0].unit, "ms");
}

TEST(RunUnitsTest, OfAnInnerBenchmarkWhatIsSaidOfItComesFirst) {
  RunUnits units;
  Block first{
      RunBuilder(0, 0).Metric("lag", {}, "ms").Metric("a/lag", {}, "s").Sample("lag", 1, "a")};
  units.Unify(first);
  Block block{RunBuilder(0, 1)
                  .Metric("lag", {}, "us")
                  .Metric("a/lag", {}, "ms")
                  .Sample("lag", 1000, "a")
                  .Sample("lag", 1000, "b")
                  .Sample("lag", 1000)};
  units.Unify(block);
  EXPECT_EQ(block[0].samples[0].value, 1) << "ms to s";
  EXPECT_EQ(block[0].samples[1].value, 1) << "us to ms";
  EXPECT_EQ(block[0].samples[2].value, 1) << "us to ms";
}

TEST(RunUnitsTest, OtherUnitsAndOtherBenchmarksAreLeftAlone) {
  RunUnits units;
  Block block{Printed(0, "ms", 2), Printed(1, "B", 2)};
  Block other{RunBuilder(1, 0).Metric("lag", Better::kLower, "us").Sample("lag", 7)};
  units.Unify(block);
  units.Unify(other);
  EXPECT_EQ(block[1].metrics[0].unit, "B");
  EXPECT_EQ(block[1].samples[0].value, 2);
  EXPECT_EQ(other[0].metrics[0].unit, "us");
}

// Searching every sample for each metric took minutes, on the thread that serves all users.
TEST(RunUnitsTest, ManyMetricsThatAreAllConvertedTakeOnePass) {
  constexpr std::size_t kMany = 20'000;
  const auto printed = [](const std::string& unit, double value) {
    benchd::Run run;
    for (std::size_t metric = 0; metric < kMany; ++metric) {
      const std::string name = "a metric " + std::to_string(metric);
      run.metrics.push_back({.name = name, .unit = unit});
      run.samples.push_back({.metric = name, .value = value});
    }
    return run;
  };
  RunUnits units;
  Block block{printed("ms", 2), printed("us", 2000)};
  const auto begun = CpuTime();
  units.Unify(block);
  EXPECT_LT(CpuTime() - begun, std::chrono::seconds(1));
  EXPECT_EQ(block[1].samples, block[0].samples);
}

}  // namespace
}  // namespace benchd
