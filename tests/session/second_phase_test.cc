// The second phase of a session (SessionSpec::confirm): what runs, what is stored, what a restart
// finds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/confirmed_analysis.h"
#include "tests/session/mortal_session.h"
#include "tests/support/fakes.h"

namespace benchd {
namespace {

class SecondPhaseTest : public test::MortalSession {
 protected:
  SecondPhaseTest() {
    spec_.confirm = true;
    CandidateTakes(1.1, 1.1);
    for (const char* hook : {"build", "setup", "cleanup"}) runner_.outcomes[hook] = RunOutcome{};
  }

  /// The candidate takes `first` s in the first phase and `second` s in the second; base takes 1 s.
  void CandidateTakes(double first, double second) {
    runner_.program = [this, first, second](std::uint32_t child, std::uint64_t run) {
      const double jitter = 0.01 * static_cast<double>((run * 7 + child * 3) % 10) / 10;
      const bool confirming = record_.snapshot.second_phase.has_value();
      const double candidate = confirming ? second : first;
      return fake::Took((child == 0 ? 1.0 : candidate) * (1 + jitter));
    };
  }

  std::vector<benchd::Run> Runs(RunPhase phase) {
    std::vector<benchd::Run> runs = store_.runs(id_);
    std::erase_if(runs, [phase](const benchd::Run& run) { return run.phase != phase; });
    return runs;
  }

  /// The report computed from the stored runs alone.
  Report Replayed() {
    ConfirmedAnalysis analysis = ConfirmedAnalysis::Create(spec_).value();
    for (const RunPhase phase : {RunPhase::kWarmup, RunPhase::kMeasured, RunPhase::kConfirming}) {
      std::map<std::uint64_t, std::vector<benchd::Run>> blocks;
      for (const benchd::Run& run : Runs(phase)) {
        // The second phase has the metrics of the first, whose one warm-up block has number 0.
        if (phase == RunPhase::kWarmup && run.block > 0) continue;
        blocks[run.block].push_back(run);
      }
      if (phase == RunPhase::kConfirming) analysis.BeginConfirmation();
      for (const auto& [number, block] : blocks) {
        if (phase == RunPhase::kWarmup) {
          analysis.AddWarmup(block);
        } else {
          EXPECT_TRUE(analysis.Add(block));
        }
      }
    }
    return analysis.Conclude();
  }

  std::vector<std::string> Ran() const {
    std::vector<std::string> names;
    for (const ChildSpec& child : runner_.ran()) names.push_back(child.argv.front());
    return names;
  }
};

TEST_F(SecondPhaseTest, AProgramThatIsAlwaysSlowerIsARegression) {
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.report->verdict, Verdict::kRegression);
  const Comparison& gate = last.report->comparisons.front();
  ASSERT_TRUE(gate.confirmation);
  EXPECT_EQ(gate.confirmation->verdict, Verdict::kRegression);
  EXPECT_EQ(Runs(RunPhase::kConfirming).size(), 2 * gate.confirmation->blocks);
  EXPECT_EQ(Runs(RunPhase::kMeasured).size(), 2 * gate.n_candidate);
  // Each phase has a warm-up block and the machine of its own.
  EXPECT_EQ(Runs(RunPhase::kWarmup).size(), 4U);
  EXPECT_EQ(runner_.acquired, 2);
  EXPECT_EQ(runner_.released, 2);
  EXPECT_EQ(last.report->comparisons, Replayed().comparisons);
}

TEST_F(SecondPhaseTest, AProgramThatIsSlowerOnlyAtFirstIsUndecided) {
  CandidateTakes(1.1, 1.0);
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.report->verdict, Verdict::kUndecided);
  EXPECT_EQ(last.report->comparisons.front().reason, "not_confirmed");
  EXPECT_EQ(last.report->comparisons.front().confirmation->verdict, Verdict::kPass);
  EXPECT_EQ(last.report->comparisons, Replayed().comparisons);
}

TEST_F(SecondPhaseTest, EqualProgramsHaveNone) {
  CandidateTakes(1.0, 1.0);
  const SessionSnapshot last = Live();
  EXPECT_EQ(last.report->verdict, Verdict::kPass);
  EXPECT_FALSE(last.second_phase);
  EXPECT_TRUE(Runs(RunPhase::kConfirming).empty());
  EXPECT_EQ(runner_.acquired, 1);
}

