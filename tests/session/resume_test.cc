#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "daemon/session/run_session.h"
#include "tests/session/mortal_session.h"
#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/seed.h"
#include "tests/support/test_store.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() {
    runner_.report->environment.facts = {
        {"kernel", "6.1.0"}, {"cpu", "Model 1"}, {"boot_id", "first"}, {"microcode", "0x1"}};
    runner_.program = [](std::uint32_t child, std::uint64_t run) {
      const double jitter = 0.02 * static_cast<double>((run * 7 + child * 3) % 10) / 10;
      return fake::Took((child == 0 ? 1.0 : 1.01) * (1 + jitter));
    };
  }

  /// One life of benchd; the record continues from the previous one.
  SessionSnapshot Live() {
    CancelToken cancel;
    cancel_ = &cancel;
    SessionServices services{
        runner_, store_, clock_, disturbances_, cancel, [this](const auto& snapshot) {
          record_.snapshot = snapshot;
          states_.push_back(snapshot.state);
        }};
    record_.snapshot.id = id_;
    record_.spec = spec_;
    store_.Keep(record_);
    const SessionSnapshot last = RunToEnd(loop_, RunSession(std::move(services), record_));
    record_.snapshot = last;
    return last;
  }

  /// The same until the run with that number, whose result is lost; empty if it was killed there.
  std::optional<SessionSnapshot> LiveUntilKilledInRun(std::size_t number) {
    std::size_t runs = 0;
    runner_.during_run = [&runs, number] {
      if (runs++ == number) throw test::Killed();
    };
    std::optional<SessionSnapshot> last;
    try {
      last = Live();
    } catch (const test::Killed&) {
    }
    runner_.during_run = nullptr;
    return last;
  }

  SessionSnapshot LiveUntilStoppedInRun(std::size_t number) {
    std::size_t runs = 0;
    runner_.during_run = [this, &runs, number] {
      if (runs++ == number) cancel_->Interrupt();
    };
    SessionSnapshot last = Live();
    runner_.during_run = nullptr;
    return last;
  }

  std::vector<benchd::Run> Runs(RunPhase phase) {
    std::vector<benchd::Run> runs;
    for (const benchd::Run& run : store_.runs(id_)) {
      if (run.phase == phase) runs.push_back(run);
    }
    return runs;
  }

  static std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> OrderOf(
      const std::vector<benchd::Run>& runs) {
    std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> order;
    for (const benchd::Run& run : runs) order.emplace_back(run.block, run.position, run.arm);
    return order;
  }

  /// The report computed from the stored runs alone.
  Report Replayed() {
    SessionAnalysis analysis = SessionAnalysis::Create(spec_).value();
    std::map<std::pair<int, std::uint64_t>, std::vector<benchd::Run>> blocks;
    for (const RunPhase phase : {RunPhase::kWarmup, RunPhase::kMeasured}) {
      for (const benchd::Run& run : Runs(phase)) {
        blocks[{static_cast<int>(phase), run.block}].push_back(run);
      }
    }
    for (const auto& [key, block] : blocks) {
      if (block.front().phase == RunPhase::kWarmup) {
        analysis.AddWarmup(block);
      } else {
        EXPECT_TRUE(analysis.Add(block));
      }
    }
    return analysis.Conclude();
  }

  static bool Warns(const Report& report, const std::string& code) {
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [&code](const Warning& warning) { return warning.code == code; });
  }

  asio::io_context loop_;
  fake::Clock clock_;
  fake::Runner runner_{clock_};
  TestStore store_;
  DisturbanceLog disturbances_;
  CancelToken* cancel_ = nullptr;
  SessionSpec spec_ = fake::TwoArms();
  SessionId id_{"testtest"};
  SessionRecord record_;
  std::vector<SessionState> states_;
};

