// The benchmarks inside the programs of a session: how they are listed, matched and run, and what
// only some arms have.

#include "daemon/session/discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/session/run_session.h"
#include "tests/support/fakes.h"
#include "tests/support/google_benchmark.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using fake::ListsBenchmarks;
using Names = fake::BenchmarkNames;

/// Returns the benchmark that a command runs; empty if it runs none or all.
std::string InnerOf(const ChildSpec& child) {
  const Names names = fake::FilteredBenchmarks(child);
  return names.empty() ? std::string() : names.front();
}

class DiscoveryTest : public testing::Test {
 protected:
  DiscoveryTest() {
    spec_.limits.runs = 2;
    spec_.method = Method::kFixed;
    spec_.schedule.warmup = 1;
    Benchmark& benchmark = spec_.benchmarks.front();
    benchmark.harness = benchmark.parse = "google-benchmark";
    runner_.report->environment.facts = {{"kernel", "6.1"}, {"cpu", "M"}, {"boot_id", "first"}};
    runner_.report->benchmark_cpus = {1};
    runner_.program = [this](std::uint32_t, std::uint64_t run) { return Program(run); };
  }

  /// Answers as Google Benchmark would, through the helper.
  Result<RunOutcome> Program(std::uint64_t run) {
    const ChildSpec& child = runner_.ran().back();
    const std::string& arm = child.argv.front();
    if (!ListsBenchmarks(child)) return OneRun(InnerOf(child), run);
    if (refusal_.contains(arm)) return refusal_.at(arm);
    RunOutcome outcome;
    outcome.names = lists_[arm];
    return outcome;
  }

  static RunOutcome OneRun(const std::string& inner, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1.0);
    const double value = 1e-3 * (1 + 0.001 * static_cast<double>(run));
    fake::PrintTimes(inner, value, outcome);
    return outcome;
  }

  SessionSnapshot RunIt() {
    record_.snapshot.id = id_;
    record_.spec = spec_;
    store_.Keep(record_);
    return RunAgain();
  }

  SessionSnapshot RunAgain() {
    CancelToken cancel;
    SessionServices services{
        runner_,       store_, clock_,
        disturbances_, cancel, [this](const auto& snapshot) { record_.snapshot = snapshot; },
        max_pairs_};
    record_.snapshot = RunToEnd(loop_, RunSession(std::move(services), record_));
    return record_.snapshot;
  }

  Error ErrorOf(const SessionSnapshot& last) {
    EXPECT_EQ(last.state, SessionState::kFailed);
    EXPECT_TRUE(last.found.empty());
    return last.failure ? last.failure->error : Error{};
  }

  static const Comparison* GateOf(const SessionSnapshot& last, const std::string& benchmark,
                                  const std::string& metric) {
    const auto& all = last.report->comparisons;
    const auto found = std::ranges::find_if(all, [&](const Comparison& one) {
      return one.benchmark == benchmark && one.metric == metric &&
             one.role == ComparisonRole::kGate;
    });
    return found == all.end() ? nullptr : &*found;
  }

  std::ptrdiff_t TimesListed() const {
    return std::ranges::count_if(runner_.ran(), ListsBenchmarks);
  }

  asio::io_context loop_;
  fake::Clock clock_;
  fake::Runner runner_{clock_};
  TestStore store_;
  DisturbanceLog disturbances_;
  SessionSpec spec_ = fake::TwoArms("base", "candidate");
  SessionId id_{"testtest"};
  SessionRecord record_;
  std::map<std::string, Names> lists_{{"base", {"BM_a", "BM_b"}}, {"candidate", {"BM_b", "BM_a"}}};
  std::map<std::string, Result<RunOutcome>> refusal_;
  std::uint64_t max_pairs_ = 1024;
};

TEST_F(DiscoveryTest, EachBenchmarkOfTheProgramsRunsAlone) {
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  ASSERT_EQ(last.found.size(), 1U);
  EXPECT_EQ(last.found[0].names, (Names{"BM_a", "BM_b"}));
  EXPECT_TRUE(last.found[0].unmatched.empty());
  EXPECT_EQ(TimesListed(), 2);
  std::map<std::string, int> runs;
  for (const ChildSpec& child : runner_.ran()) {
    if (!ListsBenchmarks(child)) ++runs[child.argv.front() + " " + InnerOf(child)];
  }
  // One warm-up block and two measured blocks of each.
  EXPECT_EQ(runs,
            (std::map<std::string, int>{
                {"base BM_a", 3}, {"base BM_b", 3}, {"candidate BM_a", 3}, {"candidate BM_b", 3}}));
  EXPECT_EQ(last.setup->programs.size(), 4U);
}

