#include "daemon/observe/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/kernel/kernel_tree.h"
#include "tests/observe/sample_pair.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string Cpu(int cpu, const std::string& name) {
  return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + name;
}

ProfileCpus Split(std::vector<int> housekeeping, std::vector<int> benchmark,
                  std::vector<int> used) {
  ProfileCpus cpus;
  cpus.housekeeping = std::move(housekeeping);
  cpus.benchmark = std::move(benchmark);
  cpus.used = std::move(used);
  return cpus;
}
SettingState Held(const std::string& setting) {
  return {.setting = setting, .wanted = "x", .actual = "x", .held = true, .why = {}, .at_end = {}};
}
SettingState Open(const std::string& setting, const std::string& why = "") {
  return {
      .setting = setting, .wanted = "x", .actual = "y", .held = false, .why = why, .at_end = {}};
}

/// CPU 0 for housekeeping, CPUs 1 to 3 for benchmarks, observed for one second, with every setting
/// held: a machine without faults, to which each test adds its own.
class DoctorTest : public testing::Test {
 protected:
  DoctorTest() { tree_.Put("sys/devices/system/cpu/online", "0-3"); }

  std::vector<NoiseSource> Look() const {
    return Diagnose(KernelFiles(tree_.root()), cpus_, settings_, pair_.before, pair_.after);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const NoiseSource& source : Look()) names.push_back(source.name);
    return names;
  }
  NoiseSource Find(const std::string& name) const {
    const auto sources = Look();
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const NoiseSource& one) { return one.name == name; });
    return found == sources.end() ? NoiseSource{} : *found;
  }
  void Replace(const SettingState& state) {
    for (SettingState& present : settings_) {
      if (present.setting == state.setting) present = state;
    }
  }

  KernelTree tree_;
  ProfileCpus cpus_ = Split({0}, {1, 2, 3}, {1, 2, 3});
  std::vector<SettingState> settings_{Held("irqs"),     Held("smt"),      Held("cpuset"),
                                      Held("c_states"), Held("governor"), Held("boost")};
  SamplePair pair_{{1, 2, 3}, 1};
};

TEST_F(DoctorTest, AMachineWithoutAFaultHasNoNoise) { EXPECT_THAT(Names(), IsEmpty()); }

// ---- measured effects ----

TEST_F(DoctorTest, OtherLoadIsMeasuredAndNamed) {
  pair_.Busy(1, 0.6);
  pair_.Process(42, "stress", 1, 0.4);
  pair_.Process(43, "cc1plus", 2, 0.1);
  pair_.Process(8, "kswapd0", 3, 0.06, true);
  pair_.Process(99, "elsewhere", 0, 1);
  const NoiseSource load = Find("other_load");
  ASSERT_TRUE(load.effect);
  EXPECT_NEAR(*load.effect, 0.2, 1e-12);  // 0.6 of 3 s
  EXPECT_WORDING(load.finding);
  EXPECT_WORDING(load.advice);
}

TEST_F(DoctorTest, CoresOfSeveralTypesAreNamed) {
  for (int cpu = 0; cpu < 4; ++cpu) tree_.Put(Cpu(cpu, "cpu_capacity"), cpu < 3 ? "1024" : "446");
  const NoiseSource mixed = Find("mixed_cores");
  EXPECT_WORDING(mixed.finding);
  EXPECT_WORDING(mixed.advice);
  cpus_.used = {1, 2};
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DoctorTest, ASchedulerOfSomebodyElseIsNamed) {
  tree_.Put("sys/kernel/sched_ext/state", "disabled");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put("sys/kernel/sched_ext/state", "enabled");
  tree_.Put("sys/kernel/sched_ext/root/ops", "rusty");
  EXPECT_WORDING(Find("sched_ext").finding);
}

TEST_F(DoctorTest, OneTickIsNoLoad) {
  pair_.Busy(1, 0.01);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DoctorTest, StealIsMeasuredAndToldSinceTheStart) {
  pair_.Stolen(2, 0.06);
  const NoiseSource steal = Find("steal");
  ASSERT_TRUE(steal.effect);
  EXPECT_NEAR(*steal.effect, 0.02, 1e-12);  // 0.06 of 3 s
  EXPECT_WORDING(steal.finding);
}

TEST_F(DoctorTest, StealOfEarlierTimesHasNoEffectNow) {
  pair_.before.cpus[2].steal_ticks = pair_.after.cpus[2].steal_ticks = 300;
  const NoiseSource steal = Find("steal");
  EXPECT_EQ(steal.name, "steal");
  EXPECT_FALSE(steal.effect);
}

