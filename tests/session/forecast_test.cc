#include "daemon/session/forecast.h"

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
    report.comparisons.push_back(gate);
  }
  void Foretell() { Forecast(spec, outlooks, report); }
};

TEST(ForecastTest, TakesTheMeanTimeOfABlockForEachExpectedOne) {
  Scene scene;
  scene.Add("main", 10, 18, 5);
  scene.Foretell();
  // 20 s for 10 blocks, pauses between the runs included.
  EXPECT_EQ(scene.report.comparisons.front().eta, seconds(10));
  EXPECT_EQ(scene.report.eta, seconds(10));
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

/// A session of one benchmark whose candidate is slower by `change`, with blocks of a second each.
class SimulatedSession {
 public:
  static constexpr int kLimitSeconds = 500;

  SimulatedSession(double change, unsigned seed) : change_(change), random_(seed) {
    spec_.limits.max_time = seconds(kLimitSeconds);
  }

  /// Runs it to its verdict or its limit: after which second each block's ETA had the verdict.
  std::vector<std::optional<double>> Run() {
    SessionAnalysis analysis = Start(spec_);
    std::vector<std::optional<double>> told;
    while (!analysis.Finished() && told.size() < kLimitSeconds) {
      Feed(analysis, WallBlock(0, {Value(0.5), Value(0.5 * (1 + change_))}));
      Report report = analysis.Look();
      report.elapsed = seconds(told.size() + 1);
      Forecast(spec_, analysis.Outlook(), report);
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

// A spread of 3 % against a margin of 2 %. The sessions end by chance a little earlier than
// foretold, since the first look that decides is often a lucky one.
TEST(ForecastTest, HalfwayTheForetoldDurationIsRightWithinAFactorOfThree) {
  constexpr unsigned kSeed = 20260118;
  std::vector<double> factors;
  int unknown = 0;
  for (const double change : {0.0, 0.01, 0.03, 0.05}) {
    for (unsigned i = 0; i < 25; ++i) {
      SimulatedSession session(change, kSeed + i);
      const auto told = session.Run();
      constexpr std::size_t kFewest = 16;  // half of them are the first look
      if (!session.decided() || told.size() < kFewest) continue;
      const auto& halfway = told[told.size() / 2 - 1];
      unknown += halfway ? 0 : 1;
      if (halfway) factors.push_back(*halfway / static_cast<double>(told.size()));
    }
  }
  ASSERT_GT(factors.size(), 70U) << "seed " << kSeed;
  EXPECT_LE(unknown, 20) << "seed " << kSeed;
  std::sort(factors.begin(), factors.end());
  EXPECT_NEAR(factors[factors.size() / 2], 1.2, 0.3) << "seed " << kSeed;
  const auto right = std::count_if(factors.begin(), factors.end(),
                                   [](double factor) { return factor > 0.5 && factor < 3; });
  EXPECT_GE(static_cast<double>(right), 0.9 * static_cast<double>(factors.size()))
      << "seed " << kSeed;
}

TEST(ForecastTest, NothingIsForetoldBeyondTheLimit) {
  constexpr unsigned kSeed = 20260119;
  int known = 0;
  int looks = 0;
  for (unsigned i = 0; i < 5; ++i) {
    SimulatedSession session(0.02, kSeed + i);  // on the margin: there is nothing to decide
    for (const auto& at : session.Run()) {
      ++looks;
      if (!at) continue;
      ++known;
      EXPECT_LE(*at, SimulatedSession::kLimitSeconds) << "seed " << kSeed + i;
    }
  }
  EXPECT_LT(known, looks / 4) << "seed " << kSeed;
}

}  // namespace
}  // namespace benchd
