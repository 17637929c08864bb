#include "daemon/kernel/schedstat.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

// sched-stats.rst: the eighth number of a CPU is its waiting time, the ninth its timeslices.
TEST(SchedstatLineTest, ReadsTheNumbersOfACpu) {
  const SchedstatLine line("cpu2 1 0 3 4 5 6 700 800 90");
  EXPECT_EQ(line.cpu(), 2);
  EXPECT_EQ(line.waited_ns(), 800U);
  EXPECT_EQ(line.timeslices(), 90U);
}

TEST(SchedstatLineTest, MissingNumbersAreEmpty) {
  const SchedstatLine line("cpu2 1 0 3 4 5 6 700 800");
  EXPECT_EQ(line.waited_ns(), 800U);
  EXPECT_FALSE(line.timeslices());
  EXPECT_FALSE(SchedstatLine("cpu2 1 0 3 4 5 6 700 x").waited_ns());
}

TEST(SchedstatLineTest, SupportsVersionsFromFifteenOn) {
  for (const char* text : {"version 15", "version 16", "version 17"}) {
    EXPECT_TRUE(SchedstatLine(text).IsVersion()) << text;
    EXPECT_TRUE(SchedstatLine(text).IsSupportedVersion()) << text;
  }
  for (const char* text : {"version 14", "version", "version x"}) {
    EXPECT_TRUE(SchedstatLine(text).IsVersion()) << text;
    EXPECT_FALSE(SchedstatLine(text).IsSupportedVersion()) << text;
  }
  EXPECT_FALSE(SchedstatLine("timestamp 4295000000").IsVersion());
}

TEST(SchedstatLineTest, ADomainIsNotACpu) {
  EXPECT_FALSE(SchedstatLine("domain0 MC 3 1 2 3 4 5 6 7 8 9").cpu());
  EXPECT_FALSE(SchedstatLine("").cpu());
}

}  // namespace
}  // namespace benchd
