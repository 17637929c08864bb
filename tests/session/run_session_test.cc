#include "daemon/session/run_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class RunSessionTest : public testing::Test {
 protected:
  SessionSnapshot RunIt() {
    SessionServices services{
        runner_, store_, clock_, disturbances_, cancel_, [this](const SessionSnapshot& s) {
          published_.push_back(s);
          batches_then_.push_back(runner_.batches().size());
        }};
    return RunToEnd(loop_, RunSession(std::move(services), Stored(id_)));
  }

  /// A session that the store knows.
  SessionRecord Stored(const SessionId& id) {
    SessionRecord record{spec_, {}, {}};
    record.snapshot.id = id;
    store_.Keep(record);
    return record;
  }

  /// base takes 1 s and candidate `ratio` s, both with a seeded jitter of at most 1 %.
  void CandidateTakes(double ratio) {
    runner_.program = [ratio](std::uint32_t child, std::uint64_t run) {
      const double jitter = 0.01 * static_cast<double>((run * 7 + child * 3) % 10) / 10;
      return fake::Took((child == 0 ? 1.0 : ratio) * (1 + jitter));
    };
  }

  std::vector<SessionState> StatesSeen() const {
    std::vector<SessionState> states;
    for (const SessionSnapshot& s : published_) {
      if (states.empty() || states.back() != s.state) states.push_back(s.state);
    }
    return states;
  }

  asio::io_context loop_;
  fake::Clock clock_;
  fake::Runner runner_{clock_};
  TestStore store_;
  CancelToken cancel_;
  DisturbanceLog disturbances_;
  SessionSpec spec_ = fake::TwoArms();
  SessionId id_{"testtest"};
  std::vector<SessionSnapshot> published_;
  std::vector<std::size_t> batches_then_;  // number of batches ordered before each of them
};

TEST_F(RunSessionTest, EndsWithARegressionWhenTheCandidateIsTenPercentSlower) {
  CandidateTakes(1.1);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  ASSERT_TRUE(last.report);
  EXPECT_EQ(last.report->verdict, Verdict::kRegression);
  EXPECT_EQ(StatesSeen(), (std::vector{SessionState::kPreparing, SessionState::kRunning}));
  EXPECT_EQ(runner_.released, 1);
  EXPECT_FALSE(runner_.open());
}

TEST_F(RunSessionTest, PassesEqualPrograms) {
  CandidateTakes(1.0);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.report->verdict, Verdict::kPass);
}

TEST_F(RunSessionTest, KeepsWarmUpBlocksInTheStoreAndOutOfTheStatistics) {
  spec_.schedule.warmup = 2;
  CandidateTakes(1.1);
  const SessionSnapshot last = RunIt();
  const std::vector<benchd::Run> runs = store_.runs(id_);
  const auto warmups = std::count_if(runs.begin(), runs.end(), [](const benchd::Run& run) {
    return run.phase == RunPhase::kWarmup;
  });
  EXPECT_EQ(warmups, 4);
  EXPECT_EQ(last.report->runs.front().runs, (runs.size() - 4) / 2);
}

TEST_F(RunSessionTest, ShowsWatchersNothingThatIsNotStored) {
  CandidateTakes(1.1);
  runner_.run_time = std::chrono::milliseconds(100);
  std::vector<std::size_t> stored;
  std::vector<std::uint64_t> seen;
  SessionServices services{runner_,
                           store_,
                           clock_,
                           disturbances_,
                           cancel_,
                           [this, &stored, &seen](const SessionSnapshot& s) {
                             if (!s.report) return;
                             stored.push_back(store_.runs(id_).size());
                             seen.push_back(s.report->runs.front().runs);
                           }};
  RunToEnd(loop_, RunSession(std::move(services), Stored(id_)));
  ASSERT_FALSE(seen.empty());
  // Two warm-up runs, and two runs for each block of the report.
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(stored[i], 2 + 2 * seen[i]);
}

