#include "daemon/settings/setting.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/result.h"
#include "tests/settings/setting_machine.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Kind = SettingKind;

TEST_F(SettingsTest, EveryKindLivesInItsOwnFile) {
  std::set<Kind> seen;
  for (const FileCase& one : kFileCases) {
    SCOPED_TRACE(one.path);
    seen.insert(one.key.kind);
    tree_.Put(one.path, one.text);
    EXPECT_EQ(Read(one.key), one.value);
    EXPECT_EQ(Write(one.key, one.other), "");
    EXPECT_EQ(tree_.Get(one.path), one.written);
    EXPECT_EQ(Read(one.key), NormalValue(one.key.kind, one.other));
    EXPECT_EQ(Write(one.key, one.value), "");
    EXPECT_EQ(Read(one.key), one.value);
  }
  // The other two kinds have no file of their own.
  EXPECT_EQ(seen.size() + 2, AllKinds().size());
}

TEST_F(SettingsTest, AMissingFileIsNamed) {
  for (const FileCase& one : kFileCases) {
    const std::string missing = tree_.root() + "/" + one.path + ": No such file or directory";
    EXPECT_EQ(Read(one.key), "error: " + missing);
    EXPECT_EQ(Write(one.key, one.value), missing);
  }
}

TEST_F(SettingsTest, SmtReadsAsItIsWhereItCannotBeChanged) {
  for (const char* word : {"forceoff", "notsupported", "notimplemented"}) {
    tree_.Put("sys/devices/system/cpu/smt/control", word);
    EXPECT_EQ(Read({Kind::kSmt, ""}), word);
    EXPECT_FALSE(IsValidSetting({Kind::kSmt, ""}, word));
  }
}