TEST_F(ResumeTest, EndsWithTheVerdictOfItsSamplesWhateverHappenedMeanwhile) {
  const auto seed = test::Seed();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  runner_.run_time = std::chrono::milliseconds(10);
  for (int session = 0; session < 20; ++session) {
    id_ = SessionId{"session" + std::to_string(session)};
    record_ = {};
    spec_.seed = random();
    spec_.limits.max_runs = 60;
    SessionSnapshot last;
    for (int lives = 0; !IsFinal(last.state); ++lives) {
      const std::size_t moment = random() % 40;
      const auto kind = lives < 8 ? random() % 3 : 2;
      if (kind == 0) last = LiveUntilKilledInRun(moment).value_or(last);
      if (kind == 1) last = LiveUntilStoppedInRun(moment);
      if (kind == 2) last = Live();
    }
    ASSERT_EQ(last.state, SessionState::kDone);
    const Report replayed = Replayed();
    EXPECT_EQ(last.report->verdict, replayed.verdict);
    EXPECT_EQ(last.report->comparisons.front().change, replayed.comparisons.front().change);
    EXPECT_EQ(last.report->comparisons.front().last_change,
              replayed.comparisons.front().last_change);
    EXPECT_TRUE(replayed.comparisons.front().last_change);
    EXPECT_EQ(last.report->comparisons.front().decided, replayed.comparisons.front().decided);
    EXPECT_EQ(last.report->runs, replayed.runs);

    const std::vector<benchd::Run> measured = Runs(RunPhase::kMeasured);
    fake::Runner undisturbed(clock_);
    undisturbed.program = runner_.program;
    TestStore other;
    CancelToken cancel;
    spec_.limits.max_runs = measured.size() / 2;
    SessionServices services{undisturbed, other, clock_, disturbances_, cancel, [](const auto&) {}};
    SessionRecord record{spec_, {}, {}};
    record.snapshot.id = id_;
    other.Keep(record);
    RunToEnd(loop_, RunSession(std::move(services), std::move(record)));
    std::vector<benchd::Run> expected = other.runs(id_);
    std::erase_if(expected, [](const auto& run) { return run.phase != RunPhase::kMeasured; });
    const auto order = OrderOf(measured);
    const auto undisturbed_order = OrderOf(expected);
    ASSERT_LE(undisturbed_order.size(), order.size());
    EXPECT_TRUE(std::equal(undisturbed_order.begin(), undisturbed_order.end(), order.begin()));
  }
}

// Only this process knows the earlier outputs.
TEST_F(ResumeTest, OutputsAreComparedWithThoseSinceTheRestart) {
  spec_.benchmarks[0].check_output = true;
  std::string printed = "before\n";
  runner_.program = [&printed](std::uint32_t, std::uint64_t) {
    RunOutcome outcome = fake::Took(1);
    outcome.stdout_digest = fake::Printed(printed);
    return outcome;
  };
  LiveUntilKilledInRun(10);
  printed = "after\n";
  LiveUntilKilledInRun(3);
  const auto took = runner_.program;
  runner_.program = [took](std::uint32_t child, std::uint64_t run) {
    Result<RunOutcome> outcome = took(child, run);
    if (child == 1) outcome->stdout_digest = fake::Printed("other\n");
    return outcome;
  };
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_NE(last.failure->error.message.find("'other' instead of 'after'"), std::string::npos)
      << last.failure->error.message;
}

TEST_F(ResumeTest, RepeatsTheInterruptedBlockAndKeepsItsRunsAsDropped) {
  runner_.run_time = std::chrono::seconds(2);
  spec_.limits.runs = 8;
  ASSERT_FALSE(LiveUntilKilledInRun(7));  // two of warm-up, two blocks, and one run of the third
  EXPECT_EQ(Runs(RunPhase::kMeasured).size(), 5U);
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(Runs(RunPhase::kWarmup).size(), 2U) << "the machine is still warm";
  const std::vector<benchd::Run> dropped = Runs(RunPhase::kDropped);
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped.front().block, 2U);
  const std::vector<benchd::Run> measured = Runs(RunPhase::kMeasured);
  EXPECT_EQ(measured.size(), 16U);
  EXPECT_EQ(measured[4].block, 2U);
  EXPECT_EQ(measured[4].arm, dropped.front().arm) << "the same order";
  EXPECT_TRUE(Warns(*last.report, "interrupted"));
}

