// Sessions whose benchmarks share processes, because their runs are mostly the start of the
// program.

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/model/inner_benchmarks.h"
#include "daemon/session/run_session.h"
#include "tests/session/mortal_session.h"
#include "tests/support/fakes.h"
#include "tests/support/google_benchmark.h"
#include "tests/support/loop.h"
#include "tests/support/seed.h"
#include "tests/support/test_store.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using fake::FilteredBenchmarks;
using fake::ListsBenchmarks;
using Names = fake::BenchmarkNames;

/// A program of five benchmarks. Starting it takes 300 ms; BM_long takes one second, and the others
/// 2 ms each.
class GroupsTest : public testing::Test {
 protected:
  GroupsTest() {
    spec_.limits.max_runs = 40;
    Benchmark& benchmark = spec_.benchmarks.front();
    benchmark.harness = benchmark.parse = "google-benchmark";
    runner_.run_time = std::chrono::milliseconds(10);
    runner_.report->environment.facts = {{"kernel", "6.1"}, {"cpu", "M"}, {"boot_id", "first"}};
    runner_.report->benchmark_cpus = {1};
    runner_.program = [this](std::uint32_t, std::uint64_t) { return Program(); };
  }

  RunOutcome Program() {
    const ChildSpec& child = runner_.ran().back();
    RunOutcome outcome = fake::Took(0.3);
    outcome.started_at = clock_.Now() - runner_.run_time;
    if (ListsBenchmarks(child)) {
      outcome.names = all_;
      return outcome;
    }
    const Names names = FilteredBenchmarks(child);
    for (const std::string& name : names) {
      outcome.samples.front().value += name == "BM_long" ? 1 : 0.002;
      if (name == left_out_ && names.size() > 1) continue;
      const std::uint64_t number = printed_[child.argv.front() + name]++;
      const std::uint64_t step = child.argv.front() == "candidate" ? 3 : 7;
      const double spread = name == noisy_ ? 0.006 : 0.0001;
      const double value = 1 + spread * static_cast<double>(number * step % 10);
      fake::PrintTimes(name, value, outcome);
    }
    return outcome;
  }

  SessionSnapshot RunIt() {
    record_ = {};
    record_.snapshot.id = id_;
    record_.spec = spec_;
    store_.Keep(record_);
    return Live();
  }

  /// One life of benchd; the record continues from the previous one.
  SessionSnapshot Live() {
    CancelToken cancel;
    SessionServices services{
        runner_,       store_, clock_,
        disturbances_, cancel, [this](const auto& snapshot) {
                               record_.snapshot = snapshot; }};
    record_.spec = spec_;
    record_.snapshot = RunToEnd(loop_, RunSession(std::move(services), record_));
    return record_.snapshot;
  }

  /// How often each set of benchmarks was run by one process.
  std::map<Names, int> Processes() const {
    std::map<Names, int> processes;
    for (const ChildSpec& child : runner_.ran()) {
      if (!ListsBenchmarks(child)) ++processes[FilteredBenchmarks(child)];
    }
    return processes;
  }

  std::vector<benchd::Run> Measured() {
    std::vector<benchd::Run> runs = store_.runs(id_);
    std::erase_if(runs, [](const benchd::Run& one) { return one.phase != RunPhase::kMeasured; });
    return runs;
  }

  static const Comparison* GateOf(const SessionSnapshot& last, const std::string& benchmark) {
    const auto& all = last.report->comparisons;
    const auto found = std::ranges::find_if(all, [&benchmark](const Comparison& one) {
      return one.benchmark == benchmark && one.metric == "real_time";
    });
    return found == all.end() ? nullptr : &*found;
  }

  static bool Warns(const SessionSnapshot& last, const std::string& code) {
    return std::ranges::count(last.report->warnings, code, &Warning::code) > 0;
  }

  /// The comparisons computed from the stored runs alone, each benchmark in its own blocks.
  std::vector<Comparison> Replayed() {
    SessionSpec spec = spec_;
    ExpandBenchmarks(record_.snapshot.found, spec);
    SessionAnalysis analysis = SessionAnalysis::Create(spec).value();
    std::map<std::uint32_t, std::vector<benchd::Run>> begun;
    for (const benchd::Run& run : store_.runs(id_)) {
      if (run.phase == RunPhase::kDropped) continue;
      begun[run.benchmark].push_back(run);
      if (begun[run.benchmark].size() < 2) continue;
      const std::vector<benchd::Run> block = std::exchange(begun[run.benchmark], {});
      if (run.phase == RunPhase::kWarmup) {
        analysis.AddWarmup(block);
      } else {
        EXPECT_TRUE(analysis.Add(block));
      }
    }
    return analysis.Conclude().comparisons;
  }