/// While other processes write to the disk.
TEST_F(RunSessionTest, SpendsATwentiethOfItsTimeOnCommitsWhereTheyTakeLong) {
  CandidateTakes(1.0);
  runner_.run_time = std::chrono::milliseconds(10);
  spec_.limits.runs = 1000;
  spec_.schedule.warmup = 0;
  std::vector<Nanoseconds> commits;
  store_.during_append = [this, &commits] {
    commits.push_back(clock_.Steady().time_since_epoch());
    clock_.Advance(std::chrono::milliseconds(200));
  };
  RunIt();
  // 20 s of runs.
  ASSERT_GE(commits.size(), 3U);
  EXPECT_LE(commits.size(), 7U);
  for (std::size_t i = 1; i + 1 < commits.size(); ++i) {
    EXPECT_GE(commits[i] - commits[i - 1], std::chrono::milliseconds(4200));
    EXPECT_LE(commits[i] - commits[i - 1], std::chrono::milliseconds(4900));
  }
  // Watchers only see committed data.
  std::size_t reports = 0;
  for (const SessionSnapshot& told : published_) {
    if (told.report && told.report->elapsed > Nanoseconds::zero()) ++reports;
  }
  EXPECT_LE(reports, commits.size());
}

TEST_F(RunSessionTest, WaitsTenSecondsForTheNextCommitAtMost) {
  CandidateTakes(1.0);
  runner_.run_time = std::chrono::milliseconds(10);
  spec_.limits.runs = 2500;
  spec_.schedule.warmup = 0;
  std::vector<Nanoseconds> commits;
  store_.during_append = [this, &commits] {
    commits.push_back(clock_.Steady().time_since_epoch());
    clock_.Advance(std::chrono::seconds(3));
  };
  RunIt();
  ASSERT_GE(commits.size(), 3U);
  for (std::size_t i = 1; i < commits.size(); ++i) {
    EXPECT_LE(commits[i] - commits[i - 1], std::chrono::milliseconds(13600));
  }
}

/// Uncommitted data is held in memory.
TEST_F(RunSessionTest, CommitsALongLogAtOnceHoweverLongThatTakes) {
  runner_.program = [](std::uint32_t, std::uint64_t) {
    Result<RunOutcome> outcome = fake::Took(1.0);
    outcome->output = std::string(std::size_t{1} << 20, 'x');
    return outcome;
  };
  runner_.run_time = std::chrono::milliseconds(10);
  spec_.limits.runs = 100;
  std::size_t commits = 0;
  store_.during_append = [this, &commits] {
    ++commits;
    clock_.Advance(std::chrono::seconds(3));
  };
  RunIt();
  // With each batch: a limit by time alone would give two.
  EXPECT_GE(commits, 4U);
}

TEST_F(RunSessionTest, RunsTheSameOrderForTheSameSeed) {
  CandidateTakes(1.0);
  spec_.limits.runs = 20;
  RunIt();
  const std::vector<RunOrder> first = runner_.orders();
  fake::Runner second(clock_);
  SessionServices services{second, store_, clock_, disturbances_, cancel_, [](const auto&) {}};
  RunToEnd(loop_, RunSession(std::move(services), Stored({"second"})));
  ASSERT_EQ(first.size(), second.orders().size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].child, second.orders()[i].child) << "run " << i;
    EXPECT_EQ(first[i].padding_bytes, second.orders()[i].padding_bytes) << "run " << i;
  }
}

TEST_F(RunSessionTest, StopsUndecidedAtTheTimeLimit) {
  // Exactly at the margin: no interval ever leaves it.
  CandidateTakes(1.02);
  spec_.limits.max_time = std::chrono::seconds(2);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.report->verdict, Verdict::kUndecided);
  EXPECT_GE(last.report->elapsed, spec_.limits.max_time);
  EXPECT_LT(last.report->elapsed, spec_.limits.max_time + 2 * runner_.run_time);
  EXPECT_FALSE(last.report->eta) << "no verdict is pending";
}

TEST_F(RunSessionTest, FailsByNameWhenARunFails) {
  runner_.program = [](std::uint32_t child, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1);
    if (child == 1 && run == 3) outcome.exit.code = 2;
    return outcome;
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  ASSERT_TRUE(last.failure);
  EXPECT_WORDING(last.failure->error);
  EXPECT_EQ(runner_.released, 1);
}

TEST_F(RunSessionTest, FailsWhenTheArmsPrintSomethingElse) {
  spec_.benchmarks.front().check_output = true;
  runner_.program = [](std::uint32_t child, std::uint64_t) {
    RunOutcome outcome = fake::Took(1);
    outcome.stdout_digest = fake::Printed(child == 0 ? "old\n" : "new\n");
    return outcome;
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error);
  ASSERT_TRUE(last.failure->run);
  EXPECT_EQ(last.failure->run->phase, RunPhase::kWarmup);
  EXPECT_TRUE(runner_.children()[0].check_output);
  EXPECT_EQ(runner_.released, 1);
}

