// The hooks of a session: their order, their environment, and the effect of failures.

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/session/run_session.h"
#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

Hook Command(const std::string& program) { return Hook{program, {program}}; }

RunOutcome Exited(int code, const std::string& output = {}) {
  RunOutcome outcome;
  outcome.exit.code = code;
  outcome.output = output;
  return outcome;
}

class HooksTest : public testing::Test {
 protected:
  HooksTest() {
    spec_.limits.runs = 2;
    spec_.method = Method::kFixed;
    spec_.schedule.warmup = 0;
    runner_.report->environment.facts = {{"kernel", "6.1"}, {"cpu", "M"}, {"boot_id", "first"}};
    runner_.report->benchmark_cpus = {1};
    runner_.program = [](std::uint32_t child, std::uint64_t run) {
      return fake::Took(1.0 + 0.01 * static_cast<double>(child + run));
    };
    for (const char* hook : {"build", "setup", "prepare", "conclude", "cleanup"}) {
      runner_.outcomes[hook] = Exited(0);
    }
  }

  SessionSnapshot RunIt() {
    CancelToken cancel;
    cancel_ = &cancel;
    SessionServices services{
        runner_,       store_, clock_,
        disturbances_, cancel, [this](const auto& snapshot) {
          record_.snapshot = snapshot; }};
    record_.snapshot.id = id_;
    record_.spec = spec_;
    store_.Keep(record_);
    record_.snapshot = RunToEnd(loop_, RunSession(std::move(services), record_));
    return record_.snapshot;
  }

  Hooks& hooks() { return spec_.benchmarks.front().hooks; }

  std::vector<std::string> Ran() const {
    std::vector<std::string> names;
    for (const ChildSpec& child : runner_.ran()) names.push_back(child.argv.front());
    return names;
  }
  std::ptrdiff_t TimesRun(const std::string& program) const {
    const std::vector<std::string> ran = Ran();
    return std::count(ran.begin(), ran.end(), program);
  }
  std::string Log() { return store_.Ask(&Records::LoadLog, id_, SIZE_MAX)->text; }

  asio::io_context loop_;
  fake::Clock clock_;
  fake::Runner runner_{clock_};
  TestStore store_;
  CancelToken* cancel_ = nullptr;
  DisturbanceLog disturbances_;
  SessionSpec spec_ = fake::TwoArms("base", "candidate");
  SessionId id_{"testtest"};
  SessionRecord record_;
};

TEST_F(HooksTest, AreRunInTheirOrder) {
  hooks() = {.build = Command("build"),
             .setup = Command("setup"),
             .prepare = Command("prepare"),
             .conclude = Command("conclude"),
             .cleanup = Command("cleanup")};
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  std::vector<std::string> ran = Ran();
  ASSERT_EQ(ran.size(), 2 + 4 * 3 + 1);
  EXPECT_EQ(ran[0], "build");
  EXPECT_EQ(ran[1], "setup");
  for (std::size_t run = 2; run < ran.size() - 1; run += 3) {
    EXPECT_EQ(ran[run], "prepare");
    EXPECT_TRUE(ran[run + 1] == "base" || ran[run + 1] == "candidate") << ran[run + 1];
    EXPECT_EQ(ran[run + 2], "conclude");
  }
  EXPECT_EQ(ran.back(), "cleanup");
}

TEST_F(HooksTest, AreToldWhereTheyAreAndWhatIsMeasuredIsNot) {
  hooks() = {.setup = Command("setup"), .prepare = Command("prepare")};
  spec_.benchmarks[0].arms[1].env["MODE"] = "fast";
  RunIt();
  const std::vector<ChildSpec>& ran = runner_.ran();
  EXPECT_EQ(ran[0].env.at("BENCHD_SESSION"), "testtest");
  EXPECT_EQ(ran[0].env.at("BENCHD_BENCHMARK"), "main");
  EXPECT_FALSE(ran[0].env.contains("BENCHD_ARM"));
  std::size_t prepared = 0;
  for (std::size_t i = 1; i < ran.size(); ++i) {
    const RunOrder& order = runner_.orders()[i];
    if (ran[i].argv.front() != "prepare") {
      EXPECT_FALSE(ran[i].env.contains("BENCHD_SESSION"));
      EXPECT_TRUE(order.variables.empty());
      continue;
    }
    const std::string arm = ran[i].env.at("BENCHD_ARM");
    EXPECT_EQ(arm, ran[i + 1].argv.front());
    EXPECT_EQ(ran[i].env.contains("MODE"), arm == "candidate");
    const std::vector<std::string> block{"BENCHD_BLOCK=" + std::to_string(prepared++ / 2)};
    EXPECT_EQ(order.variables, block);
    EXPECT_EQ(order.padding_bytes, 0U);
  }
  EXPECT_EQ(prepared, 4U);
}

