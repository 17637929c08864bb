#include "daemon/session/failure.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/fakes.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class FailureTest : public testing::Test {
 protected:
  SessionSpec spec_ = fake::TwoArms();
  RunPlace place_{PlannedRun{.benchmark = 0, .arm = 1}, RunPhase::kMeasured, 3};
};

TEST_F(FailureTest, NamesArmAndBlock) {
  EXPECT_WORDING(DescribePlace(spec_, place_));
  place_.phase = RunPhase::kWarmup;
  EXPECT_WORDING(DescribePlace(spec_, place_));
  place_.block = 0;
  EXPECT_WORDING(DescribePlace(spec_, place_));
}

TEST_F(FailureTest, NamesTheBenchmarkWhenThereAreSeveral) {
  spec_.benchmarks.push_back(spec_.benchmarks.front());
  EXPECT_WORDING(DescribePlace(spec_, place_));
}

TEST_F(FailureTest, SaysNothingAboutAChildThatEndedWell) {
  EXPECT_FALSE(ExitFailure(spec_, place_, RunOutcome{}));
}

TEST_F(FailureTest, TellsTheExitCodeAndTheEndOfStderr) {
  RunOutcome outcome;
  outcome.exit.code = 7;
  outcome.stderr_tail = "no such table";
  const auto failure = ExitFailure(spec_, place_, outcome);
  ASSERT_TRUE(failure);
  EXPECT_WORDING(failure->error);
  ASSERT_TRUE(failure->run);
  EXPECT_EQ(failure->run->arm, "candidate");
  EXPECT_EQ(failure->run->block, 3U);
  EXPECT_EQ(failure->run->exit_code, 7);
  EXPECT_FALSE(failure->run->signal);
  EXPECT_EQ(failure->run->stderr_tail, "no such table");
}

TEST_F(FailureTest, NamesAShellThatIsMissing) {
  spec_.benchmarks[0].arms[1].shell = true;
  spec_.benchmarks[0].arms[1].interpreter = "nosh";
  const Error missing{ErrorCode::kNotFound, "command 'nosh': not found in PATH",
                      "give its path, or use --shell for shell builtins"};
  const Failure failure = ProgramFailure(spec_, 0, 1, missing);
  EXPECT_EQ(failure.error.code, ErrorCode::kNotFound);
  EXPECT_WORDING(failure.error);
  EXPECT_EQ(failure.run->arm, "candidate");
}

TEST_F(FailureTest, TellsTheSignal) {
  RunOutcome outcome;
  outcome.exit.signal = SIGSEGV;
  const auto failure = ExitFailure(spec_, place_, outcome);
  ASSERT_TRUE(failure);
  EXPECT_WORDING(failure->error);
  EXPECT_EQ(failure->run->signal, SIGSEGV);
  EXPECT_FALSE(failure->run->exit_code);
}

// A failure that a harness saw in the commands it timed fails the run, whatever the harness's own
// exit code is.
TEST_F(FailureTest, TellsWhatTheHarnessSawFail) {
  RunOutcome outcome;
  outcome.inner_exits = {{"sleep 0.01", 3, 2, 10}};
  const auto failure = ExitFailure(spec_, place_, outcome);
  ASSERT_TRUE(failure);
  EXPECT_WORDING(failure->error);
  EXPECT_EQ(failure->run->exit_code, 3);
  EXPECT_EQ(ExitOf(outcome).code, 3);
  outcome.inner_exits = {{"", std::nullopt, 1, 1}};
  EXPECT_WORDING(ExitFailure(spec_, place_, outcome)->error);
  EXPECT_FALSE(ExitOf(outcome).Succeeded());
  outcome.exit.code = 7;
  EXPECT_EQ(ExitFailure(spec_, place_, outcome)->run->exit_code, 7)
      << "the harness's own exit code says more";
  EXPECT_EQ(ExitOf(outcome).code, 7);
}

TEST_F(FailureTest, TellsTheTimeoutAndNotTheSignalThatEnforcedIt) {
  spec_.limits.timeout = std::chrono::milliseconds(1500);
  RunOutcome outcome;
  outcome.exit.timed_out = true;
  outcome.exit.signal = SIGKILL;
  const auto failure = ExitFailure(spec_, place_, outcome);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error.code, ErrorCode::kDeadlineExceeded);
  EXPECT_WORDING(failure->error);
}

TEST_F(FailureTest, TellsTheLimitThatTheChildRanInto) {
  RunOutcome outcome;
  outcome.exit.signal = SIGKILL;
  outcome.limit = "exceeded its memory limit of 64 MiB";
  const auto failure = ExitFailure(spec_, place_, outcome);
  ASSERT_TRUE(failure);
  EXPECT_WORDING(failure->error);
  outcome.exit = {};
  EXPECT_FALSE(ExitFailure(spec_, place_, outcome)) << "a warning, and no failure";
}

}  // namespace
}  // namespace benchd
