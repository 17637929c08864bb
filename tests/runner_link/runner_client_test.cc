#include "daemon/runner_link/runner_client.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runner_link/fake_runner.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

ChildSpec Child(std::string program, std::string parse = {}) {
  ChildSpec child;
  child.argv = {std::move(program), "--flag"};
  child.env = {{"HOME", "/home/u"}, {"PATH", "/opt/bin"}};
  child.cwd = "/tmp";
  child.parse = std::move(parse);
  return child;
}

Batch Order(std::uint32_t child) {
  Batch order;
  order.runs = {RunOrder{child, 64, true, {}}};
  order.timeout = std::chrono::seconds(5);
  return order;
}

class RunnerClientTest : public testing::Test {
 protected:
  void Open(std::vector<ChildSpec> children) {
    const auto opened = TryOpen(std::move(children));
    ASSERT_TRUE(opened) << opened.error().message;
  }
  /// Opens children at the current runner, without acquiring the machine.
  Result<void> TryOpen(std::vector<ChildSpec> children) {
    const auto lease = Await(io_, client_.Acquire(std::nullopt));
    EXPECT_TRUE(lease && !lease->machine);
    runner_ = lease ? lease->runner : 0;
    return Await(io_, client_.Open(runner_, std::move(children)));
  }
  asio::awaitable<BatchOutcome> Run(Batch batch) {
    return client_.Run(runner_, std::move(batch), stop_.get_token());
  }
  Result<Lease> Acquire(MachineRequest request = {}) {
    auto lease = Await(io_, client_.Acquire(std::move(request)));
    runner_ = lease ? lease->runner : 0;
    return lease;
  }
  MachineEnd Release() { return Await(io_, client_.Release(runner_)); }
  /// Makes runs stay unanswered after the runner has received them.
  void HoldRuns() {
    source_.script = [](FakeRunner&, const wire::Message& message) {
      return std::holds_alternative<wire::RunBatch>(message);
    };
  }
  void UntilRunHeard(std::size_t runs = 1) {
    RunUntil(io_,
             [this, runs] { return source_.newest().HeardOf<wire::RunBatch>().size() == runs; });
  }
  /// Answers every run with `figures`.
  void AnswerRuns(Result<wire::RunFigures> figures) {
    source_.script = [figures](FakeRunner& runner, const wire::Message& message) {
      const bool asked = std::holds_alternative<wire::RunBatch>(message);
      if (asked) runner.Reply(Finished(figures));
      return asked;
    };
  }

  Result<RunOutcome> RunOne(std::uint32_t child) { return OnlyOne(Await(io_, Run(Order(child)))); }

  asio::io_context io_;
  FakeSource source_{io_};
  RunnerConnection connection_{io_.get_executor(), source_};
  RunnerClient client_{connection_};
  RunnerId runner_ = 0;  // of the newest lease
  std::stop_source stop_;
};

TEST_F(RunnerClientTest, HandsOverChildrenAsTheyAre) {
  ChildSpec child = Child("gzip", "lines");
  child.caller.uid = 1000;
  child.caller.groups = {7, 8};
  child.input = "in";
  child.output = OutputKind::kFile;
  child.output_path = "out";
  child.cpus = {1, 3};
  child.program.path = "/bin/gzip";
  Open({child, Child("zstd")});
  const auto opened = source_.newest().HeardOf<wire::OpenChild>();
  ASSERT_EQ(opened.size(), 2U);
  EXPECT_EQ(opened[0].number, 0U);
  EXPECT_EQ(opened[0].child.caller, child.caller);
  EXPECT_EQ(opened[0].child.argv, child.argv);
  EXPECT_EQ(opened[0].child.env, child.env);
  EXPECT_EQ(opened[0].child.cwd, "/tmp");
  EXPECT_EQ(opened[0].child.input, "in");
  EXPECT_EQ(opened[0].child.output, OutputKind::kFile);
  EXPECT_EQ(opened[0].child.output_path, "out");
  EXPECT_EQ(opened[0].child.parse, "lines");
  EXPECT_EQ(opened[0].child.cpus, child.cpus);
  EXPECT_EQ(opened[0].child.program, child.program);
  EXPECT_EQ(opened[1].number, 1U);
}

