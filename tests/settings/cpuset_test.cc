#include "daemon/settings/cpuset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <utility>

#include "tests/kernel/kernel_tree.h"
#include "tests/settings/fake_units.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using testing::ElementsAre;

constexpr const char* kMount = "sys/fs/cgroup";
constexpr const char* kLeaseUnified =
    "31 1 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";
constexpr const char* kOwnGroup = "0::/bench.slice/benchd-runner.service";
constexpr const char* kPartition = "sys/fs/cgroup/bench.slice/cpuset.cpus.partition";
constexpr const char* kEffective = "sys/fs/cgroup/bench.slice/cpuset.cpus.effective";
constexpr const char* kTaken = " invalid (Cpu list in cpuset.cpus not exclusive)";

/// Accepts partitions of some types, which then read back as invalid.
class Partitions : public KernelFiles {
 public:
  using KernelFiles::KernelFiles;
  Result<std::string> Read(std::string_view path) const override {
    auto text = KernelFiles::Read(path);
    if (path == kPartition && text && invalid.contains(*text)) *text += kTaken;
    return text;
  }
  std::set<std::string> invalid;
};

/// A cpuset with the lease that restores it.
class TakenCpuset {
 public:
  TakenCpuset(SettingServices services, const CgroupPlace& place, const ProfileCpus& cpus,
              std::string_view wanted)
      : lease_(std::move(services)), cpuset_(Cpuset::Take(lease_, place, cpus, wanted)) {}

  CpusetKind kind() const { return cpuset_.kind(); }
  const std::string& why() const { return cpuset_.why(); }
  std::string Broken(const Settings& settings) const { return cpuset_.Broken(settings.files()); }
  std::vector<std::string> Release() { return lease_.Release(); }

 private:
  SettingsLease lease_;
  Cpuset cpuset_;
};

/// A machine of four CPUs with cgroup version 2, under a systemd that accepts every change.
class CpusetLeaseTest : public testing::Test {
 protected:
  CpusetLeaseTest() : journal_(*Journal::Open(folder_.root() + "/journal")) {
    tree_.Put("sys/devices/system/cpu/online", "0-3");
    tree_.Put("proc/self/mountinfo", kLeaseUnified);
    tree_.Put("proc/self/cgroup", kOwnGroup);
    tree_.Put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids");
    for (const std::string_view unit : kUnitTargets) PutGroup(std::string(unit), "");
    tree_.Put(kPartition, "member");
    units_.on_set = [this](const std::string& unit, const std::string& cpus) {
      PutGroup(unit, cpus);
    };
  }

  void PutGroup(const std::string& name, const std::string& cpus) const {
    const std::string group = std::string(kMount) + "/" + name;
    tree_.Put(group + "/cpuset.cpus", cpus);
    tree_.Put(group + "/cpuset.cpus.effective", cpus.empty() ? "0-3" : cpus);
  }

  TakenCpuset Take(std::string_view wanted = "isolated") {
    return TakenCpuset({settings_, journal_, "a-boot"}, place_, cpus_, wanted);
  }
  std::string Partition() const { return *files_.KernelFiles::Read(kPartition); }
  /// Every file of the machine has its original value.
  void ExpectUntouched() const {
    EXPECT_EQ(units_.Confined(), "");
    EXPECT_EQ(Partition(), "member");
  }

  KernelTree tree_;
  KernelTree folder_;  // for the journal
  Partitions files_{tree_.root()};
  FakeUnits units_;
  Settings settings_{files_, units_};
  Journal journal_;
  CgroupPlace place_{.mount = kMount, .unit = "bench.slice", .version1 = ""};
  ProfileCpus cpus_{.housekeeping = {0}, .benchmark = {1, 2, 3}, .used = {1, 2, 3}, .why = {}};
};

// ---- partitions ----

TEST_F(CpusetLeaseTest, TakesAnIsolatedPartitionAndGivesItBack) {
  TakenCpuset lease = Take();
  EXPECT_EQ(lease.kind(), CpusetKind::kIsolated) << lease.why();
  EXPECT_EQ(lease.why(), "");
  EXPECT_EQ(Partition(), "isolated");
  EXPECT_EQ(units_.Confined(), "bench.slice=1-3");
  EXPECT_EQ(lease.Broken(settings_), "");

  EXPECT_THAT(lease.Release(), ElementsAre());
  ExpectUntouched();
  EXPECT_THAT(lease.Release(), ElementsAre()) << "idempotent";
}

TEST_F(CpusetLeaseTest, GivesThePartitionBackBeforeItsCpus) {
  std::string at_the_end;
  {
    const TakenCpuset lease = Take();
    units_.on_set = [&](const std::string&, const std::string&) { at_the_end = Partition(); };
  }
  EXPECT_EQ(at_the_end, "member");
  ExpectUntouched();
}