TEST_F(RunSessionTest, ADifferenceOfOutputsEndsASessionThatRanOnlyOneBlock) {
  spec_.benchmarks.front().check_output = true;
  spec_.schedule.warmup = 0;
  spec_.limits.max_time = Nanoseconds(1);
  runner_.program = [](std::uint32_t child, std::uint64_t) {
    RunOutcome outcome = fake::Took(1);
    outcome.stdout_digest = fake::Printed(child == 0 ? "old\n" : "new\n");
    return outcome;
  };
  runner_.most_runs = 2;
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(runner_.orders().size(), 2U);
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_EQ(last.failure->run->arm, "candidate");
}

TEST_F(RunSessionTest, TheFirstOtherOutputEndsTheSessionAndItsLogIsKept) {
  spec_.benchmarks.front().check_output = true;
  runner_.program = [](std::uint32_t child, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1);
    outcome.output = child == 1 && run == 3 ? "new\n" : "old\n";
    outcome.stdout_digest = fake::Printed(outcome.output);
    return outcome;
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  ASSERT_TRUE(last.failure->run);
  EXPECT_EQ(last.failure->run->arm, "candidate");
  EXPECT_EQ(last.failure->run->block, 2U) << "the first of its four runs is a warm-up";
  EXPECT_NE(store_.Ask(&Records::LoadLog, id_, SIZE_MAX)->text.find("new\n"), std::string::npos);
}

TEST_F(RunSessionTest, CountsFailedRunsLikeAnyOtherWhenAskedTo) {
  spec_.benchmarks.front().ignore_failure = true;
  spec_.limits.runs = 8;
  runner_.program = [](std::uint32_t child, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1 + 0.01 * static_cast<double>(run % 3));
    if (child == 1 && run == 3) outcome.exit.code = 2;
    return outcome;
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.report->runs.back().runs, 8U);
  EXPECT_TRUE(std::any_of(last.report->warnings.begin(), last.report->warnings.end(),
                          [](const Warning& w) { return w.code == "failed_runs"; }));
}

TEST_F(RunSessionTest, WhatAHarnessSawFailIsAFailedRun) {
  spec_.limits.runs = 8;
  runner_.program = [](std::uint32_t child, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1 + 0.01 * static_cast<double>(run % 3));
    if (child == 1) outcome.inner_exits = {{"", 139, 1, 5}};
    return outcome;
  };
  const SessionSnapshot refused = RunIt();
  ASSERT_EQ(refused.state, SessionState::kFailed);
  EXPECT_WORDING(refused.failure->error);
}

TEST_F(RunSessionTest, WhatAHarnessSawFailIsCountedAmongTheFailedRuns) {
  spec_.benchmarks.front().ignore_failure = true;
  spec_.limits.runs = 8;
  runner_.program = [](std::uint32_t child, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1 + 0.01 * static_cast<double>(run % 3));
    if (child == 1) outcome.inner_exits = {{"", 139, 1, 5}};
    return outcome;
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_TRUE(std::any_of(last.report->warnings.begin(), last.report->warnings.end(),
                          [](const Warning& w) { return w.code == "failed_runs"; }));
}

TEST_F(RunSessionTest, ArmsThatPrintTheirTimesInAnotherUnitAreCompared) {
  spec_.limits.runs = 8;
  spec_.benchmarks.front().parse = "lines";
  runner_.program = [](std::uint32_t child, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1);
    const double ms = 20 + 0.01 * static_cast<double>(run % 3);
    outcome.samples.push_back({"lag", "", 0, child == 0 ? ms : ms * 1000});
    outcome.metrics = {{"lag", child == 0 ? "ms" : "us", Better::kLower, 0}};
    return outcome;
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  EXPECT_EQ(last.report->verdict, Verdict::kPass);
  const auto lag = std::ranges::find(last.report->comparisons, "lag", &Comparison::metric);
  ASSERT_NE(lag, last.report->comparisons.end());
  EXPECT_EQ(lag->unit, "ms");
  for (const benchd::Run& run : store_.runs(id_)) {
    const auto sample = std::ranges::find(run.samples, "lag", &Sample::metric);
    ASSERT_NE(sample, run.samples.end());
    EXPECT_NEAR(sample->value, 20.01, 0.011) << "readers get a single unit";
  }
}

