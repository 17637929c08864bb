#include "daemon/session/forecast.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

Report ReportOf(std::optional<double> expected_blocks) {
  Report report;
  report.elapsed = std::chrono::seconds(20);
  Comparison gate;
  gate.role = ComparisonRole::kGate;
  gate.expected_blocks = expected_blocks;
  report.comparisons = {gate};
  return report;
}

TEST(ForecastTest, TakesTheMeanTimeOfABlockForEachExpectedOne) {
  Report report = ReportOf(5);
  Forecast({.blocks = 10, .benchmarks = 2, .max_time = std::chrono::minutes(10)}, report);
  EXPECT_EQ(report.comparisons.front().eta, Nanoseconds(std::chrono::seconds(20)));
  EXPECT_EQ(report.eta, report.comparisons.front().eta);
}

TEST(ForecastTest, EndsAtTheTimeLimitAtTheLatest) {
  Report report = ReportOf(5000);
  Forecast({.blocks = 10, .benchmarks = 1, .max_time = std::chrono::seconds(25)}, report);
  EXPECT_EQ(report.eta, Nanoseconds(std::chrono::seconds(5)));
  Report unknown = ReportOf(std::nullopt);
  Forecast({.blocks = 10, .benchmarks = 1, .max_time = std::chrono::seconds(25)}, unknown);
  EXPECT_EQ(unknown.eta, Nanoseconds(std::chrono::seconds(5)));
  EXPECT_FALSE(unknown.comparisons.front().eta);
}

TEST(ForecastTest, SaysNothingBeforeTheFirstBlockOrWhenAllIsDecided) {
  Report report = ReportOf(5);
  Forecast({.blocks = 0, .benchmarks = 1, .max_time = std::chrono::seconds(25)}, report);
  EXPECT_FALSE(report.eta);
  report.comparisons.front().decided = Decision{};
  Forecast({.blocks = 10, .benchmarks = 1, .max_time = std::chrono::seconds(25)}, report);
  EXPECT_FALSE(report.eta);
}

}  // namespace
}  // namespace benchd