TEST_F(SecondPhaseTest, WatchersSeeTheRegressionWaitForItsConfirmation) {
  Live();
  bool begun = false;
  for (const SessionSnapshot& seen : published_) {
    if (!seen.report || IsFinal(seen.state) || seen.report->comparisons.empty()) continue;
    const Comparison& gate = seen.report->comparisons.front();
    if (!gate.confirmation) {
      EXPECT_NE(gate.verdict, Verdict::kRegression);
      EXPECT_FALSE(begun);
    }
    begun = begun || gate.confirmation.has_value();
    EXPECT_TRUE(!begun || seen.second_phase);
  }
  EXPECT_TRUE(begun);
}

TEST_F(SecondPhaseTest, OrderAndPaddingAreDrawnAnew) {
  Live();
  const auto draws = [this](RunPhase phase) {
    std::vector<std::uint32_t> arms;
    for (const benchd::Run& run : Runs(phase)) arms.push_back(run.arm);
    arms.resize(16);
    return arms;
  };
  EXPECT_NE(draws(RunPhase::kMeasured), draws(RunPhase::kConfirming));
  const std::vector<benchd::Run> second = Runs(RunPhase::kConfirming);
  EXPECT_EQ(second.front().block, 0U);  // numbered within the phase
}

TEST_F(SecondPhaseTest, BuildAndSetupRunAgainAndCleanupOnce) {
  Hooks& hooks = spec_.benchmarks[0].hooks;
  hooks.build = {"build", {"build"}};
  hooks.setup = {"setup", {"setup"}};
  hooks.cleanup = {"cleanup", {"cleanup"}};
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  std::vector<std::string> order;
  std::vector<std::string> phases;
  for (const ChildSpec& child : runner_.ran()) {
    const std::string& name = child.argv.front();
    if (!runner_.outcomes.contains(name)) continue;
    order.push_back(name);
    const auto phase = child.env.find("BENCHD_PHASE");
    phases.push_back(phase == child.env.end() ? "" : phase->second);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"build", "setup", "build", "setup", "cleanup"}));
  EXPECT_EQ(phases, (std::vector<std::string>{"", "", "confirming", "confirming", ""}));
  ASSERT_TRUE(last.second_phase);
  ASSERT_TRUE(last.second_phase->setup);
  EXPECT_EQ(last.second_phase->setup->programs.size(), 2U);
}

TEST_F(SecondPhaseTest, ItsArmsAreInTheSecondTrees) {
  Benchmark& benchmark = spec_.benchmarks[0];
  benchmark.hooks.build = {"build", {"build"}};
  benchmark.hooks.build_plan = BuildPlan{
      .root = "/t",
      .trees = {{"01", "k1", ""}, {"02", "k2", ""}, {"01", "k3", "5"}, {"02", "k4", "6"}}};
  benchmark.arms[0].argv = {"/t/k1/built/x"};
  benchmark.arms[1].argv = {"/t/k2/built/x"};
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  const std::vector<std::string> ran = Ran();
  const auto second_build =
      std::find(std::next(std::find(ran.begin(), ran.end(), "build")), ran.end(), "build");
  ASSERT_NE(second_build, ran.end());
  EXPECT_EQ(std::count(ran.begin(), second_build, "/t/k3/built/x"), 0);
  EXPECT_EQ(std::count(second_build, ran.end(), "/t/k1/built/x"), 0);
  EXPECT_EQ(std::count(second_build, ran.end(), "/t/k2/built/x"), 0);
  EXPECT_GT(std::count(second_build, ran.end(), "/t/k3/built/x"), 8);
  EXPECT_GT(std::count(second_build, ran.end(), "/t/k4/built/x"), 8);
}

TEST_F(SecondPhaseTest, ItsTimeLimitCountsFromItsStart) {
  // 1 % above the margin takes far longer than 8 blocks.
  CandidateTakes(1.1, 1.02);
  runner_.run_time = std::chrono::seconds(1);
  spec_.limits.max_time = std::chrono::seconds(40);
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_EQ(last.report->comparisons.front().reason, "not_confirmed");
  EXPECT_EQ(last.report->comparisons.front().confirmation->verdict, Verdict::kUndecided);
  EXPECT_EQ(last.report->comparisons.front().confirmation->blocks, 20U);
  EXPECT_GT(last.report->elapsed, std::chrono::seconds(50));
}

TEST_F(SecondPhaseTest, AFailureInItNamesThePhase) {
  runner_.program = [this](std::uint32_t child, std::uint64_t run) -> Result<RunOutcome> {
    const double jitter = 0.001 * static_cast<double>(run % 10);
    RunOutcome outcome = fake::Took((child == 0 ? 1.0 : 1.1) + jitter);
    const bool confirming = !Runs(RunPhase::kConfirming).empty();
    if (confirming && child == 1) outcome.exit.code = 3;
    return outcome;
  };
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_NE(last.failure->error.message.find("of the second phase"), std::string::npos)
      << last.failure->error.message;
}

