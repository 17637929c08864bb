#include "daemon/observe/sample.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/kernel_tree.h"

namespace benchd {
namespace {

using Cpus = std::vector<int>;
using Counts = std::map<std::string, std::uint64_t>;

class MachineSampleTest : public testing::Test {
 protected:
  MachineSample Take(const Cpus& cpus) const { return TakeSample(KernelFiles(tree_.root()), cpus); }

  KernelTree tree_;
};

TEST_F(MachineSampleTest, CountsAGuestOnceAndStealOutsideOfBusy) {
  // user nice system idle iowait irq softirq steal guest guest_nice; guest time is part of user.
  tree_.Put("proc/stat",
            "cpu  8000 400 2000 180000 600 80 120 1000 1400 0\n"
            "cpu0 4000 200 1000 90000 300 40 60 500 700 0\n"
            "cpu1 4100 210 1010 90010 310 41 61 510 710 0\n"
            "intr 1000 0 9\nctxt 123456\nbtime 1700000000");
  const MachineSample sample = Take({1});
  ASSERT_EQ(sample.cpus.size(), 1U);
  const CpuCounters& cpu = sample.cpus.at(1);
  EXPECT_EQ(cpu.irq_ticks, 102U);    // 41 + 61
  EXPECT_EQ(cpu.busy_ticks, 5422U);  // 4100 + 210 + 1010 + 102
  EXPECT_EQ(cpu.steal_ticks, 510U);
  EXPECT_EQ(cpu.total_ticks, 96252U);  // 5422 + 90010 + 310 + 510
}

TEST_F(MachineSampleTest, ReadsTheFourColumnsThatEveryKernelHas) {
  tree_.Put("proc/stat", "cpu0 10 20 30 40\ncpu1 10 20 30");
  const MachineSample sample = Take({0, 1});
  ASSERT_EQ(sample.cpus.size(), 1U);
  EXPECT_EQ(sample.cpus.at(0).busy_ticks, 60U);
  EXPECT_EQ(sample.cpus.at(0).total_ticks, 100U);
}

TEST_F(MachineSampleTest, TakesTheWaitingFromTheEighthFigureOfSchedstat) {
  for (const char* version : {"15", "16", "17"}) {
    tree_.Put("proc/schedstat", std::string("version ") + version +
                                    "\ntimestamp 4295000000\n"
                                    "cpu0 1 0 3 4 5 6 700 800 9\n"
                                    "domain0 MC 3 1 2 3 4 5 6 7 8 9\n"
                                    "cpu2 1 0 3 4 5 6 701 802 9");
    const MachineSample sample = Take({0, 2});
    ASSERT_EQ(sample.cpus.size(), 2U) << version;
    EXPECT_EQ(sample.cpus.at(0).waited_ns, 800U) << version;
    EXPECT_EQ(sample.cpus.at(2).waited_ns, 802U) << version;
  }
}

TEST_F(MachineSampleTest, LeavesASchedstatBeforeVersionFifteenAlone) {
  tree_.Put("proc/schedstat", "version 14\ntimestamp 1\ncpu0 1 2 3 4 5 6 7 8 9 10 11 12");
  EXPECT_TRUE(Take({0}).cpus.empty());
}

TEST_F(MachineSampleTest, AddsUpTheThrottlingOfCoreAndPackage) {
  tree_.Put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3");
  tree_.Put("sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count", "4");
  tree_.Put("sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "5");
  const MachineSample sample = Take({0, 1, 2});
  EXPECT_FALSE(sample.cpus.contains(0));
  EXPECT_EQ(sample.cpus.at(1).throttled, 7U);
  EXPECT_EQ(sample.cpus.at(2).throttled, 5U);
}

TEST_F(MachineSampleTest, ReadsTheFrequencyOfTheMoment) {
  tree_.Put("sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "3600123");
  EXPECT_EQ(Take({3}).cpus.at(3).frequency_khz, 3600123U);
}

TEST_F(MachineSampleTest, AddsUpInterruptsOfTheWatchedCpusByTheColumnsNames) {
  // CPU 1 is offline and has no column.
  tree_.Put("proc/interrupts",
            "           CPU0       CPU2       CPU3       \n"
            "   1:         10          1          2  IR-IO-APIC    1-edge      i8042\n"
            "  16:          0        100        200  IR-IO-APIC   16-fasteoi   i801_smbus, eth0\n"
            "  41:       5000         30         40  IR-PCI-MSIX-0000:01:00.0    1-edge      "
            "nvme0q1\n"
            " LOC:     900000       7000       8000   Local timer interrupts\n"
            " ERR:         17\n");
  const MachineSample sample = Take({1, 2, 3});
  EXPECT_EQ(
      sample.interrupts,
      (Counts{{"i8042 (IRQ 1)", 3}, {"i801_smbus, eth0 (IRQ 16)", 300}, {"nvme0q1 (IRQ 41)", 70}}));
  EXPECT_EQ(sample.cpu_interrupts, (Counts{{"Local timer interrupts", 15000}, {"ERR", 0}}));
}

/// proc_pid_stat(5): pid (comm) state ppid ... flags(9) ... utime(14) stime(15) ... starttime(22)
/// ... processor(39) ...
std::string Stat(const std::string& name, const std::string& flags, const std::string& cpu) {
  return "42 (" + name + ") S 1 42 42 0 -1 " + flags +
         " 100 200 3 4 150 50 7 8 20 0 1 0 98765 1000000 250 18446744073709551615 1 1 0 0 0 0 "
         "0 4096 0 0 0 0 17 " +
         cpu + " 0 0 0 0 0";
}

TEST_F(MachineSampleTest, ReadsAProcessWhoseNameHasBlanksAndBrackets) {
  tree_.Put("proc/42/stat", Stat("a) R 1 (b", "4194304", "3"));
  tree_.Put("proc/7/stat", Stat("kworker/3:1", "69238880", "3"));  // 0x4208060: with 0x200000
  tree_.Put("proc/self/stat", Stat("self", "0", "1"));
  const auto processes = Take({}).processes;
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes.at(42).name, "a) R 1 (b");
  EXPECT_EQ(processes.at(42).busy_ticks, 200U);  // utime 150 + stime 50
  EXPECT_EQ(processes.at(42).started_ticks, 98765U);
  EXPECT_EQ(processes.at(42).cpu, 3);
  EXPECT_FALSE(processes.at(42).kernel);
  EXPECT_TRUE(processes.at(7).kernel);
}

TEST_F(MachineSampleTest, AProcessNameCannotCarryOrdersForATerminal) {
  tree_.Put("proc/42/stat", Stat("\x1b[2J\xff\n.", "0", "0"));
  EXPECT_EQ(Take({}).processes.at(42).name, "?[2J??.");
}

TEST_F(MachineSampleTest, LeavesOutWhatCannotBeRead) {
  const MachineSample sample = Take({0, 1});
  EXPECT_TRUE(sample.cpus.empty());
  EXPECT_TRUE(sample.processes.empty());
  EXPECT_TRUE(sample.interrupts.empty());
  EXPECT_GT(sample.at_ns, 0);
}

TEST_F(MachineSampleTest, CountsTheCpuTimeOfOurChildrenOnceTheyAreReaped) {
  const std::int64_t before_us = Take({}).own_children_us;
  const pid_t child = fork();
  if (child == 0) {
    timespec used{};
    do {
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_sec == 0 && used.tv_nsec < 30'000'000);
    _exit(0);
  }
  ASSERT_GT(child, 0);
  EXPECT_EQ(Take({}).own_children_us, before_us);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_GE(Take({}).own_children_us - before_us, 29'000);
}

}  // namespace
}  // namespace benchd