TEST_F(DoctorTest, InterruptsAreNamedWithTheirRates) {
  pair_.before.interrupts = {{"nvme0q1 (IRQ 41)", 1000}, {"eth0 (IRQ 33)", 50}, {"idle", 7}};
  pair_.after.interrupts = {{"nvme0q1 (IRQ 41)", 1090}, {"eth0 (IRQ 33)", 350}, {"idle", 7}};
  EXPECT_WORDING(Find("interrupts").finding);
  EXPECT_FALSE(Find("interrupts").effect);
  EXPECT_WORDING(Find("interrupts").advice);
}

TEST_F(DoctorTest, TheTimeOfInterruptsIsTheirEffectAndNobodyElses) {
  pair_.Interrupted(1, 0.3);
  pair_.before.cpu_interrupts = {{"Function call interrupts", 10}};
  pair_.after.cpu_interrupts = {{"Function call interrupts", 20010}};
  EXPECT_THAT(Names(), ElementsAre("interrupts"));
  EXPECT_NEAR(*Find("interrupts").effect, 0.1, 1e-12);
  EXPECT_WORDING(Find("interrupts").finding);
}

TEST_F(DoctorTest, AFewInterruptsAreNothing) {
  pair_.before.interrupts = {{"eth0 (IRQ 33)", 50}};
  pair_.after.interrupts = {{"eth0 (IRQ 33)", 59}};
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DoctorTest, ThrottlingIsToldSinceTheStart) {
  pair_.Throttled(1, 0, 0);
  EXPECT_THAT(Names(), IsEmpty());
  pair_.Throttled(2, 12, 14);
  EXPECT_WORDING(Find("throttling").finding);
}

// ---- settings of a profile ----

TEST_F(DoctorTest, WithoutASingleSettingTheReasonIsTold) {
  settings_ = {Open("irqs", "no such file"), Open("cpuset", "user mode")};
  const NoiseSource source = Find("no_settings");
  EXPECT_WORDING(source.finding);
  EXPECT_WORDING(Find("no_isolation").advice);
}

TEST_F(DoctorTest, SettingsThatWaitForASessionAreNotMissing) {
  settings_ = {Open("irqs", "no such file"), Open("cpuset")};
  EXPECT_THAT(Names(), ElementsAre("no_isolation"));
  EXPECT_WORDING(Find("no_isolation").advice);
}

TEST_F(DoctorTest, NoIsolationTellsWhyAndWhatThereIsInstead) {
  Replace({.setting = "cpuset",
           .wanted = "isolated partition",
           .actual = "affinity",
           .held = false,
           .why = "no cgroup v2",
           .at_end = {}});
  const NoiseSource source = Find("no_isolation");
  EXPECT_WORDING(source.finding);
  EXPECT_WORDING(source.advice);
}

TEST_F(DoctorTest, WithoutVersion2TheAdviceIsToBootWithIt) {
  tree_.Put("proc/self/mountinfo",
            "35 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset");
  EXPECT_THAT(Names(), IsEmpty());
  Replace(Open("cpuset"));
  EXPECT_WORDING(Find("no_isolation").advice);
}

TEST_F(DoctorTest, AProfileThatLeavesASettingAloneIsToldWhatToSay) {
  settings_.erase(settings_.begin() + 2);
  EXPECT_WORDING(Find("no_isolation").advice);
}

TEST_F(DoctorTest, TurboByEitherSwitch) {
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "0");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "1");
  tree_.Put(Cpu(1, "cpufreq/cpuinfo_max_freq"), "4500000");
  EXPECT_WORDING(Find("turbo").finding);
}

TEST_F(DoctorTest, AnAdviceDependsOnWhyTheSettingIsAsItIs) {
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "1");
  SettingState boost = Held("boost");
  boost.wanted = "off";
  Replace(boost);
  EXPECT_WORDING(Find("turbo").advice);
  boost.held = false;
  Replace(boost);
  EXPECT_WORDING(Find("turbo").advice);
  boost.why = "sys/x: Permission denied";
  Replace(boost);
  EXPECT_WORDING(Find("turbo").advice);
  boost.wanted = "on";
  Replace(boost);
  EXPECT_WORDING(Find("turbo").advice);
  settings_.pop_back();
  EXPECT_WORDING(Find("turbo").advice);
}

