#include "daemon/system/cgroup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/system/kernel_tree.h"

namespace benchd {
namespace {

constexpr std::string_view kUnified =
    "22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
    "31 1 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr std::string_view kHybrid =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

TEST(CgroupMountTest, IsFoundOnAUnifiedAndOnAHybridMachine) {
  EXPECT_EQ(*FindCgroup2Mount(kUnified), (CgroupMount{"/sys/fs/cgroup", "/"}));
  EXPECT_EQ(*FindCgroup2Mount(kHybrid), (CgroupMount{"/sys/fs/cgroup/unified", "/"}));
}

TEST(CgroupMountTest, IsFoundBehindBlanksInItsName) {
  EXPECT_EQ(*FindCgroup2Mount("41 31 0:38 /a\\040b /mnt/c\\134d rw - cgroup2 cgroup2 rw"),
            (CgroupMount{"/mnt/c\\d", "/a b"}));
}

TEST(CgroupMountTest, IsMissingOnAnOldMachineAndInGarbage) {
  EXPECT_EQ(
      FindCgroup2Mount("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu").error().code,
      ErrorCode::kNotFound);
  EXPECT_FALSE(FindCgroup2Mount(""));
  EXPECT_FALSE(FindCgroup2Mount("\n - \n - cgroup2x y\n"));
}

TEST(OwnCgroupTest, IsTheFolderOfTheUnifiedLine) {
  const CgroupMount mount{"/sys/fs/cgroup", "/"};
  EXPECT_EQ(*OwnCgroupFolder(mount, "0::/bench.slice/benchd-runner.service"),
            "/sys/fs/cgroup/bench.slice/benchd-runner.service");
  EXPECT_EQ(*OwnCgroupFolder(mount, "9:name=systemd:/x\n0::/\n"), "/sys/fs/cgroup");
  EXPECT_FALSE(OwnCgroupFolder(mount, "9:name=systemd:/x\n"));
}

TEST(OwnCgroupTest, FollowsAMountThatShowsOnlyAPart) {
  const CgroupMount mount{"/mnt", "/a"};
  EXPECT_EQ(*OwnCgroupFolder(mount, "0::/a/b"), "/mnt/b");
  EXPECT_EQ(*OwnCgroupFolder(mount, "0::/a"), "/mnt");
  EXPECT_FALSE(OwnCgroupFolder(mount, "0::/ab"));
  EXPECT_FALSE(OwnCgroupFolder(mount, "0::/"));
}

TEST(RunCgroupTest, SaysWhichFolderItCouldNotMake) {
  const auto group = RunCgroup::CreateIn("/proc/nowhere");
  ASSERT_FALSE(group);
  EXPECT_NE(group.error().message.find("/proc/nowhere/benchd-run-"), std::string::npos);
}

/// A child that waits for ever, or until `group` is killed.
pid_t SleepIn(const RunCgroup& group) {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  std::ofstream(group.path() + "/cgroup.procs") << pid << std::flush;
  return pid;
}

/// A group below the test's own.
Result<RunCgroup> CreateHere() {
  auto folder = RunCgroup::OwnFolder();
  if (!folder) return std::move(folder).error();
  return RunCgroup::CreateIn(*folder);
}

TEST(RunCgroupTest, KillsItsProcessesAndGoesAway) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  const std::string path = group->path();
  const pid_t pid = SleepIn(*group);
  group->Kill();
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  { RunCgroup gone = std::move(*group); }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RunCgroupTest, CanBeReadByWhoeverRunsInIt) {
  const mode_t before = umask(077);
  auto group = CreateHere();
  umask(before);
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  using std::filesystem::perms;
  const perms everybody = perms::others_read | perms::others_exec;
  EXPECT_EQ(std::filesystem::status(group->path()).permissions() & everybody, everybody);
}

TEST(RunCgroupTest, IsAFreshFolderAfterAKill) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  const std::string first = group->path();
  EXPECT_EQ(group->fd(), group->fd());
  EXPECT_EQ(group->path(), first);
  group->Kill();
  EXPECT_GE(group->fd(), 0);
  EXPECT_NE(group->path(), first);
  EXPECT_FALSE(std::filesystem::exists(first));
}

TEST(RunCgroupTest, RemovesWhatADeadRunnerLeft) {
  auto first = CreateHere();
  if (!first) GTEST_SKIP() << "no group can be made here: " << first.error().message;
  const std::string parent = std::filesystem::path(first->path()).parent_path();
  // A group as a killed runner leaves it: no process, no lock.
  const std::string leftover = parent + "/benchd-run-test-" + std::to_string(getpid());
  ASSERT_TRUE(std::filesystem::create_directory(leftover));
  const auto second = RunCgroup::CreateIn(first->path());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(std::filesystem::exists(leftover)) << "only the folder asked for is cleaned";
  ASSERT_FALSE(RunCgroup::CreateIn(parent)) << "its name is taken by the first group";
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_TRUE(std::filesystem::exists(first->path())) << "a locked group is alive";
}

}  // namespace
}  // namespace benchd
