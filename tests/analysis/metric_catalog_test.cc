#include <gtest/gtest.h>

#include <string>

#include "core/analysis/block_values.h"
#include "tests/analysis/session_builder.h"

namespace benchd {
namespace {

TEST(MetricCatalogTest, NamesInnerBenchmarksInFrontAndKeepsBuiltinsApart) {
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(RunBuilder(0, 0)
                    .Sample("wall_time", 1)
                    .Sample("cpu_time", 2, "BM_x")
                    .Sample("cpu_time", 3, "BM_y")
                    .Sample("cpu_time", 4, "BM_x")
                    .Metric("cpu_time", Better::kLower, "ns", 0.1),
                ids);
  EXPECT_EQ(ids, (std::vector<std::size_t>{0, 1, 2, 1}));
  ASSERT_EQ(catalog.metrics().size(), 3u);
  EXPECT_TRUE(catalog.metrics()[0].builtin);
  EXPECT_EQ(catalog.metrics()[0].unit, "s");
  EXPECT_EQ(catalog.metrics()[1].key, "BM_x/cpu_time");
  EXPECT_FALSE(catalog.metrics()[1].builtin);
  EXPECT_EQ(catalog.metrics()[1].unit, "ns");
  EXPECT_EQ(catalog.Find("BM_y/cpu_time"), 2u);
  EXPECT_FALSE(catalog.Find("cpu_time"));
}

TEST(MetricCatalogTest, WhatIsSaidOfAnInnerBenchmarkGoesBeforeWhatIsSaidOfTheName) {
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(RunBuilder(0, 0)
                    .Sample("time", 1, "BM_x")
                    .Sample("time", 2, "BM_y")
                    .Metric("time", Better::kLower, "s", 0.1)
                    .Metric("BM_y/time", Better::kHigher, "1/s", 0.01),
                ids);
  EXPECT_EQ(catalog.metrics()[0].unit, "s");
  EXPECT_EQ(catalog.metrics()[0].resolution, 0.1);
  EXPECT_EQ(catalog.metrics()[1].unit, "1/s");
  EXPECT_EQ(catalog.metrics()[1].better, Better::kHigher);
  EXPECT_EQ(catalog.metrics()[1].resolution, 0.01);
}

TEST(MetricCatalogTest, KnowsWhichArmShowedAMetricAndWhetherItWasEverZero) {
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(RunBuilder(0, 0).Sample("a", 1).Sample("b", 0), ids);
  EXPECT_TRUE(catalog.ShownBy(1, 0)) << "that arm has no run yet";
  catalog.Learn(RunBuilder(0, 1).Sample("a", 1).Sample("c", 1), ids);
  EXPECT_TRUE(catalog.ShownBy(0, 0));
  EXPECT_TRUE(catalog.ShownBy(0, 1));
  EXPECT_FALSE(catalog.ShownBy(0, 2));
  EXPECT_FALSE(catalog.ShownBy(1, 1));
  EXPECT_TRUE(catalog.metrics()[0].all.positive);
  EXPECT_FALSE(catalog.metrics()[1].all.positive);
}

TEST(MetricCatalogTest, TheFinestPrintedDecimalIsTheResolution) {
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  for (double resolution : {1.0, 0.01, 0.1, 0.0}) {
    catalog.Learn(RunBuilder(0, 0).Sample("x", 1).Metric("x", std::nullopt, "", resolution), ids);
  }
  EXPECT_EQ(catalog.metrics()[0].resolution, 0.01);
}

TEST(MetricCatalogTest, TheFirstDirectionThatIsSaidHoldsWhicheverRunSaysIt) {
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(RunBuilder(0, 0).Sample("x", 1).Metric("x", std::nullopt), ids);
  catalog.Learn(RunBuilder(0, 1).Sample("x", 1).Metric("x", Better::kHigher), ids);
  EXPECT_EQ(catalog.metrics()[0].better, Better::kHigher);
  EXPECT_TRUE(catalog.with_both_directions().empty());
  catalog.Learn(RunBuilder(0, 0).Sample("y", 1).Metric("y", std::nullopt), ids);
  catalog.HoldDirections();
  catalog.Learn(RunBuilder(0, 1).Sample("y", 1).Metric("y", Better::kLower), ids);
  EXPECT_FALSE(catalog.metrics()[1].better) << "it is already compared without a direction";
  EXPECT_EQ(catalog.metrics()[1].printed, Better::kLower);
}

TEST(MetricCatalogTest, KnowsWhatWasPrintedWithBothDirectionsOnce) {
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  for (const Better better : {Better::kLower, Better::kHigher, Better::kLower, Better::kHigher}) {
    catalog.Learn(RunBuilder(0, 0).Sample("x", 1).Metric("x", better), ids);
  }
  EXPECT_EQ(catalog.with_both_directions(), std::vector<std::size_t>{0});
}

TEST(MetricCatalogTest, FindsTheDescriptionWhateverTheOrder) {
  MetricCatalog catalog;
  std::vector<std::size_t> ids;
  catalog.Learn(RunBuilder(0, 0)
                    .Sample("c", 1)
                    .Sample("a", 1)
                    .Sample("b", 1)
                    .Sample("nobody", 1)
                    .Metric("a", Better::kLower, "ua")
                    .Metric("b", Better::kHigher, "ub")
                    .Metric("c", std::nullopt, "uc"),
                ids);
  EXPECT_EQ(catalog.metrics()[0].unit, "uc");
  EXPECT_EQ(catalog.metrics()[1].better, Better::kLower);
  EXPECT_EQ(catalog.metrics()[2].better, Better::kHigher);
  EXPECT_EQ(catalog.metrics()[3].unit, "");
}

TEST(MetricCatalogTest, ListsAtMostTwentyKeys) {
  MetricCatalog catalog;
  EXPECT_EQ(catalog.ListOfKeys(), "nothing");
  RunBuilder run(0, 0);
  for (int i = 0; i < 25; ++i) run.Sample(std::string("m").append(std::to_string(i)), 1);
  std::vector<std::size_t> ids;
  catalog.Learn(run, ids);
  const std::string list = catalog.ListOfKeys();
  EXPECT_NE(list.find("m0, m1"), std::string::npos);
  EXPECT_NE(list.find("m19, ..."), std::string::npos);
  EXPECT_EQ(list.find("m20"), std::string::npos);
}

}  // namespace
}  // namespace benchd