TEST_F(RunnerClientTest, ReplacesTheChildrenOfTheSessionBefore) {
  Open({Child("gzip"), Child("zstd")});
  Open({Child("xz")});
  const auto& heard = source_.newest().heard();
  ASSERT_EQ(heard.size(), 6U);  // Hello, close, open, open, close, open
  EXPECT_TRUE(std::holds_alternative<wire::CloseChildren>(heard[4].message));
  EXPECT_WORDING(RunOne(1).error());
}

TEST_F(RunnerClientTest, PassesOnWhyAChildCannotBeOpened) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::OpenChild>(message)) return false;
    runner.Reply(Result<void>(Error{ErrorCode::kNotFound, "cwd: no such folder", "h"}));
    return true;
  };
  const auto opened = TryOpen({Child("gzip")});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), (Error{ErrorCode::kNotFound, "cwd: no such folder", "h"}));
  EXPECT_FALSE(RunOne(0));
}

TEST_F(RunnerClientTest, ReturnsARunsFiguresAsSamples) {
  wire::RunFigures figures;
  figures.wall_time_ns = 2'500'000'000;
  figures.exit.code = 3;
  AnswerRuns(figures);
  Open({Child("a"), Child("b")});
  const auto outcome = RunOne(1);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->samples.at(0), (Sample{"wall_time", "", 0, 2.5}));
  EXPECT_EQ(outcome->exit.code, 3);
  const auto started = source_.newest().HeardOf<wire::RunBatch>();
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0].batch.runs, Order(1).runs);
  EXPECT_EQ(started[0].batch.timeout, std::chrono::seconds(5));
}

TEST_F(RunnerClientTest, OrdersABatchAtOnceAndReturnsWhatWasRunOfIt) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::RunBatch>(message)) return false;
    wire::BatchFigures finished;
    for (const int code : {3, 4, 5}) {
      finished.runs.emplace_back();
      finished.runs.back().exit.code = code;
      finished.runs.back().ended_at_ns = 1000 + code;
    }
    finished.result = Error{ErrorCode::kFailedPrecondition, "program: /bin/b has changed", {}};
    runner.Reply(finished);
    return true;
  };
  Open({Child("a"), Child("b")});
  Batch order;
  order.runs = {{0, 1, true, {}}, {1, 2, false, {}}, {1, 3, true, {}}, {0, 4, false, {}}};
  order.next = RunOrder{1, 5, true, {}};
  order.timeout = std::chrono::seconds(5);
  order.budget = std::chrono::milliseconds(40);
  order.stop_on_failure = false;
  const BatchOutcome outcome = Await(io_, Run(order));
  ASSERT_EQ(outcome.runs.size(), 3U);
  EXPECT_EQ(outcome.runs[2].exit.code, 5);
  EXPECT_EQ(outcome.runs[2].ended_at, SteadyTime(Nanoseconds(1005)));
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->message, "program: /bin/b has changed");
  const auto heard = source_.newest().HeardOf<wire::RunBatch>();
  ASSERT_EQ(heard.size(), 1U);
  const Batch& sent = heard[0].batch;
  EXPECT_EQ(sent.runs, order.runs);
  EXPECT_EQ(sent.next, order.next);
  EXPECT_EQ(sent.budget, order.budget);
  EXPECT_FALSE(sent.stop_on_failure);
}

TEST_F(RunnerClientTest, ReportsTheLineThatCannotBeParsed) {
  wire::ParsedOutput parsed;
  parsed.result = Error{ErrorCode::kInvalidArgument, "line 3: 'ops' has no value", {}};
  wire::RunFigures figures;
  figures.parsed = wire::EncodeParsedOutput(parsed);
  AnswerRuns(figures);
  Open({Child("a", "lines"), Child("b")});
  EXPECT_EQ(RunOne(0).error().message, "parse: line 3: 'ops' has no value");
  EXPECT_TRUE(RunOne(1)) << "the other child is not parsed";
}

TEST_F(RunnerClientTest, PassesOnThatAProgramHasChanged) {
  const Error changed{ErrorCode::kFailedPrecondition, "program: /bin/a has changed", "rebuild"};
  AnswerRuns(changed);
  Open({Child("a")});
  EXPECT_EQ(RunOne(0).error(), changed);
}

