#include "daemon/run/runner_machine.h"

#include <gtest/gtest.h>

#include "tests/run/fake_runner.h"

namespace benchd {
namespace {

class RunnerMachineTest : public testing::Test {
 protected:
  asio::io_context io_;
  FakeSource source_{io_};
  RunnerConnection connection_{io_.get_executor(), source_};
  RunnerMachine machine_{connection_};
};

TEST_F(RunnerMachineTest, AsksForWhatIsWantedAndReportsWhatIsThere) {
  const auto report = Await(io_, machine_.Acquire({"quiet", Isolation::kStrict, "1-2"}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->benchmark_cpus, std::vector<int>{1});
  const auto asked = source_.newest().HeardOf<wire::AcquireMachine>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].profile, "quiet");
  EXPECT_EQ(asked[0].isolation, Isolation::kStrict);
  EXPECT_EQ(asked[0].cpus, "1-2");
}

TEST_F(RunnerMachineTest, PassesOnWhatCannotBeHad) {
  const Error refused{ErrorCode::kFailedPrecondition, "governor: cannot be set", "best-effort"};
  source_.script = [refused](FakeRunner& runner, const wire::Message& message) {
    const auto* acquire = std::get_if<wire::AcquireMachine>(&message);
    if (acquire != nullptr) runner.Say(wire::MachineAcquired{acquire->request, refused});
    return acquire != nullptr;
  };
  EXPECT_EQ(Await(io_, machine_.Acquire({})).error(), refused);
  Await(io_, machine_.Release());
  EXPECT_TRUE(source_.newest().HeardOf<wire::ReleaseMachine>().empty());
}

TEST_F(RunnerMachineTest, GivesBackOnce) {
  Await(io_, machine_.Release());
  EXPECT_TRUE(source_.runners.empty());
  ASSERT_TRUE(Await(io_, machine_.Acquire({})));
  Await(io_, machine_.Release());
  Await(io_, machine_.Release());
  EXPECT_EQ(source_.newest().HeardOf<wire::ReleaseMachine>().size(), 1U);
}

TEST_F(RunnerMachineTest, HasNothingToGiveBackToAnotherRunner) {
  ASSERT_TRUE(Await(io_, machine_.Acquire({})));
  source_.newest().Die();
  ASSERT_TRUE(Await(io_, connection_.Connect()));
  Await(io_, machine_.Release());
  EXPECT_TRUE(source_.newest().HeardOf<wire::ReleaseMachine>().empty());
}

TEST_F(RunnerMachineTest, NamesTheStepInWhichTheRunnerDied) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::AcquireMachine>(message)) return false;
    runner.Die();
    return true;
  };
  EXPECT_EQ(Await(io_, machine_.Acquire({})).error(),
            (Error{ErrorCode::kUnavailable, "benchd-runner died during preparing the machine",
                   "what to do"}));
}

}  // namespace
}  // namespace benchd