TEST_F(RunSessionTest, FilesThatGitLfsDidNotFetchAreAWarningOfTheVerdict) {
  spec_.limits.runs = 8;
  spec_.lfs_pointers = {"a.bin", "b.bin"};
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  const auto said = std::ranges::find(last.report->warnings, "lfs_pointers", &Warning::code);
  ASSERT_NE(said, last.report->warnings.end());
  EXPECT_WORDING(said->message + "\n  hint: " + said->hint);
}

TEST_F(RunSessionTest, FailsByNameWhenTheRunnerDies) {
  runner_.program = [](std::uint32_t, std::uint64_t run) -> Result<RunOutcome> {
    if (run < 4) return fake::Took(1);
    return Error{ErrorCode::kUnavailable, "benchd-runner died during a run", {}};
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_NE(last.failure->error.message.find("benchd-runner died"), std::string::npos);
  EXPECT_TRUE(last.failure->run);
}

TEST_F(RunSessionTest, EndsCancelledWhenAskedDuringARun) {
  int runs = 0;
  runner_.during_run = [this, &runs] {
    if (++runs == 7) cancel_.Request("uid 1000");
  };
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.state, SessionState::kCancelled);
  EXPECT_EQ(last.cancelled_by, "uid 1000");
  EXPECT_EQ(runner_.orders().size(), 7U);
  EXPECT_EQ(runner_.released, 1);
}

TEST_F(RunSessionTest, IsRefusedByNameWhenStrictIsolationCannotBeHad) {
  runner_.report = Error{ErrorCode::kFailedPrecondition, "isolation: cpuset cannot be had", {}};
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_TRUE(last.failure->refused);
  EXPECT_TRUE(runner_.orders().empty());
}

TEST_F(RunSessionTest, TellsHowTheSettingsStoodAtTheEndAndWhatHappened) {
  runner_.report->isolation = {{.setting = "governor", .actual = "performance", .held = true}};
  runner_.end = {{"powersave"}, {{.code = "setting_changed", .message = "governor changed"}}};
  CandidateTakes(1.1);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.machine->isolation[0].at_end, "powersave");
  ASSERT_FALSE(last.report->warnings.empty());
  EXPECT_EQ(last.report->warnings.back().code, "setting_changed");
  for (const SessionSnapshot& s : published_) {
    if (s.machine) {
      EXPECT_EQ(s.machine->isolation[0].at_end, "") << "not known before the end";
    }
  }
}

TEST_F(RunSessionTest, WarnsOfTheMachineAlsoWhenItFailsOrIsCancelled) {
  runner_.end = {{}, {{.code = "throttled"}}};
  runner_.run_time = std::chrono::milliseconds(100);  // each block is reported
  runner_.program = [](std::uint32_t, std::uint64_t run) {
    RunOutcome outcome = fake::Took(1 + 0.01 * static_cast<double>(run % 3));
    if (run == 20) outcome.exit.code = 2;
    return outcome;
  };
  spec_.limits.runs = 100;
  const SessionSnapshot failed = RunIt();
  ASSERT_EQ(failed.state, SessionState::kFailed);
  ASSERT_TRUE(failed.report);
  EXPECT_EQ(failed.report->warnings.back().code, "throttled");

  int runs = 0;
  runner_.program = nullptr;
  runner_.during_run = [this, &runs] {
    if (++runs == 30) cancel_.Request("uid 1000");
  };
  const SessionSnapshot cancelled = RunIt();
  ASSERT_EQ(cancelled.state, SessionState::kCancelled);
  ASSERT_TRUE(cancelled.report);
  EXPECT_EQ(cancelled.report->warnings.back().code, "throttled");
}

