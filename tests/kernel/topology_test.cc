#include "daemon/kernel/topology.h"

#include <gtest/gtest.h>

#include "tests/kernel/kernel_tree.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Cpus = std::vector<int>;

class TopologyTest : public testing::Test {
 protected:
  Result<Topology> Read() const { return ReadTopology(KernelFiles(tree_.root())); }

  void PutOnline(const std::string& list) const {
    tree_.Put("sys/devices/system/cpu/online", list);
  }
  /// Four cores of two threads each on two packages, numbered as Intel and AMD do: 0,4 1,5 2,6 3,7.
  void PutEightThreads() const {
    PutOnline("0-7");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const int core = cpu % 4;
      tree_.PutCpu(cpu, std::to_string(core) + "," + std::to_string(core + 4), core / 2);
    }
  }

  KernelTree tree_;
};

TEST_F(TopologyTest, FindsCoresAndPackages) {
  PutEightThreads();
  const auto topology = Read();
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->online, (Cpus{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(topology->cores,
            (std::vector<PhysicalCore>{{0, {0, 4}}, {0, {1, 5}}, {1, {2, 6}}, {1, {3, 7}}}));
}

TEST_F(TopologyTest, LeavesOutASiblingThatIsOffline) {
  PutEightThreads();
  PutOnline("0-3,5-7");
  const auto topology = Read();
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->cores.front().cpus, (Cpus{0}));
}

TEST_F(TopologyTest, ReadsTheOlderNameOfTheSiblingsFile) {
  PutOnline("0-1");
  for (int cpu : {0, 1}) {
    tree_.Put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
              "0-1");
  }
  EXPECT_EQ(Read()->cores, (std::vector<PhysicalCore>{{0, {0, 1}}}));
}

TEST_F(TopologyTest, ACpuWithoutATopologyFolderIsItsOwnCore) {
  PutOnline("0-1");
  EXPECT_EQ(Read()->cores, (std::vector<PhysicalCore>{{0, {0}}, {0, {1}}}));
}

TEST_F(TopologyTest, BenchmarksGetTheFastestTypeOfCore) {
  // Two P cores of two threads, four E cores.
  PutOnline("0-7");
  for (int cpu = 0; cpu < 4; ++cpu) tree_.PutCpu(cpu, cpu < 2 ? "0-1" : "2-3", 0);
  for (int cpu = 4; cpu < 8; ++cpu) tree_.PutCpu(cpu, std::to_string(cpu), 0);
  tree_.Put("sys/devices/cpu_core/cpus", "0-3");
  tree_.Put("sys/devices/cpu_atom/cpus", "4-7");
  const Cpus all{0, 1, 2, 3, 4, 5, 6, 7};
  const auto split = SplitCpus(*Read(), all, {});
  ASSERT_TRUE(split);
  EXPECT_EQ(*split, (ProfileCpus{{4, 5, 6, 7}, {0, 1, 2, 3}, {}, ""}));
  // An admin's choice takes precedence.
  EXPECT_EQ(SplitCpus(*Read(), all, {6, 7})->benchmark, (Cpus{6, 7}));
  // If only one type may be used, the split is as on any machine.
  EXPECT_EQ(SplitCpus(*Read(), {4, 5, 6}, {})->benchmark, (Cpus{5, 6}));
}

TEST_F(TopologyTest, BigAndLittleCoresAreToldByTheirCapacity) {
  PutOnline("0-3");
  for (int cpu = 0; cpu < 4; ++cpu) {
    tree_.PutCpu(cpu, std::to_string(cpu), 0);
    tree_.Put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity",
              cpu < 2 ? "446" : "1024");
  }
  EXPECT_EQ(SplitCpus(*Read(), {0, 1, 2, 3}, {})->benchmark, (Cpus{2, 3}));
  for (int cpu = 0; cpu < 4; ++cpu) {
    tree_.Put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity", "1024");
  }
  EXPECT_EQ(SplitCpus(*Read(), {0, 1, 2, 3}, {})->benchmark, (Cpus{1, 2, 3})) << "all alike";
}