  asio::io_context loop_;
  fake::Clock clock_;
  fake::Runner runner_{clock_};
  TestStore store_;
  DisturbanceLog disturbances_;
  SessionSpec spec_ = fake::TwoArms("base", "candidate");
  SessionId id_{"testtest"};
  SessionRecord record_;
  Names all_{"BM_a", "BM_b", "BM_long", "BM_c", "BM_d"};
  std::string left_out_;  // printed only by a process of its own
  std::string noisy_;     // takes many runs until it is decided
  std::map<std::string, std::uint64_t> printed_;
};

TEST_F(GroupsTest, BenchmarksThatAreMostlyStartShareProcessesAfterTheWarmUp) {
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  EXPECT_EQ(last.report->verdict, Verdict::kPass);
  // One warm-up block of each, and then the 8 blocks of the first look.
  EXPECT_EQ(Processes(), (std::map<Names, int>{{{"BM_a"}, 2},
                                               {{"BM_b"}, 2},
                                               {{"BM_c"}, 2},
                                               {{"BM_d"}, 2},
                                               {{"BM_long"}, 2 + 16},
                                               {{"BM_a", "BM_b", "BM_c", "BM_d"}, 16}}));
  for (const ArmRuns& arm : last.report->runs) EXPECT_EQ(arm.runs, 8U) << arm.benchmark;
  const auto note = std::ranges::find(last.report->warnings, "grouped", &Warning::code);
  ASSERT_NE(note, last.report->warnings.end());
  EXPECT_WORDING(note->message);
}

TEST_F(GroupsTest, EachBenchmarkHasItsOwnValuesAndNoneOfTheProcess) {
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  for (const benchd::Run& run : Measured()) {
    const bool alone = all_[run.benchmark] == "BM_long";
    const bool has_process = std::ranges::count(run.samples, "wall_time", &Sample::metric) > 0;
    EXPECT_EQ(has_process, alone) << all_[run.benchmark];
    EXPECT_EQ(std::ranges::count(run.samples, "real_time", &Sample::metric), 1);
  }
  for (const Comparison& one : last.report->comparisons) {
    EXPECT_TRUE(one.metric != "wall_time" || one.benchmark == "BM_long") << one.benchmark;
  }
  // The same as with a process for each, because the program prints the same values.
  printed_.clear();
  spec_.benchmarks[0].no_groups = true;
  id_ = SessionId{"alone"};
  const SessionSnapshot alone = RunIt();
  ASSERT_EQ(alone.state, SessionState::kDone) << alone.failure->error.message;
  EXPECT_FALSE(Warns(alone, "grouped"));
  for (const std::string& name : all_) {
    const Comparison* const own = GateOf(alone, name);
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(*GateOf(last, name), *own) << name;
  }
}

TEST_F(GroupsTest, DecidedBenchmarksLeaveTheirGroup) {
  noisy_ = "BM_c";
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  EXPECT_EQ(GateOf(last, "BM_a")->verdict, Verdict::kPass);
  std::map<std::string, std::size_t> runs;
  for (const benchd::Run& run : Measured()) ++runs[all_[run.benchmark]];
  EXPECT_GT(runs["BM_c"], 16U);
  for (const char* other : {"BM_a", "BM_b", "BM_d", "BM_long"})
    EXPECT_EQ(runs[other], 16U) << other;
  std::map<Names, int> processes = Processes();
  EXPECT_EQ((processes[{"BM_a", "BM_b", "BM_c", "BM_d"}]), 16);
  EXPECT_EQ(processes[{"BM_c"}], 2 + static_cast<int>(runs["BM_c"]) - 16);
  EXPECT_EQ(processes[{"BM_a"}], 2) << "after it has left, the first one does not run alone";
}

TEST_F(GroupsTest, AProcessThatPrintsNothingAboutOneEndsTheSession) {
  left_out_ = "BM_b";
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error);
}

TEST_F(GroupsTest, AProcessThatFailsNamesTheCommandOfItsGroup) {
  int shared = 0;
  runner_.program = [this, &shared](std::uint32_t, std::uint64_t) {
    RunOutcome outcome = Program();
    if (FilteredBenchmarks(runner_.ran().back()).size() > 1 && ++shared == 10)
      outcome.exit.code = 7;
    return outcome;
  };
  const SessionSnapshot last = RunIt();
  ASSERT_EQ(last.state, SessionState::kFailed);
  EXPECT_WORDING(last.failure->error);
}

