#include "core/analysis/table_shape.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/analysis/table_text.h"

namespace benchd {
namespace {

using Counts = std::vector<std::uint64_t>;

TEST(TableShapeTest, CountsRowsOfEachArmAndKnowsWhichMetricsABenchmarkHas) {
  const TableShape shape =
      ShapeOf("arm,benchmark,t,u\na,x,1.5,\nb,x,2,\na,y,,3\na,x,1.25,\nb,y,,4\n");
  EXPECT_EQ(shape.arms, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(shape.benchmarks.size(), 2U);
  EXPECT_EQ(shape.benchmarks[0].name, "x");
  EXPECT_EQ(shape.benchmarks[0].arms.counts(), (Counts{2, 1}));
  EXPECT_EQ(shape.benchmarks[0].has_metric, (std::vector<bool>{true, false}));
  EXPECT_EQ(shape.benchmarks[1].arms.counts(), (Counts{1, 1}));
  EXPECT_EQ(shape.benchmarks[1].has_metric, (std::vector<bool>{false, true}));
  EXPECT_EQ(shape.metrics[0].resolution, 0.01) << "the finest, not that of the first row";
}

TEST(TableShapeTest, DoesNotCountTheWarmUpsOfAnExport) {
  const TableShape shape = ShapeOf(
      "arm,role,benchmark,pair,order,started_at,t\na,reference,main,,1,,9\nb,,main,,2,,9\n"
      "b,candidate,main,0,3,,1\na,reference,main,0,4,,2\n");
  EXPECT_TRUE(shape.is_export);
  EXPECT_EQ(shape.benchmarks[0].arms.counts(), (Counts{1, 1}));
  EXPECT_EQ(shape.benchmarks[0].roles,
            (std::vector<std::optional<ArmRole>>{ArmRole::kReference, ArmRole::kCandidate}));
  EXPECT_TRUE(shape.benchmarks[0].pairs_in_stretches);
}

TEST(TableShapeTest, AnArmHasOneRoleInABenchmark) {
  TextSource source("arm,role,benchmark,t\na,reference,x,1\na,candidate,y,1\na,candidate,x,1\n");
  const Result<TableShape> shape = ReadShape(source, {});
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().message, "line 4: another role of 'a' than before");
}

TEST(TableShapeTest, SeesWhetherAPairComesBack) {
  EXPECT_TRUE(ShapeOf("arm,pair,t\na,0,1\nb,0,1\nb,4,1\na,4,1\n").benchmarks[0].pairs_in_stretches);
  EXPECT_FALSE(
      ShapeOf("arm,pair,t\na,0,1\na,1,1\nb,0,1\nb,1,1\n").benchmarks[0].pairs_in_stretches);
  // Each benchmark has pairs of its own, so that those of another may stand between.
  const TableShape shape =
      ShapeOf("arm,benchmark,pair,t\na,x,0,1\na,y,0,1\nb,x,0,1\nb,y,0,1\na,x,1,1\nb,x,1,1\n");
  EXPECT_TRUE(shape.benchmarks[0].pairs_in_stretches);
  EXPECT_TRUE(shape.benchmarks[1].pairs_in_stretches);
}

TEST(TableShapeTest, SeesWhetherRowsStandAsTheyWereMeasured) {
  EXPECT_TRUE(ShapeOf("arm,order,t\na,1,1\nb,2,1\na,,1\nb,3,1\n").benchmarks[0].in_order);
  EXPECT_FALSE(ShapeOf("arm,order,t\na,1,1\na,3,1\nb,2,1\nb,4,1\n").benchmarks[0].in_order);
}

TEST(TableShapeTest, KnowsFromWhenToWhenAnArmWasMeasured) {
  const TableShape shape = ShapeOf(
      "arm,started_at,t\na,2026-01-02T10:00:00Z,1\na,2026-01-01T10:00:00Z,1\nb,,1\n"
      "a,2026-01-03T10:00:00Z,1\n");
  ASSERT_TRUE(shape.benchmarks[0].times[0]);
  EXPECT_EQ(shape.benchmarks[0].times[0]->last - shape.benchmarks[0].times[0]->first,
            std::chrono::hours(48));
  EXPECT_EQ(shape.benchmarks[0].times.size(), 1U) << "nobody says when b was";
}

TEST(TableShapeTest, GivesTheReadersErrorWithItsPlace) {
  TextSource source("arm,t\na,1\nb,x\n");
  const auto shape = ReadShape(source, {});
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().message,
            "line 3, column 3: expected a number for 't': 'x' is not a number");
  TextSource again("arm,t\na,1\nb,1\n");
  const auto missing = ReadShape(again, {"c"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "line 4, column 1: the table ends without a row of the base 'c'");
}

TEST(TableShapeTest, RefusesMoreCombinationsThanItCanRemember) {
  std::string text = "arm,benchmark";
  for (int m = 0; m < 200; ++m) text += ",m" + std::to_string(m);
  text += "\n";
  const std::string values(200, ',');
  for (int b = 0; b < 5000; ++b) text += "a," + std::to_string(b) + values + "\n";
  TextSource source(text, 64 * 1024);
  const auto shape = ReadShape(source, {});
  ASSERT_FALSE(shape);
  // 200 metrics and one arm: 1,000,000 / 201 = 4975.1 benchmarks, the 4976th in line 4977.
  EXPECT_EQ(shape.error().message,
            "line 4977: over 1000000 combinations of a benchmark with an arm or a metric");
}

}  // namespace
}  // namespace benchd