TEST_F(DoctorTest, TurboOfIntelPstateIsItsSwitchTurnedAround) {
  tree_.Put("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  tree_.Put(Cpu(1, "cpufreq/cpuinfo_max_freq"), "4500000");
  tree_.Put(Cpu(1, "cpufreq/base_frequency"), "2100000");
  EXPECT_WORDING(Find("turbo").finding);
  settings_.pop_back();
  EXPECT_WORDING(Find("turbo").advice);
}

TEST_F(DoctorTest, GovernorsOtherThanPerformanceAreListed) {
  for (const int cpu : {0, 1, 2, 3}) tree_.Put(Cpu(cpu, "cpufreq/scaling_governor"), "performance");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put(Cpu(0, "cpufreq/scaling_governor"), "powersave");  // housekeeping: does not matter
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put(Cpu(2, "cpufreq/scaling_governor"), "powersave");
  tree_.Put(Cpu(3, "cpufreq/scaling_governor"), "ondemand");
  EXPECT_WORDING(Find("governor").finding);
}

TEST_F(DoctorTest, TheDeepestEnabledSleepIsTold) {
  Replace(Open("c_states", "EACCES"));
  tree_.Put(Cpu(1, "cpuidle/state1/name"), "C1");
  tree_.Put(Cpu(1, "cpuidle/state1/latency"), "2");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put(Cpu(1, "cpuidle/state3/name"), "C6");
  tree_.Put(Cpu(1, "cpuidle/state3/latency"), "133");
  tree_.Put(Cpu(1, "cpuidle/state3/disable"), "0");
  EXPECT_WORDING(Find("c_states").finding);
  tree_.Put(Cpu(1, "cpuidle/state3/disable"), "1");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DoctorTest, ALimitOnSleepThatIsHeldIsEnough) {
  tree_.Put(Cpu(1, "cpuidle/state3/latency"), "133");
  EXPECT_THAT(Names(), IsEmpty());
}

/// Two cores: 0 with 2, 1 with 3.
class DoctorSmtTest : public DoctorTest {
 protected:
  DoctorSmtTest() {
    for (const int cpu : {0, 1, 2, 3}) tree_.PutCpu(cpu, cpu % 2 == 0 ? "0,2" : "1,3");
    cpus_ = Split({0, 2}, {1, 3}, {1});
  }
};

TEST_F(DoctorSmtTest, AnIdleSiblingInsideACpusetIsQuiet) {
  EXPECT_THAT(Names(), ElementsAre("one_cpu"));
}

TEST_F(DoctorSmtTest, AnIdleSiblingWithoutACpusetIsOpenToAll) {
  Replace(Open("cpuset", "no cgroup"));
  Replace(Open("smt", "without a cpuset others may use them"));
  EXPECT_WORDING(Find("shared_smt").finding);
}

TEST_F(DoctorSmtTest, BothThreadsOfACoreSlowEachOtherDown) {
  cpus_.used = {1, 3};
  EXPECT_WORDING(Find("shared_smt").finding);
}

TEST_F(DoctorSmtTest, ACoreThatIsHalfABenchmarksIsTold) {
  cpus_ = Split({0, 2, 3}, {1}, {1});
  EXPECT_WORDING(Find("shared_smt").finding);
}

// ---- properties of the machine ----

TEST_F(DoctorTest, AnIsolatedPartitionOfSeveralCpusPilesThreadsUp) {
  SettingState cpuset = Held("cpuset");
  cpuset.wanted = cpuset.actual = "isolated partition";
  Replace(cpuset);
  EXPECT_THAT(Names(), ElementsAre("piled_threads"));
  EXPECT_WORDING(Find("piled_threads").advice);
  cpuset.wanted = cpuset.actual = "partition";
  Replace(cpuset);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DoctorTest, BenchdOnTheBenchmarkCpusIsTold) {
  cpus_ = Split({1}, {1}, {1});
  cpus_.why = "there is only one physical core";
  EXPECT_THAT(Names(), ElementsAre("shared_cpus", "one_cpu"));
  EXPECT_WORDING(Find("shared_cpus").finding);
}

TEST_F(DoctorTest, AVirtualMachineIsAtItsHostsMercy) {
  tree_.Put("proc/cpuinfo", "flags\t\t: fpu hypervisor sse");
  EXPECT_WORDING(Find("virtual_machine").finding);
}

TEST_F(DoctorTest, SwapThatIsInUseIsTold) {
  tree_.Put("proc/meminfo", "SwapTotal:  2097148 kB\nSwapFree:   2097148 kB");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put("proc/meminfo", "SwapTotal:  2097148 kB\nSwapFree:   2084860 kB");  // 12288 kB less
  EXPECT_WORDING(Find("swap").finding);
}

TEST_F(DoctorTest, ClocksourcesOtherThanTheTscAreTold) {
  const std::string folder = "sys/devices/system/clocksource/clocksource0/";
  tree_.Put(folder + "current_clocksource", "tsc");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put(folder + "current_clocksource", "hpet");
  EXPECT_WORDING(Find("clocksource").finding);
  EXPECT_WORDING(Find("clocksource").advice);
  tree_.Put(folder + "available_clocksource", "tsc hpet acpi_pm");
  EXPECT_WORDING(Find("clocksource").advice);
  tree_.Put(folder + "current_clocksource", "kvm-clock");
  EXPECT_WORDING(Find("clocksource").advice);
  tree_.Put(folder + "current_clocksource", "arch_sys_counter");
  EXPECT_WORDING(Find("clocksource").advice);
}

TEST_F(DoctorTest, CompetingDaemonsAreKnownByTheirCutOffNames) {
  pair_.Process(612, "irqbalance", 0, 0);
  pair_.Process(700, "power-profiles-", 0, 0);
  pair_.Process(701, "irqbalancer", 0, 0);
  tree_.Put("etc/systemd/system/multi-user.target.wants/cpupower.service", "[Unit]");
  EXPECT_THAT(Find("competing_daemons").finding,
              Not(HasSubstr("cpupower")));  // systemd does not run
  tree_.Put("run/systemd/system/any", "");
  const NoiseSource source = Find("competing_daemons");
  EXPECT_WORDING(source.finding);
  EXPECT_WORDING(source.advice);
}

TEST_F(DoctorTest, AptTimersCountWhereTheyAreEnabledAndNotMasked) {
  tree_.Put("run/systemd/system/any", "");
  EXPECT_THAT(Names(), IsEmpty());
  // On a real machine this is a link, whose target does not exist here.
  std::filesystem::create_directories(tree_.root() + "/etc/systemd/system/timers.target.wants");
  std::filesystem::create_symlink(
      "/nowhere/apt-daily.timer",
      tree_.root() + "/etc/systemd/system/timers.target.wants/apt-daily.timer");
  EXPECT_WORDING(Find("apt_timers").finding);
  std::filesystem::create_symlink("/dev/null",
                                  tree_.root() + "/etc/systemd/system/apt-daily.timer");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(DoctorTest, AslrThatIsOffIsTold) {
  tree_.Put("proc/sys/kernel/randomize_va_space", "2");
  EXPECT_THAT(Names(), IsEmpty());
  tree_.Put("proc/sys/kernel/randomize_va_space", "0");
  EXPECT_THAT(Names(), ElementsAre("aslr_off"));
}

// ---- order ----

TEST_F(DoctorTest, WhatWasMeasuredComesFirstThenWeightThenWhatASessionCures) {
  settings_ = {Open("cpuset"), Open("boost"), Held("governor")};
  settings_[1].wanted = "off";
  pair_.Stolen(1, 0.03);
  pair_.Busy(2, 0.3);
  pair_.Throttled(3, 1, 1);
  tree_.Put("proc/sys/kernel/randomize_va_space", "0");
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "1");
  EXPECT_THAT(Names(), ElementsAre("other_load", "steal", "throttling", "aslr_off", "no_isolation",
                                   "turbo"));
}

TEST_F(DoctorTest, EverythingThatIsFoundHasAnAdvice) {
  settings_.clear();
  pair_.Busy(1, 0.5);
  pair_.Stolen(1, 0.1);
  pair_.Throttled(1, 1, 2);
  pair_.Process(612, "tuned", 0, 0);
  cpus_.housekeeping = {0, 1};
  tree_.Put("sys/devices/system/cpu/cpufreq/boost", "1");
  tree_.Put("proc/cpuinfo", "flags : hypervisor");
  const auto sources = Look();
  EXPECT_GE(sources.size(), 8U);
  for (const NoiseSource& source : sources) {
    EXPECT_NE(source.finding, "") << source.name;
    EXPECT_NE(source.advice, "") << source.name;
  }
}

}  // namespace
}  // namespace benchd
