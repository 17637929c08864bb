// Calls of perf_event_open(2) and the use of their results. The kernel is a fake, except in the
// last tests.

#include "daemon/launch/perf_counters.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// A kernel that has the specified counters, each with the specified values.
class FakeKernel {
 public:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // type, config
  struct Shown {
    std::uint64_t value = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
  };

  PerfEventOpen Open() {
    return
        [this](const perf_event_attr& attributes, pid_t pid, int) { return Open(attributes, pid); };
  }

  static constexpr Key kInstructions{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
  static constexpr Key kCycles{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
  static constexpr Key kBranchMisses{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES};
  static constexpr Key kCacheMisses{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES};
  static constexpr Key kTaskClock{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
  static constexpr Key kMigrations{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS};

  bool forbids_kernel = false;  ///< as perf_event_paranoid 2 does without CAP_PERFMON
  bool forbids_all = false;
  int unknown = ENOENT;  ///< the error for counters that it lacks
  std::map<Key, Shown> has = {
      {kInstructions, {1'000'000, 5'000, 5'000}}, {kCycles, {2'000'000, 5'000, 5'000}},
      {kBranchMisses, {300, 5'000, 5'000}},       {kCacheMisses, {40, 5'000, 5'000}},
      {kTaskClock, {5'000, 5'000, 5'000}},        {kMigrations, {0, 5'000, 5'000}}};
  std::vector<std::pair<perf_event_attr, pid_t>> asked;

 private:
  int Open(const perf_event_attr& attributes, pid_t pid) {
    asked.emplace_back(attributes, pid);
    if (forbids_all || (forbids_kernel && attributes.exclude_kernel == 0)) return -EACCES;
    const auto found = has.find({attributes.type, attributes.config});
    if (found == has.end()) return -unknown;
    int ends[2];
    if (pipe(ends) != 0) return -EMFILE;
    EXPECT_EQ(write(ends[1], &found->second, sizeof(Shown)), ssize_t{sizeof(Shown)});
    close(ends[1]);
    return ends[0];
  }
};

/// A root folder whose kernel.perf_event_paranoid is `level`.
class Root {
 public:
  explicit Root(const std::string& level) {
    std::filesystem::create_directories(folder_ / "proc/sys/kernel");
    std::ofstream(folder_ / "proc/sys/kernel/perf_event_paranoid") << level << "\n";
  }
  KernelFiles files() const { return KernelFiles(folder_.path()); }

  /// Adds a source of events. Only that of a core has `cpus`.
  Root& Has(const std::string& name, int type, const std::string& cpus) {
    const std::filesystem::path folder = folder_ / ("sys/bus/event_source/devices/" + name);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "type") << type << "\n";
    if (!cpus.empty()) std::ofstream(folder / "cpus") << cpus << "\n";
    return *this;
  }

 private:
  TempFolder folder_;
};

wire::RunFigures Read(const PerfSupport& support) {
  PerfCounters counters(support);
  counters.Open(4711);
  wire::RunFigures figures;
  counters.Read(figures);
  return figures;
}

std::vector<std::string> Names(const std::vector<wire::CounterFigure>& counters) {
  std::vector<std::string> names;
  for (const wire::CounterFigure& counter : counters) names.push_back(counter.metric);
  return names;
}

TEST(PerfSupportTest, AsksForTheWholeTreeFromExecOn) {
  FakeKernel kernel;
  const PerfSupport support(kernel.Open(), Root("2").files());
  kernel.asked.clear();
  PerfCounters counters(support);
  counters.Open(4711);
  ASSERT_EQ(kernel.asked.size(), PerfEvents().size());
  for (const auto& [attributes, pid] : kernel.asked) {
    EXPECT_EQ(pid, 4711);
    EXPECT_EQ(attributes.size, sizeof(perf_event_attr));
    EXPECT_EQ(attributes.inherit, 1U);
    EXPECT_EQ(attributes.disabled, 1U);
    EXPECT_EQ(attributes.enable_on_exec, 1U);
    EXPECT_EQ(attributes.exclude_kernel, 0U) << "counting the kernel was not forbidden";
    EXPECT_EQ(attributes.read_format, static_cast<unsigned>(PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                            PERF_FORMAT_TOTAL_TIME_RUNNING));
  }
}

// Values: FakeKernel::has.
TEST(PerfCountersTest, ReadsWhatTheKernelShows) {
  FakeKernel kernel;
  const PerfSupport support(kernel.Open(), Root("-1").files());
  EXPECT_TRUE(support.any());
  EXPECT_FALSE(support.user_only());
  EXPECT_EQ(support.Describe(),
            "instructions, cycles, branch_misses, cache_misses, task_clock, cpu_migrations");
  const wire::RunFigures figures = Read(support);
  EXPECT_EQ(Names(figures.counters),
            (std::vector<std::string>{"instructions", "cycles", "branch_misses", "cache_misses",
                                      "task_clock", "cpu_migrations"}));
  EXPECT_EQ(figures.counters[0].value, 1'000'000U);
  EXPECT_EQ(figures.counters[0].enabled_ns, 5'000U);
  EXPECT_EQ(figures.counters[5].value, 0U) << "0 migrations is a valid value";
  EXPECT_TRUE(figures.missing.empty());
  EXPECT_EQ(SmallestShare(figures.counters), std::nullopt);
}

TEST(PerfSupportTest, WithoutTheRightToTheKernelsWorkTheProgramsIsCountedAndThatIsSaid) {
  FakeKernel kernel;
  kernel.forbids_kernel = true;
  const PerfSupport support(kernel.Open(), Root("2").files());
  EXPECT_TRUE(support.user_only());
  EXPECT_WORDING(support.Describe());
  EXPECT_EQ(Read(support).counters.size(), 5U)
      << "migrations happen in the kernel: they would always be 0";
  for (const auto& [attributes, pid] : kernel.asked) {
    EXPECT_TRUE(pid == 0 || attributes.exclude_kernel == 1);
  }
}

TEST(PerfSupportTest, WhereAllIsForbiddenThereIsNoneForThatReason) {
  FakeKernel kernel;
  kernel.forbids_all = true;
  const PerfSupport support(kernel.Open(), Root("3").files());
  EXPECT_FALSE(support.any());
  EXPECT_FALSE(support.user_only());
  EXPECT_WORDING(support.WhyNot("instructions"));
  EXPECT_TRUE(Read(support).counters.empty());
}

TEST(PerfSupportTest, AVirtualMachineHasSoftwareCountersOnly) {
  FakeKernel kernel;
  for (const auto& key : {FakeKernel::kInstructions, FakeKernel::kCycles, FakeKernel::kBranchMisses,
                          FakeKernel::kCacheMisses}) {
    kernel.has.erase(key);
  }
  for (const int error : {ENOENT, EOPNOTSUPP, ENODEV, EINVAL}) {
    kernel.unknown = error;
    const PerfSupport support(kernel.Open(), Root("2").files());
    EXPECT_EQ(support.WhyNot("task_clock"), "");
    EXPECT_WORDING("instructions => " + support.WhyNot("instructions"));
    EXPECT_WORDING("misprints => " + support.WhyNot("misprints"));
    EXPECT_WORDING(support.Describe());
    EXPECT_EQ(Names(Read(support).counters),
              (std::vector<std::string>{"task_clock", "cpu_migrations"}));
  }
}

TEST(PerfSupportTest, AKernelWithoutTheCallIsNamed) {
  FakeKernel kernel;
  kernel.has.clear();
  kernel.unknown = ENOSYS;
  const PerfSupport support(kernel.Open(), Root("").files());
  EXPECT_WORDING(support.Describe());
}

TEST(PerfCountersTest, CountersThatTookTurnsKeepBothTimes) {
  FakeKernel kernel;
  kernel.has[FakeKernel::kInstructions] = {600, 1'000, 250};
  kernel.has[FakeKernel::kCycles] = {900, 1'000, 750};
  kernel.has[FakeKernel::kCacheMisses] = {0, 1'000, 0};
  const PerfSupport support(kernel.Open(), Root("-1").files());
  const wire::RunFigures figures = Read(support);
  EXPECT_EQ(figures.counters[0].running_ns, 250U);
  EXPECT_EQ(figures.counters[3].running_ns, 0U) << "it never had its turn, which is not a defect";
  EXPECT_TRUE(figures.missing.empty());
  EXPECT_EQ(SmallestShare(figures.counters), 0.0);
  EXPECT_EQ(SmallestShare(std::span(figures.counters).first(2)), 0.25);
}

// Intel's P and E cores, with the numbers of a Core i7-12700.
TEST(PerfCountersTest, CoresOfEachTypeHaveCountersOfTheirOwnThatAreAddedUp) {
  constexpr std::uint64_t kCore = 4;
  constexpr std::uint64_t kAtom = 10;
  Root root("-1");
  root.Has("cpu_core", kCore, "0-15").Has("cpu_atom", kAtom, "16-19").Has("uncore_imc", 12, "");
  FakeKernel kernel;
  const auto of = [](std::uint64_t type, const FakeKernel::Key& key) {
    return FakeKernel::Key{key.first, type << 32 | key.second};
  };
  for (const auto& key : {FakeKernel::kInstructions, FakeKernel::kCycles}) {
    kernel.has.erase(key);
    kernel.has[of(kCore, key)] = {900, 1'000, 750};
    kernel.has[of(kAtom, key)] = {60, 1'000, 250};
  }
  // A counter that only one type has.
  kernel.has[of(kAtom, FakeKernel::kBranchMisses)] = {7, 1'000, 1'000};
  kernel.has.erase(FakeKernel::kBranchMisses);
  const wire::RunFigures figures = Read(PerfSupport(kernel.Open(), root.files()));
  ASSERT_EQ(Names(figures.counters),
            (std::vector<std::string>{"instructions", "cycles", "branch_misses", "cache_misses",
                                      "task_clock", "cpu_migrations"}));
  EXPECT_EQ(figures.counters[0].value, 960U);
  EXPECT_EQ(figures.counters[0].enabled_ns, 1'000U);
  EXPECT_EQ(figures.counters[0].running_ns, 1'000U);
  EXPECT_EQ(figures.counters[2].value, 7U);
  EXPECT_EQ(figures.counters[3].value, 40U) << "a kernel without types has one counter";
}

TEST(PerfCountersTest, AMetricWhoseCounterNeverHadItsTurnIsMissingForThatReason) {
  FakeKernel kernel;
  kernel.has[FakeKernel::kCacheMisses] = {0, 1'000, 0};
  wire::RunFigures figures = Read(PerfSupport(kernel.Open(), Root("-1").files()));
  NameMissing({.named = {"instructions", "cache_misses"}}, figures);
  ASSERT_EQ(figures.missing.size(), 1U);
  EXPECT_EQ(figures.missing[0].metric, "cache_misses");
  EXPECT_WORDING(figures.missing[0].why);
}

TEST(PerfCountersTest, ACounterThatStandsStillIsNoZero) {
  FakeKernel kernel;
  kernel.has[FakeKernel::kCycles].value = 0;
  kernel.has[FakeKernel::kBranchMisses].value = 0;
  const PerfSupport support(kernel.Open(), Root("-1").files());
  const wire::RunFigures figures = Read(support);
  ASSERT_EQ(figures.missing.size(), 1U);
  EXPECT_EQ(figures.missing[0].metric, "cycles");
  EXPECT_WORDING(figures.missing[0].why);
  EXPECT_EQ(figures.counters[1].metric, "branch_misses") << "a program may have none of these";
}

// Seen with Linux 6.18, a set-user-ID shell of 26 ms: 7351 ns enabled.
TEST(PerfCountersTest, AProgramThatIsNotWatchedHasNoFigures) {
  FakeKernel kernel;
  for (auto& [key, shown] : kernel.has) shown = {300, 7351, 7351};
  const PerfSupport support(kernel.Open(), Root("-1").files());
  PerfCounters counters(support);
  counters.Open(4711);
  wire::RunFigures figures;
  figures.user_time_us = 20'000;
  figures.system_time_us = 6'000;
  counters.Read(figures);
  EXPECT_TRUE(figures.counters.empty());
  ASSERT_EQ(figures.missing.size(), PerfEvents().size());
  EXPECT_WORDING(figures.missing[0].why);

  counters.Open(4711);
  figures = {};
  figures.user_time_us = 20;
  counters.Read(figures);
  EXPECT_EQ(figures.counters.size(), PerfEvents().size()) << "a third of the time is enough";
}

TEST(PerfCountersTest, WhatIsRefusedForOneRunIsLeftOutOfThatOne) {
  FakeKernel kernel;
  const PerfSupport support(kernel.Open(), Root("-1").files());
  kernel.has.erase(FakeKernel::kCycles);
  const wire::RunFigures figures = Read(support);
  EXPECT_EQ(figures.counters.size(), PerfEvents().size() - 1);
  PerfCounters counters(support);
  EXPECT_FALSE(counters.open());
  counters.Open(1);
  EXPECT_TRUE(counters.open());
  counters.Close();
  EXPECT_FALSE(counters.open());
}

// ---- the real kernel ----

/// A process that waits until it may execute `argv`; its counters are opened meanwhile.
wire::RunFigures CountReally(const PerfSupport& support, std::vector<std::string> argv) {
  int gate[2];
  EXPECT_EQ(pipe(gate), 0);
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    char go = 0;
    if (read(gate[0], &go, 1) != 1) _exit(100);
    execv(words[0], words.data());
    _exit(101);
  }
  PerfCounters counters(support);
  counters.Open(pid);
  EXPECT_EQ(write(gate[1], "x", 1), 1);
  close(gate[0]);
  close(gate[1]);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  wire::RunFigures figures;
  counters.Read(figures);
  return figures;
}

TEST(PerfCountersTest, TheRealKernelCountsATreeAndNotItsStart) {
  const PerfSupport support(OpenPerfEvent, KernelFiles("/"));
  RecordProperty("counters", support.Describe());
  if (const std::string why = support.WhyNot("task_clock"); !why.empty()) GTEST_SKIP() << why;
  const auto alone = CountReally(support, {"/bin/true"});
  // The shell's children do the same work concurrently, in processes of their own.
  const auto tree = CountReally(
      support, {"/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do /bin/true & done; wait"});
  ASSERT_EQ(alone.counters.size(), tree.counters.size());
  for (std::size_t i = 0; i < alone.counters.size(); ++i) {
    const wire::CounterFigure& one = alone.counters[i];
    if (one.metric == "cpu_migrations") continue;
    EXPECT_GT(one.value, 0U) << one.metric;
    EXPECT_GT(tree.counters[i].value, 4 * one.value) << one.metric;
  }
}

TEST(PerfCountersTest, InstructionsAreSteadyWhereThereAreAny) {
  const PerfSupport support(OpenPerfEvent, KernelFiles("/"));
  if (const std::string why = support.WhyNot("instructions"); !why.empty()) {
    GTEST_SKIP() << "instructions: " << why;
  }
  const auto first = CountReally(support, {"/bin/true"});
  const auto second = CountReally(support, {"/bin/true"});
  EXPECT_NEAR(static_cast<double>(first.counters[0].value),
              static_cast<double>(second.counters[0].value),
              0.05 * static_cast<double>(first.counters[0].value));
}

}  // namespace
}  // namespace benchd
