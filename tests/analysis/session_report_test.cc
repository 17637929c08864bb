#include "core/analysis/session_report.h"

#include <gtest/gtest.h>

#include "tests/analysis/session_builder.h"

namespace benchd {
namespace {

Comparison Info(double p, std::optional<Better> better = Better::kLower) {
  Comparison info;
  info.p_value = p;
  info.better = better;
  return info;
}

// Golden p_adjust_02: Holm turns .0001 .5 .012 .03 .2 into .0005 .5 .048 .09 .4.
TEST(FlagInfoMetricsTest, HolmDecidesWhoIsMarkedAndTheDirectionHow) {
  std::vector<Comparison> infos{Info(0.0001), Info(0.5), Info(0.012), Info(0.03), Info(0.2)};
  const std::vector<int> directions{1, 1, -1, 1, 1};
  FlagInfoMetrics(infos, directions, 0.05);
  EXPECT_EQ(infos[0].flag, Flag::kWorse);
  EXPECT_EQ(infos[1].flag, Flag::kNone);
  EXPECT_EQ(infos[2].flag, Flag::kImprovement);
  EXPECT_EQ(infos[3].flag, Flag::kNone);
}

// In the family of three Holm would turn .02 into .06.
TEST(FlagInfoMetricsTest, WhatDisturbedRunsIsOutsideOfTheFamily) {
  std::vector<Comparison> infos{Info(0), Info(0.02), Info(0)};
  infos[0].metric = "interrupts";
  infos[1].metric = "cpu_time";
  infos[2].metric = "stolen_time";
  FlagInfoMetrics(infos, std::vector<int>{1, 1, 1}, 0.05);
  EXPECT_EQ(infos[0].flag, Flag::kNone);
  EXPECT_EQ(infos[1].flag, Flag::kWorse);
  EXPECT_EQ(infos[2].flag, Flag::kNone);
}

TEST(FlagInfoMetricsTest, NoDirectionOrNoPMeansNoFlag) {
  std::vector<Comparison> infos{Info(0, std::nullopt), Info(0), Info(0)};
  infos[2].p_value.reset();
  FlagInfoMetrics(infos, std::vector<int>{1, 0, 1}, 0.05);
  for (const Comparison& info : infos) EXPECT_EQ(info.flag, Flag::kNone);
}

// Whatever invalidates a gate also withdraws the statement that it is improved.
TEST(InvalidateTest, AGateWithAReasonHasNoFlag) {
  for (const Verdict verdict : {Verdict::kPass, Verdict::kUndecided}) {
    for (const bool of_metric : {true, false}) {
      Comparison gate;
      gate.benchmark = "main";
      gate.metric = "wall_time";
      gate.candidate = "candidate";
      gate.role = ComparisonRole::kGate;
      gate.better = Better::kLower;
      gate.change = Effect{-0.1, -0.2, -0.01};
      gate.verdict = verdict;
      gate.flag = Flag::kImprovement;
      Report report{.verdict = verdict, .comparisons = {gate}};
      Warning warning = MakeWarning("intervals_disjoint", "", "main", "candidate");
      if (of_metric) warning.metric = "wall_time";
      Invalidate(std::vector<Warning>{warning}, report);
      // A warning that does not name the metric leaves a decision as it is.
      const bool stays = verdict == Verdict::kPass && !of_metric;
      EXPECT_EQ(report.comparisons[0].flag, stays ? Flag::kImprovement : Flag::kNone);
      EXPECT_EQ(report.comparisons[0].reason.empty(), stays);
    }
  }
}

}  // namespace
}  // namespace benchd
