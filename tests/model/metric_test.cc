#include "core/model/metric.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace benchd {
namespace {

TEST(BuiltinMetricsTest, HaveUnitDirectionAndResolution) {
  for (const MetricInfo& metric : BuiltinMetrics()) {
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_EQ(metric.better, Better::kLower) << metric.name;
    EXPECT_GT(metric.resolution, 0) << metric.name;
  }
}

// The documented list, plus bytes and software counters (docs/metrics.md).
TEST(OptionalMetricsTest, HaveUnitDirectionAndResolutionToo) {
  std::vector<std::string> names;
  for (const MetricInfo& metric : OptionalMetrics()) {
    names.push_back(metric.name);
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_EQ(metric.better, Better::kLower) << metric.name;
    EXPECT_GT(metric.resolution, 0) << metric.name;
    EXPECT_EQ(FindBuiltinMetric(metric.name), &metric);
    EXPECT_TRUE(IsOptionalMetric(metric.name)) << metric.name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"read_bytes", "write_bytes", "tree_cpu_time",
                                      "tree_memory_peak", "instructions", "cycles", "branch_misses",
                                      "cache_misses", "task_clock", "cpu_migrations", "interrupts",
                                      "stolen_time", "foreign_switches", "migrations"}));
  EXPECT_FALSE(IsOptionalMetric("involuntary_switches"));
  EXPECT_FALSE(IsOptionalMetric("ops"));
}

TEST(DisturbanceMetricsTest, AreOptionalAndNoneOfWhatAProgramDoes) {
  for (const MetricInfo& metric : DisturbanceMetrics()) {
    EXPECT_TRUE(IsDisturbanceMetric(metric.name)) << metric.name;
    EXPECT_TRUE(IsOptionalMetric(metric.name)) << metric.name;
  }
  EXPECT_EQ(DisturbanceMetrics().size(), 4U);
  for (const char* name :
       {"wall_time", "cpu_migrations", "involuntary_switches", "BM/interrupts"}) {
    EXPECT_FALSE(IsDisturbanceMetric(name)) << name;
  }
}

TEST(FindBuiltinMetricTest, FindsByNameAndNothingElse) {
  ASSERT_NE(FindBuiltinMetric("max_rss"), nullptr);
  EXPECT_EQ(FindBuiltinMetric("max_rss")->unit, "B");
  EXPECT_EQ(FindBuiltinMetric("max_rs"), nullptr);
  EXPECT_EQ(FindBuiltinMetric(""), nullptr);
}

TEST(CountsWorkTest, IsTrueForInstructionsAndAllocationsWhateverTheBenchmark) {
  for (const char* name : {"instructions", "instructions:u", "Ir", "BenchmarkX-8/allocs/op",
                           "allocs/op", "BM_X/2/allocs_per_iter"}) {
    EXPECT_TRUE(CountsWork(name, "1")) << name;
    EXPECT_TRUE(CountsWork(name, "")) << name << " of a table without units";
  }
  // The kernel and the machine decide these too; the others only end like a count of work.
  for (const char* name : {"minor_faults", "branch_misses", "cycles", "fallocs/op", "Air", ""}) {
    EXPECT_FALSE(CountsWork(name, "1")) << name;
  }
  EXPECT_FALSE(CountsWork("instructions", "s"));
}

}  // namespace
}  // namespace benchd