TEST_F(SettingsTest, TextThatIsNotUnderstoodIsAnErrorWithItsPath) {
  struct Garbage {
    SettingKey key;
    const char* path;
    const char* text;
  };
  for (const Garbage& one :
       {Garbage{{Kind::kIrqAffinity, "1"}, "proc/irq/1/smp_affinity_list", "all"},
        Garbage{{Kind::kWorkqueueCpus, ""}, "sys/devices/virtual/workqueue/cpumask", "0-3"},
        Garbage{{Kind::kTransparentHugepages, ""},
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always madvise never"},
        Garbage{{Kind::kTransparentHugepages, ""},
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always [madvise"},
        Garbage{{Kind::kSwappiness, ""}, "proc/sys/vm/swappiness", "sixty"},
        Garbage{
            {Kind::kGovernor, "0"}, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "../x"},
        Garbage{{Kind::kSmt, ""}, "sys/devices/system/cpu/smt/control", ""}}) {
    tree_.Put(one.path, one.text);
    const auto value = settings_.Read(one.key);
    ASSERT_FALSE(value) << one.text;
    EXPECT_EQ(value.error().code, ErrorCode::kInternal);
    EXPECT_WORDING(value.error(), {{tree_.root(), "ROOT"}}) << one.text;
  }
}

TEST_F(SettingsTest, AMessageStaysOneShortLine) {
  tree_.Put("proc/sys/vm/swappiness", "first\nsecond");
  EXPECT_WORDING(Read({Kind::kSwappiness, ""}), {{tree_.root(), "ROOT"}});
  tree_.Put("proc/sys/vm/swappiness", std::string(50'000, 'x'));
  EXPECT_LT(Read({Kind::kSwappiness, ""}).size(), 500U);
}

TEST_F(SettingsTest, AValueThatWasTakenButNotKeptIsAnError) {
  const std::string path = "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq";
  tree_.Put(path, "4200000");
  files_.TurnPath(path, "4100000");
  const auto written = settings_.Write({Kind::kMaxFrequency, "0"}, "9000000");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(written.error(), {{tree_.root(), "ROOT"}});
}

TEST_F(SettingsTest, APartitionThatTheKernelCannotMakeCarriesItsReason) {
  const std::string path = "sys/fs/cgroup/unified/bench.slice/cpuset.cpus.partition";
  tree_.Put(path, "member");
  files_.TurnPath(path, "isolated invalid (Cpu list in cpuset.cpus not exclusive)");
  EXPECT_WORDING(Write({Kind::kCpusetPartition, "bench.slice"}, "isolated"),
                 {{tree_.root(), "ROOT"}});
}

TEST_F(SettingsTest, APartitionThatTurnedInvalidIsStillTheOneThatWasWritten) {
  EXPECT_TRUE(SameValue(Kind::kCpusetPartition, "isolated", "isolated"));
  EXPECT_TRUE(SameValue(Kind::kCpusetPartition, "isolated invalid (why)", "isolated"));
  EXPECT_FALSE(SameValue(Kind::kCpusetPartition, "root invalid (why)", "isolated"));
  EXPECT_FALSE(SameValue(Kind::kCpusetPartition, "member", "isolated"));
  EXPECT_FALSE(SameValue(Kind::kGovernor, "performance invalid", "performance"));
}

TEST_F(SettingsTest, AnIrqListCountsAsASet) {
  files_.TurnPath("proc/irq/7/smp_affinity_list", "2,0,1");
  tree_.Put("proc/irq/7/smp_affinity_list", "0-3");
  EXPECT_EQ(Write({Kind::kIrqAffinity, "7"}, "0-2"), "");
}

TEST_F(SettingsTest, WithoutItsHierarchyACpusetIsNotThere) {
  tree_.Put("proc/self/mountinfo", "24 1 0:22 / /proc rw - proc proc rw");
  const SettingKey key{Kind::kCpusetPartition, "bench.slice"};
  const auto value = settings_.Read(key);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(value.error(), {{tree_.root(), "ROOT"}});
}

TEST_F(SettingsTest, AllowedCpusAreSystemds) {
  const SettingKey key{Kind::kAllowedCpus, "bench.slice"};
  EXPECT_EQ(Read(key), "");
  EXPECT_EQ(Write(key, "1,2,3"), "");
  EXPECT_EQ(units_.allowed["bench.slice"], "1-3");
  EXPECT_EQ(Read(key), "1-3");
  units_.refusal = Error{ErrorCode::kUnavailable, "systemd: not running here", {}};
  EXPECT_EQ(Read(key), "error: systemd: not running here");
  EXPECT_EQ(Write(key, "1"), "systemd: not running here");
  EXPECT_EQ(files_.writes(), 0);
}

TEST_F(SettingsTest, AGroupKeepsNoCpusThatSystemdHasForgotten) {
  const std::string path = "sys/fs/cgroup/unified/system.slice/cpuset.cpus";
  const SettingKey key{Kind::kAllowedCpus, "system.slice"};
  tree_.Put(path, "0");
  units_.allowed["system.slice"] = "0";
  EXPECT_EQ(Write(key, "0-1"), "");
  EXPECT_EQ(files_.writes(), 0) << "systemd writes the values that it knows";
  EXPECT_EQ(Write(key, ""), "");
  EXPECT_EQ(tree_.Get(path), "\n");
  EXPECT_EQ(Write(key, ""), "");
  EXPECT_EQ(files_.writes(), 1) << "nothing is written where nothing is left";
}

TEST_F(SettingsTest, AGroupThatMayNotHaveAnEmptyListGetsAllCpus) {
  const std::string path = "sys/fs/cgroup/unified/system.slice/cpuset.cpus";
  const SettingKey key{Kind::kAllowedCpus, "system.slice"};
  tree_.Put(path, "0");
  // As Linux 6.1 does for a group with processes.
  files_.RefuseWrite(1, ENOSPC);
  EXPECT_WORDING(Write(key, ""), {{tree_.root(), "ROOT"}});
  tree_.Put("sys/devices/system/cpu/possible", "0-7");
  files_.RefuseWrite(2, ENOSPC);
  EXPECT_EQ(Write(key, ""), "");
  EXPECT_EQ(tree_.Get(path), "0-7");
}

TEST_F(SettingsTest, AGroupThatLosesItsControllerMeanwhileIsCleared) {
  tree_.Put("sys/fs/cgroup/unified/system.slice/cpuset.cpus", "0");
  files_.RefuseWrite(1, ENOENT);
  EXPECT_EQ(Write({Kind::kAllowedCpus, "system.slice"}, ""), "");
}

}  // namespace
}  // namespace benchd
