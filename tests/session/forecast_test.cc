#include "daemon/session/forecast.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

TEST(ForecastTest, EndsAtTheTimeLimitAtTheLatest) {
  Scene far;
  far.spec.limits.max_time = seconds(25);
  far.Add("main", 10, 20, 5000);
  far.Foretell();
  EXPECT_EQ(far.report.eta, seconds(5));
  Scene unknown;
  unknown.spec.limits.max_time = seconds(25);
  unknown.Add("main", 10, 20, std::nullopt);
  unknown.Add("other", 10, 20, 1);
  unknown.Foretell();
  EXPECT_EQ(unknown.report.eta, seconds(5));
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

}  // namespace
}  // namespace benchd
