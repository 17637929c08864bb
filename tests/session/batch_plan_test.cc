#include "daemon/session/batch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/fakes.h"

namespace benchd {
namespace {

SessionSpec TwoBenchmarks() {
  SessionSpec spec = fake::TwoArms();
  spec.benchmarks.push_back(spec.benchmarks.front());
  spec.benchmarks.back().name = "second";
  return spec;
}

/// All benchmarks open, with these numbers of blocks of 10 ms each and a first look after eight.
std::vector<BenchmarkOutlook> After(const std::vector<std::uint64_t>& blocks) {
  std::vector<BenchmarkOutlook> outlooks;
  for (const std::uint64_t count : blocks) {
    outlooks.push_back(
        {.blocks = count, .minimum = 8, .seconds = 0.01 * static_cast<double>(count)});
  }
  return outlooks;
}

/// A look may decide after any block from the eighth on, as with repeated looks.
std::uint64_t FromEightOn(std::uint64_t blocks) { return std::max<std::uint64_t>(8, blocks + 1); }

TEST(BatchPlanTest, OrdersAllBlocksBeforeTheFirstLookAtOnce) {
  const SessionSpec spec = fake::TwoArms();
  const BatchPlan plan = PlanMeasured(spec, After({0}), FromEightOn);
  ASSERT_EQ(plan.runs.size(), 16U);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    EXPECT_EQ(plan.runs[i].block, i / 2);
    EXPECT_EQ(plan.runs[i].BeginsBlock(), i % 2 == 0);
  }
  ASSERT_TRUE(plan.next);
  EXPECT_EQ(plan.next->block, 8U);
  EXPECT_EQ(plan.next->planned, PlanBlock(spec, 0, RunPhase::kMeasured, 8).front());
}

TEST(BatchPlanTest, LeavesIdleArmsOutOfEveryRunAndOfTheNext) {
  SessionSpec spec = fake::TwoArms();
  spec.benchmarks[0].arms.push_back(spec.benchmarks[0].arms[1]);
  std::vector<BenchmarkOutlook> outlooks = After({9});
  outlooks[0].idle_arms = {1};
  const BatchPlan plan = PlanMeasured(spec, outlooks, FromEightOn);
  ASSERT_EQ(plan.runs.size(), 2U);
  for (const RunPlace& run : plan.runs) EXPECT_NE(run.planned.arm, 1U);
  const std::vector<std::uint32_t> idle = {1};
  ASSERT_TRUE(plan.next);
  EXPECT_EQ(plan.next->planned, PlanBlock(spec, 0, RunPhase::kMeasured, 10, idle).front());
}

TEST(BatchPlanTest, OrdersOneBlockWhereEveryOneMayDecide) {
  const SessionSpec spec = fake::TwoArms();
  const BatchPlan plan = PlanMeasured(spec, After({8}), FromEightOn);
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.runs[0].block, 8U);
  EXPECT_EQ(plan.next->block, 9U);
}

TEST(BatchPlanTest, TakesBenchmarksInTurnUntilOneOfThemMayBeDecided) {
  const SessionSpec spec = TwoBenchmarks();
  const BatchPlan plan = PlanMeasured(spec, After({6, 6}), FromEightOn);
  std::vector<std::uint32_t> benchmarks;
  for (const RunPlace& run : plan.runs) {
    if (run.BeginsBlock()) benchmarks.push_back(run.planned.benchmark);
  }
  EXPECT_EQ(benchmarks, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(plan.next->planned.benchmark, 1U);
}

TEST(BatchPlanTest, GivesTheTurnToWhoIsNearestToItsVerdict) {
  const SessionSpec spec = TwoBenchmarks();
  std::vector<BenchmarkOutlook> outlooks = After({8, 8});
  outlooks[0].expected_blocks = 30;
  outlooks[1].expected_blocks = 3;
  const BatchPlan plan = PlanMeasured(spec, outlooks, FromEightOn);
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.runs[0].planned.benchmark, 1U);
  EXPECT_EQ(plan.next->planned.benchmark, 1U) << "two blocks to go";
}

TEST(BatchPlanTest, ABlockUnderWayComesFirstWhoeverIsNearestByNow) {
  const SessionSpec spec = TwoBenchmarks();
  std::vector<BenchmarkOutlook> outlooks = After({8, 9});
  outlooks[0].expected_blocks = 30;
  outlooks[1].expected_blocks = 3;
  ASSERT_EQ(PlanMeasured(spec, outlooks, FromEightOn).runs[0].planned.benchmark, 1U);
  const BatchPlan plan = PlanMeasured(spec, outlooks, FromEightOn, 0);
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.runs[0].planned.benchmark, 0U);
  EXPECT_EQ(plan.runs[0].block, 8U);
  EXPECT_EQ(plan.next->planned.benchmark, 1U);
}

