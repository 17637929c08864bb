#include "core/analysis/block_values.h"

#include <gtest/gtest.h>

#include "tests/analysis/session_builder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

struct Collapsed {
  MetricCatalog catalog;
  Result<BlockValues> values;
};

Collapsed Collapse(const Block& block, std::size_t arms, std::optional<Better> better = {}) {
  MetricCatalog catalog;
  std::vector<const Run*> runs;
  std::vector<std::vector<std::size_t>> ids(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) {
    runs.push_back(&block[i]);
    catalog.Learn(block[i], ids[i]);
  }
  if (better) catalog.SetDirection(0, *better);
  auto values = BlockValues::Collapse(runs, ids, catalog, arms);
  return {catalog, std::move(values)};
}

TEST(BlockValuesTest, SamplesOfARunCollapseToItsMeanBeforeRunsToTheArms) {
  // Arm 0: runs with means 2 (of 1, 3) and 10 (of one sample): 6, not the mean 14/3 of the samples.
  const Block block{RunBuilder(0, 0).Sample("x", 1).Sample("x", 3), RunBuilder(0, 1).Sample("x", 5),
                    RunBuilder(0, 0).Sample("x", 10)};
  const Collapsed collapsed = Collapse(block, 2);
  EXPECT_DOUBLE_EQ(collapsed.values->At(0, 0)->value, 6);
  EXPECT_DOUBLE_EQ(collapsed.values->At(1, 0)->value, 5);
}

TEST(BlockValuesTest, RatesCollapseHarmonically) {
  // Harmonic mean of 2 and 8 is 3.2 (scipy.stats.hmean, golden harmonic_mean_01).
  const Block block{RunBuilder(0, 0).Sample("x", 2).Sample("x", 8), RunBuilder(0, 1).Sample("x", 2),
                    RunBuilder(0, 1).Sample("x", 8)};
  const Collapsed collapsed = Collapse(block, 2, Better::kHigher);
  EXPECT_DOUBLE_EQ(collapsed.values->At(0, 0)->value, 3.2);
  EXPECT_DOUBLE_EQ(collapsed.values->At(1, 0)->value, 3.2);
}

TEST(BlockValuesTest, ARateWithAZeroSampleIsMarkedAsNotPositive) {
  const Block block{RunBuilder(0, 0).Sample("x", 0).Sample("x", 8),
                    RunBuilder(0, 1).Sample("x", 2)};
  const Collapsed collapsed = Collapse(block, 2, Better::kHigher);
  EXPECT_FALSE(collapsed.values->At(0, 0)->positive);
  EXPECT_EQ(collapsed.values->At(0, 0)->value, 4);
  EXPECT_TRUE(collapsed.values->At(1, 0)->positive);
}

TEST(BlockValuesTest, AMetricMissingInOneRunOfAnArmIsMissingForTheArm) {
  const Block block{RunBuilder(0, 0).Sample("x", 1), RunBuilder(0, 0).Sample("y", 1),
                    RunBuilder(0, 1).Sample("x", 1).Sample("y", 2)};
  const Collapsed collapsed = Collapse(block, 2);
  EXPECT_FALSE(collapsed.values->At(0, 0));
  EXPECT_FALSE(collapsed.values->At(0, 1));
  EXPECT_EQ(collapsed.values->At(1, 1)->value, 2);
}

TEST(BlockValuesTest, ConstantsStayConstantToTheLastBit) {
  MetricMean mean;
  for (int i = 0; i < 7; ++i) mean.Add(0.1);
  EXPECT_EQ(mean.Value(false), 0.1);
  EXPECT_EQ(mean.Value(true), 0.1);
}

TEST(BlockValuesTest, AProgramThatPrintsABuiltinNameIsAnErrorNotAnAverage) {
  const Block block{RunBuilder(0, 0).Sample("wall_time", 1).Sample("wall_time", 100)};
  const Collapsed collapsed = Collapse(block, 1);
  ASSERT_FALSE(collapsed.values);
  EXPECT_EQ(collapsed.values.error().message.substr(0, 17), "metric wall_time:");
  EXPECT_WORDING(collapsed.values.error());
}

}  // namespace
}  // namespace benchd
