#include "daemon/runner_link/runner_connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/runner_link/fake_runner.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr Nanoseconds kLong = std::chrono::minutes(1);

class RunnerConnectionTest : public testing::Test {
 protected:
  RunnerFacts Connect() {
    auto facts = Await(io_, connection_.Connect());
    EXPECT_TRUE(facts) << facts.error().message;
    return facts ? *facts : RunnerFacts{};
  }
  Result<void> Ask(RunnerId runner) {
    return Await(io_, connection_.Ask(runner, wire::CloseChildren{}, "a test", kLong));
  }

  asio::io_context io_;
  FakeSource source_{io_};
  RunnerConnection connection_{io_.get_executor(), source_};
};

/// Leaves requests of that type unanswered.
template <typename Question>
bool Ignore(FakeRunner&, const wire::Message& message) {
  return std::holds_alternative<Question>(message);
}

TEST_F(RunnerConnectionTest, TellsWhatTheRunnerSaidOfItself) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::Hello>(message)) return false;
    EXPECT_EQ(std::get<wire::Hello>(message).version, wire::kVersion);
    wire::HelloReply reply;
    reply.pid = 17;
    reply.privileged = true;
    reply.housekeeping_cpus = {0, 4};
    reply.benchmark_cpus = {1, 2, 3};
    reply.profiles = {{"quiet", {2, 3}}};
    runner.Reply(reply);
    return true;
  };
  std::vector<RunnerFacts> announced;
  connection_.OnConnected([&announced](const RunnerFacts& facts) { announced.push_back(facts); });
  const RunnerFacts facts = Connect();
  EXPECT_EQ(facts.pid, 17);
  EXPECT_TRUE(facts.privileged);
  EXPECT_EQ(facts.housekeeping_cpus, (std::vector<int>{0, 4}));
  EXPECT_EQ(facts.benchmark_cpus, (std::vector<int>{1, 2, 3}));
  ASSERT_EQ(facts.profiles.size(), 1U);
  EXPECT_EQ(facts.profiles[0].name, "quiet");
  EXPECT_EQ(facts.profiles[0].cpus, (std::vector<int>{2, 3}));
  ASSERT_EQ(announced.size(), 1U);
  EXPECT_EQ(announced[0].housekeeping_cpus, facts.housekeeping_cpus);
}

TEST_F(RunnerConnectionTest, MeetsOneRunnerHoweverManyAsk) {
  Started<Result<RunnerFacts>> first(io_, connection_.Connect());
  Started<Result<RunnerFacts>> second(io_, connection_.Connect());
  ASSERT_TRUE(first.Wait());
  ASSERT_TRUE(second.Wait());
  EXPECT_EQ(Connect().id, connection_.id());
  EXPECT_EQ(source_.runners.size(), 1U);
}

TEST_F(RunnerConnectionTest, PassesOnWhyThereIsNoRunner) {
  source_.refusal = Error{ErrorCode::kUnavailable, "benchd-runner: no such socket", "start it"};
  const auto facts = Await(io_, connection_.Connect());
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error(), *source_.refusal);
  source_.refusal.reset();
  Connect();
}

TEST_F(RunnerConnectionTest, RefusesARunnerOfAnotherVersionAndTriesAgain) {
  source_.script = [](FakeRunner& runner, const wire::Message&) {
    wire::HelloReply reply;
    reply.version = wire::kVersion + 1;
    runner.Reply(reply);
    return true;
  };
  const auto facts = Await(io_, connection_.Connect());
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(facts.error(),
                 {{"version " + std::to_string(wire::kVersion + 1), "version THEIRS"},
                  {"version " + std::to_string(wire::kVersion), "version OURS"}});
  source_.script = {};
  Connect();
  EXPECT_EQ(source_.runners.size(), 2U);
}

TEST_F(RunnerConnectionTest, EndsEveryRequestUnderWayWhenTheRunnerDies) {
  source_.script = &Ignore<wire::CloseChildren>;
  const auto runner = Connect().id;
  Started<Result<void>> first(io_,
                              connection_.Ask(runner, wire::CloseChildren{}, "one thing", kLong));
  Started<Result<void>> second(io_,
                               connection_.Ask(runner, wire::CloseChildren{}, "another", kLong));
  RunUntil(io_, [this] { return source_.newest().HeardOf<wire::CloseChildren>().size() == 2; });
  std::vector<Error> lost;
  connection_.OnLost([&lost](const Error& error) { lost.push_back(error); });
  source_.newest().Die();
  for (Started<Result<void>>* request : {&first, &second}) {
    const auto answer = request->Wait();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
    EXPECT_WORDING(answer.error());
  }
  EXPECT_EQ(lost.size(), 1U);
  EXPECT_EQ(source_.disconnected, 1);
}

