// Figures of a whole process tree from a real runner, measured by control groups and kernel
// counters. Tests of figures that this machine lacks are skipped, with the reason.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "daemon/launch/perf_counters.h"
#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;

ChildSpec Asking(ChildSpec child, std::vector<std::string> metrics) {
  child.metrics = std::move(metrics);
  return child;
}

std::string WhyNot(const std::string& metric) {
  return PerfSupport(OpenPerfEvent, KernelFiles("/")).WhyNot(metric);
}

std::optional<wire::CounterFigure> Find(const wire::RunFigures& figures, const std::string& name) {
  for (const wire::CounterFigure& counter : figures.counters) {
    if (counter.metric == name) return counter;
  }
  return std::nullopt;
}

class CountedTest : public testing::Test {
 protected:
  Result<wire::RunFigures> Run(ChildSpec child) { return runner_.Run(std::move(child)); }
  /// Why control groups do not yield a figure here; empty if they do.
  std::string Refused(const std::string& metric) {
    auto opened = runner_.Open(Asking(ChildOf({"/bin/true"}), {metric}));
    return opened ? "" : opened.error().message;
  }

  RunnerProcess runner_;
};

TEST_F(CountedTest, WhoDoesNotAskGetsWhatCostsNothing) {
  const auto figures = Run(ChildOf({"/bin/true"}));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->counters.empty());
  EXPECT_FALSE(figures->Find("tree_memory_peak"));
  EXPECT_TRUE(figures->missing.empty());
}

// On any kernel, a timer interrupts each CPU that is busy for this long.
TEST_F(CountedTest, InterruptsOnItsCpuAreCountedForWhoAsks) {
  ChildSpec child =
      Asking(ScriptOf("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"), {"interrupts"});
  child.cpus = {runner_.hello().benchmark_cpus.front()};
  const auto figures = Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->missing.empty());
  ASSERT_TRUE(figures->Find("interrupts"));
  EXPECT_GT(*figures->Find("interrupts"), 0);
  EXPECT_FALSE(figures->Find("migrations")) << "there is no other CPU";
}

TEST_F(CountedTest, WhoseCpusItCouldBeAnywhereNobodyCounts) {
  const auto figures = Run(Asking(ChildOf({"/bin/true"}), {"interrupts"}));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_FALSE(figures->Find("interrupts"));
  ASSERT_EQ(figures->missing.size(), 1U);
  EXPECT_EQ(figures->missing[0].metric, "interrupts");
  EXPECT_WORDING(figures->missing[0].why);
}

// Metrics that are slow to read are left out of short runs, and of first runs, whose duration is
// unknown.
TEST_F(CountedTest, WhatIsReadUnaskedDependsOnHowLongRunsTake) {
  ChildSpec child = ChildOf({"/bin/sleep", "0.2"});
  child.cpus = {runner_.hello().benchmark_cpus.front()};
  ASSERT_TRUE(runner_.Open(child));
  Batch batch{.budget = std::chrono::minutes(1)};
  batch.runs.resize(3);
  runner_.Send(wire::RunBatch{batch});
  const auto finished = runner_.Await<wire::BatchFigures>();
  ASSERT_EQ(finished.runs.size(), 3U);
  EXPECT_TRUE(finished.runs[2].Find("interrupts")) << "two readings take less than ½ % of 0.2 s";
}