TEST_F(DiscoveryTest, TheListIsOfTheCallerOnTheWholeMachineAndNotMeasured) {
  spec_.benchmarks[0].arms[1].env["MODE"] = "fast";
  RunIt();
  const ChildSpec& listing = runner_.ran()[1];
  ASSERT_TRUE(ListsBenchmarks(listing));
  EXPECT_EQ(listing.argv, (Names{"candidate", "--benchmark_list_tests"}));
  EXPECT_EQ(listing.env.at("MODE"), "fast");
  EXPECT_EQ(listing.caller, spec_.caller);
  EXPECT_TRUE(listing.cpus.empty());
  for (const benchd::Run& run : store_.runs(id_)) EXPECT_FALSE(run.samples.empty());
  EXPECT_EQ(store_.runs(id_).size(), 12U);
}

TEST_F(DiscoveryTest, MetricsHaveTheNameOfTheBenchmarkOnce) {
  const SessionSnapshot last = RunIt();
  ASSERT_TRUE(last.report);
  EXPECT_NE(GateOf(last, "BM_a", "real_time"), nullptr);
  // benchd measures a cpu_time of the process, too.
  EXPECT_NE(GateOf(last, "BM_b", "google-benchmark/cpu_time"), nullptr);
  // All four gates share alpha.
  EXPECT_DOUBLE_EQ(GateOf(last, "BM_a", "real_time")->confidence, 1 - spec_.alpha / 4);
}

TEST_F(DiscoveryTest, TheStoreAndTheExportsKnowTheExpandedSession) {
  // As the queue does when a session ends.
  ASSERT_TRUE(store_.Ask(&Records::Update, RunIt(), HistoryEntry{}));
  const Result<SessionRecord> stored = store_.Ask(&Records::Load, id_);
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_EQ(stored->spec.benchmarks.size(), 2U);
  EXPECT_EQ(stored->spec.benchmarks[1].name, "BM_b");
  EXPECT_EQ(stored->spec.benchmarks[1].inner, "BM_b");
  EXPECT_EQ(stored->spec.benchmarks[1].arms[0].command, spec_.benchmarks[0].arms[0].command);
}

TEST_F(DiscoveryTest, OnlyTakesSome) {
  lists_["base"] = lists_["candidate"] = {"BM_a/1", "BM_a/2", "BM_b", "x1"};
  spec_.benchmarks[0].only = {"BM_a*", "x?"};
  EXPECT_EQ(RunIt().found.at(0).names, (Names{"BM_a/1", "BM_a/2", "x1"}));
}

TEST_F(DiscoveryTest, APatternThatMatchesNothingIsAnError) {
  spec_.benchmarks[0].only = {"BM_a", "BM_c*"};
  EXPECT_WORDING(ErrorOf(RunIt()));
}

TEST_F(DiscoveryTest, WhatTheCandidateLacksIsARegression) {
  lists_["candidate"] = {"BM_a"};
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  EXPECT_EQ(last.found[0].unmatched,
            (std::vector<UnmatchedBenchmark>{{.name = "BM_b", .missing_in = {"candidate"}}}));
  EXPECT_EQ(last.report->verdict, Verdict::kRegression);
  const Comparison* const missing = GateOf(last, "BM_b", "benchmark");
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->verdict, Verdict::kRegression);
  EXPECT_EQ(missing->reason, "missing_in_candidate");
}

TEST_F(DiscoveryTest, WhatTheCandidateLacksIsAWarningIfThatIsAllowed) {
  lists_["candidate"] = {"BM_a"};
  spec_.benchmarks[0].allow_missing = true;
  const SessionSnapshot last = RunIt();
  ASSERT_TRUE(last.report);
  EXPECT_NE(last.report->verdict, Verdict::kRegression);
  EXPECT_EQ(GateOf(last, "BM_b", "benchmark"), nullptr);
  const auto told = std::ranges::find(last.report->warnings, "metric_missing", &Warning::code);
  ASSERT_NE(told, last.report->warnings.end());
  EXPECT_WORDING(told->message);
}

TEST_F(DiscoveryTest, WhatOnlyTheCandidateHasIsAWarning) {
  lists_["candidate"] = {"BM_a", "BM_b", "BM_new", "BM_more"};
  const SessionSnapshot last = RunIt();
  ASSERT_TRUE(last.report);
  EXPECT_NE(last.report->verdict, Verdict::kRegression);
  const auto told = std::ranges::find(last.report->warnings, "metric_missing", &Warning::code);
  ASSERT_NE(told, last.report->warnings.end());
  EXPECT_EQ(told->arm, "base");
  EXPECT_WORDING(told->message);
}

TEST_F(DiscoveryTest, AListThatCannotBeHadNamesArmAndCommand) {
  RunOutcome failed;
  failed.exit.code = 3;
  refusal_.emplace("candidate", failed);
  EXPECT_WORDING(ErrorOf(RunIt()));
  EXPECT_EQ(record_.snapshot.failure->run->arm, "candidate");
  EXPECT_FALSE(record_.snapshot.failure->run->block) << "no run of a block";
}

