#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/stats/descriptive.h"
#include "core/stats/nonparametric.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Labels = std::vector<std::size_t>;

LabelRuns RunsOf(const Labels& labels) {
  LabelRuns runs;
  for (const std::size_t label : labels) runs.Add(label);
  return runs;
}

// The reference labels each value by its side of the median.
Labels SidesOfTheMedian(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double median = QuantileType7(sorted, 0.5).value();
  Labels labels;
  for (double value : values) {
    if (value != median) labels.push_back(value > median);
  }
  return labels;
}

TEST(RunsTestTest, MatchesTheReference) {
  for (const auto& one : golden::Cases("independence_diagnostics")) {
    SCOPED_TRACE(one.at("id"));
    const auto test = TestRuns(RunsOf(SidesOfTheMedian(one["input"]["x"])));
    ASSERT_TRUE(test);
    EXPECT_EQ(test->runs, one["expected"]["runs"]);
    EXPECT_TRUE(golden::Close(test->z, one["expected"]["runs_z"], one["rel_tol"]));
  }
}

// Mean and variance over all orders of the labels, by enumeration.
TEST(RunsTestTest, ExpectsWhatCountingEveryOrderGivesAlsoForThreeLabels) {
  for (Labels labels :
       {Labels{0, 0, 0, 1, 1}, Labels{0, 0, 1, 1, 1, 2, 2}, Labels{4, 7, 7, 7, 9}}) {
    std::sort(labels.begin(), labels.end());
    double count = 0;
    double sum = 0;
    double squares = 0;
    do {
      double runs = 1;
      for (std::size_t i = 1; i < labels.size(); ++i) runs += labels[i] != labels[i - 1];
      ++count;
      sum += runs;
      squares += runs * runs;
    } while (std::next_permutation(labels.begin(), labels.end()));
    const double mean = sum / count;
    const double deviation = std::sqrt(squares / count - mean * mean);
    std::sort(labels.begin(), labels.end());
    const auto test = TestRuns(RunsOf(labels));
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->expected, mean, 1e-12);
    EXPECT_NEAR(test->z, (static_cast<double>(test->runs) - mean) / deviation, 1e-9);
  }
}

TEST(RunsTestTest, ArmsInStretchesAreNotInterleaved) {
  EXPECT_TRUE(
      NotInterleaved(RunsOf(Labels{0, 0, 0, 1, 1, 1, 1})));  // too few for z, but each contiguous
  EXPECT_TRUE(NotInterleaved(RunsOf(Labels{0, 0, 1, 1, 2, 2})));
  Labels stretches;
  for (std::size_t i = 0; i < 60; ++i) stretches.push_back(i / 10 % 2);
  EXPECT_TRUE(NotInterleaved(RunsOf(stretches)));
}

// The seven rows of the method's document: base feature base feature feature feature base.
TEST(RunsTestTest, ArmsInTurnAreInterleaved) {
  EXPECT_FALSE(NotInterleaved(RunsOf(Labels{0, 1, 0, 1, 1, 1, 0})));
  EXPECT_FALSE(NotInterleaved(RunsOf(Labels{0, 1, 1, 0, 0, 1, 0, 1, 1, 0})));
  Labels alternating;
  for (std::size_t i = 0; i < 60; ++i) alternating.push_back(i % 2);
  EXPECT_FALSE(NotInterleaved(RunsOf(alternating)));
  EXPECT_GT(TestRuns(RunsOf(alternating))->z, 5);
}

TEST(RunsTestTest, SaysNothingWhereChanceHasNoPart) {
  EXPECT_FALSE(TestRuns(RunsOf(Labels{})));
  EXPECT_FALSE(TestRuns(RunsOf(Labels{3, 3, 3})));
  EXPECT_FALSE(TestRuns(RunsOf(Labels{0, 1})));
  EXPECT_FALSE(TestRuns(RunsOf(Labels{0, 1, 2})));
  EXPECT_FALSE(NotInterleaved(RunsOf(Labels{0, 1})));
  EXPECT_FALSE(NotInterleaved(RunsOf(Labels{0, 1, 1})));  // a single row is always contiguous
}

}  // namespace
}  // namespace benchd