TEST_F(RunnerClientTest, FailsTheRunInWhichTheRunnerDiesAndMeetsAFreshOneAtTheNextOpen) {
  HoldRuns();
  Open({Child("a")});
  Started<BatchOutcome> run(io_, Run(Order(0)));
  UntilRunHeard();
  source_.newest().Die();
  const auto outcome = OnlyOne(run.Wait());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(outcome.error());
  source_.script = {};
  const auto again = RunOne(0);
  ASSERT_FALSE(again) << "nothing is open";
  EXPECT_EQ(again.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(again.error());
  Release();
  Open({Child("a")});
  EXPECT_TRUE(RunOne(0));
  EXPECT_EQ(source_.runners.size(), 2U);
}

TEST_F(RunnerClientTest, RunsNothingOnARunnerThatOnlyALookUpHasMet) {
  Open({Child("a")});
  source_.newest().Die();
  ASSERT_TRUE(Await(io_, client_.Resolve({.program = "a"})));
  EXPECT_EQ(source_.runners.size(), 2U);
  EXPECT_EQ(RunOne(0).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(source_.newest().HeardOf<wire::RunBatch>().empty());
}

TEST_F(RunnerClientTest, CancelsTheRunUnderWay) {
  HoldRuns();
  Open({Child("a")});
  Started<BatchOutcome> run(io_, Run(Order(0)));
  UntilRunHeard();
  stop_.request_stop();
  RunUntil(io_, [this] { return !source_.newest().HeardOf<wire::CancelRun>().empty(); });
  EXPECT_FALSE(run.done()) << "the child has not exited yet";
  source_.newest().ReplyTo<wire::RunBatch>(
      Finished(Error{ErrorCode::kCancelled, "killed on request", {}}));
  const auto outcome = OnlyOne(run.Wait());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCancelled);
  EXPECT_WORDING(outcome.error());
  EXPECT_EQ(source_.newest().HeardOf<wire::CancelRun>().size(), 1U);
}

TEST_F(RunnerClientTest, CancelsARunThatEndedJustBeforeTheRunnerHeardOfIt) {
  HoldRuns();
  Open({Child("a")});
  Started<BatchOutcome> run(io_, Run(Order(0)));
  UntilRunHeard();
  stop_.request_stop();
  source_.newest().ReplyTo<wire::RunBatch>(Finished(wire::RunFigures{}));
  EXPECT_EQ(OnlyOne(run.Wait()).error().code, ErrorCode::kCancelled);
  stop_ = std::stop_source();
  Started<BatchOutcome> next(io_, Run(Order(0)));
  UntilRunHeard(2);
  source_.newest().ReplyTo<wire::RunBatch>(Finished(wire::RunFigures{}));
  EXPECT_TRUE(OnlyOne(next.Wait())) << "the next run must not be cancelled";
}

TEST_F(RunnerClientTest, RunsNothingThatWasStoppedBeforeItsStart) {
  Open({Child("a")});
  stop_.request_stop();
  const auto outcome = RunOne(0);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCancelled);
  EXPECT_WORDING(outcome.error());
  EXPECT_TRUE(source_.newest().HeardOf<wire::RunBatch>().empty());
  EXPECT_TRUE(source_.newest().HeardOf<wire::CancelRun>().empty());
}

TEST_F(RunnerClientTest, HasNothingToCancelAfterARun) {
  Open({Child("a")});
  EXPECT_TRUE(RunOne(0));
  stop_.request_stop();
  stop_ = std::stop_source();
  EXPECT_TRUE(RunOne(0));
  EXPECT_TRUE(source_.newest().HeardOf<wire::CancelRun>().empty());
}

