// No process survives a run, whichever way it ends. Also tests which peers a runner accepts.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "daemon/wire/channel.h"
#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::int64_t kNanosPerMillisecond = 1'000'000;

/// With the test's own ids, and as nobody. As root there is a control group; as nobody there is
/// none, and the tree is found through its parents.
class LifetimeTest : public testing::TestWithParam<RunnerIds> {
 protected:
  void SetUp() override {
    if (auto why = CannotStartAs(GetParam()); !why.empty()) GTEST_SKIP() << why;
    runner_ = std::make_unique<RunnerProcess>(GetParam());
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  }

  /// A script whose processes hold the leash as descriptor 9.
  ChildSpec Leashed(const std::string& script) const {
    ChildSpec child = ScriptOf("exec 9>" + leash_.path() + "; " + script);
    if (GetParam() == RunnerIds::kNobody) child.caller = NobodyCaller();
    return child;
  }

  const TempFolder folder_;
  const Leash leash_{folder_};
  std::unique_ptr<RunnerProcess> runner_;
};

TEST_P(LifetimeTest, ATimeoutKillsTheChildWithItsGrandchildren) {
  const auto figures = runner_->Run(Leashed("sleep 1000 & (sleep 1000 & sleep 1000) & sleep 1000"),
                                    200 * kNanosPerMillisecond);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.timed_out);
  EXPECT_EQ(figures->exit.signal, SIGKILL);
  // The timeout includes the start, which a loaded machine delays.
  EXPECT_GT(figures->wall_time_ns, 0);
  EXPECT_LT(figures->wall_time_ns, 30'000 * kNanosPerMillisecond);
  leash_.AwaitEnd();
}

TEST_P(LifetimeTest, ADaemonThatLeftItsSessionDiesWithTheRun) {
  const auto figures = runner_->Run(
      Leashed("setsid sh -c 'setsid sleep 1000 & exec sleep 1000' </dev/null >/dev/null 2>&1 & "
              "exit 3"));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->exit.code, 3);
  leash_.AwaitEnd();
}

TEST_P(LifetimeTest, AChainOfForksIsCaught) {
  // Each link forks the next and exits. If it escaped, it would end after 5000 links.
  const auto figures =
      runner_->Run(Leashed("n=0; f() { n=$((n+1)); [ $n -lt 5000 ] && f & }; f; exit 0"));
  ASSERT_TRUE(figures) << figures.error().message;
  leash_.AwaitEnd();
}

TEST_P(LifetimeTest, AChildThatIgnoresEverySignalDies) {
  const auto figures = runner_->Run(Leashed("trap '' TERM INT HUP; while :; do sleep 1000; done"),
                                    100 * kNanosPerMillisecond);
  ASSERT_TRUE(figures);
  EXPECT_TRUE(figures->exit.timed_out);
  leash_.AwaitEnd();
}

TEST_P(LifetimeTest, AStoppedChildDies) {
  const auto figures = runner_->Run(Leashed("kill -STOP $$"), 100 * kNanosPerMillisecond);
  ASSERT_TRUE(figures);
  EXPECT_TRUE(figures->exit.timed_out);
  leash_.AwaitEnd();
}

TEST_P(LifetimeTest, AProcessThatHoldsStdoutDoesNotHoldUpTheRun) {
  ChildSpec child = Leashed("echo early; sleep 1000 & exit 0");
  child.output = OutputKind::kLog;
  const auto figures = runner_->Run(child);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->output, "early\n");
  leash_.AwaitEnd();
}

/// Seizes processes like a debugger, and waits for none of them before its own end.
class Tracer {
 public:
  Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  ~Tracer() {
    for (const pid_t pid : seized_) waitpid(pid, nullptr, __WALL);
  }

  bool Seize(const std::string& pid) {
    const pid_t number = std::stoi(pid);
    if (ptrace(PTRACE_SEIZE, number, 0, 0) != 0) return false;
    seized_.push_back(number);
    return true;
  }

 private:
  std::vector<pid_t> seized_;
};

TEST_P(LifetimeTest, WhatIsTracedAndDeadIsNotLeftBehind) {
  ASSERT_TRUE(runner_->Open(Leashed("sleep 1000 & echo $! >&9; sleep 1")));
  runner_->Start();
  Tracer tracer;
  if (!tracer.Seize(leash_.ReadLine())) GTEST_SKIP() << "it may not be traced";
  const auto figures = runner_->Finish();
  EXPECT_TRUE(figures) << figures.error().message;
  leash_.AwaitEnd();
  const auto next = runner_->Run(Leashed("exit 0"));
  EXPECT_TRUE(next) << next.error().message;
}

TEST_P(LifetimeTest, AChildThatIsTracedIsGivenUpWithItsWholeTree) {
  ASSERT_TRUE(runner_->Open(Leashed(
      "setsid sleep 1000 & setsid sleep 1000 & echo $! >&9; echo $$ >&9; exec sleep 1000")));
  runner_->Start(1'000 * kNanosPerMillisecond);
  Tracer tracer;
  const std::string grandchild = leash_.ReadLine();
  const std::string child = leash_.ReadLine();
  if (!tracer.Seize(child)) GTEST_SKIP() << "it may not be traced";
  ASSERT_TRUE(tracer.Seize(grandchild));
  const auto figures = runner_->Finish();
  ASSERT_FALSE(figures);
  const std::string tracing = "process " + std::to_string(getpid());
  EXPECT_WORDING(figures.error(), {{"process " + child + " does", "process CHILD does"},
                                   {tracing + " is", "process TRACER is"},
                                   {tracing + ",", "process TRACER,"}});
  leash_.AwaitEnd();
  for (int run = 0; run < 2; ++run) {
    const auto next = runner_->Run(Leashed("exit 7"));
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->exit.code, 7);
  }
}

