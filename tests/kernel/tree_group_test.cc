#include "daemon/kernel/tree_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/observe/sample.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Sentences = std::vector<std::string>;

std::string Here() { return OwnCgroupFolder(KernelFiles("/")).value_or(""); }

/// Whether a reason names `what`, and its controller if that belongs to version 1 here.
bool Names(const std::string& why, const std::string& what, std::string_view controller) {
  const std::string mountinfo = KernelFiles("/").Read("proc/self/mountinfo").value_or("");
  return why.find(what) != std::string::npos &&
         why.find(WhyVersion1(mountinfo, controller)) != std::string::npos;
}

/// Does `work` in the group and returns its exit code.
template <typename Work>
int RunIn(TreeGroup& group, Work work) {
  const int folder = group.fd();
  const pid_t pid = fork();
  if (pid == 0) {
    const int own = folder < 0 ? -1 : openat(folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (folder >= 0 && write(own, "0", 1) != 1) _exit(101);
    _exit(work());
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WEXITSTATUS(status);
}

TEST(TreeGroupTest, NowhereThereIsNoneAndALimitIsMissing) {
  TreeGroup group;
  EXPECT_EQ(group.Open("", {}), Sentences());
  EXPECT_FALSE(group.exists());
  EXPECT_EQ(group.fd(), -1);
  EXPECT_FALSE(group.limited());
  EXPECT_EQ(group.path(), "");
  const auto limited = group.LimitMemory(1 << 20);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(Names(limited.error().message, "memory limit", "memory")) << limited.error().message;
  EXPECT_TRUE(group.LimitMemory(kNoLimit));
  group.Kill();
  EXPECT_EQ(group.TakeHits(), "");

  TreeGroup limits;
  const Sentences missing = limits.Open("", {.memory_bytes = 1, .processes = 2});
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_TRUE(Names(missing[0], "memory limit", "memory")) << missing[0];
  EXPECT_TRUE(Names(missing[1], "process limit", "pids")) << missing[1];
  EXPECT_FALSE(limits.limited());
}

TEST(TreeGroupTest, HoldsALimitOfProcessesAndNamesIt) {
  TreeGroup group;
  if (const Sentences missing = group.Open(Here(), {.processes = 1}); !missing.empty()) {
    GTEST_SKIP() << missing[0];
  }
  EXPECT_TRUE(group.limited());
  EXPECT_EQ(group.held().processes, 1U);
  EXPECT_EQ(RunIn(group, [] { return fork() < 0 ? errno : 0; }), EAGAIN);
  const std::string hit = group.TakeHits();
  EXPECT_NE(hit.find("limit of 1 process"), std::string::npos) << hit;
  EXPECT_EQ(group.TakeHits(), "");
}

TEST(TreeGroupTest, TheSmallerLimitOfMemoryHolds) {
  constexpr std::uint64_t kMebibyte = 1024 * 1024;
  TreeGroup group;
  const Sentences missing = group.Open(Here(), {.memory_bytes = 256 * kMebibyte});
  if (!missing.empty()) GTEST_SKIP() << missing[0];
  EXPECT_EQ(group.held().memory_bytes, 256 * kMebibyte);
  ASSERT_TRUE(group.LimitMemory(64 * kMebibyte));
  EXPECT_EQ(group.held().memory_bytes, 64 * kMebibyte);
  ASSERT_TRUE(group.LimitMemory(512 * kMebibyte));
  EXPECT_EQ(group.held().memory_bytes, 256 * kMebibyte);
  ASSERT_TRUE(group.LimitMemory(kNoLimit));
  EXPECT_EQ(group.held().memory_bytes, 256 * kMebibyte);
}

TEST(TreeGroupTest, WhatARunLeavesInMemoryIsNotTheNextOnes) {
  constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;
  TreeGroup group;
  const Sentences missing = group.Open(Here(), {.memory_bytes = kLimit});
  if (!missing.empty()) GTEST_SKIP() << missing[0];
  const std::string first = group.path();
  group.LeaveCharges();
  EXPECT_EQ(group.path(), first) << "nothing was left";
  // Outlives the run that wrote it, like a file in /dev/shm.
  const int file = memfd_create("left", MFD_CLOEXEC);
  RunIn(group, [file] {
    const std::vector<char> block(1 << 20, 'x');
    for (int i = 0; i < 40; ++i) {
      if (write(file, block.data(), block.size()) < 0) return 1;
    }
    return 0;
  });
  group.LeaveCharges();
  EXPECT_NE(group.path(), first);
  EXPECT_EQ(RunIn(group,
                  [] {
                    const std::vector<char> all(40 << 20, 'x');
                    return all.back() == 'x' ? 0 : 1;
                  }),
            0)
      << "the next one has the whole limit";
  close(file);
}

TEST(TreeGroupTest, AnotherSessionHasAGroupOfItsOwn) {
  TreeGroup group;
  group.Open(Here(), {});
  if (!group.exists()) GTEST_SKIP() << "no group can be made here";
  const std::string first = group.path();
  group.Renew();
  EXPECT_NE(group.path(), first);
}

TEST(TreeGroupTest, CpuTimeIsCountedFromTheBeginOfTheRun) {
  TreeGroup group;
  group.Open(Here(), {});
  EXPECT_FALSE(group.ReadFigures().cpu_time_us) << "no run has begun";
  if (auto begun = group.BeginRun({.cpu_time = true}); !begun)
    GTEST_SKIP() << begun.error().message;
  const auto work = [] {
    std::uint64_t x = 1;
    for (int i = 0; i < 20'000'000; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
    return x == 0 ? 1 : 0;
  };
  std::vector<std::int64_t> used;
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(group.BeginRun({.cpu_time = true}));
    ASSERT_EQ(RunIn(group, work), 0);
    const TreeFigures figures = group.ReadFigures();
    ASSERT_TRUE(figures.cpu_time_us);
    EXPECT_FALSE(figures.memory_peak_bytes) << "it was not requested";
    used.push_back(*figures.cpu_time_us);
  }
  EXPECT_GT(used[0], 1'000);
  EXPECT_LT(used[1], 2 * used[0] + 10'000) << "the second run does not include the first";
}

TEST(TreeGroupTest, EachRunHasItsOwnMemoryPeak) {
  TreeGroup group;
  group.Open(Here(), {});
  if (auto begun = group.BeginRun({.memory_peak = true}); !begun) {
    GTEST_SKIP() << begun.error().message;
  }
  constexpr std::size_t kMebibyte = 1024 * 1024;
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::vector<std::int64_t> peaks;
  for (const std::size_t mebibytes : {std::size_t{32}, std::size_t{4}}) {
    ASSERT_TRUE(group.BeginRun({.memory_peak = true}));
    const auto take = [mebibytes, null] {
      const std::string memory(mebibytes * kMebibyte, 'x');
      return write(null, memory.data(), memory.size()) > 0 ? 0 : 1;
    };
    ASSERT_EQ(RunIn(group, take), 0);
    const TreeFigures figures = group.ReadFigures();
    ASSERT_TRUE(figures.memory_peak_bytes);
    peaks.push_back(*figures.memory_peak_bytes);
  }
  close(null);
  EXPECT_GE(peaks[0], static_cast<std::int64_t>(32 * kMebibyte));
  EXPECT_LT(peaks[1], static_cast<std::int64_t>(16 * kMebibyte));
}

TEST(TreeGroupTest, WhatNoGroupCountsIsRefusedByName) {
  TreeGroup group;
  group.Open("", {});
  EXPECT_TRUE(group.BeginRun({}));
  EXPECT_FALSE(group.ReadFigures().cpu_time_us) << "absent, not zero";
  const auto time = group.BeginRun({.cpu_time = true});
  ASSERT_FALSE(time);
  EXPECT_WORDING(time.error());
  const auto memory = group.BeginRun({.memory_peak = true});
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(Names(memory.error().message, "memory peak", "memory")) << memory.error().message;
}

/// A folder in the place of the control groups' folder: making and removing groups works the same.
class GroupFolder {
 public:
  GroupFolder() { EXPECT_EQ(chmod(folder_.path().c_str(), 0755), 0); }
  std::string path() const { return folder_.path(); }

  /// The name that TreeGroup would give a group with these numbers.
  std::string NameOf(const std::string& pid, const std::string& start) const {
    const auto group = TreeGroup::CreateIn(path());
    EXPECT_TRUE(group);
    const std::string name = std::filesystem::path(group->path()).filename();
    std::smatch parts;
    const std::regex shape("(benchd-run-)([0-9]+)-([0-9]+)(-[0-9]+-)[0-9]+");
    EXPECT_TRUE(std::regex_match(name, parts, shape)) << name;
    EXPECT_EQ(parts[2], std::to_string(getpid()));
    return parts[1].str() + (pid.empty() ? parts[2].str() : pid) + "-" +
           (start.empty() ? parts[3].str() : start) + parts[4].str() + "7";
  }
  std::string Make(const std::string& name) const {
    std::string made = path() + "/" + name;
    EXPECT_EQ(mkdir(made.c_str(), 0755), 0);
    return made;
  }

 private:
  const TempFolder folder_;
};

/// Holds the lock of a folder, as any process may that can open it.
UniqueFd Locked(const std::string& folder) {
  UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(flock(fd.get(), LOCK_EX | LOCK_NB), 0);
  return fd;
}

pid_t DeadPid() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  return pid;
}

TEST(TreeGroupLeftoverTest, ALockThatAnybodyCanTakeKeepsNoDeadRunnersGroup) {
  const GroupFolder parent;
  // Making a group removes leftovers.
  const std::string names[] = {parent.NameOf(std::to_string(DeadPid()), ""),
                               parent.NameOf("", "1")};
  const std::string dead = parent.Make(names[0]);
  const std::string reused = parent.Make(names[1]);
  const std::vector<UniqueFd> held = [&] {
    std::vector<UniqueFd> fds;
    for (const std::string& one : {dead, reused}) fds.push_back(Locked(one));
    return fds;
  }();
  TreeGroup::RemoveLeftovers(parent.path());
  EXPECT_NE(access(dead.c_str(), F_OK), 0) << "no process has that number";
  EXPECT_NE(access(reused.c_str(), F_OK), 0) << "it is another process's by now";
}

TEST(TreeGroupLeftoverTest, AZombieHasEnded) {
  const GroupFolder parent;
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  const auto stat = KernelFiles("/").Read("proc/" + std::to_string(pid) + "/stat");
  const std::string start = std::to_string(ParseProcess(*stat)->started_ticks);
  const std::string left = parent.Make(parent.NameOf(std::to_string(pid), start));
  TreeGroup::RemoveLeftovers(parent.path());
  EXPECT_NE(access(left.c_str(), F_OK), 0);
  waitpid(pid, nullptr, 0);
}

TEST(TreeGroupLeftoverTest, ALivingRunnersGroupStaysWithoutALock) {
  const GroupFolder parent;
  const auto init = KernelFiles("/").Read("proc/1/stat");
  const std::string started = std::to_string(ParseProcess(*init)->started_ticks);
  const std::string own = parent.Make(parent.NameOf("", ""));
  const std::string others = parent.Make(parent.NameOf("1", started));
  TreeGroup::RemoveLeftovers(parent.path());
  EXPECT_EQ(access(own.c_str(), F_OK), 0);
  EXPECT_EQ(access(others.c_str(), F_OK), 0);
}

TEST(TreeGroupLeftoverTest, WhereItsNumberMeansNothingTheLockDecides) {
  const GroupFolder parent;
  const std::string old = "benchd-run-" + std::to_string(DeadPid());
  const std::string elsewhere = "benchd-run-1-1-1-0";  // no namespace has that number
  for (const std::string& name : {old, old + "-3", elsewhere}) {
    const std::string made = parent.Make(name);
    {
      const UniqueFd lock = Locked(made);
      TreeGroup::RemoveLeftovers(parent.path());
      EXPECT_EQ(access(made.c_str(), F_OK), 0) << name;
    }
    TreeGroup::RemoveLeftovers(parent.path());
    EXPECT_NE(access(made.c_str(), F_OK), 0) << name;
  }
}

TEST(TreeGroupTest, NobodyElsesLockIsInTheWayOfANewGroup) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const GroupFolder parent;
  const pid_t attacker = fork();
  if (attacker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    constexpr uid_t kNobody = 65534;
    if (setresuid(kNobody, kNobody, kNobody) != 0) _exit(1);
    // Locks every folder that appears, for as long as it exists.
    for (int held = -1;;) {
      DIR* const listing = opendir(parent.path().c_str());
      while (const dirent* entry = listing == nullptr ? nullptr : readdir(listing)) {
        if (entry->d_name[0] == '.') continue;
        const std::string path = parent.path() + "/" + entry->d_name;
        const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
          close(fd);
          continue;
        }
        close(held);
        held = fd;
      }
      closedir(listing);
    }
  }
  int failed = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto group = TreeGroup::CreateIn(parent.path());
    failed += group ? 0 : 1;
    if (!group) continue;
    struct stat info {};
    ASSERT_EQ(stat(group->path().c_str(), &info), 0);
    ASSERT_EQ(info.st_mode & 07777, 0755U) << "every user may read it in the end";
  }
  kill(attacker, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(attacker, &status, 0), attacker);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it was there all the time";
  EXPECT_EQ(failed, 0);
}

TEST(TreeGroupTest, TwoOfThemDoNotMeet) {
  TreeGroup present;
  TreeGroup prepared;
  present.Open(Here(), {});
  prepared.Open(Here(), {});
  if (!present.exists()) GTEST_SKIP() << "no group can be made here";
  ASSERT_TRUE(prepared.exists());
  EXPECT_NE(present.path(), prepared.path());
}

}  // namespace
}  // namespace benchd