TEST_F(RunSessionTest, ReportsAFifthOfItsTimeApartWithinBounds) {
  using std::chrono::milliseconds;
  runner_.run_time = milliseconds(10);
  spec_.limits.runs = 1000;  // of two arms each: 20 s
  RunIt();
  const std::vector<Batch>& batches = runner_.batches();
  ASSERT_GT(batches.size(), 2U);
  EXPECT_EQ(batches[1].budget, milliseconds(100));
  EXPECT_EQ(batches.back().budget, milliseconds(500));
  std::vector<Nanoseconds> apart;
  std::optional<Nanoseconds> last;
  for (const SessionSnapshot& snapshot : published_) {
    if (!snapshot.report || snapshot.state != SessionState::kRunning) continue;
    if (last) apart.push_back(snapshot.report->elapsed - *last);
    last = snapshot.report->elapsed;
  }
  EXPECT_TRUE(std::ranges::is_sorted(apart));
  EXPECT_EQ(apart.front(), milliseconds(100));
  EXPECT_EQ(apart.back(), milliseconds(500));
  // In 20 s: every 100 ms in the first half second, then 1.2 times as long each, up to every 500 ms
  // from 2.5 s on.
  EXPECT_NEAR(static_cast<double>(apart.size()), 5 + 9 + 35, 4);
}

TEST_F(RunSessionTest, ReportsWhenTheNextBatchIsOrdered) {
  runner_.run_time = std::chrono::milliseconds(60);  // a block takes longer than an interval
  spec_.schedule.warmup = 0;
  spec_.limits.runs = 4;
  RunIt();
  std::vector<std::size_t> ordered;
  for (std::size_t i = 0; i < published_.size(); ++i) {
    const SessionSnapshot& snapshot = published_[i];
    if (snapshot.report && snapshot.state == SessionState::kRunning) {
      ordered.push_back(batches_then_[i]);
    }
  }
  EXPECT_EQ(ordered, (std::vector<std::size_t>{2, 3, 4, 4}));  // nothing follows the last one
}

TEST_F(RunSessionTest, FailsByNameWhenABlockCannotBeStored) {
  runner_.during_run = [this] { store_.disk().Fail(SQLITE_IOERR_WRITE); };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error, {{store_.file(), "STORE"}});
}

TEST_F(RunSessionTest, GivesEachChildTheSessionsEnvironmentWithItsOwnOnTop) {
  spec_.environment = {{"HOME", "/home/a"}, {"MODE", "x"}};
  spec_.benchmarks.front().arms[1].env = {{"MODE", "y"}};
  spec_.limits.runs = 2;
  CandidateTakes(1);
  RunIt();
  ASSERT_EQ(runner_.children().size(), 2U);
  EXPECT_EQ(runner_.children()[0].env.at("MODE"), "x");
  EXPECT_EQ(runner_.children()[1].env.at("MODE"), "y");
  EXPECT_EQ(runner_.children()[1].env.at("HOME"), "/home/a");
}

TEST_F(RunSessionTest, GoesOnInTheMiddleOfABlockWhereABatchEnded) {
  spec_.limits.runs = 8;
  runner_.most_runs = 3;
  CandidateTakes(1);
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone);
  const std::vector<benchd::Run> runs = store_.runs(id_);
  ASSERT_EQ(runs.size(), 18U);
  for (std::size_t run = 2; run < runs.size(); ++run) {
    EXPECT_EQ(runs[run].block, (run - 2) / 2);
    EXPECT_EQ(runs[run].position, run % 2);
    EXPECT_EQ(runs[run].phase, RunPhase::kMeasured);
  }
}

TEST_F(RunSessionTest, CountsWhatHappenedDuringARunAsItsDisturbance) {
  spec_.limits.runs = 2;
  int runs = 0;
  runner_.during_run = [this, &runs] {
    if (++runs == 4)
      disturbances_.Note(clock_.Steady());  // two warm-up runs, then the second measured one
  };
  CandidateTakes(1);
  const SessionSnapshot last = RunIt();
  EXPECT_EQ(last.report->disturbances, 1U);
  EXPECT_EQ(store_.runs(id_)[3].disturbances, 1U);
}

TEST_F(RunSessionTest, ForecastsTheTimeToTheVerdict) {
  spec_.limits.runs = 12;
  CandidateTakes(1.01);
  runner_.run_time = std::chrono::milliseconds(100);
  RunIt();
  const auto with_eta = std::count_if(published_.begin(), published_.end(),
                                      [](const auto& s) { return s.report && s.report->eta; });
  EXPECT_GT(with_eta, 0);
}

}  // namespace
}  // namespace benchd