TEST_F(SecondPhaseTest, AKilledSessionContinuesInItsPhase) {
  runner_.run_time = std::chrono::milliseconds(200);
  const SessionSnapshot undisturbed = Live();
  const std::size_t first = Runs(RunPhase::kMeasured).size() + 2;  // with the warm-up
  const std::size_t all = Ran().size();
  ASSERT_GT(all, first + 6);
  // In the warm-up of the second phase, in its first block, and near its end.
  int number = 0;
  for (const std::size_t moment : {first, first + 1, first + 3, first + 6, all - 1}) {
    SCOPED_TRACE("killed in run " + std::to_string(moment));
    id_ = SessionId{"killed" + std::to_string(number++) + "x"};
    record_ = {};
    LiveUntilKilledInRun(moment);
    ASSERT_TRUE(record_.snapshot.second_phase);
    const SessionSnapshot last = Live();
    ASSERT_EQ(last.state, SessionState::kDone);
    EXPECT_EQ(last.report->verdict, Verdict::kRegression);
    // The first phase stays as it was.
    EXPECT_EQ(last.report->comparisons.front().n_candidate,
              undisturbed.report->comparisons.front().n_candidate);
    EXPECT_EQ(last.report->comparisons, Replayed().comparisons);
    std::uint64_t expected = 0;
    for (const benchd::Run& run : Runs(RunPhase::kConfirming)) {
      EXPECT_EQ(run.block, expected++ / 2);
    }
  }
}

// Runs take 5 s with what is around them, but only about 1 s by their own account. So the stored
// runs do not show how long the first phase took.
TEST_F(SecondPhaseTest, TheTimeOfTheFirstPhaseSurvivesAKill) {
  runner_.run_time = std::chrono::seconds(5);
  Live();
  const std::size_t measured = Runs(RunPhase::kMeasured).size();
  const std::size_t first = measured + 2;  // with the warm-up
  const std::size_t all = Ran().size();
  int number = 0;
  for (const std::size_t moment : {first, first + 3, first + 6, all - 1}) {
    SCOPED_TRACE("killed in run " + std::to_string(moment));
    id_ = SessionId{"timed" + std::to_string(number++) + "xx"};
    record_ = {};
    LiveUntilKilledInRun(moment);
    const std::size_t published = published_.size();
    const SessionSnapshot last = Live();
    ASSERT_EQ(last.state, SessionState::kDone);
    for (std::size_t i = published; i < published_.size(); ++i) {
      const auto& report = published_[i].report;
      if (!report) continue;
      EXPECT_GE(Seconds(report->elapsed), 5.0 * static_cast<double>(measured)) << i;
    }
    EXPECT_GT(Seconds(last.report->elapsed), 5.0 * static_cast<double>(measured));
  }
}

TEST_F(SecondPhaseTest, AKilledSessionDoesNotBuildAgain) {
  spec_.benchmarks[0].hooks.setup = {"setup", {"setup"}};
  runner_.run_time = std::chrono::milliseconds(200);
  Live();
  const std::size_t all = Ran().size();
  id_ = SessionId{"second01"};
  record_ = {};
  LiveUntilKilledInRun(all - 1);
  const std::vector<std::string> before = Ran();
  const auto setups = std::count(before.begin(), before.end(), "setup");
  ASSERT_EQ(Live().state, SessionState::kDone);
  const std::vector<std::string> after = Ran();
  EXPECT_EQ(std::count(after.begin(), after.end(), "setup"), setups);
}

TEST_F(SecondPhaseTest, ARunnerThatDiesInItIsReplacedInThePhase) {
  int deaths = 0;
  const auto took = runner_.program;
  runner_.program = [this, took, &deaths](std::uint32_t child,
                                          std::uint64_t run) -> Result<RunOutcome> {
    if (record_.snapshot.second_phase && Runs(RunPhase::kConfirming).size() > 4 && deaths++ == 0) {
      return Error{ErrorCode::kUnavailable, "benchd-runner died", {}};
    }
    return took(child, run);
  };
  runner_.run_time = std::chrono::milliseconds(200);
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone);
  EXPECT_GE(deaths, 1);
  EXPECT_EQ(last.report->verdict, Verdict::kRegression);
  EXPECT_EQ(last.report->comparisons, Replayed().comparisons);
}

}  // namespace
}  // namespace benchd