TEST(BatchPlanTest, ForeseesTheTurnOfTheNextOneWhereAVerdictIsExpected) {
  const SessionSpec spec = TwoBenchmarks();
  std::vector<BenchmarkOutlook> outlooks = After({8, 8});
  outlooks[0].expected_blocks = 30;
  outlooks[1].expected_blocks = 1;
  const BatchPlan plan = PlanMeasured(spec, outlooks, FromEightOn);
  EXPECT_EQ(plan.runs[0].planned.benchmark, 1U);
  EXPECT_EQ(plan.next->planned.benchmark, 0U);
  EXPECT_EQ(plan.next->block, 8U);
  outlooks[0].open = false;
  const BatchPlan last = PlanMeasured(spec, outlooks, FromEightOn);
  EXPECT_EQ(last.next->planned.benchmark, 1U) << "no other benchmark is left";
}

TEST(BatchPlanTest, TheOrderInsideABlockDoesNotDependOnWhenItsTurnComes) {
  const SessionSpec spec = TwoBenchmarks();
  std::vector<BenchmarkOutlook> early = After({8, 8});
  early[1].expected_blocks = 2;
  std::vector<BenchmarkOutlook> late = After({57, 8});
  late[0].open = false;
  const BatchPlan one = PlanMeasured(spec, early, FromEightOn);
  const BatchPlan other = PlanMeasured(spec, late, FromEightOn);
  ASSERT_EQ(one.runs.size(), other.runs.size());
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    EXPECT_EQ(one.runs[i].planned, other.runs[i].planned);
  }
}

TEST(BatchPlanTest, OrdersNoMoreThanOneRecordHolds) {
  const SessionSpec spec = fake::TwoArms();
  const auto at_the_end = [](std::uint64_t blocks) {
    return std::max<std::uint64_t>(5000, blocks);
  };
  const BatchPlan plan = PlanMeasured(spec, After({0}), at_the_end);
  EXPECT_EQ(plan.runs.size(), kMostRunsInBatch);
  EXPECT_EQ(plan.next->block, kMostRunsInBatch / 2);
}

TEST(BatchPlanTest, MixesNoBenchmarksOfWhichOneIgnoresFailures) {
  SessionSpec spec = TwoBenchmarks();
  spec.benchmarks[1].ignore_failure = true;
  const BatchPlan plan = PlanMeasured(spec, After({0, 0}), FromEightOn);
  EXPECT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.next->planned.benchmark, 1U);
}

TEST(BatchPlanTest, GoesThroughTheWarmUpFromWhereItStands) {
  SessionSpec spec = TwoBenchmarks();
  spec.schedule.warmup = 2;
  const BatchPlan all = PlanWarmup(spec, 0, 4);
  ASSERT_EQ(all.runs.size(), 8U);
  EXPECT_EQ(all.runs[2].planned.benchmark, 1U);
  EXPECT_EQ(all.runs[4].block, 1U);
  EXPECT_FALSE(all.next);
  const BatchPlan rest = PlanWarmup(spec, 3, 4);
  ASSERT_EQ(rest.runs.size(), 2U);
  EXPECT_EQ(rest.runs[0].planned, all.runs[6].planned);
  EXPECT_EQ(rest.runs[0].phase, RunPhase::kWarmup);
}

TEST(BatchPlanTest, TheRestOfAPlanStartsInTheMiddleOfABlock) {
  const SessionSpec spec = TwoBenchmarks();
  const BatchPlan all = PlanMeasured(spec, After({0, 0}), FromEightOn);
  ASSERT_GT(all.runs.size(), 3U);
  const BatchPlan one = RestOf(all, 1, 1);
  ASSERT_EQ(one.runs.size(), 1U);
  EXPECT_EQ(one.runs[0].planned, all.runs[1].planned);
  EXPECT_EQ(one.next->planned, all.runs[2].planned);
  const BatchPlan rest = RestOf(all, 1, kMostRunsInBatch);
  EXPECT_EQ(rest.runs.size(), all.runs.size() - 1);
  EXPECT_EQ(rest.next->planned, all.next->planned);
}

}  // namespace
}  // namespace benchd