TEST_P(LifetimeTest, CancellingKillsTheTreeAndSaysSo) {
  ASSERT_TRUE(runner_->Open(Leashed("sleep 1000 & echo ready >&9; sleep 1000")));
  runner_->Start();
  ASSERT_EQ(leash_.ReadLine(), "ready");
  runner_->Send(wire::CancelRun{});
  const auto figures = runner_->Finish();
  ASSERT_FALSE(figures);
  EXPECT_EQ(figures.error().code, ErrorCode::kCancelled);
  leash_.AwaitEnd();
  // The next run is unaffected.
  EXPECT_TRUE(runner_->Run(Leashed("exit 0")));
}

TEST_P(LifetimeTest, WhenBenchdGoesTheTreeDiesAndTheRunnerEnds) {
  ASSERT_TRUE(runner_->Open(Leashed("sleep 1000 & echo ready >&9; sleep 1000")));
  runner_->Start();
  ASSERT_EQ(leash_.ReadLine(), "ready");
  EXPECT_EQ(runner_->Close(), 0);
  leash_.AwaitEnd();
}

TEST_P(LifetimeTest, ARunnerThatIsToldToEndKillsTheTreeFirst) {
  ASSERT_TRUE(runner_->Open(Leashed("sleep 1000 & echo ready >&9; sleep 1000")));
  runner_->Start();
  ASSERT_EQ(leash_.ReadLine(), "ready");
  ASSERT_EQ(kill(runner_->pid(), SIGTERM), 0);
  leash_.AwaitEnd();
  EXPECT_EQ(runner_->Close(), 0);
}

TEST_P(LifetimeTest, ARunnerThatIsKilledTakesTheChildWithIt) {
  ASSERT_TRUE(runner_->Open(Leashed("echo ready >&9; exec sleep 1000")));
  runner_->Start();
  ASSERT_EQ(leash_.ReadLine(), "ready");
  ASSERT_EQ(kill(runner_->pid(), SIGKILL), 0);
  leash_.AwaitEnd();
  EXPECT_EQ(runner_->Close(), -SIGKILL);
}

TEST_P(LifetimeTest, AnInputThatNobodyWritesTimesOutAndHoldsUpNobody) {
  ChildSpec child = Leashed("exit 0");
  child.input = folder_ / "fifo";
  ASSERT_EQ(mkfifo(child.input.c_str(), 0666), 0);
  std::filesystem::permissions(child.input, std::filesystem::perms::all);
  ASSERT_TRUE(runner_->Open(child));
  runner_->Start(1'000 * kNanosPerMillisecond);
  // The child hangs before execve, and the runner continues to answer.
  runner_->Send(wire::AcquireMachine{{.profile = "default"}});
  EXPECT_TRUE(runner_->Await<Result<MachineReport>>());
  const auto figures = runner_->Finish();
  ASSERT_FALSE(figures);
  EXPECT_EQ(figures.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_WORDING(figures.error(), {{child.input, "FIFO"}});
}

INSTANTIATE_TEST_SUITE_P(Ids, LifetimeTest, testing::Values(RunnerIds::kOwn, RunnerIds::kNobody),
                         [](const testing::TestParamInfo<RunnerIds>& instance) {
                           return instance.param == RunnerIds::kOwn ? "AsMyself" : "AsNobody";
                         });

TEST(TalkTest, ARecordThatIsNoMessageEndsTheConnection) {
  RunnerProcess runner;
  ASSERT_TRUE(wire::SendRecord(runner.socket(), "garbage"));
  EXPECT_FALSE(runner.Receive());
  EXPECT_EQ(runner.Close(), 0);
}

TEST(TalkTest, AMessageOfARunnerEndsTheConnection) {
  RunnerProcess runner;
  runner.Send(wire::HelloReply{});
  EXPECT_FALSE(runner.Receive());
}

TEST(TalkTest, AnotherVersionIsAnsweredAndHungUpOn) {
  RunnerProcess runner;
  runner.Send(wire::Hello{.version = wire::kVersion + 1});
  EXPECT_EQ(runner.Await<wire::HelloReply>().version, wire::kVersion);
  EXPECT_FALSE(runner.Receive());
  EXPECT_EQ(runner.Close(), 0);
}

TEST(TalkTest, TheGreetingTellsWhoTheRunnerIs) {
  RunnerProcess runner;
  EXPECT_EQ(runner.hello().pid, runner.pid());
  EXPECT_EQ(runner.hello().privileged, geteuid() == 0);
  EXPECT_FALSE(runner.hello().benchmark_cpus.empty());
  EXPECT_FALSE(runner.hello().housekeeping_cpus.empty());
}

}  // namespace
}  // namespace benchd
