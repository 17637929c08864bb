#include "daemon/settings/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/settings/plan_fixture.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using testing::ElementsAre;

class SettingsPlanTest : public PlanFixture {
 protected:
  void PutIrq(int number, const std::string& list) const {
    tree_.Put("proc/irq/" + std::to_string(number) + "/smp_affinity_list", list);
  }
  void PutSmt(const std::string& control, const std::string& active = "1") const {
    tree_.Put("sys/devices/system/cpu/smt/control", control);
    tree_.Put("sys/devices/system/cpu/smt/active", active);
  }
};

TEST_F(SettingsPlanTest, PlansNothingForAProfileThatLeavesEverythingAlone) {
  EXPECT_TRUE(Plan().empty());
}

TEST_F(SettingsPlanTest, ComesInTheOrderOfTaking) {
  profile_ = StrictProfile();
  profile_.min_frequency_khz = profile_.max_frequency_khz = "1000000";
  std::vector<std::string> names;
  for (const PlannedSetting& planned : Plan()) names.push_back(planned.name);
  EXPECT_THAT(names, ElementsAre("irqs", "workqueues", "smt", "energy_preference", "governor",
                                 "boost", "min_frequency_khz", "max_frequency_khz",
                                 "timer_migration", "nmi_watchdog", "transparent_hugepages",
                                 "swappiness", "perf_sample_rate"));
}

TEST_F(SettingsPlanTest, ListsWhatIsWantedAndMissingOnAMachineWithoutAnything) {
  profile_ = StrictProfile();
  for (const PlannedSetting& planned : Plan()) {
    EXPECT_NE(planned.missing, "") << planned.name;
    EXPECT_NE(planned.wanted, "") << planned.name;
    EXPECT_TRUE(planned.changes.empty()) << planned.name;
    EXPECT_EQ(PresentValue(planned, settings_), "") << planned.name;
  }
}

// ---- irqs, workqueues ----

TEST_F(SettingsPlanTest, MovesEveryInterruptAndTheDefaultMask) {
  profile_.irqs = "housekeeping";
  for (const int number : {10, 0, 9}) PutIrq(number, "0-7");
  tree_.Put("proc/irq/default_smp_affinity", "ff");
  tree_.Put("proc/irq/11/spurious", "0");
  EXPECT_EQ(Changes("irqs"),
            "default_irq_affinity=0,4, irq_affinity 0=0,4?, irq_affinity 9=0,4?, "
            "irq_affinity 10=0,4?");
}

TEST_F(SettingsPlanTest, CountsTheInterruptsThatAreElsewhere) {
  profile_.irqs = "housekeeping";
  PutIrq(1, "0-7");
  PutIrq(2, "4");
  PutIrq(3, "0,4");
  EXPECT_WORDING(Present("irqs"));
  PutIrq(1, "0");
  EXPECT_EQ(Present("irqs"), "housekeeping");
}

TEST_F(SettingsPlanTest, SaysThatThereAreNoInterruptsToMove) {
  profile_.irqs = "housekeeping";
  EXPECT_WORDING(Changes("irqs"), {{tree_.root(), "ROOT"}});
}

TEST_F(SettingsPlanTest, MovesWorkqueues) {
  profile_.workqueues = "housekeeping";
  EXPECT_WORDING(Changes("workqueues"), {{tree_.root(), "ROOT"}});
  tree_.Put("sys/devices/virtual/workqueue/cpumask", "ff");
  EXPECT_EQ(Changes("workqueues"), "workqueue_cpus=0,4");
  EXPECT_EQ(Present("workqueues"), "0-7");
  tree_.Put("sys/devices/virtual/workqueue/cpumask", "11");
  EXPECT_EQ(Present("workqueues"), "housekeeping");
}

TEST_F(SettingsPlanTest, MovesNothingToHousekeepingCpusThatAreTheBenchmarksToo) {
  profile_.irqs = profile_.workqueues = "housekeeping";
  PutIrq(1, "0");
  tree_.Put("sys/devices/virtual/workqueue/cpumask", "1");
  cpus_ = {.housekeeping = {0}, .benchmark = {0}, .used = {0}, .why = "there is one CPU"};
  EXPECT_WORDING(Changes("irqs"));
  EXPECT_WORDING(Changes("workqueues"));
}

// ---- smt ----