TEST_F(ResumeTest, AStopKeepsWhatIsDoneOfTheBlockAsDropped) {
  runner_.run_time = std::chrono::milliseconds(10);
  spec_.limits.runs = 8;
  const SessionSnapshot stopped = LiveUntilStoppedInRun(7);
  EXPECT_EQ(stopped.state, SessionState::kRunning);
  EXPECT_EQ(Runs(RunPhase::kDropped).size(), 1U);
  EXPECT_EQ(Runs(RunPhase::kMeasured).size(), 4U);
  ASSERT_EQ(Live().state, SessionState::kDone);
  EXPECT_EQ(Runs(RunPhase::kMeasured).size(), 16U);
  EXPECT_EQ(runner_.acquired, 2);
  EXPECT_EQ(runner_.released, 2);
}

TEST_F(ResumeTest, StoresLongRunsOneByOne) {
  runner_.run_time = std::chrono::seconds(2);
  spec_.limits.runs = 8;
  std::vector<std::size_t> stored;
  runner_.during_run = [this, &stored] { stored.push_back(store_.runs(id_).size()); };
  ASSERT_EQ(Live().state, SessionState::kDone);
  ASSERT_EQ(stored.size(), 18U);
  for (std::size_t run = 4; run < stored.size(); ++run) EXPECT_EQ(stored[run], run);
}

TEST_F(ResumeTest, CountsTheTimeOfFormerLivesAgainstTheLimit) {
  runner_.run_time = std::chrono::seconds(1);
  runner_.program = [](std::uint32_t child, std::uint64_t run) {  // at the margin: undecided
    return fake::Took((child == 0 ? 1 : 1.02) + 0.02 * static_cast<double>((run * 7 + child) % 10));
  };
  spec_.limits.max_time = std::chrono::seconds(40);
  LiveUntilStoppedInRun(22);
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_GE(last.report->elapsed, spec_.limits.max_time);
  EXPECT_LE(Runs(RunPhase::kMeasured).size(), 42U);
}

TEST_F(ResumeTest, TheTimeWithTheMachineIsThatOfEachLife) {
  spec_.limits.runs = 20;
  spec_.limits.max_time = std::chrono::seconds(1);
  spec_.schedule.warmup = 3;  // not covered by max_time
  runner_.run_time = std::chrono::seconds(1);
  EXPECT_EQ(LiveUntilStoppedInRun(4).held, std::chrono::seconds(5));
  clock_.Advance(std::chrono::hours(10));  // benchd is not running
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.held, std::chrono::seconds(8)) << "the rest of the warm-up, and a block";
}

TEST_F(ResumeTest, WhatWasMeasuredBeforeBenchdWasKilledCounts) {
  spec_.limits.runs = 8;
  runner_.run_time = std::chrono::seconds(1);
  LiveUntilKilledInRun(13);
  record_.snapshot.held = Nanoseconds::zero();  // as it was when the session began
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_GE(last.held, std::chrono::seconds(14));
}

TEST_F(ResumeTest, WarmsUpAgainAfterAReboot) {
  spec_.limits.runs = 8;
  LiveUntilStoppedInRun(7);
  runner_.report->environment.facts[2].second = "second";
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  const std::vector<benchd::Run> warmup = Runs(RunPhase::kWarmup);
  ASSERT_EQ(warmup.size(), 4U);
  EXPECT_EQ(warmup.back().block, 1U);
  EXPECT_EQ(last.report->comparisons.front().change, Replayed().comparisons.front().change);
  // A third life on the second boot does not warm up a third time.
}

TEST_F(ResumeTest, FailsByNameOnAnotherKernelCpuOrMicrocode) {
  spec_.limits.runs = 8;
  const SessionSnapshot stopped = LiveUntilStoppedInRun(7);
  for (const std::size_t fact : {0U, 1U, 3U}) {
    record_.snapshot = stopped;
    const auto facts = runner_.report->environment.facts;
    runner_.report->environment.facts[fact].second = "other";
    const SessionSnapshot last = Live();
    ASSERT_EQ(last.state, SessionState::kFailed);
    EXPECT_WORDING(last.failure->error) << facts[fact].first;
    EXPECT_FALSE(last.failure->refused);
    ASSERT_TRUE(last.report) << "the measured data is still reported";
    EXPECT_EQ(last.report->runs.front().runs, 2U);
    runner_.report->environment.facts = facts;
  }
  EXPECT_EQ(Runs(RunPhase::kMeasured).size(), 4U);
}

