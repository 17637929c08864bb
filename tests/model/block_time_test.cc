#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/model/run.h"

namespace benchd {
namespace {

using std::chrono::milliseconds;

benchd::Run RunAt(milliseconds start, double wall_seconds) {
  benchd::Run run;
  run.started_at = Timestamp(start);
  run.samples = {{"wall_time", {}, 0, wall_seconds}, {"cpu_time", {}, 0, 9}};
  return run;
}

TEST(BlockTimeTest, WallTimeIsThatOfTheRunsAlone) {
  const std::vector<benchd::Run> runs = {RunAt(milliseconds(0), 0.25),
                                         RunAt(milliseconds(3000), 0.5)};
  EXPECT_EQ(WallTimeOf(runs), milliseconds(750));
  EXPECT_EQ(WallTimeOf({}), Nanoseconds::zero());
}

TEST(BlockTimeTest, AMetricOfTheProgramIsNoWallTime) {
  std::vector<benchd::Run> runs = {RunAt(milliseconds(0), 0.25)};
  runs[0].samples[0].inner_benchmark = "BM_X";
  EXPECT_EQ(WallTimeOf(runs), Nanoseconds::zero());
}

TEST(BlockTimeTest, TheCostHasWhatLiesBetweenTheRuns) {
  const std::vector<benchd::Run> runs = {RunAt(milliseconds(0), 0.25),
                                         RunAt(milliseconds(3000), 0.5)};
  EXPECT_EQ(CostOf(runs), milliseconds(3500));
  EXPECT_EQ(CostOf({}), Nanoseconds::zero());
}

TEST(BlockTimeTest, AClockThatWasSetBackMakesNoBlockCheaperThanItsRuns) {
  const std::vector<benchd::Run> runs = {RunAt(milliseconds(9000), 0.25),
                                         RunAt(milliseconds(0), 0.5)};
  EXPECT_EQ(CostOf(runs), milliseconds(750));
}

TEST(BlockTimeTest, RunsOfASharedProcessCostTheTimeBetweenTheirStarts) {
  std::vector<benchd::Run> runs(3);
  for (unsigned i = 0; i < 3; ++i) runs[i].started_at = Timestamp(milliseconds(100 * i));
  EXPECT_EQ(WallTimeOf(runs), Nanoseconds::zero());
  EXPECT_EQ(CostOf(runs), milliseconds(300)) << "200 ms of the first two, and as long for the last";
  EXPECT_EQ(CostOf(std::span(runs).first(1)), Nanoseconds::zero());
  std::swap(runs.front(), runs.back());
  EXPECT_EQ(CostOf(runs), Nanoseconds::zero()) << "a clock that was set back";
}

TEST(BlocksByBenchmarkTest, DividesTheRunsOfSharedProcesses) {
  std::vector<benchd::Run> runs;
  for (const std::uint32_t position : {0U, 1U}) {
    for (const std::uint32_t benchmark : {4U, 2U}) {
      runs.push_back({.benchmark = benchmark, .block = 7, .position = position});
    }
  }
  const std::vector<std::vector<benchd::Run>> blocks = BlocksByBenchmark(runs);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0], (std::vector<benchd::Run>{runs[0], runs[2]}));
  EXPECT_EQ(blocks[1], (std::vector<benchd::Run>{runs[1], runs[3]}));
}

}  // namespace
}  // namespace benchd
