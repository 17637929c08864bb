#include <gtest/gtest.h>

#include "core/base/cpu_list.h"
#include "daemon/kernel/topology.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class ProfileCpusTest : public testing::Test {
 protected:
  void PutOnline(const std::string& list) const {
    tree_.Put("sys/devices/system/cpu/online", list);
  }
  /// Cores of two threads each on two packages: 0,4 1,5 | 2,6 3,7.
  void PutEightThreads() const {
    PutOnline("0-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const int core = cpu % 4;
      tree_.PutCpu(cpu, std::to_string(core) + "," + std::to_string(core + 4), core / 2);
    }
  }
  /// Two cores of two threads and four small cores of one thread: 0-1 2-3 4 5 6 7.
  void PutHybrid() const {
    PutOnline("0-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
      tree_.PutCpu(cpu, cpu < 2 ? "0-1" : cpu < 4 ? "2-3" : std::to_string(cpu));
    }
  }

  /// Returns "housekeeping 0,4 benchmark 1-3,5-7 used 1-3", then ": WHY" if there is a reason.
  std::string Choose(const std::string& benchmark_cpus, const std::string& smt = "idle",
                     const std::string& usable = "0-7") const {
    const auto topology = ReadTopology(KernelFiles(tree_.root()));
    MachineProfile profile;
    profile.benchmark_cpus = benchmark_cpus;
    profile.smt = smt;
    const auto cpus = ChooseProfileCpus(*topology, *ParseCpuList(usable), profile);
    if (!cpus) return "error: " + cpus.error().message;
    return "housekeeping " + FormatCpuList(cpus->housekeeping) + " benchmark " +
           FormatCpuList(cpus->benchmark) + " used " + FormatCpuList(cpus->used) +
           (cpus->why.empty() ? "" : ": " + cpus->why);
  }

  KernelTree tree_;
};

TEST_F(ProfileCpusTest, KeepsOneCoreAndUsesOneThreadOfEachOther) {
  PutEightThreads();
  EXPECT_EQ(Choose(""), "housekeeping 0,4 benchmark 1-3,5-7 used 1-3");
  EXPECT_EQ(Choose("", "off"), "housekeeping 0,4 benchmark 1-3,5-7 used 1-3");
}

TEST_F(ProfileCpusTest, UsesAllThreadsWhereSiblingsMayRun) {
  PutEightThreads();
  EXPECT_EQ(Choose("", ""), "housekeeping 0,4 benchmark 1-3,5-7 used 1-3,5-7");
  EXPECT_EQ(Choose("2", ""), "housekeeping 0-1,3-5,7 benchmark 2,6 used 2")
      << "the sibling is reserved, but not requested";
}

TEST_F(ProfileCpusTest, ReservesTheSiblingsOfConfiguredCpus) {
  PutEightThreads();
  EXPECT_EQ(Choose("2-3"), "housekeeping 0-1,4-5 benchmark 2-3,6-7 used 2-3");
  EXPECT_EQ(Choose("2,7"), "housekeeping 0-1,4-5 benchmark 2-3,6-7 used 2,7");
  EXPECT_EQ(Choose("2,6"), "housekeeping 0-1,3-5,7 benchmark 2,6 used 2");
}

TEST_F(ProfileCpusTest, UsesTheThreadThatStaysWhenSiblingsGoOffline) {
  PutEightThreads();
  EXPECT_EQ(Choose("2,7", "off"), "housekeeping 0-1,4-5 benchmark 2-3,6-7 used 2-3");
}

TEST_F(ProfileCpusTest, ManagesWithCoresOfDifferentSizes) {
  PutHybrid();
  EXPECT_EQ(Choose(""), "housekeeping 0-1 benchmark 2-7 used 2,4-7");
  EXPECT_EQ(Choose("3-4"), "housekeeping 0-1,5-7 benchmark 2-4 used 3-4");
  EXPECT_EQ(Choose("0-3"), "housekeeping 4-7 benchmark 0-3 used 0,2");
}

TEST_F(ProfileCpusTest, SharesACoreOnlyWhenNoOtherIsLeft) {
  PutEightThreads();
  EXPECT_WORDING(Choose("0-3"));
  EXPECT_WORDING(Choose("0-4,6-7"));
  EXPECT_WORDING(Choose("0-7"));
}

TEST_F(ProfileCpusTest, StaysWithinTheUsableCpus) {
  PutEightThreads();
  EXPECT_EQ(Choose("", "idle", "2-3,6"), "housekeeping 2,6 benchmark 3 used 3");
  EXPECT_EQ(Choose("", "idle", "1,6-7"), "housekeeping 1 benchmark 6-7 used 6-7");
  EXPECT_EQ(Choose("3", "idle", "2-3,7"), "housekeeping 2 benchmark 3,7 used 3");
}

TEST_F(ProfileCpusTest, CountsACoreWithAnOfflineSiblingAsOneThread) {
  PutEightThreads();
  PutOnline("0-3,5-7");
  EXPECT_EQ(Choose(""), "housekeeping 0 benchmark 1-3,5-7 used 1-3");
  PutOnline("0,4-7");
  EXPECT_EQ(Choose("", "off"), "housekeeping 0,4 benchmark 5-7 used 5-7");
}

TEST_F(ProfileCpusTest, DividesTwoCpusIntoOneAndOne) {
  PutOnline("0-1");
  EXPECT_EQ(Choose(""), "housekeeping 0 benchmark 1 used 1");
  EXPECT_EQ(Choose("0"), "housekeeping 1 benchmark 0 used 0");
}

TEST_F(ProfileCpusTest, DividesTheThreadsOfASingleCoreAndSaysThatTheyShareIt) {
  PutOnline("0-1");
  tree_.PutCpu(0, "0-1");
  tree_.PutCpu(1, "0-1");
  EXPECT_WORDING(Choose(""));
  EXPECT_WORDING(Choose("0"));
}

TEST_F(ProfileCpusTest, ASingleCpuDoesBothAndSaysWhy) {
  PutOnline("0");
  EXPECT_WORDING(Choose(""));
}

TEST_F(ProfileCpusTest, RefusesCpusThatAreNotThere) {
  PutOnline("0-1");
  EXPECT_WORDING(Choose("1,5"));
  EXPECT_WORDING(Choose("one"));
}

}  // namespace
}  // namespace benchd
