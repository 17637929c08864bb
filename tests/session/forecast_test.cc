#include "core/analysis/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/analysis/session_feed.h"

namespace benchd {
namespace {

using std::chrono::seconds;

/// Benchmarks with one open gate each, 20 s after the first run.
struct Scene {
  SessionSpec spec;
  std::vector<BenchmarkOutlook> outlooks;
  Report report;

  Scene() {
    report.elapsed = seconds(20);
    spec.limits.max_time = std::chrono::minutes(10);
  }
  void Add(const std::string& name, std::uint64_t blocks, double measured_seconds,
           std::optional<double> expected_blocks) {
    Benchmark benchmark;
    benchmark.name = name;
    spec.benchmarks.push_back(std::move(benchmark));
    outlooks.push_back({.blocks = blocks, .seconds = measured_seconds});
    Comparison gate;
    gate.benchmark = name;
    gate.role = ComparisonRole::kGate;
    gate.expected_blocks = expected_blocks;
    gate.margin = 0.02;
    gate.change = Effect{0.001, -0.02, 0.022};
    report.comparisons.push_back(gate);
  }
  void Foretell() { ForecastVerdict(spec, outlooks, report); }
};

TEST(ForecastTest, TakesTheMeanTimeOfABlockForEachExpectedOne) {
  Scene scene;
  scene.Add("main", 10, 18, 5);
  scene.Foretell();
  // 20 s for 10 blocks, pauses between the runs included.
  EXPECT_EQ(scene.report.comparisons.front().eta, seconds(10));
  EXPECT_EQ(scene.report.eta, seconds(10));
}

TEST(ForecastTest, CountsTheBlocksOfAGroupOnce) {
  Scene scene;
  scene.Add("leader", 10, 18, 5);
  scene.Add("other", 10, 0, 8);
  const BenchmarkGroups groups({{0, 1}});
  scene.outlooks = GroupedOutlooks(scene.outlooks, groups);
  ForecastVerdict(scene.spec, scene.outlooks, scene.report, groups);
  // 20 s for 10 blocks of both: 8 more until the last of them is decided.
  EXPECT_EQ(scene.report.comparisons[0].eta, seconds(10));
  EXPECT_EQ(scene.report.comparisons[1].eta, seconds(16));
  EXPECT_EQ(scene.report.eta, seconds(16));
}

TEST(ForecastTest, AddsUpWhatComesBeforeInASuite) {
  Scene scene;
  scene.Add("slow", 8, 16, 10);  // 2 s a block: 20 s
  scene.Add("fast", 8, 4, 10);   // 0.5 s a block: 5 s
  scene.Foretell();
  EXPECT_EQ(scene.report.comparisons[0].eta, seconds(25));
  EXPECT_EQ(scene.report.comparisons[1].eta, seconds(5));
  EXPECT_EQ(scene.report.eta, seconds(25));
}

TEST(ForecastTest, WithoutWallTimesABlockTakesTheMeanOfAll) {
  Scene scene;
  scene.Add("one", 15, 0, 3);
  scene.Add("two", 5, 0, 4);
  scene.Foretell();
  EXPECT_EQ(scene.report.eta, seconds(7));  // 20 s / 20 blocks
}

TEST(ForecastTest, ATimeLimitIsNoEstimate) {
  Scene far;
  far.spec.limits.max_time = seconds(25);
  far.Add("main", 10, 20, 5000);
  far.Add("near", 10, 20, 1);
  far.Foretell();
  EXPECT_FALSE(far.report.eta);
  EXPECT_FALSE(far.report.comparisons.front().eta);
  EXPECT_EQ(far.report.comparisons.back().eta, seconds(1));
  Scene unknown;
  unknown.Add("main", 10, 20, std::nullopt);
  unknown.Add("other", 10, 20, 1);
  unknown.Foretell();
  EXPECT_FALSE(unknown.report.eta);
  EXPECT_FALSE(unknown.report.comparisons.front().eta);
  EXPECT_EQ(unknown.report.comparisons.back().eta, seconds(1));
}

TEST(ForecastTest, AnIntervalThatIsWideForItsMarginForetellsNothing) {
  struct Case {
    Better better;
    Effect change;
    bool foretold;
    double margin = 0.02;
  };
  const std::vector<Case> cases = {
      {Better::kLower, {0, -0.05, 0.039}, true},  // at most 4 % beyond the estimate: twice 2 %
      {Better::kLower, {0, -0.05, 0.041}, false},
      {Better::kLower, {0.05, -0.009, 0.2}, true},  // worse: the other end counts
      {Better::kLower, {0.05, -0.011, 0.2}, false},
      {Better::kHigher, {0, -0.039, 0.05}, true},
      {Better::kHigher, {0, -0.041, 0.05}, false},
      {Better::kHigher, {-0.05, -0.2, 0.009}, true},
      {Better::kLower, {0, std::nullopt, std::nullopt}, false},
      // At least 5 % better is required, so the margin is at -5 % or, of a rate, at +5 %.
      {Better::kLower, {-0.08, -0.2, -0.021}, true, -0.05},
      {Better::kLower, {-0.08, -0.2, -0.019}, false, -0.05},
      {Better::kLower, {-0.03, -0.069, 0.2}, true, -0.05},
      {Better::kLower, {-0.03, -0.071, 0.2}, false, -0.05},
      {Better::kHigher, {0.08, 0.021, 0.2}, true, -0.05},
      {Better::kHigher, {0.08, 0.019, 0.2}, false, -0.05},
  };
  for (const Case& one : cases) {
    Scene scene;
    scene.Add("main", 10, 18, 5);
    scene.report.comparisons.front().change = one.change;
    scene.report.comparisons.front().better = one.better;
    scene.report.comparisons.front().margin = one.margin;
    scene.Foretell();
    EXPECT_EQ(scene.report.eta.has_value(), one.foretold) << one.change.estimate;
  }
  Scene fixed;
  fixed.spec.limits.runs = 15;
  fixed.Add("main", 10, 18, 5);
  fixed.report.comparisons.front().change.reset();
  fixed.Foretell();
  EXPECT_TRUE(fixed.report.eta) << "the number of blocks was given";
}

TEST(ForecastTest, SaysNothingBeforeTheFirstBlockOrWhenAllIsDecided) {
  Scene scene;
  scene.Add("main", 0, 0, 5);
  scene.Foretell();
  EXPECT_FALSE(scene.report.eta);
  scene.outlooks.front() = {.blocks = 10, .seconds = 20};
  scene.report.comparisons.front().decided = Decision{};
  scene.Foretell();
  EXPECT_FALSE(scene.report.eta);
}

// A required improvement of 5 % is as far from the interval as a tolerated drop of 5 % of a rate.
TEST(ForecastTest, TheRemedyUnderANegativeMarginIsThatOfTheSameThreshold) {
  const auto forecast = [](Better better, double margin, const Effect& change) {
    Report report;
    report.elapsed = seconds(20);
    Comparison gate;
    gate.role = ComparisonRole::kGate;
    gate.verdict = Verdict::kUndecided;
    gate.better = better;
    gate.margin = margin;
    gate.change = change;
    gate.n_reference = gate.n_candidate = 12;
    report.comparisons.push_back(gate);
    ForecastGates(SessionSpec(), DataSource::kSession, report);
    return report.comparisons.front().forecast;
  };
  for (const Effect& change : {Effect{-0.03, -0.07, 0.01}, Effect{-0.08, -0.12, -0.04},
                               Effect{-0.02, -0.3, 0.4}, Effect{-0.0499, -0.09, -0.01}}) {
    const auto required = forecast(Better::kLower, -0.05, change);
    ASSERT_TRUE(required);
    EXPECT_EQ(required, forecast(Better::kHigher, 0.05, change)) << change.estimate;
  }
  // Half a width of 4 % against a distance of 2 %, with a reserve of 1.5: six times 20 s.
  const auto near = forecast(Better::kLower, -0.05, {-0.03, -0.07, 0.01});
  EXPECT_EQ(near->remedy, Remedy::kMoreTime);
  EXPECT_NEAR(near->seconds.value(), 120, 1e-9);
  EXPECT_EQ(forecast(Better::kLower, -0.05, {-0.0499, -0.09, -0.01})->remedy, Remedy::kOtherMargin);
}

TEST(ForecastTest, UnderTheRulePrecisionTheRemedyIsThatOfTheWidth) {
  SessionSpec spec;
  spec.rule = {RuleKind::kPrecision, 0.02};
  spec.limits.max_runs = 12;
  const auto forecast = [&spec](const Comparison& gate) {
    Report report;
    report.elapsed = seconds(20);
    report.comparisons.push_back(gate);
    ForecastGates(spec, DataSource::kSession, report);
    return report.comparisons.front().forecast.value();
  };
  Comparison gate;
  gate.role = ComparisonRole::kGate;
  gate.verdict = Verdict::kUndecided;
  gate.margin = 0.05;
  gate.change = Effect{0.04, 0.02, 0.06};
  gate.n_reference = gate.n_candidate = 12;
  // Twice the width needs four times the runs, and a half in reserve.
  EXPECT_EQ(forecast(gate), (Forecast{.remedy = Remedy::kMoreMaxRuns, .seconds = {}, .runs = 80}));
  spec.limits.max_runs.reset();
  EXPECT_EQ(forecast(gate).remedy, Remedy::kMoreTime);
  gate.decided = Decision{.blocks = 12, .lo = 0.02, .hi = 0.06};
  EXPECT_EQ(forecast(gate).remedy, Remedy::kNoneNeeded);
}

/// A session of one benchmark whose candidate is slower by `change`, with blocks of one second.
class SimulatedSession {
 public:
  static constexpr int kLimitSeconds = 500;