TEST_F(RunnerClientTest, LooksUpAProgramDuringARun) {
  HoldRuns();
  Open({Child("a")});
  Started<BatchOutcome> run(io_, Run(Order(0)));
  UntilRunHeard();
  ProgramQuery query{.program = "other", .path = "/opt/bin", .cwd = "/tmp"};
  query.caller.uid = 1234;
  const auto program = Await(io_, client_.Resolve(query));
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->path, "/bin/other");
  EXPECT_FALSE(run.done());
  const auto asked = source_.newest().HeardOf<wire::Resolve>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].query.program, "other");
  EXPECT_EQ(asked[0].query.path, "/opt/bin");
  EXPECT_EQ(asked[0].query.cwd, "/tmp");
  EXPECT_EQ(asked[0].query.caller.uid, 1234U);
  source_.newest().ReplyTo<wire::RunBatch>(Finished(wire::RunFigures{}));
  EXPECT_TRUE(OnlyOne(run.Wait()));
}

TEST_F(RunnerClientTest, PassesOnThatAProgramDoesNotExist) {
  const Error missing{ErrorCode::kNotFound, "gzap: no such program", "check the spelling"};
  source_.script = [missing](FakeRunner& runner, const wire::Message& message) {
    const bool asked = std::holds_alternative<wire::Resolve>(message);
    if (asked) runner.Reply(Result<ProgramIdentity>(missing));
    return asked;
  };
  EXPECT_EQ(Await(io_, client_.Resolve({.program = "gzap"})).error(), missing);
}

TEST_F(RunnerClientTest, RefusesToLookUpAnEmptyCommand) {
  const auto program = Await(io_, client_.Resolve({}));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(program.error());
}

TEST_F(RunnerClientTest, RefusesASecondRunAtOnce) {
  HoldRuns();
  Open({Child("a")});
  Started<BatchOutcome> run(io_, Run(Order(0)));
  UntilRunHeard();
  EXPECT_WORDING(RunOne(0).error());
  source_.newest().Die();
  EXPECT_FALSE(OnlyOne(run.Wait()));
}

TEST_F(RunnerClientTest, OpensNothingOnARunnerThatDoesNotHaveTheMachine) {
  ASSERT_TRUE(Acquire());
  source_.newest().Die();
  ASSERT_TRUE(Await(io_, connection_.Connect()));
  const auto opened = Await(io_, client_.Open(runner_, {Child("a")}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(opened.error());
  Release();
  Open({Child("a")});
}

TEST_F(RunnerClientTest, ClosesWhatIsOpenAndNothingElse) {
  Release();
  EXPECT_TRUE(source_.runners.empty());
  Open({Child("a")});
  EXPECT_EQ(Release(), MachineEnd{});
  Release();
  EXPECT_EQ(source_.newest().HeardOf<wire::CloseChildren>().size(), 2U);
  EXPECT_TRUE(source_.newest().HeardOf<wire::ReleaseMachine>().empty());
  EXPECT_EQ(RunOne(0).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(RunnerClientTest, ChecksProfileAndCpusByTheHandshakeAlone) {
  EXPECT_TRUE(Await(io_, client_.Check({})));
  EXPECT_TRUE(Await(io_, client_.Check({"default", Isolation::kStrict, "1-2"})));
  EXPECT_EQ(source_.newest().heard().size(), 1U) << "the Hello";
}

TEST_F(RunnerClientTest, NamesTheProfilesThereAreWhenOneIsUnknown) {
  const auto checked = Await(io_, client_.Check({"fast", Isolation::kOff, ""}));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(checked.error());
}

TEST_F(RunnerClientTest, RefusesCpusOutsideTheProfile) {
  const auto two = Await(io_, client_.Check({"quiet", Isolation::kBestEffort, "0-2"}));
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(two.error());
  for (const char* list : {"0", "x", " "}) {
    const auto checked = Await(io_, client_.Check({"", Isolation::kBestEffort, list}));
    ASSERT_FALSE(checked) << list;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument) << list;
    EXPECT_EQ(checked.error().message.rfind("cpus: ", 0), 0U) << "it names the field";
    EXPECT_WORDING(checked.error()) << list;
  }
}

TEST_F(RunnerClientTest, NothingCanBeCheckedWithoutARunner) {
  source_.refusal = Error{ErrorCode::kUnavailable, "benchd-runner: no such socket", "start it"};
  EXPECT_EQ(Await(io_, client_.Check({})).error(), *source_.refusal);
  EXPECT_EQ(Await(io_, client_.Describe("")).error(), *source_.refusal);
}

TEST_F(RunnerClientTest, AsksForWhatIsWantedAndReportsWhatIsThere) {
  const auto lease = Acquire({"quiet", Isolation::kStrict, "1-2"});
  ASSERT_TRUE(lease) << lease.error().message;
  ASSERT_TRUE(lease->machine);
  EXPECT_EQ(lease->machine->benchmark_cpus, std::vector<int>{1});
  const auto asked = source_.newest().HeardOf<wire::AcquireMachine>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].machine.profile, "quiet");
  EXPECT_EQ(asked[0].machine.isolation, Isolation::kStrict);
  EXPECT_EQ(asked[0].machine.cpus, "1-2");
}

TEST_F(RunnerClientTest, PassesOnWhatCannotBeHad) {
  const Error refused{ErrorCode::kFailedPrecondition, "governor: cannot be set", "best-effort"};
  source_.script = [refused](FakeRunner& runner, const wire::Message& message) {
    const bool asked = std::holds_alternative<wire::AcquireMachine>(message);
    if (asked) runner.Reply(Result<MachineReport>(refused));
    return asked;
  };
  EXPECT_EQ(Acquire().error(), refused);
  Release();
  EXPECT_TRUE(source_.newest().HeardOf<wire::ReleaseMachine>().empty());
}

TEST_F(RunnerClientTest, GivesBackOnceAndTellsHowThingsStoodThen) {
  EXPECT_EQ(Release(), MachineEnd{});
  EXPECT_TRUE(source_.runners.empty());
  ASSERT_TRUE(Acquire());
  EXPECT_EQ(Release().at_end, (std::vector<std::string>{"powersave"}));
  EXPECT_EQ(Release(), MachineEnd{});
  EXPECT_EQ(source_.newest().HeardOf<wire::ReleaseMachine>().size(), 1U);
}

TEST_F(RunnerClientTest, HasNothingToGiveBackToAnotherRunner) {
  ASSERT_TRUE(Acquire());
  source_.newest().Die();
  ASSERT_TRUE(Await(io_, connection_.Connect()));
  Release();
  EXPECT_TRUE(source_.newest().HeardOf<wire::ReleaseMachine>().empty());
}

TEST_F(RunnerClientTest, NamesTheStepInWhichTheRunnerDied) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::AcquireMachine>(message)) return false;
    runner.Die();
    return true;
  };
  const auto lease = Acquire();
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(lease.error());
}