TEST_F(RunnerConnectionTest, MeetsAFreshRunnerAfterADeathThatNobodyHasSeenYet) {
  const RunnerFacts before = Connect();
  source_.newest().Die();
  const RunnerFacts after = Connect();
  EXPECT_NE(after.id, before.id);
  EXPECT_EQ(source_.runners.size(), 2U);
  EXPECT_TRUE(Ask(after.id));
}

TEST_F(RunnerConnectionTest, GivesNoRequestToAnotherRunnerThanTheOneMeant) {
  const auto old = Connect().id;
  source_.newest().Die();
  Connect();
  const auto answer = Ask(old);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(answer.error());
  EXPECT_TRUE(source_.newest().HeardOf<wire::CloseChildren>().empty());
}

TEST_F(RunnerConnectionTest, TreatsWhatItCannotUnderstandAsADeath) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (std::holds_alternative<wire::CloseChildren>(message)) runner.SayBytes("\xFFnonsense");
    return std::holds_alternative<wire::CloseChildren>(message);
  };
  const auto answer = Ask(Connect().id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(answer.error());
  RunUntil(io_, [this] { return source_.newest().hung_up_on(); });
}

TEST_F(RunnerConnectionTest, TreatsAWrongAnswerAsADeath) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    const bool asked = std::holds_alternative<wire::CloseChildren>(message);
    if (asked) runner.Reply(Finished(wire::RunFigures{}));
    return asked;
  };
  const auto answer = Ask(Connect().id);
  ASSERT_FALSE(answer);
  EXPECT_WORDING(answer.error());
}

TEST_F(RunnerConnectionTest, TreatsAnAnswerToNothingAsADeath) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::CloseChildren>(message)) return false;
    runner.Say(Result<void>(), 99);
    return true;
  };
  const auto answer = Ask(Connect().id);
  ASSERT_FALSE(answer);
  EXPECT_WORDING(answer.error());
}

TEST_F(RunnerConnectionTest, TreatsSilenceAsADeath) {
  source_.script = &Ignore<wire::CloseChildren>;
  const auto runner = Connect().id;
  const auto answer = Await(
      io_, connection_.Ask(runner, wire::CloseChildren{}, "a test", std::chrono::milliseconds(1)));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(answer.error());
}

TEST_F(RunnerConnectionTest, RefusesAMessageTooLargeAndLivesOn) {
  const auto runner = Connect().id;
  wire::OpenChild large;
  large.child.cwd = std::string(wire::kMaxRecordBytes, 'x');
  const auto answer = Await(io_, connection_.Ask(runner, std::move(large), "a test", kLong));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(Ask(runner));
}

TEST_F(RunnerConnectionTest, LetsTheLoopRunDryOnceClosed) {
  source_.script = &Ignore<wire::CloseChildren>;
  const auto runner = Connect().id;
  Started<Result<void>> pending(io_,
                                connection_.Ask(runner, wire::CloseChildren{}, "a test", kLong));
  RunUntil(io_, [this] { return !source_.newest().HeardOf<wire::CloseChildren>().empty(); });
  connection_.Close();
  const auto answer = pending.Wait();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(answer.error());
  io_.run();
  EXPECT_TRUE(source_.newest().hung_up_on());
  EXPECT_WORDING(Await(io_, connection_.Connect()).error());
}

TEST(RunnerConnectionEndTest, MayBeDestroyedWhileSomebodyWaits) {
  asio::io_context io;
  FakeSource source(io);
  source.script = &Ignore<wire::CloseChildren>;
  auto connection = std::make_unique<RunnerConnection>(io.get_executor(), source);
  const auto facts = Await(io, connection->Connect());
  ASSERT_TRUE(facts);
  Started<Result<void>> pending(io,
                                connection->Ask(facts->id, wire::CloseChildren{}, "a test", kLong));
  RunUntil(io, [&source] { return !source.newest().HeardOf<wire::CloseChildren>().empty(); });
  connection.reset();
  EXPECT_EQ(pending.Wait().error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace benchd