TEST_F(CountedTest, ACounterThatIsMissingIsRefusedByNameBeforeAnythingRan) {
  const std::string why = WhyNot("instructions");
  if (why.empty()) GTEST_SKIP() << "this machine has instructions";
  const auto opened = runner_.Open(Asking(ChildOf({"/bin/true"}), {"instructions"}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(opened.error(), {{why, "WHY"}});
}

TEST_F(CountedTest, AMetricThatNobodyKnowsIsRefused) {
  const auto opened = runner_.Open(Asking(ChildOf({"/bin/true"}), {"typos"}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(opened.error());
}

// The tree's clock runs from execve on: it includes all descendants but not the child's start.
TEST_F(CountedTest, TaskClockIsTheWholeTreesFromExecOn) {
  if (const auto why = WhyNot("task_clock"); !why.empty()) GTEST_SKIP() << why;
  // The shell does not wait for its grandchild, so rusage does not include it.
  const auto tree = Run(
      Asking(ScriptOf("p=$(mktemp -u); mkfifo $p; ( ( i=0; while [ $i -lt 200000 ]; do i=$((i+1)); "
                      "done; echo >$p ) & ); read l <$p; rm $p"),
             {"task_clock"}));
  ASSERT_TRUE(tree) << tree.error().message;
  ASSERT_TRUE(tree->exit.Succeeded()) << tree->stderr_tail;
  const auto clock = Find(*tree, "task_clock");
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->enabled_ns, clock->running_ns);
  const std::int64_t waited_for_us = tree->user_time_us + tree->system_time_us;
  EXPECT_GT(static_cast<std::int64_t>(clock->value / 1000), 2 * waited_for_us);
  EXPECT_TRUE(tree->missing.empty());
}

TEST_F(CountedTest, TaskClockOfOneProcessIsItsCpuTime) {
  if (const auto why = WhyNot("task_clock"); !why.empty()) GTEST_SKIP() << why;
  const auto figures =
      Run(Asking(ScriptOf("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"), {"task_clock"}));
  ASSERT_TRUE(figures) << figures.error().message;
  const auto clock = Find(*figures, "task_clock");
  ASSERT_TRUE(clock);
  const double cpu_us = static_cast<double>(figures->user_time_us + figures->system_time_us);
  // rusage also includes the child's start, which takes long on a busy host.
  EXPECT_NEAR(static_cast<double>(clock->value) / 1000, cpu_us, 0.1 * cpu_us + 2'000);
}

TEST_F(CountedTest, CountersDoNotLeakIntoTheChild) {
  if (const auto why = WhyNot("task_clock"); !why.empty()) GTEST_SKIP() << why;
  ChildSpec child = Asking(ScriptOf("ls -l /proc/$$/fd"), {"task_clock"});
  const std::string printed = runner_.OutputOf(std::move(child));
  EXPECT_NE(printed.find("/dev/null"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("perf_event"), std::string::npos) << printed;
}

TEST_F(CountedTest, EveryRunOfABatchHasItsOwnCounts) {
  if (const auto why = WhyNot("task_clock"); !why.empty()) GTEST_SKIP() << why;
  const std::string loop = "i=0; while [ $i -lt $N ]; do i=$((i+1)); done";
  for (std::uint32_t number : {0U, 1U}) {
    ChildSpec child =
        Asking(ScriptOf("N=" + std::to_string(number == 0 ? 1'000 : 100'000) + "; " + loop),
               {"task_clock"});
    ASSERT_TRUE(runner_.Open(std::move(child), number));
  }
  Batch batch{.budget = std::chrono::minutes(1)};
  for (const std::uint32_t child : {0U, 1U, 0U, 1U, 1U, 0U}) batch.runs.push_back({.child = child});
  runner_.Send(wire::RunBatch{batch});
  const auto finished = runner_.Await<wire::BatchFigures>();
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  ASSERT_EQ(finished.runs.size(), batch.runs.size());
  // This includes disturbances by others, but no multiple of an earlier run: the long ones take a
  // hundred times as long.
  std::uint64_t most_of_short = 0;
  std::uint64_t least_of_long = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < finished.runs.size(); ++i) {
    const auto clock = Find(finished.runs[i], "task_clock");
    ASSERT_TRUE(clock) << "run " << i;
    const auto value = static_cast<std::uint64_t>(clock->value);
    if (batch.runs[i].child == 0) most_of_short = std::max(most_of_short, value);
    if (batch.runs[i].child == 1) least_of_long = std::min(least_of_long, value);
  }
  EXPECT_GT(most_of_short, 0U);
  EXPECT_LT(most_of_short, least_of_long);
}

TEST_F(CountedTest, ASetUserIdProgramIsNotWatchedAndThatIsSaid) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make such a program";
  if (const auto why = WhyNot("task_clock"); !why.empty()) GTEST_SKIP() << why;
  const TempFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  std::filesystem::copy_file("/bin/sh", folder / "sh");
  std::filesystem::permissions(folder / "sh", std::filesystem::perms{04755});
  ChildSpec child =
      Asking(ChildOf({folder / "sh", "-c", "i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done"}),
             {"task_clock"});
  child.caller = NobodyCaller();
  const auto figures = Run(std::move(child));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.Succeeded());
  EXPECT_FALSE(Find(*figures, "task_clock"));
  ASSERT_EQ(figures->missing.size(), 1U);
  EXPECT_EQ(figures->missing[0].metric, "task_clock");
  EXPECT_WORDING(figures->missing[0].why);
}

TEST(CountedAsNobodyTest, CountersWorkWithoutAnyPrivilege) {
  if (auto why = CannotStartAs(RunnerIds::kNobody); !why.empty()) GTEST_SKIP() << why;
  RunnerProcess runner(RunnerIds::kNobody);
  ChildSpec child = Asking(ChildOf({"/bin/true"}), {"task_clock"});
  child.caller = NobodyCaller();
  const auto figures = runner.Run(std::move(child));
  if (!figures) {
    EXPECT_NE(figures.error().message.find("kernel.perf_event_paranoid is"), std::string::npos)
        << figures.error().message;
    GTEST_SKIP() << figures.error().message;
  }
  const auto clock = Find(*figures, "task_clock");
  ASSERT_TRUE(clock);
  EXPECT_GT(clock->value, 0U);
}

TEST(CountedByConfigurationTest, CountersForEveryRunWhereTheConfigurationSaysSo) {
  if (const auto why = WhyNot("task_clock"); !why.empty()) GTEST_SKIP() << why;
  const TempFolder folder;
  RunnerProcess runner(RunnerIds::kOwn, nullptr,
                       {"--config", folder.Put("benchd.toml", "[runner]\ncounters = true\n")});
  const auto figures = runner.Run(ChildOf({"/bin/true"}));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(Find(*figures, "task_clock"));
}

// ---- control groups ----

TEST_F(CountedTest, TreeCpuTimeHasThoseThatNobodyWaitedFor) {
  if (const auto why = Refused("tree_cpu_time"); !why.empty()) GTEST_SKIP() << why;
  const auto figures = Run(Asking(
      ScriptOf("p=$(mktemp -u); mkfifo $p; ( ( i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; "
               "echo >$p ) & ); read l <$p; rm $p"),
      {"tree_cpu_time"}));
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_TRUE(figures->exit.Succeeded()) << figures->stderr_tail;
  ASSERT_TRUE(figures->Find("tree_cpu_time"));
  EXPECT_GT(*figures->Find("tree_cpu_time"), 2 * (figures->user_time_us + figures->system_time_us));
}

TEST_F(CountedTest, TreeCpuTimeIsEachRunsOwn) {
  if (const auto why = Refused("tree_cpu_time"); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(runner_.Open(
      Asking(ScriptOf("i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"), {"tree_cpu_time"})));
  Batch batch{.budget = std::chrono::minutes(1)};
  batch.runs.resize(5);
  runner_.Send(wire::RunBatch{batch});
  const auto finished = runner_.Await<wire::BatchFigures>();
  ASSERT_EQ(finished.runs.size(), 5U);
  for (const wire::RunFigures& run : finished.runs) {
    ASSERT_TRUE(run.Find("tree_cpu_time"));
    const double cpu_us = static_cast<double>(run.user_time_us + run.system_time_us);
    EXPECT_NEAR(static_cast<double>(*run.Find("tree_cpu_time")), cpu_us, 0.1 * cpu_us + 2'000);
  }
}

TEST_F(CountedTest, TreeMemoryPeakIsThatOfAllProcessesTogether) {
  if (const auto why = Refused("tree_memory_peak"); !why.empty()) GTEST_SKIP() << why;
  // Two processes of 32 MiB each, which hold their memory until their output is read. max_rss
  // includes neither.
  const std::string two =
      "d=$(mktemp -d); mkfifo $d/r; exec 8<>$d/r; for i in 1 2; do dd if=/dev/zero bs=32M count=1 "
      "2>/dev/null | (head -c 1 >/dev/null; echo >&8; sleep 1000) & done; read a <&8; read b <&8; "
      "rm -r $d";
  const auto figures = Run(Asking(ScriptOf(two), {"tree_memory_peak"}));
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_TRUE(figures->Find("tree_memory_peak"));
  EXPECT_GE(*figures->Find("tree_memory_peak"), 64 * kMebibyte);
  EXPECT_LT(*figures->Find("tree_memory_peak"), 96 * kMebibyte);
#ifndef BENCHD_SANITIZED  // a sanitizer's runner is large, and the floor of its children
  EXPECT_LT(figures->max_rss_bytes, 16 * kMebibyte);
#endif

  const auto small = Run(Asking(ChildOf({"/bin/true"}), {"tree_memory_peak"}));
  ASSERT_TRUE(small) << small.error().message;
  ASSERT_TRUE(small->Find("tree_memory_peak"));
  EXPECT_LT(*small->Find("tree_memory_peak"), 8 * kMebibyte) << "it includes the previous run";
}

TEST(CountedAsNobodyTest, WithoutAControlGroupTheTreesFiguresAreAbsentAndRefusedByName) {
  if (auto why = CannotStartAs(RunnerIds::kNobody); !why.empty()) GTEST_SKIP() << why;
  RunnerProcess runner(RunnerIds::kNobody);
  ChildSpec child = ChildOf({"/bin/true"});
  child.caller = NobodyCaller();
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  if (figures->Find("tree_cpu_time")) GTEST_SKIP() << "control groups cannot be created here";
  for (const std::string metric : {"tree_cpu_time", "tree_memory_peak"}) {
    const auto opened = runner.Open(Asking(child, {metric}));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_TRUE(opened.error().message.starts_with("metric " + metric + ": "))
        << opened.error().message;
  }
}

// ---- bytes ----

TEST_F(CountedTest, BytesWrittenToADiskAreCounted) {
  const TempFolder folder;
  const auto idle = Run(ChildOf({"/bin/true"}));
  ASSERT_TRUE(idle) << idle.error().message;
  if (!idle->Find("write_bytes")) GTEST_SKIP() << "this kernel does not count them";
  // Pages of other files, or the file's own metadata, may be added.
  constexpr std::int64_t kMore = kMebibyte / 4;
  EXPECT_LE(*idle->Find("write_bytes"), kMore);
  const auto busy = Run(
      Asking(ChildOf({"/bin/dd", "if=/dev/zero", "of=" + (folder / "file"), "bs=1M", "count=8"}),
             {"write_bytes", "read_bytes"}));
  ASSERT_TRUE(busy) << busy.error().message;
  if (*busy->Find("write_bytes") < kMore) GTEST_SKIP() << "the temporary folder is in memory";
  EXPECT_GE(*busy->Find("write_bytes"), 8 * kMebibyte);
  EXPECT_LE(*busy->Find("write_bytes"), 8 * kMebibyte + kMore);
}

}  // namespace
}  // namespace benchd
