#include "core/analysis/history.h"

#include <gtest/gtest.h>

#include <chrono>

namespace benchd {
namespace {

// Nothing is random here: values alternate by a small amount around their level.
GateSummary Entry(int i, double level) {
  GateSummary summary{.number = static_cast<std::uint64_t>(i) + 1,
                      .session = {"s" + std::to_string(i)},
                      .ended_at = Timestamp(std::chrono::hours(i)),
                      .benchmark = "parse",
                      .metric = "wall_time",
                      .candidate = "candidate",
                      .machine = "EPYC",
                      .kernel = "6.1"};
  summary.mean_candidate = level + 0.001 * ((i * 7) % 5);
  return summary;
}

std::vector<GateSummary> StepAt(int step, int n) {
  std::vector<GateSummary> summaries;
  for (int i = 0; i < n; ++i) summaries.push_back(Entry(i, i < step ? 1 : 1.1));
  return summaries;
}

std::vector<HistorySeries> Made(std::vector<GateSummary> summaries) {
  auto history = MakeHistory(std::move(summaries), {});
  EXPECT_TRUE(history) << history.error().message;
  return history.value_or(std::vector<HistorySeries>{});
}

TEST(HistoryTest, AStepIsTheCommitsAtWhichItAppears) {
  std::vector<GateSummary> summaries = StepAt(12, 24);
  std::reverse(summaries.begin(), summaries.end());
  const auto history = Made(std::move(summaries));
  ASSERT_EQ(history.size(), 1U);
  ASSERT_EQ(history[0].segments.size(), 1U);
  const HistorySegment& segment = history[0].segments[0];
  EXPECT_EQ(segment.entries.front().session.value, "s0");
  ASSERT_EQ(segment.steps.size(), 1U);
  EXPECT_EQ(segment.entries[segment.steps[0].point.index].session.value, "s12");
  EXPECT_NEAR(segment.steps[0].before, 1.002, 0.001);
  EXPECT_NEAR(segment.steps[0].after, 1.102, 0.001);
}

// A machine that has become slow would be a step.
TEST(HistoryTest, WhatAControlShowsToBeTheMachinesIsNoStep) {
  std::vector<GateSummary> summaries = StepAt(24, 24);
  for (int i = 12; i < 24; ++i) {
    GateSummary& slow = summaries[static_cast<std::size_t>(i)];
    slow.mean_candidate = *slow.mean_candidate + 0.3;
  }
  EXPECT_EQ(Made(summaries).at(0).segments.at(0).steps.size(), 1U);
  for (int i = 12; i < 24; ++i) summaries[static_cast<std::size_t>(i)].control_changed = true;
  const auto history = Made(summaries);
  EXPECT_EQ(history.at(0).size(), 24U) << "they are shown";
  EXPECT_TRUE(history.at(0).segments.at(0).steps.empty());
}

TEST(HistoryTest, AStepIsFoundBesideThem) {
  std::vector<GateSummary> summaries = StepAt(12, 24);
  for (const int i : {2, 11, 12}) {
    summaries[static_cast<std::size_t>(i)].mean_candidate = 2;
    summaries[static_cast<std::size_t>(i)].control_changed = true;
  }
  const auto history = Made(std::move(summaries));
  const HistorySegment& segment = history.at(0).segments.at(0);
  ASSERT_EQ(segment.steps.size(), 1U);
  EXPECT_EQ(segment.entries[segment.steps[0].point.index].session.value, "s13");
  EXPECT_NEAR(segment.steps[0].before, 1.002, 0.001);
  EXPECT_NEAR(segment.steps[0].after, 1.102, 0.001);
}

TEST(HistoryTest, AStepAtTheEdgeOfASegmentIsNobodys) {
  for (auto change : {+[](GateSummary& s) { s.kernel = "6.2"; },
                      +[](GateSummary& s) { s.settings = "governor=performance"; }}) {
    std::vector<GateSummary> summaries = StepAt(12, 24);
    for (int i = 12; i < 24; ++i) change(summaries[static_cast<std::size_t>(i)]);
    const auto history = Made(std::move(summaries));
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(history[0].size(), 24U);
    ASSERT_EQ(history[0].segments.size(), 2U);
    for (const HistorySegment& segment : history[0].segments) EXPECT_TRUE(segment.steps.empty());
  }
}

TEST(HistoryTest, MachinesMetricsAndCandidatesAreSeriesOfTheirOwn) {
  std::vector<GateSummary> summaries(6, Entry(0, 1));
  summaries[1].machine = "Xeon";
  summaries[2].metric = "max_rss";
  summaries[3].candidate = "other";
  summaries[4].series = "85944171f73967e8";
  summaries[5].mean_candidate.reset();
  EXPECT_EQ(Made(summaries).size(), 5U);
}

TEST(HistoryTest, CommitsOfDifferentNamesAreOneSeries) {
  std::vector<GateSummary> summaries = StepAt(2, 4);
  for (GateSummary& summary : summaries) {
    summary.candidate = summary.session.value;
    summary.candidate_commit = Commit{summary.session.value, ""};
  }
  EXPECT_EQ(Made(summaries).size(), 1U);
}

TEST(HistoryTest, TheSeriesThatWasMeasuredLastComesFirst) {
  std::vector<GateSummary> summaries{Entry(1, 1), Entry(3, 1), Entry(2, 1)};
  summaries[0].metric = "a";
  summaries[1].metric = "b";
  summaries[2].metric = "c";
  const auto history = Made(std::move(summaries));
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].first().metric, "b");
  EXPECT_EQ(history[2].first().metric, "a");
  EXPECT_TRUE(Made({}).empty());
}

}  // namespace
}  // namespace benchd
