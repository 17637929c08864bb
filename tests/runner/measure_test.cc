// What the runner reports about a child that exits normally.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/runner/runner_process.h"

namespace benchd {
namespace {

TEST(MeasureTest, TheFiguresOfTrueArePlausible) {
  RunnerProcess runner;
  const auto figures = runner.Run(ChildOf({"/bin/true"}));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.Succeeded());
  EXPECT_GT(figures->wall_time_ns, 10'000);          // an execve alone takes longer
  EXPECT_LT(figures->wall_time_ns, 10'000'000'000);  // and this machine is not that slow
  EXPECT_LE(figures->user_time_us + figures->system_time_us, figures->wall_time_ns / 1000 + 20'000);
  EXPECT_GT(figures->minor_faults, 10);  // its own pages and those of the C library
  EXPECT_GT(figures->max_rss_bytes, 100 * 1024);
  EXPECT_GT(figures->started_at_ns, 1'700'000'000'000'000'000);  // after November 2023
  EXPECT_EQ(figures->stderr_tail, "");
  EXPECT_EQ(figures->output, "");
  EXPECT_EQ(figures->parsed, "");
}

// 1.8 to 2.3 MiB with the C libraries of Debian 12 and 13, less than any program worth measuring.
constexpr std::uint64_t kFloor = 5 * 512 * 1024;

TEST(MeasureTest, TheRunnersOwnMemoryIsASmallFloor) {
#if defined(BENCHD_SANITIZED) || defined(BENCHD_COVERAGE)
  GTEST_SKIP() << "an instrumented runner is large";
#endif
  RunnerProcess runner;
  const auto figures = runner.Run(ChildOf({"/bin/true"}));
  ASSERT_TRUE(figures) << figures.error().message;
  RecordProperty("max_rss_bytes", std::to_string(figures->max_rss_bytes));
  EXPECT_LT(figures->max_rss_bytes, kFloor);
}

TEST(MeasureTest, ALargeLogDoesNotRaiseTheFloorForTheNextChild) {
#if defined(BENCHD_SANITIZED) || defined(BENCHD_COVERAGE)
  GTEST_SKIP() << "an instrumented runner is large";
#endif
  RunnerProcess runner;
  ASSERT_EQ(runner.OutputOf(ScriptOf("head -c 2000000 /dev/zero")).size(), 1024U * 1024U);
  const auto figures = runner.Run(ChildOf({"/bin/true"}));
  ASSERT_TRUE(figures);
  EXPECT_LT(figures->max_rss_bytes, kFloor);
}

TEST(MeasureTest, WallTimeCoversASleepAndCpuTimeDoesNot) {
  RunnerProcess runner;
  const auto figures = runner.Run(ChildOf({"/bin/sleep", "0.05"}));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_GE(figures->wall_time_ns, 50'000'000);
  EXPECT_LT(figures->user_time_us + figures->system_time_us, 50'000);
  EXPECT_GE(figures->voluntary_switches, 1);
}

TEST(MeasureTest, WhatItTookToSetTheChildUpIsNotItsOwn) {
  RunnerProcess runner;
  // Before execve, the child sleeps at its gate. The program itself does not sleep once its pages
  // are in memory. The switch away from it at its end counts.
  std::int64_t fewest_switches = 1000;
  for (int i = 0; i < 5; ++i) {
    const auto figures = runner.Run(ChildOf({"/bin/true"}));
    ASSERT_TRUE(figures) << figures.error().message;
    fewest_switches = std::min(fewest_switches, figures->voluntary_switches);
    EXPECT_GE(figures->user_time_us, 0);
    EXPECT_GE(figures->system_time_us, 0);
  }
  EXPECT_LE(fewest_switches, 1);
}

TEST(MeasureTest, TheRunnersTurnIsNotItsChildren) {
  RunnerProcess runner;
  // proc(5): field 19 of stat is the nice value, 40 the real-time priority, 41 the policy.
  EXPECT_EQ(runner.OutputOf(ScriptOf("cut -d' ' -f19,40,41 /proc/self/stat")), "0 0 0\n");
}

TEST(MeasureTest, MemoryOfTheChildIsItsOwn) {
  RunnerProcess runner;
  // dd takes one buffer of 64 MiB and fills it.
  const auto figures =
      runner.Run(ChildOf({"/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=64M", "count=1"}));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_GE(figures->max_rss_bytes, 64 * 1024 * 1024);
  EXPECT_LT(figures->max_rss_bytes, 80 * 1024 * 1024);
}

TEST(MeasureTest, ReportsExitCodes) {
  RunnerProcess runner;
  for (int code : {0, 1, 3, 127, 255}) {
    const auto figures = runner.Run(ScriptOf("exit " + std::to_string(code)));
    ASSERT_TRUE(figures) << figures.error().message;
    EXPECT_EQ(figures->exit, (RunExit{.code = code, .signal = 0, .timed_out = false}));
  }
}

TEST(MeasureTest, ReportsTheSignalThatEndedTheChild) {
  RunnerProcess runner;
  for (int signal : {SIGKILL, SIGTERM, SIGSEGV, SIGPIPE, SIGHUP, SIGINT}) {
    const auto figures = runner.Run(ScriptOf("kill -" + std::to_string(signal) + " $$"));
    ASSERT_TRUE(figures) << figures.error().message;
    EXPECT_EQ(figures->exit, (RunExit{.code = 0, .signal = signal, .timed_out = false}));
  }
}

TEST(MeasureTest, ServesManyRunsOfManyChildren) {
  RunnerProcess runner;
  for (std::uint32_t number : {0U, 1U}) {
    ChildSpec child = ScriptOf("exit " + std::to_string(number + 40));
    ASSERT_TRUE(runner.Open(child, number));
  }
  for (std::uint64_t request = 100; request < 300; ++request) {
    const auto child = static_cast<std::uint32_t>(request % 2);
    runner.Send(wire::RunBatch{{.runs = {{.child = child}}}}, request);
    const auto finished = runner.Await<wire::BatchFigures>();
    EXPECT_EQ(runner.answered(), request);
    ASSERT_TRUE(finished.result) << finished.result.error().message;
    ASSERT_EQ(finished.runs.size(), 1U);
    EXPECT_EQ(finished.runs[0].exit.code, static_cast<int>(child) + 40);
  }
}

TEST(MeasureTest, RefusesAChildThatWasNotOpenedAndASecondRunAtOnce) {
  RunnerProcess runner;
  runner.Start();
  EXPECT_EQ(runner.Finish().error().code, ErrorCode::kInvalidArgument);

  ASSERT_TRUE(runner.Open(ChildOf({"/bin/sleep", "1000"})));
  runner.Start();
  runner.Send(wire::RunBatch{{.runs = {{}}}}, 2);
  const auto refused = runner.Await<wire::BatchFigures>();
  EXPECT_EQ(runner.answered(), 2U);
  EXPECT_EQ(refused.result.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(runner.Open(ChildOf({"/bin/true"})).error().code, ErrorCode::kFailedPrecondition);
  runner.Send(wire::CancelRun{});
  EXPECT_EQ(runner.Finish().error().code, ErrorCode::kCancelled);
}

TEST(MeasureTest, ForgetsItsChildrenWhenTold) {
  RunnerProcess runner;
  ASSERT_TRUE(runner.Run(ChildOf({"/bin/true"})));
  runner.Send(wire::CloseChildren{}, 7);
  EXPECT_TRUE(runner.Await<Result<void>>());
  EXPECT_EQ(runner.answered(), 7U);
  runner.Start();
  EXPECT_EQ(runner.Finish().error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace benchd
