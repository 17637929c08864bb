#include "daemon/run/runner_launcher.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daemon/run/runner_machine.h"
#include "tests/run/fake_runner.h"

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

SeriesOrder Order(std::uint32_t child) {
  SeriesOrder order;
  order.runs = {RunOrder{child, 64, true}};
  order.timeout = std::chrono::seconds(5);
  return order;
}

class RunnerLauncherTest : public testing::Test {
 protected:
  void Open(std::vector<ChildSpec> children) {
    const auto opened = Await(io_, launcher_.Open(std::move(children)));
    ASSERT_TRUE(opened) << opened.error().message;
  }
  /// A run that the runner has heard of and not answered.
  void HoldRuns() {
    source_.script = [](FakeRunner&, const wire::Message& message) {
      return std::holds_alternative<wire::StartRuns>(message);
    };
  }
  void UntilRunHeard(std::size_t runs = 1) {
    RunUntil(io_,
             [this, runs] { return source_.newest().HeardOf<wire::StartRuns>().size() == runs; });
  }
  /// Answers every run with `figures`.
  void AnswerRuns(Result<wire::RunFigures> figures) {
    source_.script = [figures](FakeRunner& runner, const wire::Message& message) {
      const auto* start = std::get_if<wire::StartRuns>(&message);
      if (start != nullptr) runner.Say(Finished(start->request, figures));
      return start != nullptr;
    };
  }

  Result<RunOutcome> RunOne(std::uint32_t child) {
    return OnlyOne(Await(io_, launcher_.Run(Order(child))));
  }

  asio::io_context io_;
  FakeSource source_{io_};
  RunnerConnection connection_{io_.get_executor(), source_};
  RunnerLauncher launcher_{connection_};
  RunnerMachine machine_{connection_};
};

TEST_F(RunnerLauncherTest, HandsOverChildrenAsTheyAre) {
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
  EXPECT_EQ(opened[0].child, 0U);
  EXPECT_EQ(opened[0].caller, child.caller);
  EXPECT_EQ(opened[0].argv, child.argv);
  EXPECT_EQ(opened[0].env, (std::vector<std::string>{"HOME=/home/u", "PATH=/opt/bin"}));
  EXPECT_EQ(opened[0].cwd, "/tmp");
  EXPECT_EQ(opened[0].input, "in");
  EXPECT_EQ(opened[0].output, OutputKind::kFile);
  EXPECT_EQ(opened[0].output_path, "out");
  EXPECT_EQ(opened[0].parse, "lines");
  EXPECT_EQ(opened[0].cpus, child.cpus);
  EXPECT_EQ(opened[0].program, child.program);
  EXPECT_EQ(opened[1].child, 1U);
}

TEST_F(RunnerLauncherTest, ReplacesTheChildrenOfTheSessionBefore) {
  Open({Child("gzip"), Child("zstd")});
  Open({Child("xz")});
  const auto& heard = source_.newest().heard();
  ASSERT_EQ(heard.size(), 6U);  // Hello, close, open, open, close, open
  EXPECT_TRUE(std::holds_alternative<wire::CloseChildren>(heard[4]));
  EXPECT_EQ(RunOne(1).error().message, "run: no such command is open");
}

TEST_F(RunnerLauncherTest, PassesOnWhyAChildCannotBeOpened) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    const auto* open = std::get_if<wire::OpenChild>(&message);
    if (open == nullptr) return false;
    runner.Say(wire::Done{open->request, Error{ErrorCode::kNotFound, "cwd: no such folder", "h"}});
    return true;
  };
  const auto opened = Await(io_, launcher_.Open({Child("gzip")}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), (Error{ErrorCode::kNotFound, "cwd: no such folder", "h"}));
  EXPECT_FALSE(RunOne(0));
}

TEST_F(RunnerLauncherTest, ReturnsARunsFiguresAsSamples) {
  wire::RunFigures figures;
  figures.wall_time_ns = 2'500'000'000;
  figures.exit.code = 3;
  AnswerRuns(figures);
  Open({Child("a"), Child("b")});
  const auto outcome = RunOne(1);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->samples.at(0), (Sample{"wall_time", "", 0, 2.5}));
  EXPECT_EQ(outcome->exit.code, 3);
  const auto started = source_.newest().HeardOf<wire::StartRuns>();
  ASSERT_EQ(started.size(), 1U);
  ASSERT_EQ(started[0].runs.size(), 1U);
  EXPECT_EQ(started[0].runs[0].child, 1U);
  EXPECT_EQ(started[0].runs[0].padding_bytes, 64U);
  EXPECT_EQ(started[0].timeout_ns, 5'000'000'000);
}

