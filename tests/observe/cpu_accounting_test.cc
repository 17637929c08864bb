#include "daemon/observe/cpu_accounting.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <set>

namespace benchd {
namespace {

constexpr std::int64_t kTick = 4'000'000;  // CONFIG_HZ=250

TEST(CpuAccountingTest, TheTickIsTheStepWhereTheKernelDividesByIt) {
  EXPECT_EQ(CpuAccounting().StepNs({0}), 0) << "nothing is known";
  const CpuAccounting ticks(kTick, {});
  EXPECT_EQ(ticks.StepNs({}), kTick);
  EXPECT_EQ(ticks.StepNs({1}), kTick);
  // nohz_full=2-3
  const CpuAccounting some(kTick, {2, 3});
  EXPECT_EQ(some.StepNs({2}), 1000);
  EXPECT_EQ(some.StepNs({2, 3}), 1000);
  EXPECT_EQ(some.StepNs({1, 2}), kTick) << "a program may be on either";
  EXPECT_EQ(some.StepNs({}), kTick);
}

// Compares the result of Try() with the CPU times that the kernel reports for children.
TEST(CpuAccountingTest, WhatWasTriedIsWhatProcessesShow) {
  timespec resolution{};
  ASSERT_EQ(clock_getres(CLOCK_MONOTONIC_COARSE, &resolution), 0);
  const CpuAccounting tried = CpuAccounting::Try(KernelFiles("/"));
  const std::int64_t step = tried.StepNs({});
  EXPECT_TRUE(step == 1000 || step == resolution.tv_nsec) << step;
  // A child that only makes system calls for a third of a tick. With tick-based accounting, usually
  // no tick hits it, and it then has no system time.
  int without = 0;
  constexpr int kChildren = 40;
  for (int i = 0; i < kChildren; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      timespec used{};
      while (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && used.tv_sec == 0 &&
             used.tv_nsec < resolution.tv_nsec / 3) {
      }
      _exit(0);
    }
    int status = 0;
    rusage usage{};
    ASSERT_EQ(wait4(pid, &status, 0, &usage), pid);
    without += usage.ru_stime.tv_sec == 0 && usage.ru_stime.tv_usec == 0 ? 1 : 0;
  }
  if (step == 1000) {
    EXPECT_EQ(without, 0) << "each has some";
  } else {
    EXPECT_GT(without, 0) << "a tick hit every child, although each is shorter than one";
  }
}

}  // namespace
}  // namespace benchd
