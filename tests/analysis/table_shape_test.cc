#include "core/analysis/table_shape.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/analysis/table_text.h"

namespace benchd {
namespace {

using Counts = std::vector<std::uint64_t>;

std::vector<BenchmarkShape> Shapes(const std::string& text) { return ShapesOf(TableOf(text)); }

TEST(TableShapeTest, CountsRowsOfEachArmAndKnowsWhichMetricsABenchmarkHas) {
  const auto shapes = Shapes("arm,benchmark,t,u\na,x,1.5,\nb,x,2,\na,y,,3\na,x,1.25,\nb,y,,4\n");
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].arms.counts(), (Counts{2, 1}));
  EXPECT_EQ(shapes[0].values[0].lowest, 1.25);
  EXPECT_EQ(shapes[0].values[0].highest, 2);
  EXPECT_FALSE(shapes[0].values[1].IsAny());
  EXPECT_EQ(shapes[1].arms.counts(), (Counts{1, 1}));
  EXPECT_FALSE(shapes[1].values[0].IsAny());
  EXPECT_TRUE(shapes[1].values[1].IsAny());
}

TEST(TableShapeTest, DoesNotCountTheWarmUpsOfAnExport) {
  const auto shapes = Shapes(
      "arm,role,benchmark,pair,order,started_at,t\na,reference,main,,1,,9\nb,,main,,2,,9\n"
      "b,candidate,main,0,3,,1\na,reference,main,0,4,,2\n");
  EXPECT_EQ(shapes[0].arms.counts(), (Counts{1, 1}));
  EXPECT_TRUE(shapes[0].pairs_in_stretches);
}

TEST(TableShapeTest, SeesWhetherAPairComesBack) {
  EXPECT_TRUE(Shapes("arm,pair,t\na,0,1\nb,0,1\nb,4,1\na,4,1\n")[0].pairs_in_stretches);
  EXPECT_FALSE(Shapes("arm,pair,t\na,0,1\na,1,1\nb,0,1\nb,1,1\n")[0].pairs_in_stretches);
  // Each benchmark has its own pairs, so rows of another one may lie between them.
  const auto shapes =
      Shapes("arm,benchmark,pair,t\na,x,0,1\na,y,0,1\nb,x,0,1\nb,y,0,1\na,x,1,1\nb,x,1,1\n");
  EXPECT_TRUE(shapes[0].pairs_in_stretches);
  EXPECT_TRUE(shapes[1].pairs_in_stretches);
}

TEST(TableShapeTest, SeesWhetherRowsStandAsTheyWereMeasured) {
  EXPECT_TRUE(Shapes("arm,order,t\na,1,1\nb,2,1\na,,1\nb,3,1\n")[0].in_order);
  EXPECT_FALSE(Shapes("arm,order,t\na,1,1\na,3,1\nb,2,1\nb,4,1\n")[0].in_order);
}

TEST(TableShapeTest, KnowsFromWhenToWhenAnArmWasMeasured) {
  const auto shapes = Shapes(
      "arm,started_at,t\na,2026-01-02T10:00:00Z,1\na,2026-01-01T10:00:00Z,1\nb,,1\n"
      "a,2026-01-03T10:00:00Z,1\n");
  ASSERT_TRUE(shapes[0].times[0]);
  EXPECT_EQ(shapes[0].times[0]->last - shapes[0].times[0]->first, std::chrono::hours(48));
  EXPECT_EQ(shapes[0].times.size(), 1U) << "the times of b are unknown";
}

}  // namespace
}  // namespace benchd
