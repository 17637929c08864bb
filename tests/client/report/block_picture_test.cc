#include "client/report/block_picture.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/client/golden.h"
#include "tests/client/report_samples.h"

namespace benchd::client {
namespace {

std::optional<UnitsOfPicture> BlocksIn(const ReportSource& source) {
  return BlocksOf(source.metrics.front(), source.session.report().comparisons(0));
}

TEST(BlockPictureTest, EachBlockHasAMarkAboveTheChangeOfTheVerdict) {
  const ReportSource source = SampleSource(8);
  const auto blocks = BlocksIn(source);
  ASSERT_TRUE(blocks);
  ASSERT_EQ(blocks->groups.size(), 1U);
  const UnitGroup& group = blocks->groups.front();
  ASSERT_EQ(group.units.size(), 8U) << "without the warm-up";
  EXPECT_EQ(group.units.front().cells.front(), "block 0");
  const MetricRuns& runs = source.metrics.front();
  EXPECT_DOUBLE_EQ(group.units[5].value, runs.arms[1].values[5] / runs.arms[0].values[5] - 1);
  const v1::Comparison& gate = source.session.report().comparisons(0);
  EXPECT_EQ(group.mean.value, gate.change().estimate());
  EXPECT_EQ(group.mean.lo, gate.change().lo());
  EXPECT_EQ(group.margin->at, 0.02);
  const Picture picture = DrawUnits("blocks", *blocks);
  EXPECT_EQ(picture.table.size(), 1U + 8 + 1);
  ExpectGolden("picture_blocks.svg",
               picture.svg.File(picture.name, picture.description) + picture.note + "\n");
}

TEST(BlockPictureTest, OnlyCompleteBlocksCount) {
  ReportSource source = SampleSource(8);
  std::erase_if(source.metrics.front().runs,
                [](const RunOfPicture& run) { return run.arm == 1 && run.block == 3U; });
  const auto blocks = BlocksIn(source);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->groups.front().units.size(), 7U);
  EXPECT_EQ(blocks->groups.front().units[3].cells.front(), "block 4");
  EXPECT_EQ(blocks->groups.front().label, "7 blocks");
}

TEST(BlockPictureTest, ADifferenceIsInTheUnitOfTheMetric) {
  ReportSource source = SampleSource(8);
  v1::Comparison& gate = *source.session.mutable_report()->mutable_comparisons(0);
  gate.clear_change();
  gate.set_margin_absolute(0.0001);
  const auto blocks = BlocksIn(source);
  ASSERT_TRUE(blocks);
  EXPECT_FALSE(blocks->axis.relative);
  const MetricRuns& runs = source.metrics.front();
  EXPECT_DOUBLE_EQ(blocks->groups.front().units[2].value,
                   runs.arms[1].values[2] - runs.arms[0].values[2]);
}

TEST(BlockPictureTest, WhatCannotBeDrawnInBlocksIsNot) {
  EXPECT_TRUE(BlocksIn(SampleSource(kMostBlocksDrawn)));
  EXPECT_FALSE(BlocksIn(SampleSource(kMostBlocksDrawn + 1))) << "the looks show more";
  for (const v1::Method method : {v1::METHOD_WELCH, v1::METHOD_LAYOUTS}) {
    ReportSource source = SampleSource(8);
    source.session.mutable_report()->mutable_comparisons(0)->set_method(method);
    EXPECT_FALSE(BlocksIn(source)) << method;
  }
  ReportSource source = SampleSource(8);
  for (RunOfPicture& run : source.metrics.front().runs) run.block.reset();
  EXPECT_FALSE(BlocksIn(source)) << "a table without pairs";
  source = SampleSource(8);
  for (RunOfPicture& run : source.metrics.front().runs) run.value = 0;
  EXPECT_FALSE(BlocksIn(source)) << "no ratio";
  source.session.mutable_report()->mutable_comparisons(0)->clear_change();
  source.session.mutable_report()->mutable_comparisons(0)->clear_difference();
  EXPECT_FALSE(BlocksIn(source)) << "no estimate";
}

}  // namespace
}  // namespace benchd::client