TEST_F(RunnerLauncherTest, OrdersASeriesAtOnceAndReturnsWhatWasRunOfIt) {
  source_.script = [](FakeRunner& runner, const wire::Message& message) {
    const auto* start = std::get_if<wire::StartRuns>(&message);
    if (start == nullptr) return false;
    wire::RunsFinished finished{start->request, {}, {}};
    for (const int code : {3, 4, 5}) {
      finished.runs.emplace_back();
      finished.runs.back().exit.code = code;
      finished.runs.back().ended_at_ns = 1000 + code;
    }
    finished.result = Error{ErrorCode::kFailedPrecondition, "program: /bin/b has changed", {}};
    runner.Say(finished);
    return true;
  };
  Open({Child("a"), Child("b")});
  SeriesOrder order;
  order.runs = {{0, 1, true}, {1, 2, false}, {1, 3, true}, {0, 4, false}};
  order.next = RunOrder{1, 5, true};
  order.timeout = std::chrono::seconds(5);
  order.budget = std::chrono::milliseconds(40);
  order.stop_on_failure = false;
  const SeriesOutcome outcome = Await(io_, launcher_.Run(order));
  ASSERT_EQ(outcome.runs.size(), 3U);
  EXPECT_EQ(outcome.runs[2].exit.code, 5);
  EXPECT_EQ(outcome.runs[2].ended_at, SteadyTime(Nanoseconds(1005)));
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->message, "program: /bin/b has changed");
  const auto heard = source_.newest().HeardOf<wire::StartRuns>();
  ASSERT_EQ(heard.size(), 1U);
  ASSERT_EQ(heard[0].runs.size(), 4U);
  EXPECT_EQ(heard[0].runs[2].padding_bytes, 3U);
  EXPECT_TRUE(heard[0].runs[2].begins_block);
  EXPECT_FALSE(heard[0].runs[3].begins_block);
  ASSERT_TRUE(heard[0].next);
  EXPECT_EQ(heard[0].next->padding_bytes, 5U);
  EXPECT_EQ(heard[0].budget_ns, 40'000'000);
  EXPECT_FALSE(heard[0].stop_on_failure);
}

TEST_F(RunnerLauncherTest, ReportsTheLineThatCannotBeParsed) {
  wire::ParsedOutput parsed;
  parsed.result = Error{ErrorCode::kInvalidArgument, "line 3: 'ops' has no value", {}};
  wire::RunFigures figures;
  figures.parsed = wire::EncodeParsedOutput(parsed);
  AnswerRuns(figures);
  Open({Child("a", "lines"), Child("b")});
  EXPECT_EQ(RunOne(0).error().message, "parse: line 3: 'ops' has no value");
  EXPECT_TRUE(RunOne(1)) << "the other child is not parsed";
}

TEST_F(RunnerLauncherTest, PassesOnThatAProgramHasChanged) {
  const Error changed{ErrorCode::kFailedPrecondition, "program: /bin/a has changed", "rebuild"};
  AnswerRuns(changed);
  Open({Child("a")});
  EXPECT_EQ(RunOne(0).error(), changed);
}