  SimulatedSession(double change, unsigned seed) : change_(change), random_(seed) {
    spec_.limits.max_time = seconds(kLimitSeconds);
  }

  /// Runs it to its verdict or its limit. @return the second of the verdict as forecast after each
  /// block
  std::vector<std::optional<double>> Run() {
    SessionAnalysis analysis = Start(spec_);
    std::vector<std::optional<double>> told;
    while (!analysis.Finished() && told.size() < kLimitSeconds) {
      Feed(analysis, WallBlock(0, {Value(0.5), Value(0.5 * (1 + change_))}));
      Report report = analysis.Look();
      report.elapsed = seconds(told.size() + 1);
      ForecastVerdict(spec_, analysis.Outlook(), report);
      const bool known = report.eta.has_value();
      told.push_back(known ? std::optional(Seconds(report.elapsed + *report.eta)) : std::nullopt);
    }
    decided_ = analysis.Finished();
    return told;
  }

  bool decided() const { return decided_; }

 private:
  double Value(double mean) { return mean * (1 + 0.03 * normal_(random_)); }

  SessionSpec spec_ = Two();
  double change_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  bool decided_ = false;
};

// With a spread of 3 % and a margin of 2 %.
TEST(ForecastTest, HalfwayTheForetoldDurationIsRightWithinAFactorOfTwo) {
  constexpr unsigned kSeed = 20260118;
  constexpr std::size_t kFewest = 16;  // half of them are the first look
  std::vector<double> halfway;         // forecast divided by actual duration
  double sessions = 0;
  double told_later = 0;
  for (const double change : {0.0, 0.01, 0.03, 0.05}) {
    for (unsigned i = 0; i < 25; ++i) {
      SimulatedSession session(change, kSeed + i);
      const auto told = session.Run();
      if (!session.decided() || told.size() < kFewest) continue;
      ++sessions;
      told_later += told[told.size() * 3 / 4 - 1] ? 1 : 0;
      const auto& foretold = told[told.size() / 2 - 1];
      if (foretold) halfway.push_back(*foretold / static_cast<double>(told.size()));
    }
  }
  const auto right = std::count_if(halfway.begin(), halfway.end(),
                                   [](double factor) { return factor > 0.5 && factor < 2; });
  EXPECT_GE(static_cast<double>(halfway.size()), 0.6 * sessions) << "seed " << kSeed;
  EXPECT_GE(told_later, 0.8 * sessions) << "seed " << kSeed;
  EXPECT_GE(static_cast<double>(right), 0.95 * static_cast<double>(halfway.size()))
      << "seed " << kSeed;
}

TEST(ForecastTest, NothingIsForetoldBeyondTheLimit) {
  constexpr unsigned kSeed = 20260119;
  int known = 0;
  int looks = 0;
  for (unsigned i = 0; i < 5; ++i) {
    SimulatedSession session(0.02, kSeed + i);  // exactly at the margin: no verdict
    for (const auto& at : session.Run()) {
      ++looks;
      if (!at) continue;
      ++known;
      EXPECT_LE(*at, SimulatedSession::kLimitSeconds) << "seed " << kSeed + i;
    }
  }
  EXPECT_LT(known, looks / 10) << "seed " << kSeed;
}

}  // namespace
}  // namespace benchd
