#include "daemon/system/run_groups.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

namespace benchd {
namespace {

RunGroupPlaces Places() { return RunGroupPlaces::FindBeside(RunCgroup::OwnFolder().value_or("")); }

/// Does `work` in all groups; its exit code.
template <typename Work>
int RunIn(RunGroups& groups, Work work) {
  const int folder = groups.clone_fd();
  const auto joined = groups.joined_fds();
  const pid_t pid = fork();
  if (pid == 0) {
    const int own = folder < 0 ? -1 : openat(folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (folder >= 0 && write(own, "0", 1) != 1) _exit(101);
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

TEST(RunGroupsTest, WhatARunLeavesInMemoryIsNotTheNextOnes) {
  constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;
  RunGroups groups;
  const std::string missing = groups.Open(Places(), {.memory_bytes = kLimit});
  if (!missing.empty()) GTEST_SKIP() << missing;
  const std::string first = groups.Describe();
  groups.LeaveCharges();
  EXPECT_EQ(groups.Describe(), first) << "nothing was left";
  // Outlives the run that wrote it, as a file in /dev/shm does.
  const int file = memfd_create("left", MFD_CLOEXEC);
  RunIn(groups, [file] {
    const std::vector<char> block(1 << 20, 'x');
    for (int i = 0; i < 40; ++i) {
      if (write(file, block.data(), block.size()) < 0) return 1;
    }
    return 0;
  });
  groups.LeaveCharges();
  EXPECT_NE(groups.Describe(), first);
  EXPECT_EQ(RunIn(groups,
                  [] {
                    const std::vector<char> all(40 << 20, 'x');
                    return all.back() == 'x' ? 0 : 1;
                  }),
            0)
      << "the next one has the whole limit";
  close(file);
}

TEST(RunGroupsTest, AnotherSessionHasGroupsOfItsOwn) {
  RunGroups groups;
  groups.Open(Places(), {});
  if (!groups.any()) GTEST_SKIP() << "no group can be made here";
  const std::string first = groups.Describe();
  groups.Renew();
  EXPECT_NE(groups.Describe(), first);
}

TEST(RunGroupsTest, CpuTimeIsCountedFromTheBeginOfTheRun) {
  RunGroups groups;
  groups.Open(Places(), {});
  EXPECT_FALSE(groups.ReadFigures().cpu_time_us) << "no run has begun";
  if (auto begun = groups.BeginRun({.cpu_time = true}); !begun)
    GTEST_SKIP() << begun.error().message;
  const auto work = [] {
    std::uint64_t x = 1;
    for (int i = 0; i < 20'000'000; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
    return x == 0 ? 1 : 0;
  };
  std::vector<std::int64_t> used;
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(groups.BeginRun({.cpu_time = true}));
    ASSERT_EQ(RunIn(groups, work), 0);
    const TreeFigures figures = groups.ReadFigures();
    ASSERT_TRUE(figures.cpu_time_us);
    EXPECT_FALSE(figures.memory_peak_bytes) << "nobody asked";
    used.push_back(*figures.cpu_time_us);
  }
  EXPECT_GT(used[0], 1'000);
  EXPECT_LT(used[1], 2 * used[0] + 10'000) << "the first run's are not the second's";
}

TEST(RunGroupsTest, EachRunHasItsOwnMemoryPeak) {
  RunGroups groups;
  groups.Open(Places(), {});
  if (auto begun = groups.BeginRun({.memory_peak = true}); !begun) {
    GTEST_SKIP() << begun.error().message;
  }
  constexpr std::size_t kMebibyte = 1024 * 1024;
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::vector<std::int64_t> peaks;
  for (const std::size_t mebibytes : {std::size_t{32}, std::size_t{4}}) {
    ASSERT_TRUE(groups.BeginRun({.memory_peak = true}));
    const auto take = [mebibytes, null] {
      const std::string memory(mebibytes * kMebibyte, 'x');
      return write(null, memory.data(), memory.size()) > 0 ? 0 : 1;
    };
    ASSERT_EQ(RunIn(groups, take), 0);
    const TreeFigures figures = groups.ReadFigures();
    ASSERT_TRUE(figures.memory_peak_bytes);
    peaks.push_back(*figures.memory_peak_bytes);
  }
  close(null);
  EXPECT_GE(peaks[0], static_cast<std::int64_t>(32 * kMebibyte));
  EXPECT_LT(peaks[1], static_cast<std::int64_t>(16 * kMebibyte));
}

TEST(RunGroupsTest, GroupsForFiguresAreGoneWhenNobodyNeedsThemAnyMore) {
  RunGroups groups;
  groups.Open(Places(), {});
  const std::string before = groups.Describe();
  if (auto begun = groups.BeginRun({.cpu_time = true, .memory_peak = true}); !begun) {
    GTEST_SKIP() << begun.error().message;
  }
  ASSERT_TRUE(groups.BeginRun({}));
  EXPECT_EQ(groups.Describe().substr(0, groups.Describe().rfind("benchd-run-")),
            before.substr(0, before.rfind("benchd-run-")));
  EXPECT_FALSE(groups.ReadFigures().memory_peak_bytes);
}

TEST(RunGroupsTest, WhatNoGroupCountsIsRefusedByName) {
  RunGroups groups;
  groups.Open({}, {});
  EXPECT_TRUE(groups.BeginRun({}));
  EXPECT_FALSE(groups.ReadFigures().cpu_time_us) << "absent, not zero";
  const auto time = groups.BeginRun({.cpu_time = true});
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().message,
            "no control group counts it: no control group can be made here for CPU time");
  const auto memory = groups.BeginRun({.memory_peak = true});
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().message,
            "no control group counts it: no control group can be made here for the peak of memory");
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
