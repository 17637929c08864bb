#include "daemon/system/v1_shield.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/system/v1_cpusets.h"

namespace benchd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHousekeeping = "sys/fs/cgroup/cpuset/benchd-housekeeping";
constexpr const char* kBenchmark = "sys/fs/cgroup/cpuset/benchd-benchmark";
constexpr const char* kShield = "0/1-3";

class V1ShieldTest : public testing::Test {
 protected:
  V1ShieldTest() { files_.tasks = {{1, ""}, {2, ""}, {77, ""}}; }

  std::string Read() const {
    const auto value = ReadShield(files_);
    return value ? *value : "error: " + value.error().message;
  }
  bool NothingIsLeft() const { return !files_.Exists(kHousekeeping) && !files_.Exists(kBenchmark); }

  KernelTree tree_;
  V1Cpusets files_{tree_};
};

TEST_F(V1ShieldTest, IsAbsentOnAMachineThatNobodyHasShielded) {
  EXPECT_EQ(Read(), "absent");
  EXPECT_EQ(ShieldBenchmarkTasksPath(files_), "");
}

TEST_F(V1ShieldTest, MovesEveryTaskToTheHousekeepingCpus) {
  const auto written = WriteShield(files_, kShield);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(Read(), kShield);
  EXPECT_EQ(files_.Layout(), " | 1 2 77 |");
  EXPECT_EQ(*files_.Read(std::string(kHousekeeping) + "/cpuset.mems"), "0-1") << "the top group's";
  EXPECT_EQ(*files_.Read(std::string(kBenchmark) + "/cpuset.mems"), "0-1");
}

TEST_F(V1ShieldTest, MovesNothingBeforeItCanBeReadBack) {
  std::string at_first_move;
  files_.on_move = [&](int) {
    if (at_first_move.empty()) at_first_move = Read();
  };
  ASSERT_TRUE(WriteShield(files_, kShield));
  EXPECT_EQ(at_first_move, kShield) << "else a kill here would leave tasks where no restore looks";
}

TEST_F(V1ShieldTest, LeavesKernelThreadsThatCannotBeMoved) {
  files_.bound = {2};
  ASSERT_TRUE(WriteShield(files_, kShield));
  EXPECT_EQ(files_.Layout(), "2 | 1 77 |");
}

TEST_F(V1ShieldTest, LeavesTasksThatAreKeptToHousekeepingCpusAnyway) {
  tree_.Put("proc/2/status", "Name:\tsshd\nCpus_allowed:\t1\nCpus_allowed_list:\t0");
  tree_.Put("proc/77/status", "Name:\tcron\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3");
  ASSERT_TRUE(WriteShield(files_, kShield));
  EXPECT_EQ(files_.Layout(), "2 | 1 77 |");
}

TEST_F(V1ShieldTest, FindsTasksThatAreBornMeanwhile) {
  files_.on_move = [this](int task) {
    if (task == 77) files_.tasks.insert({{78, ""}, {3, ""}});
  };
  ASSERT_TRUE(WriteShield(files_, kShield));
  EXPECT_EQ(files_.Layout(), " | 1 2 3 77 78 |");
}

TEST_F(V1ShieldTest, TakesNoOffenceAtATaskThatEndsMeanwhile) {
  files_.on_move = [this](int task) {
    if (task == 2) files_.tasks.erase(2);
  };
  const auto written = WriteShield(files_, kShield);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(files_.Layout(), " | 1 77 |");
}

TEST_F(V1ShieldTest, GivesUpOnTasksThatKeepComingAndUndoesIt) {
  int next = 100;
  files_.on_move = [&](int) { files_.tasks[next++] = ""; };
  const auto written = WriteShield(files_, kShield);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("new tasks keep coming"));
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_THAT(files_.Layout(), testing::EndsWith(" | |"));
}

TEST_F(V1ShieldTest, MovesAllBackAndRemovesItsGroups) {
  ASSERT_TRUE(WriteShield(files_, kShield));
  files_.tasks[90] = "benchd-benchmark";
  const auto written = WriteShield(files_, "absent");
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(files_.Layout(), "1 2 77 90 | |");
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_EQ(Read(), "absent");
  EXPECT_TRUE(WriteShield(files_, "absent")) << "idempotent";
}

