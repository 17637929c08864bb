#include <gtest/gtest.h>

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

}  // namespace
}  // namespace benchd
