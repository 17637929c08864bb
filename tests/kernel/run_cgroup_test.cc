#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/tree_group.h"

namespace benchd {
namespace {

TEST(RunCgroupTest, SaysWhichFolderItCouldNotMake) {
  const auto group = TreeGroup::CreateIn("/proc/nowhere");
  ASSERT_FALSE(group);
  EXPECT_NE(group.error().message.find("/proc/nowhere/benchd-run-"), std::string::npos);
}

/// Forks a child that does `work` and is in `group` from its start.
template <typename Work>
pid_t StartIn(const TreeGroup& group, Work work) {
  const int file = open((group.path() + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  const pid_t pid = fork();
  if (pid == 0) {
    if (write(file, "0", 1) != 1) _exit(100);
    work();
    _exit(0);
  }
  close(file);
  return pid;
}

/// Forks a child that waits forever, or until `group` is killed.
pid_t SleepIn(const TreeGroup& group) {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  std::ofstream(group.path() + "/cgroup.procs") << pid << std::flush;
  return pid;
}

/// Creates a group below the test's own.
Result<TreeGroup> CreateHere() {
  auto folder = OwnCgroupFolder(KernelFiles("/"));
  if (!folder) return std::move(folder).error();
  return TreeGroup::CreateIn(*folder);
}

int StatusOf(pid_t pid) {
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return status;
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
  { TreeGroup gone = std::move(*group); }
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
  // A group as a killed runner leaves it: without processes or a lock.
  const std::string leftover = parent + "/benchd-run-test-" + std::to_string(getpid());
  ASSERT_TRUE(std::filesystem::create_directory(leftover));
  const auto second = TreeGroup::CreateIn(first->path());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(std::filesystem::exists(leftover)) << "only the given folder is cleaned";
  const auto third = TreeGroup::CreateIn(parent);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_NE(third->path(), first->path());
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_TRUE(std::filesystem::exists(first->path())) << "a locked group is alive";
}

TEST(RunCgroupTest, KillsAChainOfForks) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  const std::string path = group->path();
  // Each process forks the next and exits, at most 5000 times, so a list of pids is always out of
  // date. All hold the pipe.
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = StartIn(*group, [&ends] {
    if (write(ends[1], "x", 1) != 1) _exit(101);
    for (int link = 0; link < 5000; ++link) {
      if (fork() > 0) _exit(0);
    }
    for (;;) pause();
  });
  close(ends[1]);
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  group->Kill();
  StatusOf(pid);
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the last process that holds the other end has exited";
  close(ends[0]);
  { TreeGroup gone = std::move(*group); }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RunCgroupTest, KillsOneThatIsStoppedAndIgnoresEverything) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  const pid_t pid = StartIn(*group, [] {
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
    raise(SIGSTOP);
  });
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
  group->Kill();
  status = StatusOf(pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(RunCgroupTest, CountsProcessesAndTellsWhoWantedMore) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  if (!group->CanLimitProcesses()) GTEST_SKIP() << "nothing counts processes here";
  ASSERT_TRUE(group->LimitProcesses(1));
  const auto fork_once = [] { _exit(fork() < 0 ? errno : 0); };
  EXPECT_EQ(WEXITSTATUS(StatusOf(StartIn(*group, fork_once))), EAGAIN);
  const std::string hit = group->TakeHits();
  EXPECT_NE(hit.find("limit of 1 process"), std::string::npos) << hit;
  EXPECT_EQ(group->TakeHits(), "") << "reported once";
  ASSERT_TRUE(group->LimitProcesses(kNoLimit));
  EXPECT_EQ(WEXITSTATUS(StatusOf(StartIn(*group, fork_once))), 0);
  EXPECT_EQ(group->TakeHits(), "");
  group->Kill();
}

TEST(RunCgroupTest, LimitsMemoryAndTellsWhoTookMore) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  if (!group->CanLimitMemory()) GTEST_SKIP() << "nothing counts memory here";
  constexpr std::size_t kMebibyte = 1024 * 1024;
  auto limited = group->LimitMemory(32 * kMebibyte);
  ASSERT_TRUE(limited) << limited.error().message;
  const auto take = [] {
    // Not by malloc(): a sanitizer's needs more than the limit.
    void* const pages =
        mmap(nullptr, 128 * kMebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) _exit(102);
    // volatile, because the compiler may remove writes that are never read.
    volatile char* const memory = static_cast<char*>(pages);
    for (std::size_t i = 0; i < 128 * kMebibyte; i += 4096) memory[i] = static_cast<char>(i);
  };
  const int status = StatusOf(StartIn(*group, take));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const std::string hit = group->TakeHits();
  EXPECT_NE(hit.find("limit of 32 MiB"), std::string::npos) << hit;
  EXPECT_EQ(group->TakeHits(), "");
  ASSERT_TRUE(group->LimitMemory(kNoLimit));
  EXPECT_EQ(StatusOf(StartIn(*group, take)), 0);
}

TEST(RunCgroupTest, KeepsItsLimitsInTheFolderAfterAKill) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  if (!group->CanLimitProcesses()) GTEST_SKIP() << "nothing counts processes here";
  ASSERT_TRUE(group->LimitProcesses(7));
  const std::string first = group->path();
  group->Kill();
  EXPECT_GE(group->fd(), 0);
  EXPECT_NE(group->path(), first);
  std::string limit;
  std::ifstream(group->path() + "/pids.max") >> limit;
  EXPECT_EQ(limit, "7");
}

TEST(RunCgroupTest, WithoutTheControllerALimitIsRefused) {
  auto group = CreateHere();
  if (!group) GTEST_SKIP() << "no group can be made here: " << group.error().message;
  if (group->CanLimitMemory() || group->CanLimitProcesses())
    GTEST_SKIP() << "both controllers are available";
  EXPECT_FALSE(group->LimitMemory(1 << 20));
  EXPECT_FALSE(group->LimitProcesses(10));
  EXPECT_TRUE(group->LimitProcesses(kNoLimit));
}

}  // namespace
}  // namespace benchd