TEST_F(DiscoveryTest, AListThatCannotBeReadNamesArmAndCommand) {
  refusal_.emplace("base", InvalidArgument("parse", "no benchmark is listed", "the hint"));
  EXPECT_WORDING(ErrorOf(RunIt()));
}

/// A program of Catch2 2, which exits with the number of the test cases that it lists.
class DiscoveryOfCatch2Test : public DiscoveryTest {
 protected:
  SessionSnapshot RunWith(int code, const Names& listed) {
    spec_.benchmarks[0].harness = spec_.benchmarks[0].parse = "catch2";
    runner_.program = [this, code, listed](std::uint32_t, std::uint64_t run) -> Result<RunOutcome> {
      const ChildSpec& child = runner_.ran().back();
      if (child.argv.back() != "--list-tests") return OneRun(child.argv.back(), run);
      // Where the exit code is accepted, only the list counts.
      if (listed.empty() && !child.accept_exit.empty()) {
        return InvalidArgument("parse", "no benchmark is listed");
      }
      RunOutcome outcome;
      outcome.exit.code = code;
      outcome.names = listed;
      outcome.stderr_tail = "cannot open libfoo.so.1\n";
      return outcome;
    };
    return RunIt();
  }
};

TEST_F(DiscoveryOfCatch2Test, TheNumberOfTestCasesIsNoFailure) {
  EXPECT_EQ(RunWith(2, {"sort", "scan"}).state, SessionState::kDone);
}

TEST_F(DiscoveryOfCatch2Test, AnotherExitCodeIs) {
  EXPECT_WORDING(ErrorOf(RunWith(3, {"sort", "scan"})));
}

TEST_F(DiscoveryOfCatch2Test, AnEmptyListHasTheExitCodeAndStderrOfTheProgram) {
  const SessionSnapshot last = RunWith(127, {});
  EXPECT_WORDING(ErrorOf(last));
  ASSERT_TRUE(last.failure && last.failure->run);
  EXPECT_EQ(last.failure->run->exit_code, 127);
  EXPECT_EQ(last.failure->run->stderr_tail, "cannot open libfoo.so.1\n");
}

TEST_F(DiscoveryTest, ArmsWithoutACommonBenchmarkAreNotCompared) {
  lists_["candidate"] = {"BM_1", "BM_2", "BM_3", "BM_4", "BM_5", "BM_6", "BM_7"};
  EXPECT_WORDING(ErrorOf(RunIt()));
}

TEST_F(DiscoveryTest, TheLimitsOfASessionApplyToTheBenchmarksThatWereFound) {
  max_pairs_ = 1;
  const Error pairs = ErrorOf(RunIt());
  EXPECT_EQ(pairs.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(pairs);
}

TEST_F(DiscoveryTest, ASessionHasAtMostAThousand) {
  Names many;
  for (int i = 0; i <= 1000; ++i) many.push_back("BM_" + std::to_string(i));
  lists_["base"] = lists_["candidate"] = many;
  EXPECT_WORDING(ErrorOf(RunIt()));
}

TEST_F(DiscoveryTest, LongCommandsAreNotCopiedAThousandTimes) {
  Names many;
  for (int i = 0; i < 500; ++i) many.push_back("BM_" + std::to_string(i));
  lists_["base"] = lists_["candidate"] = many;
  spec_.benchmarks[0].arms[0].command += std::string(100'000, 'x');
  EXPECT_WORDING(ErrorOf(RunIt()));
}

TEST_F(DiscoveryTest, AResumedSessionKeepsItsBenchmarks) {
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  // As benchd finds it after it was killed: the spec as submitted, and the stored runs.
  record_.spec = spec_;
  record_.snapshot.state = SessionState::kQueued;
  record_.snapshot.ended_at.reset();
  record_.snapshot.report.reset();
  lists_.clear();
  const SessionSnapshot again = RunAgain();
  ASSERT_EQ(again.state, SessionState::kDone) << again.failure->error.message;
  EXPECT_EQ(TimesListed(), 2);
  EXPECT_EQ(again.report->comparisons, last.report->comparisons);
}

TEST_F(DiscoveryTest, BuildAndCleanupRunOnceHoweverManyBenchmarksThereAre) {
  Hooks& hooks = spec_.benchmarks[0].hooks;
  hooks.build = {"build", {"build"}};
  hooks.cleanup = {"cleanup", {"cleanup"}};
  for (const char* hook : {"build", "cleanup"}) runner_.outcomes[hook] = RunOutcome();
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  for (const char* hook : {"build", "cleanup"}) {
    const auto is_hook = [hook](const ChildSpec& child) { return child.argv.front() == hook; };
    EXPECT_EQ(std::ranges::count_if(runner_.ran(), is_hook), 1) << hook;
  }
  EXPECT_EQ(runner_.ran().back().env.at("BENCHD_BENCHMARK"), "main");
  EXPECT_TRUE(ListsBenchmarks(runner_.ran()[1])) << "after the build";
}

}  // namespace
}  // namespace benchd
