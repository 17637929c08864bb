#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "client/app/dispatch.h"
#include "tests/client/program.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

// git-bisect(1): 0 is good, 1 to 127 bad except 125 (skip), and 128 or more stops the search.
TEST(BisectTest, OnlyAVerdictMarksACommit) {
  EXPECT_EQ(ForBisect(ExitCode::kPass), ExitCode::kPass);
  EXPECT_EQ(ForBisect(ExitCode::kRegression), ExitCode::kRegression);
  EXPECT_EQ(ForBisect(ExitCode::kUndecided), ExitCode::kBisectSkip);
  EXPECT_EQ(ForBisect(ExitCode::kFailed), ExitCode::kBisectSkip);
  for (const ExitCode code : {ExitCode::kUsage, ExitCode::kRefused, ExitCode::kCancelled,
                              ExitCode::kInterrupted, ExitCode::kOutput}) {
    EXPECT_EQ(ForBisect(code), ExitCode::kBisectStop) << static_cast<int>(code);
  }
}

TEST(BisectTest, TheWordIsFoundBeforeTheCommandOnly) {
  const std::vector<std::string> asked = {"compare", "--bisect", "--no-such-option"};
  const std::vector<std::string> not_asked = {"compare", "a", "--", "b", "--bisect"};
  EXPECT_TRUE(AsksForBisect(asked));
  EXPECT_FALSE(AsksForBisect(not_asked));
}

v1::SessionEvent VerdictEvent(v1::Verdict verdict) {
  return Event([verdict](v1::SessionEvent& e) {
    *e.mutable_verdict() = RegressionUpdate();
    e.mutable_verdict()->set_verdict(verdict);
  });
}

TEST_F(ProgramTest, BisectCodesOfEveryEnd) {
  const auto code = [this](const v1::SessionEvent& end) {
    daemon_->SetScript({end});
    return Run({"compare", "--bisect", "a", "b"}).exit_code;
  };
  EXPECT_EQ(code(VerdictEvent(v1::VERDICT_PASS)), 0);
  EXPECT_EQ(code(VerdictEvent(v1::VERDICT_REGRESSION)), 1);
  EXPECT_EQ(code(VerdictEvent(v1::VERDICT_UNDECIDED)), 125);
  EXPECT_EQ(code(Event([](v1::SessionEvent& e) { *e.mutable_failed() = SampleFailed(); })), 125);
  EXPECT_EQ(code(Event([](v1::SessionEvent& e) { e.mutable_cancelled()->set_by("uid 0"); })), 128);
  EXPECT_EQ(code(Event([](v1::SessionEvent& e) {
              *e.mutable_failed() = SampleFailed();
              e.mutable_failed()->set_refused(true);
            })),
            128);
}

TEST_F(ProgramTest, AStepOfABisectionIsALineOnStdout) {
  daemon_->SetScript({VerdictEvent(v1::VERDICT_REGRESSION)});
  const Ended bad = Run({"compare", "--bisect", "a", "b"});
  EXPECT_TRUE(bad.out.starts_with("bad: candidate: ")) << bad.out;
  EXPECT_WORDING(bad.out);
  daemon_->SetScript({Event([](v1::SessionEvent& e) { *e.mutable_failed() = SampleFailed(); })});
  const Ended failed = Run({"compare", "--bisect", "a", "b"});
  EXPECT_EQ(failed.out, "skip: candidate: candidate exited with code 1\n");
  EXPECT_WORDING(LineWith(failed.err, "error: "));
  daemon_->SetScript({Event([](v1::SessionEvent& e) { e.mutable_cancelled()->set_by("uid 0"); })});
  EXPECT_EQ(Run({"compare", "--bisect", "a", "b"}).out, "") << "git stops: no commit is skipped";
}

TEST_F(ProgramTest, ABrokenBaseStopsABisection) {
  daemon_->SetScript({Event([](v1::SessionEvent& e) {
    v1::Failed& failed = *e.mutable_failed();
    failed.set_error("base failed in block 0: exited with code 1");
    failed.mutable_run()->set_arm("base");
  })});
  const Ended ended = Run({"compare", "--bisect", "a", "b"});
  EXPECT_EQ(ended.exit_code, 128);
  EXPECT_EQ(ended.out, "stop: base: base failed in block 0: exited with code 1\n");
}

TEST_F(ProgramTest, WrongUsageAndNoDaemonStopABisection) {
  EXPECT_EQ(Run({"compare", "--bisect", "a"}).exit_code, 128);
  EXPECT_EQ(Run({"compare", "--no-such-option", "--bisect", "a", "b"}).exit_code, 128);
  EXPECT_EQ(Run({"compare", "--bisect", "--detach", "a", "b"}).exit_code, 128);
  EXPECT_EQ(Run({"compare", "--bisect", "--socket", "/nonexistent", "a", "b"}).exit_code, 128);
  EXPECT_EQ(Run({"compare", "--margin", "x", "a", "--", "--bisect"}).exit_code, 2);
}

TEST_F(ProgramTest, InterruptedTwiceABisectionStopsAtOnce) {
  daemon_->SetScript({Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); })});
  const pid_t pid = Start({"compare", "--bisect", "a", "b"});
  daemon_->AwaitWatcher();
  kill(pid, SIGINT);
  EXPECT_EQ(Wait(pid).exit_code, 128);
}

}  // namespace
}  // namespace benchd::client