TEST_F(HooksTest, BuildAndSetupHaveTheMachineWithoutItsSettings) {
  hooks() = {.build = Command("build"), .cleanup = Command("cleanup")};
  std::vector<int> released_at;
  runner_.during_run = [&] { released_at.push_back(runner_.acquired - runner_.released); };
  RunIt();
  EXPECT_EQ(released_at.front(), 0) << "build";
  EXPECT_EQ(released_at[1], 1) << "a run";
  EXPECT_EQ(released_at.back(), 0) << "cleanup";
  EXPECT_TRUE(runner_.ran().front().cpus.empty());
  EXPECT_EQ(runner_.ran()[1].cpus, std::vector{1});
}

TEST_F(HooksTest, WhatTheyPrintIsKept) {
  hooks() = {.setup = Command("setup"), .prepare = Command("prepare")};
  runner_.outcomes["setup"] = Exited(0, "made it");
  runner_.outcomes["prepare"] = Exited(0, "ready\n");
  RunIt();
  EXPECT_TRUE(Log().starts_with("== setup\nmade it\n== prepare of ")) << Log();
  EXPECT_NE(Log().find("candidate, block 1\nready\n"), std::string::npos) << Log();
}

TEST_F(HooksTest, AFailingSetupFailsTheSessionBeforeAnythingIsMeasured) {
  hooks() = {.setup = Command("setup"), .cleanup = Command("cleanup")};
  runner_.outcomes["setup"] = Exited(3, "no such device\n");
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error);
  EXPECT_EQ(last.failure->run->exit_code, 3);
  EXPECT_EQ(last.failure->run->stderr_tail, "no such device\n");
  EXPECT_EQ(Ran(), (std::vector<std::string>{"setup", "cleanup"}));
}

TEST_F(HooksTest, AFailingPrepareFailsTheSessionAndNamesTheRun) {
  hooks() = {.prepare = Command("prepare"), .cleanup = Command("cleanup")};
  runner_.outcomes["prepare"] = Exited(1);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error, {{last.failure->run->arm, "ARM"}});
  EXPECT_EQ(Ran(), (std::vector<std::string>{"prepare", "cleanup"}));
}

TEST_F(HooksTest, AFailingConcludeFailsTheSession) {
  hooks() = {.conclude = Command("conclude")};
  runner_.outcomes["conclude"] = Exited(1);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error, {{last.failure->run->arm, "ARM"}});
  EXPECT_EQ(Ran().size(), 2U);
}

TEST_F(HooksTest, AFailingCleanupFailsTheSessionButKeepsWhatWasMeasured) {
  hooks() = {.cleanup = Command("cleanup")};
  runner_.outcomes["cleanup"] = Exited(1);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error);
  EXPECT_EQ(store_.runs(id_).size(), 4U);
  ASSERT_TRUE(last.report);
  EXPECT_EQ(last.report->runs.front().runs, 2U);
}

TEST_F(HooksTest, CleanupComesAfterAFailedRunAsWell) {
  hooks() = {.conclude = Command("conclude"), .cleanup = Command("cleanup")};
  runner_.program = [](std::uint32_t, std::uint64_t) { return Exited(9); };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_EQ(last.failure->run->exit_code, 9);
  EXPECT_EQ(Ran()[1], "conclude");
  EXPECT_EQ(Ran()[2], "cleanup");
}

TEST_F(HooksTest, CleanupComesAfterACancelAsWell) {
  hooks() = {.prepare = Command("prepare"), .cleanup = Command("cleanup")};
  runner_.during_run = [this] { cancel_->Request("uid 7"); };
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.state, SessionState::kCancelled);
  EXPECT_EQ(last.cancelled_by, "uid 7");
  EXPECT_EQ(Ran().back(), "cleanup");
  EXPECT_EQ(Ran().size(), 2U);
}

TEST_F(HooksTest, ASetupThatIsCancelledWhileItIsLookedUpIsNotRun) {
  hooks() = {.setup = Command("setup"), .cleanup = Command("cleanup")};
  runner_.during_resolve = [this] { cancel_->Request("uid 7"); };
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.state, SessionState::kCancelled);
  EXPECT_EQ(Ran(), std::vector<std::string>{"cleanup"});
}

TEST_F(HooksTest, ABuildThatIsCancelledWhileItIsOpenedIsNotRun) {
  hooks() = {.build = Command("build")};
  runner_.during_open = [this] { cancel_->Request("uid 7"); };
  EXPECT_EQ(RunIt().state, SessionState::kCancelled);
  EXPECT_TRUE(Ran().empty());
}

TEST_F(HooksTest, CleanupThatIsLookedUpWhenBenchdStopsWaitsForTheNextStart) {
  hooks() = {.cleanup = Command("cleanup")};
  runner_.during_resolve = [this] { cancel_->Interrupt(); };
  EXPECT_FALSE(IsFinal(RunIt().state));
  EXPECT_EQ(TimesRun("cleanup"), 0);
  runner_.during_resolve = nullptr;
  EXPECT_EQ(RunIt().state, SessionState::kDone);
  EXPECT_EQ(TimesRun("cleanup"), 1);
}

