#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/system/cpuset_lease.h"
#include "tests/system/fake_units.h"
#include "tests/system/kernel_tree.h"
#include "tests/system/v1_cpusets.h"

namespace benchd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShieldLeaseTest : public testing::Test {
 protected:
  ShieldLeaseTest() : journal_(*Journal::Open(folder_.root() + "/journal")) {
    tree_.Put("sys/devices/system/cpu/online", "0-3");
    files_.tasks = {{1, ""}, {2, ""}};
  }
  CpusetLease Take(const CgroupPlace& place, std::string_view wanted = "isolated") {
    return CpusetLease::Take({settings_, journal_, "a-boot"}, place, cpus_, wanted);
  }

  KernelTree tree_;
  KernelTree folder_;  // of the journal
  V1Cpusets files_{tree_};
  FakeUnits units_;
  Settings settings_{files_, units_};
  Journal journal_;
  CgroupPlace place_{.mount = "", .unit = "", .v1_cpuset = V1Cpusets::kTop};
  ProfileCpus cpus_{.housekeeping = {0}, .benchmark = {1, 2, 3}, .used = {1, 2, 3}, .why = {}};
};

TEST_F(ShieldLeaseTest, ShieldsTheCpusWhereThereIsVersion1Only) {
  CpusetLease lease = Take(place_);
  EXPECT_EQ(lease.kind(), CpusetKind::kShield);
  EXPECT_EQ(lease.why(), "isolated partition: no cgroup version 2 hierarchy is mounted");
  EXPECT_EQ(files_.Layout(), " | 1 2 |");
  EXPECT_EQ(lease.Broken(settings_), "");
  EXPECT_THAT(lease.Release(), ElementsAre());
  EXPECT_EQ(files_.Layout(), "1 2 | |");
  EXPECT_THAT(units_.calls, ElementsAre());
}

TEST_F(ShieldLeaseTest, IsWhatWasWantedByShield) { EXPECT_EQ(Take(place_, "shield").why(), ""); }

TEST_F(ShieldLeaseTest, SaysWhoseTheControllerIsOnAHybridMachine) {
  tree_.Put("sys/fs/cgroup/unified/cgroup.controllers", "");
  const CgroupPlace hybrid{
      .mount = "sys/fs/cgroup/unified", .unit = "bench.slice", .v1_cpuset = V1Cpusets::kTop};
  const CpusetLease lease = Take(hybrid);
  EXPECT_EQ(lease.kind(), CpusetKind::kShield);
  EXPECT_EQ(lease.why(),
            "isolated partition: the cpuset controller belongs to cgroup version 1 here");
}

TEST_F(ShieldLeaseTest, TellsWhenItsGroupsHaveChanged) {
  const CpusetLease lease = Take(place_);
  ASSERT_TRUE(files_.Write(std::string(V1Cpusets::kTop) + "/benchd-benchmark/cpuset.cpus", "1-2"));
  EXPECT_EQ(lease.Broken(settings_), "benchd-benchmark/cpuset.cpus: 1-2");
}

TEST_F(ShieldLeaseTest, NamesCpusetsThatShareTheBenchmarkCpus) {
  for (const char* name : {"docker", "empty", "elsewhere"}) {
    tree_.Put(std::string(V1Cpusets::kTop) + "/" + name + "/tasks", "");
    ASSERT_TRUE(files_.Write(std::string(V1Cpusets::kTop) + "/" + name + "/cpuset.cpus",
                             name == std::string("elsewhere") ? "0" : "0-3"));
  }
  files_.tasks[50] = "docker";
  files_.tasks[51] = "elsewhere";
  EXPECT_EQ(Take(place_, "shield").why(), "the benchmark CPUs are still open to docker");
}

TEST_F(ShieldLeaseTest, LeavesAffinityWhenTheShieldIsRefused) {
  files_.refuse = [](const std::string& write) {
    return write == "benchd-housekeeping/tasks=2" ? EACCES : 0;
  };
  const CpusetLease lease = Take(place_);
  EXPECT_EQ(lease.kind(), CpusetKind::kAffinity);
  EXPECT_THAT(lease.why(), HasSubstr("; cgroup v1 cpuset: "));
  EXPECT_THAT(lease.why(), HasSubstr("moving task 2"));
  EXPECT_EQ(files_.Layout(), "1 2 | |");
}

}  // namespace
}  // namespace benchd