TEST_F(RunnerClientTest, TellsNothingOfARunnerThatDiesGivingBack) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    if (!std::holds_alternative<wire::ReleaseMachine>(message)) return false;
    runner.Die();
    return true;
  };
  ASSERT_TRUE(Acquire());
  EXPECT_EQ(Release(), MachineEnd{});
}

TEST_F(RunnerClientTest, DescribesAppliesAndRestores) {
  const auto described = Await(io_, client_.Describe("quiet"));
  ASSERT_TRUE(described) << described.error().message;
  EXPECT_EQ(described->profile, "quiet");
  EXPECT_EQ(described->holder, "");
  const auto applied = Await(io_, client_.Apply("quiet"));
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(applied->holder, "apply");
  Release();
  EXPECT_TRUE(source_.newest().HeardOf<wire::ReleaseMachine>().empty()) << "no session holds it";
  const auto restored = Await(io_, client_.Restore());
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->profile, "default");
}

TEST_F(RunnerClientTest, PassesOnWhatTheRunnerRefuses) {
  const Error refused{ErrorCode::kFailedPrecondition, "apply: user mode changes nothing", {}};
  source_.script = [refused](FakeRunner& runner, const wire::Message& message) {
    const bool asked = std::holds_alternative<wire::ApplyProfile>(message);
    if (asked) runner.Reply(Result<MachineStatus>(refused));
    return asked;
  };
  EXPECT_EQ(Await(io_, client_.Apply("default")).error(), refused);
}

TEST_F(RunnerClientTest, BringsTheNoiseSources) {
  const auto sources = Await(io_, client_.Diagnose());
  ASSERT_TRUE(sources) << sources.error().message;
  EXPECT_EQ(*sources, (std::vector<NoiseSource>{{.name = "turbo"}}));
}

}  // namespace
}  // namespace benchd
