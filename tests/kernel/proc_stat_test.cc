#include "daemon/kernel/proc_stat.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(StatLineTest, ReadsTheColumnsOfACpu) {
  // user nice system idle iowait irq softirq steal guest guest_nice
  const StatLine line("cpu3 4100 210 1010 90010 310 41 61 510 710 0");
  EXPECT_EQ(line.cpu(), 3);
  EXPECT_FALSE(line.IsOfAllCpus());
  EXPECT_EQ(line.ticks(), (CpuTicks{4100, 210, 1010, 90010, 310, 41, 61, 510}));
}

TEST(StatLineTest, TheSumOfAllCpusIsNotACpu) {
  const StatLine line("cpu  1 2 3 4 5 6 7 8 9 10");
  EXPECT_TRUE(line.IsOfAllCpus());
  EXPECT_FALSE(line.cpu());
  EXPECT_EQ(line.ticks()[kStealTicks], 8U);
}

TEST(StatLineTest, ColumnsThatAreMissingOrMalformedAreEmpty) {
  const CpuTicks ticks = StatLine("cpu0 1 x -3 4").ticks();
  EXPECT_EQ(ticks[kUserTicks], 1U);
  EXPECT_FALSE(ticks[kNiceTicks]);
  EXPECT_FALSE(ticks[kSystemTicks]);
  EXPECT_EQ(ticks[kIdleTicks], 4U);
  EXPECT_FALSE(ticks[kStealTicks]);
}

TEST(StatLineTest, ReadsTheNumberOfForks) {
  EXPECT_TRUE(StatLine("processes 4711").IsOfForks());
  EXPECT_EQ(StatLine("processes 4711").forks(), 4711U);
  EXPECT_EQ(StatLine("processes").forks(), 0U);
  EXPECT_FALSE(StatLine("procs_running 2").IsOfForks());
}

TEST(StatLineTest, AnEmptyLineIsNothing) {
  const StatLine line("");
  EXPECT_FALSE(line.cpu() || line.IsOfAllCpus() || line.IsOfForks());
}

}  // namespace
}  // namespace benchd