TEST_F(TopologyTest, FindsTheNodesOfSomeCpus) {
  PutEightThreads();
  PutOnline("0-6");
  // The folder also has files such as "online", and folders of other kinds.
  tree_.Put("sys/devices/system/node/online", "0-2,10");
  tree_.Put("sys/devices/system/node/nodes/cpulist", "0-6");
  tree_.Put("sys/devices/system/node/node10/cpulist", "");
  tree_.Put("sys/devices/system/node/node2/cpulist", "2,3,6,7");
  tree_.Put("sys/devices/system/node/node0/cpulist", "0-1,4-5");
  tree_.Put("sys/devices/system/node/node5/cpulist", "garbage");
  const auto topology = Read();
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->nodes, (std::vector<NumaNode>{{0, {0, 1, 4, 5}}, {2, {2, 3, 6}}, {10, {}}}));
  EXPECT_EQ(NodesOf(*topology, {3}), (Cpus{2}));
  EXPECT_EQ(NodesOf(*topology, {1, 6}), (Cpus{0, 2}));
  EXPECT_EQ(NodesOf(*topology, {7}), Cpus{}) << "it is offline";
}

TEST_F(TopologyTest, HasNoNodesWhereTheKernelKnowsNone) {
  PutOnline("0-1");
  EXPECT_TRUE(Read()->nodes.empty());
  EXPECT_EQ(NodesOf(*Read(), {0, 1}), Cpus{});
}

TEST_F(TopologyTest, TellsWhichFileIsMissing) {
  const auto topology = Read();
  ASSERT_FALSE(topology);
  EXPECT_WORDING(topology.error(), {{tree_.root(), "ROOT"}});
}

TEST_F(TopologyTest, GarbageInTheOnlineListIsAnError) {
  PutOnline("zero");
  EXPECT_FALSE(Read());
  PutOnline("");
  EXPECT_FALSE(Read());
}

TEST_F(TopologyTest, KeepsTheFirstCoreWithItsSiblingForHousekeeping) {
  PutEightThreads();
  const auto split = SplitCpus(*Read(), {0, 1, 2, 3, 4, 5, 6, 7}, {});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->housekeeping, (Cpus{0, 4}));
  EXPECT_EQ(split->benchmark, (Cpus{1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(split->why, "");
}

TEST_F(TopologyTest, SplitsTwoCpusIntoOneAndOne) {
  PutOnline("0-1");
  const auto split = SplitCpus(*Read(), {0, 1}, {});
  ASSERT_TRUE(split);
  EXPECT_EQ(*split, (ProfileCpus{{0}, {1}, {}, ""}));
}

TEST_F(TopologyTest, ASingleCpuDoesBothAndSaysWhy) {
  PutOnline("0");
  const auto split = SplitCpus(*Read(), {0}, {});
  ASSERT_TRUE(split);
  EXPECT_EQ(*split, (ProfileCpus{{0}, {0}, {}, split->why}));
  EXPECT_WORDING(split->why);
}

TEST_F(TopologyTest, StaysWithinTheUsableCpus) {
  PutEightThreads();
  const auto split = SplitCpus(*Read(), {2, 3, 6}, {});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->housekeeping, (Cpus{2, 6}));
  EXPECT_EQ(split->benchmark, (Cpus{3}));
  EXPECT_FALSE(SplitCpus(*Read(), {99}, {}));
}

TEST_F(TopologyTest, TakesTheConfiguredBenchmarkCpus) {
  PutOnline("0-3");
  const auto split = SplitCpus(*Read(), {0, 1, 2, 3}, {1, 2});
  ASSERT_TRUE(split);
  EXPECT_EQ(*split, (ProfileCpus{{0, 3}, {1, 2}, {}, ""}));

  const auto all = SplitCpus(*Read(), {0, 1, 2, 3}, {0, 1, 2, 3});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->benchmark, (Cpus{0, 1, 2, 3}));
  EXPECT_EQ(all->housekeeping, (Cpus{0}));
  EXPECT_NE(all->why, "");
}

TEST_F(TopologyTest, RefusesConfiguredCpusThatAreNotThere) {
  PutOnline("0-1");
  const auto split = SplitCpus(*Read(), {0, 1}, {1, 5});
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(split.error());
}

TEST(RealTopologyTest, ThisMachineHasAtLeastOneCore) {
  const auto topology = ReadTopology(KernelFiles("/"));
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_FALSE(topology->cores.empty());
}

}  // namespace
}  // namespace benchd
