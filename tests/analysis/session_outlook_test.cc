// SessionAnalysis::Outlook(): the schedule's information about each benchmark.

#include <gtest/gtest.h>

#include "tests/analysis/session_builder.h"
#include "tests/analysis/session_feed.h"

namespace benchd {
namespace {

SessionSpec Suite(std::size_t benchmarks) {
  std::vector<Benchmark> list;
  for (std::size_t i = 0; i < benchmarks; ++i) {
    list.push_back(MakeBenchmark("b" + std::to_string(i), 1, {"base", "candidate"}));
  }
  return MakeSpec(list);
}

/// A block with a spread of 5 %, in one of two patterns, so that nothing is decided at once.
Block Spread(std::uint32_t benchmark, int number, double seconds) {
  const double off = number % 2 == 0 ? 1.05 : 0.95;
  return WallBlock(benchmark, {seconds * off, seconds / off});
}

TEST(SessionOutlookTest, BeginsWithTheBlocksBeforeTheFirstLook) {
  const SessionAnalysis analysis = Start(Suite(2));
  const std::vector<BenchmarkOutlook> outlooks = analysis.Outlook();
  ASSERT_EQ(outlooks.size(), 2U);
  EXPECT_EQ(outlooks[1], (BenchmarkOutlook{.minimum = 8}));
  SessionSpec fixed = Suite(2);
  fixed.limits.runs = 40;
  EXPECT_EQ(Start(fixed).Outlook()[0].minimum, 40U) << "one look, after all of them";
}

TEST(SessionOutlookTest, CountsTheBlocksAndTheTimeOfEach) {
  SessionAnalysis analysis = Start(Suite(2));
  Feed(analysis, WallBlock(1, {0.25, 0.5}));
  Feed(analysis, WallBlock(1, {0.25, 0.5}));
  const std::vector<BenchmarkOutlook> outlooks = analysis.Outlook();
  EXPECT_EQ(outlooks[0].blocks, 0U);
  EXPECT_EQ(outlooks[1].blocks, 2U);
  EXPECT_DOUBLE_EQ(outlooks[1].seconds, 1.5);
}

TEST(SessionOutlookTest, WhatLiesBetweenTheRunsOfABlockIsItsTimeToo) {
  SessionAnalysis analysis = Start(Suite(2));
  Block block = WallBlock(0, {0.25, 0.5});
  block[1].started_at = block[0].started_at + std::chrono::seconds(3);  // a prepare hook
  Feed(analysis, block);
  EXPECT_DOUBLE_EQ(analysis.Outlook()[0].seconds, 3.5);
}

TEST(SessionOutlookTest, ExpectsBlocksFromTheFirstLookOnAsTheReportDoes) {
  SessionAnalysis analysis = Start(Suite(2));
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(analysis.Outlook()[0].expected_blocks) << i;
    Feed(analysis, Spread(0, i, 1));
    Feed(analysis, Spread(1, i, 1));
  }
  const BenchmarkOutlook outlook = analysis.Outlook()[0];
  EXPECT_TRUE(outlook.open);
  ASSERT_TRUE(outlook.expected_blocks);
  EXPECT_EQ(outlook.expected_blocks,
            Find(analysis.Look(), "wall_time", "candidate", "b0").expected_blocks);
  EXPECT_GT(outlook.ExpectedSeconds(), *outlook.expected_blocks) << "two runs of a second a block";
}

TEST(SessionOutlookTest, OfSeveralGatesTheLastOneCounts) {
  SessionSpec spec = Suite(2);
  spec.benchmarks[0].gates = {RatioGate("wall_time", 0.5), RatioGate("cpu_time", 0.02)};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 8; ++i) {
    Block block = Spread(0, i, 1);
    for (benchd::Run& run : block) run.samples.push_back({"cpu_time", {}, 0, run.samples[0].value});
    Feed(analysis, block);
    Feed(analysis, Spread(1, i, 1));
  }
  const Report report = analysis.Look();
  EXPECT_TRUE(Find(report, "wall_time", "candidate", "b0").decided) << "the margin is 50 %";
  EXPECT_EQ(analysis.Outlook()[0].expected_blocks,
            Find(report, "cpu_time", "candidate", "b0").expected_blocks);
}

TEST(SessionOutlookTest, UnderTheRulePrecisionTheWidthOfTheIntervalSaysHowManyBlocksAreLeft) {
  SessionSpec spec = Suite(2);
  spec.rule = {RuleKind::kPrecision, 0.01};
  SessionAnalysis analysis = Start(spec);
  constexpr unsigned kSeed = 11;
  Noise noise(kSeed);
  int blocks = 0;
  std::optional<double> early;
  while (analysis.Outlook()[0].open && blocks < 2000) {
    Feed(analysis, noise.Wall({1, 1}));
    if (++blocks == 60) early = analysis.Outlook()[0].expected_blocks;
    if (blocks <= 8) Feed(analysis, WallBlock(1, {1, 1.001}));
  }
  ASSERT_TRUE(early) << "seed " << kSeed;
  // From 60 pairs the spread is known to 9 % and its square, which determines the number, to 18 %.
  // Allow three times that.
  EXPECT_NEAR(60 + *early, blocks, 0.54 * blocks) << "seed " << kSeed;
}

TEST(SessionOutlookTest, ADecidedBenchmarkIsNotOpen) {
  SessionAnalysis analysis = Start(Suite(2));
  for (int i = 0; i < 8; ++i) {
    Feed(analysis, WallBlock(0, {1, 2}));
    Feed(analysis, Spread(1, i, 1));
  }
  EXPECT_FALSE(analysis.Outlook()[0].open);
  EXPECT_TRUE(analysis.Outlook()[1].open);
}

TEST(SessionOutlookTest, AFullBenchmarkIsNotOpen) {
  SessionSpec spec = Suite(2);
  spec.limits.runs = 2;
  SessionAnalysis analysis = Start(spec);
  Feed(analysis, Spread(0, 0, 1));
  EXPECT_TRUE(analysis.Outlook()[0].open);
  Feed(analysis, Spread(0, 1, 1));
  EXPECT_FALSE(analysis.Outlook()[0].open);
  EXPECT_EQ(analysis.OpenBenchmarks(), std::vector<std::size_t>{1});
}

TEST(SessionOutlookTest, IsTheSameAfterTheSameBlocksAgain) {
  constexpr unsigned kSeed = 5;
  SessionAnalysis once = Start(Suite(2));
  SessionAnalysis again = Start(Suite(2));
  Noise noise(kSeed);
  for (int i = 0; i < 12; ++i) {
    Block block = noise.Wall({1, 1.02});
    for (benchd::Run& run : block) run.benchmark = i % 2 == 0 ? 0 : 1;
    Feed(once, block);
    Feed(again, block);
  }
  EXPECT_EQ(once.Outlook(), again.Outlook()) << "seed " << kSeed;
}

}  // namespace
}  // namespace benchd