TEST_F(ResumeTest, EndsAtOnceWhenTheLastBlockWasStoredAlready) {
  spec_.limits.runs = 8;
  runner_.run_time = std::chrono::seconds(1);
  ASSERT_EQ(Live().state, SessionState::kDone);
  record_.snapshot.state = SessionState::kRunning;  // killed before the verdict was stored
  record_.snapshot.report.reset();
  const std::size_t orders = runner_.orders().size();
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(runner_.orders().size(), orders);
  EXPECT_EQ(last.report->comparisons.front().change, Replayed().comparisons.front().change);
}

TEST_F(ResumeTest, GoesOnWithTheNextRunnerWhenOneDies) {
  spec_.limits.runs = 8;
  std::size_t runs = 0;
  runner_.program = [&runs](std::uint32_t, std::uint64_t run) -> Result<RunOutcome> {
    if (++runs == 9) return Error{ErrorCode::kUnavailable, "benchd-runner died during a run", {}};
    return fake::Took(1 + 0.01 * static_cast<double>(run % 3));
  };
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(runner_.acquired, 2);
  EXPECT_EQ(runner_.released, 2);
  EXPECT_EQ(Runs(RunPhase::kMeasured).size(), 16U);
  EXPECT_EQ(Runs(RunPhase::kWarmup).size(), 2U);
  EXPECT_TRUE(Warns(*last.report, "interrupted"));
}

TEST_F(ResumeTest, FailsWhenNoRunnerSurvivesABlock) {
  int deaths = 0;
  runner_.program = [&deaths](std::uint32_t child, std::uint64_t run) -> Result<RunOutcome> {
    if (run < 4 || child == 0) return fake::Took(1);
    ++deaths;
    return Error{ErrorCode::kUnavailable, "benchd-runner died during a run", {}};
  };
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_NE(last.failure->error.message.find("benchd-runner died"), std::string::npos);
  EXPECT_TRUE(last.failure->run);
  EXPECT_EQ(deaths, 3);
  EXPECT_EQ(runner_.released, 3);
}

TEST_F(ResumeTest, PausesWhileTheDiskIsFullAndLosesNothing) {
  spec_.limits.runs = 20;
  spec_.limits.max_time = std::chrono::seconds(30);
  runner_.run_time = std::chrono::milliseconds(100);
  std::size_t runs = 0;
  runner_.during_run = [this, &runs] {
    if (++runs == 10) store_.disk().SetFull(true);
  };
  Report seen;
  clock_.during_wait = [this, &seen] {
    EXPECT_EQ(record_.snapshot.state, SessionState::kPaused);
    seen = record_.snapshot.report.value();
    if (clock_.waits() == 100) store_.disk().SetFull(false);
  };
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(Runs(RunPhase::kMeasured).size(), 40U) << "waiting is not measuring: no time limit";
  EXPECT_TRUE(Warns(seen, "disk_full"));
  EXPECT_FALSE(Warns(*last.report, "disk_full"));
  EXPECT_TRUE(Warns(*last.report, "paused"));
  EXPECT_LT(last.report->elapsed, std::chrono::seconds(5));
  EXPECT_LT(last.held, std::chrono::seconds(6)) << "nothing was done for the user";
}

TEST_F(ResumeTest, CanBeCancelledWhileItIsPaused) {
  runner_.during_run = [this] { store_.disk().SetFull(true); };
  clock_.during_wait = [this] { cancel_->Request("uid 7"); };
  const SessionSnapshot last = Live();
  EXPECT_EQ(last.state, SessionState::kCancelled);
  EXPECT_EQ(clock_.waits(), 1);
}

}  // namespace
}  // namespace benchd
