#include "core/stats/similarity/assessment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/golden/golden.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Runs = std::vector<std::vector<double>>;
constexpr unsigned kAssessmentSeed = 20261122;

// Independent normal values around 10.
Runs Noise(std::size_t runs, std::size_t values, unsigned seed = kAssessmentSeed, double sd = 0.1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(10, sd);
  Runs made(runs, std::vector<double>(values));
  for (std::vector<double>& run : made) {
    for (double& value : run) value = normal(random);
  }
  return made;
}

TEST(CheckRunsTest, RejectsEveryGoldenCaseWithItsPlace) {
  const nlohmann::json& file = golden::ReadFile("similarity.json");
  ASSERT_EQ(file.at("rejected").size(), 4U);
  const auto read = [](const nlohmann::json& series) {
    std::vector<double> values;
    for (const auto& value : series) {
      values.push_back(!value.is_string() ? value.get<double>()
                       : value == "NaN"   ? std::nan("")
                                          : std::numeric_limits<double>::infinity());
    }
    return values;
  };
  for (const auto& one : file["rejected"]) {
    const auto found = AssessRuns(Runs{read(one["x"]), read(one["y"])});
    ASSERT_FALSE(found) << one["name"];
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(found.error()) << one["name"];
  }
}

TEST(CheckRunsTest, RejectsASingleRun) {
  EXPECT_FALSE(AssessRuns(Runs{}));
  EXPECT_FALSE(AssessRuns(Noise(1, 60)));
}

TEST(AssessRunsTest, SaysNothingBelowFiftyValuesARun) {
  const auto short_runs = AssessRuns(Noise(5, 49));
  ASSERT_TRUE(short_runs);
  EXPECT_FALSE(short_runs->Assessable());
  EXPECT_EQ(short_runs->by_literal, Resemblance::kNotAssessable);
  EXPECT_EQ(short_runs->by_shape, Resemblance::kNotAssessable);
  EXPECT_EQ(short_runs->by_same, Resemblance::kNotAssessable);
  EXPECT_GT(short_runs->literal.measures[0].mean, 0.5);
  const auto long_enough = AssessRuns(Noise(5, 50));
  ASSERT_TRUE(long_enough);
  EXPECT_TRUE(long_enough->Assessable());
}

TEST(AssessRunsTest, FindsTheRunThatIsAtAnotherLevel) {
  Runs runs = Noise(6, 100);
  for (double& value : runs[3]) value *= 3;
  const auto found = AssessRuns(runs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->differs_most, 3U);
  EXPECT_EQ(found->same.labels, (std::vector<std::size_t>{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(found->by_same, Resemblance::kDissimilar);
  EXPECT_TRUE(found->literal.measures[4].first == 3 || found->literal.measures[4].second == 3);
  EXPECT_EQ(found->literal.measures[4].max, 1);
}

TEST(AssessRunsTest, CallsRunsThatDifferByTheirSpikesOnlySpikes) {
  // One value in 200 is 500 times as large, at a different position in each run.
  Runs runs = Noise(5, 200);
  for (std::size_t r = 0; r < runs.size(); ++r) runs[r][20 * r + 5] *= 500;
  const auto found = AssessRuns(runs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->by_literal, Resemblance::kSpikes);
  EXPECT_EQ(found->by_same, Resemblance::kSpikes);
  EXPECT_EQ(AssessRuns(Noise(5, 200))->by_literal, Resemblance::kSimilar);
}

TEST(AssessRunsTest, HearsTheThreshold) {
  const Runs runs = Noise(4, 100);
  EXPECT_EQ(AssessRuns(runs, {.threshold = 0})->by_literal, Resemblance::kDissimilar);
  EXPECT_EQ(AssessRuns(runs, {.threshold = 1})->by_literal, Resemblance::kSimilar);
  EXPECT_FALSE(AssessRuns(runs, {.threshold = 1.5}));
  EXPECT_FALSE(AssessRuns(runs, {.threshold = std::nan("")}));
}

// All measures are relative, so the unit of the values does not matter.
TEST(AssessRunsTest, IsTheSameInEveryUnit) {
  const Runs runs = Noise(4, 80, kAssessmentSeed, 3);
  const auto in_seconds = AssessRuns(runs);
  ASSERT_TRUE(in_seconds);
  for (const double unit : {1e-200, 1e-9, 7.0, 1e290}) {
    Runs other = runs;
    for (std::vector<double>& run : other) {
      for (double& value : run) value *= unit;
    }
    const auto found = AssessRuns(other);
    ASSERT_TRUE(found);
    for (std::size_t m = 0; m < 5; ++m) {
      EXPECT_NEAR(found->literal.measures[m].mean, in_seconds->literal.measures[m].mean, 1e-9)
          << unit;
      EXPECT_NEAR(found->shape.measures[m].mean, in_seconds->shape.measures[m].mean, 1e-9) << unit;
    }
    EXPECT_EQ(found->same.labels, in_seconds->same.labels);
  }
}

TEST(AssessRunsTest, DoesNotDependOnTheOrderOfTheRuns) {
  const Runs runs = Noise(5, 70, kAssessmentSeed, 2);
  Runs reversed = runs;
  std::reverse(reversed.begin(), reversed.end());
  const auto one = AssessRuns(runs);
  const auto other = AssessRuns(reversed);
  ASSERT_TRUE(one && other);
  for (std::size_t m = 0; m < 5; ++m) {
    EXPECT_NEAR(one->literal.measures[m].mean, other->literal.measures[m].mean, 1e-12);
    EXPECT_EQ(one->literal.measures[m].max, other->literal.measures[m].max);
  }
  EXPECT_EQ(one->differs_most, 4 - other->differs_most);
}

// Measures of any finite values stay in [0, 1].
TEST(AssessRunsTest, StaysInTheUnitIntervalForExtremeValues) {
  constexpr double kHuge = std::numeric_limits<double>::max();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  const Runs runs{{kHuge, -kHuge, kTiny}, {kTiny, 0, kTiny}, {0, 0, 0}, {-kHuge, 1, kHuge}};
  const auto pairs = ComparePairs(runs);
  ASSERT_TRUE(pairs);
  for (const RunPair& pair : *pairs) {
    for (std::size_t m = 0; m < 5; ++m) {
      EXPECT_TRUE(pair.literal[m] >= 0 && pair.literal[m] <= 1) << m;
      EXPECT_TRUE(pair.shape[m] >= 0 && pair.shape[m] <= 1) << m;
    }
    EXPECT_TRUE(pair.SameDistance() >= 0 && pair.SameDistance() <= 1);
  }
}

TEST(CutToShortestTest, KeepsTheFirstValuesOfEachRun) {
  EXPECT_EQ(CutToShortest(Runs{{1, 2, 3}, {4, 5}}), (Runs{{1, 2}, {4, 5}}));
  EXPECT_TRUE(CutToShortest({}).empty());
}

}  // namespace
}  // namespace benchd
