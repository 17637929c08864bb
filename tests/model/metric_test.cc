#include "daemon/model/metric.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(BuiltinMetricsTest, HaveUnitDirectionAndResolution) {
  for (const MetricInfo& metric : BuiltinMetrics()) {
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_EQ(metric.better, Better::kLower) << metric.name;
    EXPECT_GT(metric.resolution, 0) << metric.name;
  }
}

TEST(FindBuiltinMetricTest, FindsByNameAndNothingElse) {
  ASSERT_NE(FindBuiltinMetric("max_rss"), nullptr);
  EXPECT_EQ(FindBuiltinMetric("max_rss")->unit, "B");
  EXPECT_EQ(FindBuiltinMetric("max_rs"), nullptr);
  EXPECT_EQ(FindBuiltinMetric(""), nullptr);
}

}  // namespace
}  // namespace benchd
