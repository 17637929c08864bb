#include "core/analysis/trajectory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/analysis/session_builder.h"
#include "tests/analysis/table_text.h"

namespace benchd {
namespace {

// Pairs with a slow rise of b over a, and a little deterministic noise.
std::string PairsOf(int pairs) {
  std::string text = "arm,pair,wall_time,rate\n";
  for (int i = 0; i < pairs; ++i) {
    const double noise = 0.01 * std::sin(i * 2.4);
    const std::string number = std::to_string(i);
    text +=
        "a," + number + "," + std::to_string(1 + noise) + "," + std::to_string(5 + i % 3) + "\n";
    text +=
        "b," + number + "," + std::to_string(1.05 - noise) + "," + std::to_string(6 - i % 2) + "\n";
  }
  return text;
}

TableOptions Watched() {
  TableOptions options = Gated("wall_time");
  options.trajectories = true;
  return options;
}

TEST(TrajectoryTest, EndsWithTheNumbersOfTheLastLook) {
  const auto result = Analyze(PairsOf(200), Watched());
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->trajectories.size(), 2U) << "the gate and the other metric";
  const Trajectory& gate = result->trajectories.front();
  EXPECT_EQ(gate.metric, "wall_time");
  EXPECT_EQ(gate.candidate, "b");
  EXPECT_TRUE(gate.relative);
  EXPECT_EQ(gate.method, Method::kPaired);
  EXPECT_EQ(gate.points.front().runs, 8U) << "no interval before the eighth pair";
  EXPECT_EQ(gate.points.back().runs, 200U);
  EXPECT_EQ(gate.points.back().effect, *Find(result->report, "wall_time", "b").change);
  EXPECT_EQ(result->trajectories[1].points.back().effect,
            *Find(result->report, "rate", "b").change);
}

TEST(TrajectoryTest, HasFewPointsHoweverManyRuns) {
  const auto result = Analyze(PairsOf(5000), Watched());
  ASSERT_TRUE(result) << result.error().message;
  const Trajectory& gate = result->trajectories.front();
  // 8, 9, ... 40 one by one, then 1.05^n up to 5000: ln(5000 / 40) / ln(1.05) = 99 of them.
  EXPECT_GT(gate.points.size(), 100U);
  EXPECT_LT(gate.points.size(), 160U);
  for (std::size_t i = 1; i < gate.points.size(); ++i) {
    EXPECT_LT(gate.points[i - 1].runs, gate.points[i].runs);
  }
}

TEST(TrajectoryTest, AnAbsoluteMarginIsWatchedInItsUnit) {
  TableOptions options = Watched();
  options.spec.benchmarks[0].gates[0].kind = MarginKind::kAbsolute;
  options.spec.benchmarks[0].gates[0].margin = 0.1;
  const auto result = Analyze(PairsOf(20), options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->trajectories.front().relative);
  EXPECT_EQ(result->trajectories.front().points.back().effect,
            *Find(result->report, "wall_time", "b").difference);
}

TEST(TrajectoryTest, OneLookIsNotWatched) {
  TableOptions options = Watched();
  options.method = Method::kFixed;
  const auto result = Analyze(PairsOf(50), options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->trajectories.empty());
}

TEST(TrajectoryTest, NobodyAskedNothingIsWatched) {
  const auto result = Analyze(PairsOf(20), Gated("wall_time"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->trajectories.empty());
}

}  // namespace
}  // namespace benchd
