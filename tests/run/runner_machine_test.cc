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

TEST_F(RunnerMachineTest, ChecksProfileAndCpusByTheHandshakeAlone) {
  EXPECT_TRUE(Await(io_, machine_.Check({})));
  EXPECT_TRUE(Await(io_, machine_.Check({"default", Isolation::kStrict, "1-2"})));
  EXPECT_EQ(source_.newest().heard().size(), 1U) << "the Hello";
}

TEST_F(RunnerMachineTest, NamesTheProfilesThereAreWhenOneIsUnknown) {
  EXPECT_EQ(Await(io_, machine_.Check({"fast", Isolation::kOff, ""})).error(),
            (Error{ErrorCode::kInvalidArgument, "machine-profile: there is no 'fast'",
                   "there are 'default' and 'quiet'; others are made in the configuration, below "
                   "[machine_profile.NAME]"}));
}

TEST_F(RunnerMachineTest, RefusesCpusOutsideTheProfile) {
  EXPECT_EQ(Await(io_, machine_.Check({"quiet", Isolation::kBestEffort, "0-2"})).error(),
            (Error{ErrorCode::kInvalidArgument,
                   "cpus: 0-1 are not among the benchmark CPUs of the profile 'quiet'",
                   "choose among 2"}));
  EXPECT_EQ(Await(io_, machine_.Check({"", Isolation::kBestEffort, "0"})).error().message,
            "cpus: 0 is not among the benchmark CPUs of the profile 'default'");
  for (const char* list : {"x", " "}) {
    const auto checked = Await(io_, machine_.Check({"", Isolation::kBestEffort, list}));
    ASSERT_FALSE(checked) << list;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument) << list;
    EXPECT_EQ(checked.error().message.rfind("cpus: ", 0), 0U) << checked.error().message;
  }
}

TEST_F(RunnerMachineTest, NothingCanBeCheckedWithoutARunner) {
  source_.refusal = Error{ErrorCode::kUnavailable, "benchd-runner: no such socket", "start it"};
  EXPECT_EQ(Await(io_, machine_.Check({})).error(), *source_.refusal);
  EXPECT_EQ(Await(io_, machine_.Describe("")).error(), *source_.refusal);
}

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

TEST_F(RunnerMachineTest, GivesBackOnceAndTellsHowThingsStoodThen) {
  EXPECT_EQ(Await(io_, machine_.Release()), MachineEnd{});
  EXPECT_TRUE(source_.runners.empty());
  ASSERT_TRUE(Await(io_, machine_.Acquire({})));
  EXPECT_EQ(Await(io_, machine_.Release()).at_end, (std::vector<std::string>{"powersave"}));
  EXPECT_EQ(Await(io_, machine_.Release()), MachineEnd{});
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

TEST_F(RunnerMachineTest, TellsNothingOfARunnerThatDiesGivingBack) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::ReleaseMachine>(message)) return false;
    runner.Die();
    return true;
  };
  ASSERT_TRUE(Await(io_, machine_.Acquire({})));
  EXPECT_EQ(Await(io_, machine_.Release()), MachineEnd{});
}

TEST_F(RunnerMachineTest, DescribesAppliesAndRestores) {
  const auto described = Await(io_, machine_.Describe("quiet"));
  ASSERT_TRUE(described) << described.error().message;
  EXPECT_EQ(described->profile, "quiet");
  EXPECT_EQ(described->holder, "");
  const auto applied = Await(io_, machine_.Apply("quiet"));
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(applied->holder, "apply");
  EXPECT_EQ(connection_.holder(), 0U) << "no session holds it";
  const auto restored = Await(io_, machine_.Restore());
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->profile, "default");
}

TEST_F(RunnerMachineTest, PassesOnWhatTheRunnerRefuses) {
  const Error refused{ErrorCode::kFailedPrecondition, "apply: user mode changes nothing", {}};
  source_.script = [refused](FakeRunner& runner, const wire::Message& message) {
    const auto* apply = std::get_if<wire::ApplyProfile>(&message);
    if (apply != nullptr) runner.Say(wire::MachineDescribed{apply->request, refused});
    return apply != nullptr;
  };
  EXPECT_EQ(Await(io_, machine_.Apply("default")).error(), refused);
}

TEST_F(RunnerMachineTest, BringsTheNoiseSources) {
  const auto sources = Await(io_, machine_.Diagnose());
  ASSERT_TRUE(sources) << sources.error().message;
  EXPECT_EQ(*sources, (std::vector<NoiseSource>{{.name = "turbo"}}));
}

}  // namespace
}  // namespace benchd
