#include "daemon/launch/turns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace benchd {
namespace {

constexpr std::int64_t kOneMillisecond = 1'000'000;

/// Two threads on one CPU for 40 ms, which alternate every 4 ms (Linux 6.18, CONFIG_HZ=250).
wire::RunFigures TwoThreads() {
  wire::RunFigures run;
  run.wall_time_ns = 40 * kOneMillisecond;
  run.user_time_us = 39'800;
  run.involuntary_switches = 9;
  run.Set("foreign_switches", 0);
  return run;
}

constexpr ThreadSchedule kHalf{.ran_ns = 20 * kOneMillisecond};

TEST(TookTurnsTest, TwoThreadsOnOneCpuDo) {
  EXPECT_TRUE(TookTurns(TwoThreads(), kHalf, 0, 1));
  EXPECT_TRUE(TookTurns(TwoThreads(), std::nullopt, 0, 1)) << "no schedule of the first thread";
  EXPECT_FALSE(TookTurns(TwoThreads(), kHalf, 0, 2)) << "each thread has its own CPU";
  // Three threads on two CPUs.
  wire::RunFigures three = TwoThreads();
  three.user_time_us = 79'600;
  EXPECT_TRUE(TookTurns(three, kHalf, 0, 2));
  // A program that does not wait for its workers.
  wire::RunFigures workers = TwoThreads();
  workers.user_time_us = 100;
  workers.Set("tree_cpu_time", 39'600);
  EXPECT_TRUE(TookTurns(workers, ThreadSchedule{.ran_ns = 100'000}, 0, 1));
  // The longest slices of all kernels: 24 ms.
  wire::RunFigures slow = TwoThreads();
  slow.wall_time_ns = 1000 * kOneMillisecond;
  slow.user_time_us = 999'000;
  slow.involuntary_switches = 41;
  EXPECT_TRUE(TookTurns(slow, ThreadSchedule{.ran_ns = 500 * kOneMillisecond}, 0, 1));
}

TEST(TookTurnsTest, AProgramThatWorksAloneDoesNotWhoeverElseIsThere) {
  wire::RunFigures alone = TwoThreads();
  alone.involuntary_switches = 400;
  EXPECT_FALSE(TookTurns(alone, ThreadSchedule{.ran_ns = 39 * kOneMillisecond}, 0, 1));
  // A shell that waits for one worker after another, beside occasional kernel threads.
  wire::RunFigures shell = TwoThreads();
  shell.involuntary_switches = 40;
  shell.Set("foreign_switches", 39);
  EXPECT_FALSE(TookTurns(shell, ThreadSchedule{.ran_ns = kOneMillisecond}, 0, 1));
  // Processes created by others meanwhile hide foreign switches.
  wire::RunFigures crowd = TwoThreads();
  crowd.Set("foreign_switches", 2);
  EXPECT_TRUE(TookTurns(crowd, kHalf, 0, 1));
  EXPECT_FALSE(TookTurns(crowd, kHalf, 7, 1));
  // Another program takes its share of the CPU.
  wire::RunFigures beside = TwoThreads();
  beside.user_time_us = 20'000;
  EXPECT_FALSE(TookTurns(beside, kHalf, 0, 1));
  // The kernel does not report which switches were foreign.
  wire::RunFigures untold = TwoThreads();
  untold.optional.clear();
  EXPECT_FALSE(TookTurns(untold, kHalf, 0, 1));
  // It waits for a disk, or for a child.
  wire::RunFigures idle = TwoThreads();
  idle.involuntary_switches = 1;
  EXPECT_FALSE(TookTurns(idle, kHalf, 0, 1));
  wire::RunFigures brief = TwoThreads();
  brief.wall_time_ns = 20 * kOneMillisecond;
  EXPECT_FALSE(TookTurns(brief, kHalf, 0, 1)) << "too short to decide";
}

}  // namespace
}  // namespace benchd