TEST_F(CpusetLeaseTest, DividesOnlineCpusAlone) {
  tree_.Put("sys/devices/system/cpu/online", "0-1,3");
  const TakenCpuset lease = Take();
  EXPECT_EQ(lease.kind(), CpusetKind::kIsolated) << lease.why();
  EXPECT_EQ(units_.Confined(), "bench.slice=1,3");
}

TEST_F(CpusetLeaseTest, TakesAPartitionWithLoadBalancingWhenItCannotBeIsolated) {
  files_.invalid = {"isolated"};
  const TakenCpuset lease = Take();
  EXPECT_EQ(lease.kind(), CpusetKind::kRoot);
  EXPECT_EQ(Partition(), "root");
  EXPECT_WORDING(lease.why(), {{tree_.root(), "ROOT"}});
}

TEST_F(CpusetLeaseTest, TriesNothingBetterThanWhatIsWanted) {
  {
    const TakenCpuset lease = Take("root");
    EXPECT_EQ(lease.kind(), CpusetKind::kRoot);
    EXPECT_EQ(lease.why(), "");
  }
  {
    const TakenCpuset lease = Take("shield");
    EXPECT_EQ(lease.kind(), CpusetKind::kMember);
    EXPECT_EQ(lease.why(), "");
    EXPECT_EQ(Partition(), "member");
  }
  const TakenCpuset lease = Take("");
  EXPECT_EQ(lease.kind(), CpusetKind::kAffinity);
  EXPECT_EQ(lease.why(), "");
  ExpectUntouched();
}

TEST_F(CpusetLeaseTest, TakesNoPartitionWithOtherCpusThanItsOwn) {
  units_.on_set = [this](const std::string& unit, const std::string& cpus) {
    PutGroup(unit, cpus);
    if (unit == "bench.slice" && !cpus.empty()) tree_.Put(kEffective, "1-2");
  };
  TakenCpuset lease = Take("root");
  EXPECT_EQ(lease.kind(), CpusetKind::kAffinity);
  EXPECT_WORDING(lease.why(), {{tree_.root(), "ROOT"}});
  ExpectUntouched();
}

TEST_F(CpusetLeaseTest, TakesNoPartitionThatSystemdHasNotWritten) {
  units_.on_set = nullptr;
  const TakenCpuset lease = Take("root");
  EXPECT_EQ(lease.kind(), CpusetKind::kAffinity);
  EXPECT_WORDING(lease.why(), {{tree_.root(), "ROOT"}});
  ExpectUntouched();
}

TEST_F(CpusetLeaseTest, TellsInTheKernelsWordsWhenItIsBroken) {
  TakenCpuset lease = Take();
  files_.invalid = {"isolated"};
  EXPECT_EQ(lease.Broken(settings_), std::string("isolated") + kTaken);
  files_.invalid.clear();
  EXPECT_EQ(lease.Broken(settings_), "");
  tree_.Put(kEffective, "1-2");
  EXPECT_WORDING(lease.Broken(settings_));
  std::filesystem::remove(files_.FullPath(kPartition));
  EXPECT_WORDING(lease.Broken(settings_), {{tree_.root(), "ROOT"}});
}

TEST_F(CpusetLeaseTest, GivesABrokenPartitionBackToo) {
  TakenCpuset lease = Take();
  files_.invalid = {"isolated"};
  EXPECT_THAT(lease.Release(), ElementsAre());
  ExpectUntouched();
}

TEST_F(CpusetLeaseTest, LeavesWhatSomebodyElseHasSetMeanwhileAndSaysSo) {
  TakenCpuset lease = Take();
  units_.allowed["bench.slice"] = "2";
  const std::vector<std::string> left = lease.Release();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_WORDING(left[0]);
  EXPECT_EQ(units_.Confined(), "bench.slice=2");
}

TEST_F(CpusetLeaseTest, HasEveryValueInTheJournalWhileItIsTaken) {
  const TakenCpuset lease = Take();
  const auto contents = journal_.Read();
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_EQ(contents->entries,
            (std::vector<JournalEntry>{
                {{SettingKind::kAllowedCpus, "bench.slice"}, "", "1-3"},
                {{SettingKind::kCpusetPartition, "bench.slice"}, "member", "isolated"}}));
}

// ---- without a partition ----

TEST_F(CpusetLeaseTest, MovesTheRestOfTheMachineAwayWhenNoPartitionCanBeHad) {
  files_.invalid = {"isolated", "root"};
  TakenCpuset lease = Take();
  EXPECT_EQ(lease.kind(), CpusetKind::kMember);
  EXPECT_EQ(units_.Confined(), "bench.slice=1-3 init.scope=0 system.slice=0 user.slice=0");
  EXPECT_EQ(Partition(), "member");
  EXPECT_WORDING(lease.why(), {{tree_.root(), "ROOT"}});
  EXPECT_EQ(lease.Broken(settings_), "");

  PutGroup("system.slice", "0-3");
  EXPECT_WORDING(lease.Broken(settings_));
  EXPECT_THAT(lease.Release(), ElementsAre());
  ExpectUntouched();
}

