#include "core/model/machine_profile.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

// The values that daemon/settings/README.md lists.
TEST(MachineProfileTest, TheDefaultLeavesEveryCpuOnlineAndMemoryAlone) {
  const MachineProfile profile;
  EXPECT_EQ(profile.name, "default");
  EXPECT_EQ(profile.benchmark_cpus, "");
  EXPECT_EQ(profile.hold, HoldSettings::kSessions);
  EXPECT_EQ(profile.irqs, "housekeeping");
  EXPECT_EQ(profile.workqueues, "housekeeping");
  EXPECT_EQ(profile.smt, "idle") << "no CPU goes offline unless somebody asks for it";
  EXPECT_EQ(profile.cpuset, "auto");
  EXPECT_EQ(profile.governor, "performance");
  EXPECT_EQ(profile.min_frequency_khz, "");
  EXPECT_EQ(profile.max_frequency_khz, "");
  EXPECT_EQ(profile.boost, "off");
  EXPECT_EQ(profile.energy_preference, "performance");
  EXPECT_EQ(profile.c_state_latency_us, 10);
  EXPECT_EQ(profile.timer_migration, "0");
  EXPECT_EQ(profile.nmi_watchdog, "0");
  EXPECT_EQ(profile.transparent_hugepages, "");
  EXPECT_EQ(profile.swappiness, "");
  EXPECT_EQ(profile.perf_sample_rate, "");
}

TEST(MachineProfileTest, ChildrenAreChangedByNoBuiltInProfileButForTheirMemorysNode) {
  for (MachineProfile profile : {MachineProfile{}, StrictProfile()}) {
    EXPECT_EQ(profile.memory_limit_bytes, 0U) << profile.name;
    EXPECT_EQ(profile.nice, 0) << profile.name;
    EXPECT_EQ(profile.policy, "") << profile.name;
    EXPECT_FALSE(profile.drop_caches) << profile.name;
    EXPECT_TRUE(profile.aslr) << profile.name;
  }
  EXPECT_FALSE(MachineProfile{}.numa_local);
  EXPECT_TRUE(StrictProfile().numa_local);
}

TEST(StrictProfileTest, IsTheDefaultAndMore) {
  MachineProfile expected;
  expected.name = "strict";
  expected.smt = "off";
  expected.c_state_latency_us = 0;
  expected.transparent_hugepages = "madvise";
  expected.swappiness = "0";
  expected.perf_sample_rate = "1";
  expected.numa_local = true;
  EXPECT_EQ(StrictProfile(), expected);
}

}  // namespace
}  // namespace benchd