TEST_F(GroupsTest, TheTimeLimitCountsAProcessOnceThatManyBenchmarksShare) {
  runner_.run_time = std::chrono::seconds(1);
  spec_.limits.max_runs.reset();
  spec_.limits.max_time = std::chrono::seconds(100);
  // Nothing is decided: the values differ by far more than the margin.
  runner_.program = [this](std::uint32_t child, std::uint64_t run) {
    RunOutcome outcome = Program();
    const double factor = 1 + static_cast<double>((run * 7 + child * 3) % 10);
    for (Sample& sample : outcome.samples) {
      if (!sample.inner_benchmark.empty()) sample.value *= factor;
    }
    return outcome;
  };
  std::size_t runs = 0;
  runner_.during_run = [&runs] {
    if (++runs == 60) throw test::Killed();
  };
  EXPECT_THROW(RunIt(), test::Killed);
  runner_.during_run = nullptr;
  record_.snapshot.state = SessionState::kQueued;
  const SessionSnapshot last = Live();
  ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
  const std::size_t processes = runner_.ran().size() - 12;  // two lists, and ten warm-up runs
  // 100 processes, or some fewer: those of BM_long count with the 1.3 s that they say they took.
  EXPECT_GE(processes, 85U);
  EXPECT_LE(processes, 110U);
}

TEST_F(GroupsTest, AKilledSessionHasTheSameGroupsAndTheVerdictsOfItsRuns) {
  const auto seed = test::Seed();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  spec_.limits.max_runs = 200;  // so that all are decided
  for (int session = 0; session < 20; ++session) {
    noisy_ = session % 2 == 0 ? "" : session % 4 == 1 ? "BM_a" : "BM_c";
    printed_.clear();
    id_ = SessionId{"session" + std::to_string(session)};
    spec_.seed = random();
    record_ = {};
    record_.snapshot.id = id_;
    record_.spec = spec_;
    store_.Keep(record_);
    for (int lives = 0; !IsFinal(record_.snapshot.state); ++lives) {
      std::size_t left = lives < 6 ? random() % 30 : 100'000;
      runner_.during_run = [&left] {
        if (left-- == 0) throw test::Killed();
      };
      try {
        Live();
      } catch (const test::Killed&) {
      }
    }
    runner_.during_run = nullptr;
    const SessionSnapshot& last = record_.snapshot;
    ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
    EXPECT_EQ(last.report->comparisons, Replayed());
    // Each benchmark has each of its blocks once, and those that stay in the group have the same.
    std::map<std::uint32_t, std::map<std::pair<std::uint64_t, std::uint32_t>, int>> blocks;
    for (const benchd::Run& run : Measured()) ++blocks[run.benchmark][{run.block, run.arm}];
    for (const std::uint32_t member : {1U, 3U, 4U}) {
      if (noisy_.empty()) {
        EXPECT_EQ(blocks[0], blocks[member]);
      }
    }
    for (const auto& [benchmark, places] : blocks) {
      for (const auto& [place, runs] : places)
        EXPECT_EQ(runs, 1) << benchmark << " " << place.first;
    }
    for (const auto& [names, count] : Processes()) {
      EXPECT_TRUE(names.size() == 1 || names.size() == 4) << names.front();
    }
  }
}

TEST_F(GroupsTest, FailFastMeasuresNothingIfACandidateLacksABenchmark) {
  spec_.limits.fail_fast = true;
  runner_.program = [this](std::uint32_t, std::uint64_t) {
    RunOutcome outcome = Program();
    const ChildSpec& child = runner_.ran().back();
    if (ListsBenchmarks(child) && child.argv.front() == "candidate") outcome.names.pop_back();
    return outcome;
  };
  for (const bool one_look : {false, true}) {
    id_ = SessionId{one_look ? "onelook" : "looks"};
    spec_.limits.max_runs.reset();
    if (one_look) spec_.limits.runs = 5;
    const SessionSnapshot last = RunIt();
    ASSERT_EQ(last.state, SessionState::kDone) << last.failure->error.message;
    EXPECT_EQ(last.report->verdict, Verdict::kRegression);
    ASSERT_EQ(last.report->comparisons.size(), 1U);
    EXPECT_EQ(last.report->comparisons[0].reason, "missing_in_candidate");
    EXPECT_TRUE(store_.runs(id_).empty());
    EXPECT_FALSE(Warns(last, "runs_incomplete"));
  }
  spec_.benchmarks[0].allow_missing = true;
  id_ = SessionId{"allowed"};
  spec_.limits.runs.reset();
  EXPECT_EQ(RunIt().report->verdict, Verdict::kPass);
}

}  // namespace
}  // namespace benchd