TEST_F(HooksTest, NothingIsCleanedUpWhereTheMachineWasRefused) {
  hooks() = {.setup = Command("setup"), .cleanup = Command("cleanup")};
  runner_.report = Error{ErrorCode::kFailedPrecondition, "strict", {}};
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.state, SessionState::kFailed);
  EXPECT_TRUE(runner_.ran().empty());
}

TEST_F(HooksTest, AnInterruptedSessionIsNotCleanedUpAndSetsUpOnce) {
  hooks() = {.setup = Command("setup"), .cleanup = Command("cleanup")};
  std::size_t runs = 0;
  runner_.during_run = [&] {
    if (++runs == 3) cancel_->Interrupt();
  };
  const SessionSnapshot first = RunIt();
  EXPECT_FALSE(IsFinal(first.state));
  EXPECT_EQ(TimesRun("cleanup"), 0);
  runner_.during_run = nullptr;
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(TimesRun("setup"), 1);
  EXPECT_EQ(TimesRun("cleanup"), 1);
}

TEST_F(HooksTest, AMachineThatWasStartedAnewIsSetUpAgain) {
  hooks() = {.setup = Command("setup")};
  std::size_t runs = 0;
  runner_.during_run = [&] {
    if (++runs == 3) cancel_->Interrupt();
  };
  RunIt();
  runner_.during_run = nullptr;
  runner_.report->environment.facts[2].second = "second";
  EXPECT_EQ(RunIt().state, SessionState::kDone);
  EXPECT_EQ(TimesRun("setup"), 2);
}

TEST_F(HooksTest, ASessionThatCannotGoOnIsCleanedUp) {
  hooks() = {.cleanup = Command("cleanup")};
  std::size_t runs = 0;
  runner_.during_run = [&] {
    if (++runs == 2) cancel_->Interrupt();
  };
  RunIt();
  runner_.during_run = nullptr;
  runner_.report->environment.facts[0].second = "another kernel";
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.state, SessionState::kFailed);
  EXPECT_EQ(Ran().back(), "cleanup");
}

TEST_F(HooksTest, CleanupThatIsCutOffByAStopIsRunAgainAndNothingElse) {
  hooks() = {.cleanup = Command("cleanup")};
  runner_.program = [](std::uint32_t, std::uint64_t) { return Exited(9); };
  runner_.during_run = [this] {
    if (runner_.ran().back().argv.front() == "cleanup") cancel_->Interrupt();
  };
  const SessionSnapshot first = RunIt();
  EXPECT_FALSE(IsFinal(first.state));
  runner_.during_run = nullptr;
  const std::size_t before = runner_.ran().size();
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.state, SessionState::kFailed);
  EXPECT_EQ(last.failure->run->exit_code, 9);
  ASSERT_EQ(runner_.ran().size(), before + 1);
  EXPECT_EQ(Ran().back(), "cleanup");
}

TEST_F(HooksTest, ProgramsThatSetupMakesAreTakenAsItLeftThem) {
  hooks() = {.setup = Command("setup")};
  ProgramIdentity made{.path = "/made", .inode = 5};
  runner_.programs.insert_or_assign("candidate", made);
  ASSERT_EQ(RunIt().state, SessionState::kDone);
  ASSERT_TRUE(record_.snapshot.setup);
  EXPECT_EQ(record_.snapshot.setup->programs[1], made);
  EXPECT_EQ(runner_.children()[1].program, made);
}

TEST_F(HooksTest, AProgramThatIsStillMissingAfterSetupFailsTheSession) {
  hooks() = {.setup = Command("setup")};
  runner_.programs.insert_or_assign(
      "candidate",
      Result<ProgramIdentity>(Error{ErrorCode::kNotFound, "candidate: not found", {}}));
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_NE(last.failure->error.message.find("candidate: not found"), std::string::npos);
}

TEST_F(HooksTest, BuildMayTakeAnHourAndTheOthersTheTimeOfARun) {
  hooks() = {.build = Command("build"), .setup = Command("setup"), .prepare = Command("prepare")};
  spec_.limits.timeout = std::chrono::seconds(7);
  RunIt();
  EXPECT_EQ(runner_.batches()[0].timeout, Nanoseconds(std::chrono::hours(1)));
  EXPECT_EQ(runner_.batches()[1].timeout, Nanoseconds(std::chrono::seconds(7)));
  EXPECT_EQ(runner_.batches()[2].timeout, Nanoseconds(std::chrono::seconds(7)));
}

TEST_F(HooksTest, ThoseOfTwoBenchmarksAreNamed) {
  spec_.benchmarks.push_back(spec_.benchmarks.front());
  spec_.benchmarks[1].name = "other";
  spec_.benchmarks[1].hooks.setup = Command("setup");
  runner_.outcomes["setup"] = Exited(1);
  const SessionSnapshot last = RunIt();
  EXPECT_WORDING(last.failure->error);
  EXPECT_EQ(last.failure->run->benchmark, "other");
}

}  // namespace
}  // namespace benchd