TEST_F(RunnerLauncherTest, FailsTheRunInWhichTheRunnerDiesAndMeetsAFreshOneAtTheNextOpen) {
  HoldRuns();
  Open({Child("a")});
  Started<SeriesOutcome> run(io_, launcher_.Run(Order(0)));
  UntilRunHeard();
  source_.newest().Die();
  EXPECT_EQ(OnlyOne(run.Wait()).error(),
            (Error{ErrorCode::kUnavailable, "benchd-runner died during a run", "what to do"}));
  source_.script = {};
  const auto again = RunOne(0);
  ASSERT_FALSE(again) << "nothing is open";
  EXPECT_EQ(again.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(again.error().message, "benchd-runner died before a run");
  Await(io_, launcher_.Close());
  Open({Child("a")});
  EXPECT_TRUE(RunOne(0));
  EXPECT_EQ(source_.runners.size(), 2U);
}

TEST_F(RunnerLauncherTest, RunsNothingOnARunnerThatOnlyALookUpHasMet) {
  Open({Child("a")});
  source_.newest().Die();
  ASSERT_TRUE(Await(io_, launcher_.Resolve(Child("a"))));
  EXPECT_EQ(source_.runners.size(), 2U);
  EXPECT_EQ(RunOne(0).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(source_.newest().HeardOf<wire::StartRuns>().empty());
}

TEST_F(RunnerLauncherTest, CancelsTheRunUnderWay) {
  HoldRuns();
  Open({Child("a")});
  Started<SeriesOutcome> run(io_, launcher_.Run(Order(0)));
  UntilRunHeard();
  launcher_.CancelRun();
  launcher_.CancelRun();
  RunUntil(io_, [this] { return !source_.newest().HeardOf<wire::CancelRun>().empty(); });
  EXPECT_FALSE(run.done()) << "the child is not gone yet";
  const auto request = source_.newest().HeardOf<wire::StartRuns>()[0].request;
  source_.newest().Say(Finished(request, Error{ErrorCode::kCancelled, "killed on request", {}}));
  EXPECT_EQ(OnlyOne(run.Wait()).error(), (Error{ErrorCode::kCancelled, "run: cancelled", ""}));
  EXPECT_EQ(source_.newest().HeardOf<wire::CancelRun>().size(), 1U);
}

TEST_F(RunnerLauncherTest, CancelsARunThatEndedJustBeforeTheRunnerHeardOfIt) {
  HoldRuns();
  Open({Child("a")});
  Started<SeriesOutcome> run(io_, launcher_.Run(Order(0)));
  UntilRunHeard();
  launcher_.CancelRun();
  const auto request = source_.newest().HeardOf<wire::StartRuns>()[0].request;
  source_.newest().Say(Finished(request, wire::RunFigures{}));
  EXPECT_EQ(OnlyOne(run.Wait()).error().code, ErrorCode::kCancelled);
  Started<SeriesOutcome> next(io_, launcher_.Run(Order(0)));
  UntilRunHeard(2);
  source_.newest().Say(
      Finished(source_.newest().HeardOf<wire::StartRuns>()[1].request, wire::RunFigures{}));
  EXPECT_TRUE(OnlyOne(next.Wait())) << "the next run is nobody's to cancel";
}

TEST_F(RunnerLauncherTest, HasNothingToCancelBetweenRuns) {
  launcher_.CancelRun();
  Open({Child("a")});
  launcher_.CancelRun();
  EXPECT_TRUE(RunOne(0));
  EXPECT_TRUE(source_.newest().HeardOf<wire::CancelRun>().empty());
}

TEST_F(RunnerLauncherTest, LooksUpAProgramDuringARun) {
  HoldRuns();
  Open({Child("a")});
  Started<SeriesOutcome> run(io_, launcher_.Run(Order(0)));
  UntilRunHeard();
  ChildSpec child = Child("other");
  child.caller.uid = 1234;
  const auto program = Await(io_, launcher_.Resolve(child));
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->path, "/bin/other");
  EXPECT_FALSE(run.done());
  const auto asked = source_.newest().HeardOf<wire::ResolveProgram>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].program, "other");
  EXPECT_EQ(asked[0].path, "/opt/bin");
  EXPECT_EQ(asked[0].cwd, "/tmp");
  EXPECT_EQ(asked[0].caller.uid, 1234U);
  source_.newest().Say(
      Finished(source_.newest().HeardOf<wire::StartRuns>()[0].request, wire::RunFigures{}));
  EXPECT_TRUE(OnlyOne(run.Wait()));
}

TEST_F(RunnerLauncherTest, LooksUpOnTheSystemsPathWhereTheEnvironmentHasNone) {
  ChildSpec child = Child("a");
  child.env.erase("PATH");
  ASSERT_TRUE(Await(io_, launcher_.Resolve(child)));
  EXPECT_EQ(source_.newest().HeardOf<wire::ResolveProgram>().at(0).path, "/bin:/usr/bin");
}

TEST_F(RunnerLauncherTest, PassesOnThatAProgramDoesNotExist) {
  const Error missing{ErrorCode::kNotFound, "gzap: no such program", "check the spelling"};
  source_.script = [missing](FakeRunner& runner, const wire::Message& message) {
    const auto* resolve = std::get_if<wire::ResolveProgram>(&message);
    if (resolve != nullptr) runner.Say(wire::ProgramResolved{resolve->request, missing});
    return resolve != nullptr;
  };
  EXPECT_EQ(Await(io_, launcher_.Resolve(Child("gzap"))).error(), missing);
}

TEST_F(RunnerLauncherTest, RefusesToLookUpAnEmptyCommand) {
  const auto program = Await(io_, launcher_.Resolve(ChildSpec{}));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().message, "command: empty");
}

TEST_F(RunnerLauncherTest, RefusesASecondRunAtOnce) {
  HoldRuns();
  Open({Child("a")});
  Started<SeriesOutcome> run(io_, launcher_.Run(Order(0)));
  UntilRunHeard();
  EXPECT_EQ(RunOne(0).error().message, "run: another one is under way");
  source_.newest().Die();
  EXPECT_FALSE(OnlyOne(run.Wait()));
}

TEST_F(RunnerLauncherTest, OpensNothingOnARunnerThatDoesNotHoldTheMachine) {
  ASSERT_TRUE(Await(io_, machine_.Acquire({})));
  source_.newest().Die();
  const auto opened = Await(io_, launcher_.Open({Child("a")}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(opened.error().message, "benchd-runner died after the machine was prepared");
  Await(io_, machine_.Release());
  Open({Child("a")});
}

TEST_F(RunnerLauncherTest, ClosesWhatIsOpenAndNothingElse) {
  Await(io_, launcher_.Close());
  EXPECT_TRUE(source_.runners.empty());
  Open({Child("a")});
  Await(io_, launcher_.Close());
  EXPECT_EQ(source_.newest().HeardOf<wire::CloseChildren>().size(), 2U);
  EXPECT_EQ(RunOne(0).error().code, ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace benchd