TEST_F(CpusetLeaseTest, GivesBackTheCpusThatUnitsHadBefore) {
  units_.allowed["user.slice"] = "0-1";
  { const TakenCpuset lease = Take("shield"); }
  EXPECT_EQ(units_.Confined(), "user.slice=0-1");
}

TEST_F(CpusetLeaseTest, DoesNotWaitForAUnitWithoutAGroup) {
  std::filesystem::remove_all(files_.FullPath("sys/fs/cgroup/user.slice"));
  units_.on_set = [this](const std::string& unit, const std::string& cpus) {
    if (unit != "user.slice") PutGroup(unit, cpus);
  };
  EXPECT_EQ(Take("shield").kind(), CpusetKind::kMember);
}

TEST_F(CpusetLeaseTest, NamesGroupsThatSystemdsUnitsDoNotHold) {
  for (const char* group : {"machine.slice", "empty.slice", "elsewhere.slice"}) {
    PutGroup(group, group == std::string("elsewhere.slice") ? "0" : "");
    tree_.Put(
        std::string(kMount) + "/" + group + "/cgroup.events",
        group == std::string("empty.slice") ? "populated 0\nfrozen 0" : "populated 1\nfrozen 0");
  }
  const TakenCpuset lease = Take("shield");
  EXPECT_EQ(lease.kind(), CpusetKind::kMember);
  EXPECT_WORDING(lease.why());
}

TEST_F(CpusetLeaseTest, UndoesTheUnitsBeforeTheOneThatIsRefused) {
  units_.refused_unit = "system.slice";
  const TakenCpuset lease = Take("shield");
  EXPECT_EQ(lease.kind(), CpusetKind::kAffinity);
  EXPECT_WORDING(lease.why(), {{tree_.root(), "ROOT"}});
  ExpectUntouched();
}

// ---- requirements ----

struct Lack {
  const char* name;
  void (*take_away)(CgroupPlace&, ProfileCpus&, FakeUnits&, const KernelTree&);
};

class CpusetLackTest : public CpusetLeaseTest, public testing::WithParamInterface<Lack> {};

TEST_P(CpusetLackTest, LeavesAffinityAndSaysOnceWhatIsLacking) {
  GetParam().take_away(place_, cpus_, units_, tree_);
  const TakenCpuset lease = Take();
  EXPECT_EQ(lease.kind(), CpusetKind::kAffinity);
  EXPECT_WORDING(lease.why(), {{tree_.root(), "ROOT"}});
  EXPECT_THAT(units_.calls, ElementsAre()) << "nothing is tried";
  EXPECT_EQ(lease.Broken(settings_), "");
  ExpectUntouched();
}

INSTANTIATE_TEST_SUITE_P(
    All, CpusetLackTest,
    testing::Values(
        Lack{"NoVersion2",
             [](CgroupPlace& place, ProfileCpus&, FakeUnits&, const KernelTree&) { place = {}; }},
        Lack{"ControllerOfVersion1",
             [](CgroupPlace& place, ProfileCpus&, FakeUnits&, const KernelTree&) {
               place.version1 = "the cpuset controller belongs to cgroup version 1 here";
             }},
        Lack{"NoController",
             [](CgroupPlace&, ProfileCpus&, FakeUnits&, const KernelTree& tree) {
               tree.Put("sys/fs/cgroup/cgroup.controllers", "cpu memory");
             }},
        Lack{"AnotherUnit", [](CgroupPlace& place, ProfileCpus&, FakeUnits&,
                               const KernelTree&) { place.unit = "system.slice"; }},
        Lack{"NoSystemd",
             [](CgroupPlace&, ProfileCpus&, FakeUnits& units, const KernelTree&) {
               units.refusal = Error{ErrorCode::kUnavailable, "systemd: not running here", {}};
             }},
        Lack{"OneCpu",
             [](CgroupPlace&, ProfileCpus& cpus, FakeUnits&, const KernelTree&) {
               cpus = {{0}, {0}, {0}, "there is only one physical core"};
             }},
        Lack{"NoHousekeepingCpu", [](CgroupPlace&, ProfileCpus& cpus, FakeUnits&,
                                     const KernelTree&) { cpus.housekeeping.clear(); }},
        Lack{"NoBenchmarkCpuOnline", [](CgroupPlace&, ProfileCpus& cpus, FakeUnits&,
                                        const KernelTree&) { cpus.benchmark = {9}; }}),
    [](const auto& lack) { return lack.param.name; });

}  // namespace
}  // namespace benchd