TEST_F(SettingsPlanTest, LeavesSmtToTheChoiceOfCpusWhenSiblingsAreToBeIdle) {
  profile_.smt = "idle";
  PutSmt("on");
  EXPECT_EQ(Changes("smt"), "");
  EXPECT_EQ(Planned("smt").wanted, "idle");
  EXPECT_EQ(Present("smt"), "on");
}

TEST_F(SettingsPlanTest, TurnsSmtOff) {
  profile_.smt = "off";
  PutSmt("on");
  EXPECT_EQ(Changes("smt"), "smt=off");
  EXPECT_EQ(Present("smt"), "on");
}

TEST_F(SettingsPlanTest, HasNothingToDoWhereNoSiblingIsOnline) {
  profile_.smt = "off";
  tree_.Put("sys/devices/system/cpu/online", "0-3");
  for (const char* control : {"off", "forceoff", "notsupported", "notimplemented"}) {
    PutSmt(control, "0");
    EXPECT_EQ(Changes("smt"), "");
    EXPECT_EQ(Present("smt"), "off");
  }
}

TEST_F(SettingsPlanTest, SaysWhenTheKernelCannotTurnSmtOff) {
  profile_.smt = "off";
  EXPECT_WORDING(Changes("smt"), {{tree_.root(), "ROOT"}});
  PutSmt("notimplemented");
  EXPECT_WORDING(Changes("smt"));
}

TEST_F(SettingsPlanTest, DoesNotTurnOffWhatWouldComeBackDifferent) {
  profile_.smt = "off";
  PutSmt("on");
  tree_.Put("sys/devices/system/cpu/online", "0-5,7");
  EXPECT_WORDING(Changes("smt"));
}

TEST_F(SettingsPlanTest, DoesNotTurnOffTheCpusOfBenchmarks) {
  profile_.smt = "off";
  PutSmt("on");
  cpus_ = {.housekeeping = {0}, .benchmark = {4}, .used = {4}, .why = "one core"};
  EXPECT_WORDING(Changes("smt"));
}

TEST_F(SettingsPlanTest, TakesNoCpuFromCpusetsOfVersion1ForGood) {
  profile_.smt = "off";
  PutSmt("on");
  tree_.Put("proc/self/mountinfo",
            "35 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset");
  EXPECT_WORDING(Changes("smt"));
}

// ---- the rest ----

TEST_F(SettingsPlanTest, PlansTheKernelsOtherSwitches) {
  profile_.timer_migration = profile_.nmi_watchdog = "0";
  profile_.transparent_hugepages = "madvise";
  profile_.swappiness = "10";
  profile_.perf_sample_rate = "1";
  tree_.Put("proc/sys/kernel/timer_migration", "1");
  tree_.Put("proc/sys/kernel/nmi_watchdog", "1");
  tree_.Put("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
  tree_.Put("proc/sys/vm/swappiness", "60");
  tree_.Put("proc/sys/kernel/perf_event_max_sample_rate", "50000");
  EXPECT_EQ(Changes("timer_migration"), "timer_migration=0");
  EXPECT_EQ(Changes("nmi_watchdog"), "nmi_watchdog=0");
  EXPECT_EQ(Changes("transparent_hugepages"), "transparent_hugepages=madvise");
  EXPECT_EQ(Changes("swappiness"), "swappiness=10");
  EXPECT_EQ(Changes("perf_sample_rate"), "perf_sample_rate=1");
  EXPECT_EQ(Present("transparent_hugepages"), "always");
  EXPECT_EQ(Present("swappiness"), "60");
}

TEST_F(SettingsPlanTest, SaysWhatTheKernelLacks) {
  profile_.transparent_hugepages = "never";
  EXPECT_WORDING(Changes("transparent_hugepages"), {{tree_.root(), "ROOT"}});
  tree_.Put("sys/kernel/mm/transparent_hugepage/enabled", "what [is this");
  EXPECT_WORDING(Changes("transparent_hugepages"), {{tree_.root(), "ROOT"}});
}

TEST_F(SettingsPlanTest, RefusesAValueThatCouldNotBeWritten) {
  profile_.swappiness = "a lot";
  tree_.Put("proc/sys/vm/swappiness", "60");
  EXPECT_WORDING(Changes("swappiness"));
  EXPECT_EQ(Present("swappiness"), "60") << "the present value is still reported";
}

}  // namespace
}  // namespace benchd
