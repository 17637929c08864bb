#include "daemon/observe/disturbances.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/kernel/kernel_tree.h"

namespace benchd {
namespace {

/// Long enough for even the most expensive file.
constexpr std::int64_t kLong = 3'600'000'000'000;

class DisturbancesTest : public testing::Test {
 protected:
  DisturbanceFiles Files() const { return DisturbanceFiles(KernelFiles(tree_.root())); }
  Disturbances Read(const std::vector<int>& cpus) const { return Files().Read(cpus, kLong); }
  void PutStat(const std::string& all, const std::string& cpu1) const {
    tree_.Put("proc/stat", "cpu  1 2 3 4 5 6 7 " + all +
                               " 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
                               "cpu1 1 2 3 4 5 6 7 " +
                               cpu1 + " 9 10\nintr 1 2 3\nctxt 77\nbtime 5\nprocesses 4711");
  }

  KernelTree tree_;
};

// proc_stat(5): the eighth figure of a CPU is steal.
TEST_F(DisturbancesTest, StolenTimeIsThatOfTheCpusAskedFor) {
  PutStat("800", "30");
  EXPECT_EQ(Read({1}).stolen_ticks, 30U);
  EXPECT_EQ(Read({0, 1}).stolen_ticks, 38U);
  EXPECT_EQ(Read({1}).forks, 4711U);
  EXPECT_FALSE(Read({2}).stolen_ticks) << "a CPU that is offline";
}

TEST_F(DisturbancesTest, StealThatWasNeverCountedIsUnknownAndNotZero) {
  PutStat("0", "0");
  EXPECT_FALSE(Read({0, 1}).stolen_ticks);
  EXPECT_NE(Files().WhyNot("stolen_time"), "");
  PutStat("1", "0");
  EXPECT_EQ(Read({1}).stolen_ticks, 0U);
  EXPECT_EQ(Files().WhyNot("stolen_time"), "");
}

TEST_F(DisturbancesTest, InterruptsAreAddedUpOverLinesAndCpus) {
  tree_.Put("proc/interrupts",
            "           CPU0       CPU2       CPU10\n"
            "  1:         10         20         30   IO-APIC   1-edge      i8042\n"
            "LOC:        100        200        300   Local timer interrupts\n"
            "ERR:       7000\n"
            "MIS:       9000\nErr: 9000");
  EXPECT_EQ(Read({2}).interrupts, 220U);
  EXPECT_EQ(Read({0, 10}).interrupts, 440U);
  EXPECT_FALSE(Read({1}).interrupts) << "a CPU that is offline";
}

// A table of 300 lines of 100 CPUs does not fit into one read.
TEST_F(DisturbancesTest, ALargeTableIsReadToItsEnd) {
  std::string text = "     ";
  for (int cpu = 0; cpu < 100; ++cpu) text += "     CPU" + std::to_string(cpu);
  for (int line = 0; line < 300; ++line) {
    text += "\n" + std::to_string(line) + ":";
    for (int cpu = 0; cpu < 100; ++cpu) text += "          " + std::to_string(cpu);
    text += "  PCI-MSI  eth0";
  }
  tree_.Put("proc/interrupts", text);
  EXPECT_EQ(Read({99}).interrupts, 29'700U);
}

// sched-stats.rst: "# of timeslices run on this cpu" is a CPU's ninth figure.
TEST_F(DisturbancesTest, TimeslicesAreTheNinthFigureOfSchedstat) {
  PutStat("1", "0");
  tree_.Put("proc/schedstat",
            "version 15\ntimestamp 42\ncpu0 1 0 3 4 5 6 7 8 90\ndomain0 3 1 2 3\n"
            "cpu1 1 0 3 4 5 6 7 8 91");
  EXPECT_EQ(Read({1}).timeslices, 91U);
  EXPECT_EQ(Read({0, 1}).timeslices, 181U);
  tree_.Put("proc/schedstat", "version 14\ntimestamp 42\ncpu1 1 0 3 4 5 6 7 8 91");
  EXPECT_FALSE(Read({1}).timeslices);
}

TEST_F(DisturbancesTest, WhatTheKernelDoesNotTellIsAbsent) {
  const Disturbances none = Read({0});
  EXPECT_FALSE(none.interrupts || none.stolen_ticks || none.timeslices);
  for (const char* metric : {"interrupts", "stolen_time", "foreign_switches"}) {
    EXPECT_NE(Files().WhyNot(metric), "") << metric;
  }
  EXPECT_EQ(Files().WhyNot("migrations"), "");
}

TEST_F(DisturbancesTest, AnyBytesAreRead) {
  for (const std::string& text : {std::string("\n\n\n"), std::string(70'000, 'x'),
                                  std::string("cpu0\ncpu0 1 2\nCPU0\nCPU\0001", 20)}) {
    for (const char* path : {"proc/stat", "proc/interrupts", "proc/schedstat"}) {
      tree_.Put(path, text);
    }
    EXPECT_FALSE(Read({0}).timeslices);
  }
}

// Reading it takes more than a two-hundredth of such a short run.
TEST_F(DisturbancesTest, ADearFileIsLeftOutForShortRuns) {
  std::string text = "CPU0";
  for (int line = 0; line < 60'000; ++line) text += "\nLOC: 1 x";
  tree_.Put("proc/interrupts", text);
  EXPECT_FALSE(Files().Read({0}, 1'000).interrupts);
  EXPECT_EQ(Read({0}).interrupts, 60'000U);
}

}  // namespace
}  // namespace benchd
