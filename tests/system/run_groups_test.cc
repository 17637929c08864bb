#include "daemon/system/run_groups.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace benchd {
namespace {

RunGroupPlaces Places() { return RunGroupPlaces::FindBeside(RunCgroup::OwnFolder().value_or("")); }

/// Does `work` in all groups that have to be joined; its exit code.
template <typename Work>
int RunIn(RunGroups& groups, Work work) {
  const auto joined = groups.joined_fds();
  const pid_t pid = fork();
  if (pid == 0) {
    for (const int tasks : joined) {
      if (tasks >= 0 && write(tasks, "0", 1) != 1) _exit(100);
    }
    _exit(work());
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WEXITSTATUS(status);
}

TEST(RunGroupsTest, NowhereThereAreNoneAndALimitIsMissing) {
  RunGroups groups;
  EXPECT_EQ(groups.Open({}, {}), "");
  EXPECT_FALSE(groups.any());
  EXPECT_EQ(groups.clone_fd(), -1);
  EXPECT_FALSE(groups.limited());
  EXPECT_EQ(groups.Describe(), "");
  const auto limited = groups.LimitMemory(1 << 20);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().message, "no control group can be made here for a limit of memory");
  EXPECT_TRUE(groups.LimitMemory(kNoLimit));
  groups.Kill();
  EXPECT_EQ(groups.TakeHits(), "");

  RunGroups limits;
  EXPECT_EQ(limits.Open({}, {.memory_bytes = 1, .processes = 2}),
            "no control group can be made here for a limit of memory; "
            "no control group can be made here for a limit of processes");
  EXPECT_FALSE(limits.limited());
}

TEST(RunGroupsTest, WithoutLimitsAFreezerIsNeededOnlyWhereThereIsNoVersionTwo) {
  RunGroups groups;
  EXPECT_EQ(groups.Open(Places(), {}), "");
  if (!groups.any()) GTEST_SKIP() << "no group can be made here";
  EXPECT_NE(groups.clone_fd() >= 0, groups.has_v1());
}

TEST(RunGroupsTest, HoldsALimitOfProcessesAndNamesIt) {
  RunGroups groups;
  const std::string missing = groups.Open(Places(), {.processes = 1});
  if (!missing.empty() || !groups.has_v1()) GTEST_SKIP() << "no version 1 here: " << missing;
  EXPECT_TRUE(groups.limited());
  EXPECT_EQ(groups.held().processes, 1U);
  EXPECT_EQ(RunIn(groups, [] { return fork() < 0 ? errno : 0; }), EAGAIN);
  EXPECT_EQ(groups.TakeHits(), "reached its limit of 1 processes");
  EXPECT_EQ(groups.TakeHits(), "");
}

TEST(RunGroupsTest, TheSmallerLimitOfMemoryHolds) {
  constexpr std::uint64_t kMebibyte = 1024 * 1024;
  RunGroups groups;
  const std::string missing = groups.Open(Places(), {.memory_bytes = 256 * kMebibyte});
  if (!missing.empty()) GTEST_SKIP() << missing;
  EXPECT_EQ(groups.held().memory_bytes, 256 * kMebibyte);
  ASSERT_TRUE(groups.LimitMemory(64 * kMebibyte));
  EXPECT_EQ(groups.held().memory_bytes, 64 * kMebibyte);
  ASSERT_TRUE(groups.LimitMemory(512 * kMebibyte));
  EXPECT_EQ(groups.held().memory_bytes, 256 * kMebibyte);
  ASSERT_TRUE(groups.LimitMemory(kNoLimit));
  EXPECT_EQ(groups.held().memory_bytes, 256 * kMebibyte);
}

TEST(RunGroupsTest, TwoOfThemDoNotMeet) {
  RunGroups present;
  RunGroups prepared;
  present.Open(Places(), {});
  prepared.Open(Places(), {});
  if (!present.any()) GTEST_SKIP() << "no group can be made here";
  ASSERT_TRUE(prepared.any());
  EXPECT_NE(present.Describe(), prepared.Describe());
}

}  // namespace
}  // namespace benchd