TEST_F(V1ShieldTest, UndoesAllWhicheverWriteIsRefused) {
  ASSERT_TRUE(WriteShield(files_, kShield));
  const std::size_t count = files_.writes.size();
  ASSERT_EQ(count, 4u + 3u) << "CPUs and nodes of two groups, three tasks";
  ASSERT_TRUE(WriteShield(files_, "absent"));
  for (const int reason : {EACCES, EBUSY, EIO, ENOENT}) {
    for (std::size_t refused = 0; refused < count; ++refused) {
      std::size_t index = 0;
      files_.refuse = [&](const std::string&) { return index++ == refused ? reason : 0; };
      const auto written = WriteShield(files_, kShield);
      ASSERT_FALSE(written) << "write " << refused << ", " << strerror(reason);
      EXPECT_THAT(written.error().message, HasSubstr(strerror(reason)));
      EXPECT_THAT(written.error().message, HasSubstr("/cpuset/benchd-"));
      EXPECT_TRUE(NothingIsLeft());
      EXPECT_EQ(files_.Layout(), "1 2 77 | |");
    }
  }
}

TEST_F(V1ShieldTest, SaysWhenItCannotBeUndone) {
  files_.refuse = [](const std::string& write) {
    return write == "benchd-housekeeping/tasks=77" || write == "/tasks=1" ? EACCES : 0;
  };
  const auto written = WriteShield(files_, kShield);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("moving task 77"));
  EXPECT_THAT(written.error().message, HasSubstr("cannot be undone: "));
}

TEST_F(V1ShieldTest, RemovesWhatAKillLeftUnfinished) {
  std::filesystem::create_directory(files_.FullPath(kHousekeeping));
  EXPECT_EQ(Read(), "absent");
  EXPECT_TRUE(NothingIsLeft());

  // While it was removed: one of the groups is gone, the other still has a task.
  ASSERT_TRUE(WriteShield(files_, kShield));
  std::filesystem::remove(files_.FullPath(kBenchmark));
  EXPECT_EQ(Read(), "absent");
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_EQ(files_.Layout(), "1 2 77 | |");
}

TEST_F(V1ShieldTest, NamesTheGroupThatCannotBeRemoved) {
  ASSERT_TRUE(WriteShield(files_, kShield));
  std::filesystem::create_directory(files_.FullPath(std::string(kHousekeeping) + "/of-a-user"));
  const auto written = WriteShield(files_, "absent");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("benchd-housekeeping: "));
}

TEST_F(V1ShieldTest, RefusesValuesThatAreNoShield) {
  for (const char* value : {"", "0", "0/", "/1", "x/1", "0/1/2", "absent "}) {
    const auto written = WriteShield(files_, value);
    ASSERT_FALSE(written) << value;
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(V1ShieldTest, TellsWhereAChildIsPutIntoTheBenchmarkGroup) {
  ASSERT_TRUE(WriteShield(files_, kShield));
  EXPECT_EQ(ShieldBenchmarkTasksPath(files_), files_.FullPath(kBenchmark) + "/tasks");
}

TEST_F(V1ShieldTest, ListsOtherCpusetsWithParentsFirst) {
  ASSERT_TRUE(WriteShield(files_, kShield));
  for (const char* name : {"docker", "docker/1f3a", "machine", "docker/1f3a/inner"}) {
    tree_.Put(std::string(V1Cpusets::kTop) + "/" + name + "/tasks", "");
  }
  std::filesystem::create_directory(files_.FullPath(std::string(V1Cpusets::kTop) + "/no-group"));
  EXPECT_THAT(ListV1Cpusets(files_),
              ElementsAre("docker", "docker/1f3a", "docker/1f3a/inner", "machine"));
}

TEST(NoV1ShieldTest, SaysThatThereIsNoHierarchy) {
  const KernelTree tree;
  tree.Put("proc/self/mountinfo", "31 1 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  const KernelFiles files(tree.root());
  EXPECT_EQ(ReadShield(files).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(WriteShield(files, "absent").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ShieldBenchmarkTasksPath(files), "");
  EXPECT_THAT(ListV1Cpusets(files), ElementsAre());
  EXPECT_EQ(V1CpusetFolder(files), "");
}

TEST(V1CpusetMountTest, IsTheOneWithTheController) {
  constexpr const char* kControllers =
      "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
      "33 31 0:30 / /sys/fs/cgroup/cpu\\040set rw shared:9 - cgroup cgroup rw,cpuset,noprefix\n";
  const KernelTree tree;
  tree.Put("proc/self/mountinfo", kControllers);
  EXPECT_EQ(V1CpusetFolder(KernelFiles(tree.root())), "sys/fs/cgroup/cpu set");
}

TEST(V1CpusetMountTest, IsNotAContainersPartOfOne) {
  const KernelTree tree;
  tree.Put("proc/self/mountinfo",
           "33 31 0:30 /docker/1f3a /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset");
  EXPECT_EQ(V1CpusetFolder(KernelFiles(tree.root())), "");
  tree.Put("proc/self/mountinfo", "garbage\n - cgroup x cpuset\n");
  EXPECT_EQ(V1CpusetFolder(KernelFiles(tree.root())), "");
}

}  // namespace
}  // namespace benchd
