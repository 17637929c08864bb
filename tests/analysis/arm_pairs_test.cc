#include "core/analysis/arm_pairs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/analysis/session_feed.h"
#include "tests/analysis/table_text.h"

namespace benchd {
namespace {

constexpr unsigned kPairsSeed = 20261123;

SessionSpec Three(double alpha = 0.01) {
  return MakeSpec({MakeBenchmark("main", 1, {"base", "a", "b"})}, alpha);
}

ArmPairsAnalysis PairsFor(const SessionSpec& spec,
                          const Gate& gate = RatioGate("wall_time", 0.02)) {
  return *ArmPairsAnalysis::Create(spec, 0, gate, DataSource::kSession).value();
}

const Comparison& PairIn(const ArmPairs& pairs, std::string_view first, std::string_view second) {
  for (const Comparison& one : pairs.comparisons) {
    if (one.reference == first && one.candidate == second) return one;
  }
  static const Comparison none;
  return none;
}

TEST(ArmPairsTest, EveryPairIsASessionOfItsOwnAtItsShareOfTheLevel) {
  ArmPairsAnalysis pairs = PairsFor(Three(0.03));
  // The same runs of two arms alone, at a third of the level, because there are three pairs.
  SessionSpec alone = MakeSpec({MakeBenchmark("main", 1, {"a", "b"})}, 0.01);
  alone.benchmarks[0].gates = {RatioGate("wall_time", 0.02)};
  SessionAnalysis session = Start(alone);
  Noise noise(kPairsSeed);
  for (int i = 0; i < 30; ++i) {
    Block block = noise.Wall({1.0, 0.9, 0.8});
    ASSERT_TRUE(pairs.Add(block));
    block.erase(block.begin());
    for (auto& run : block) --run.arm;
    Feed(session, block);
  }
  const ArmPairs found = pairs.Conclude();
  EXPECT_EQ(found.benchmark, "main");
  EXPECT_EQ(found.arms, (std::vector<std::string>{"base", "a", "b"}));
  ASSERT_EQ(found.comparisons.size(), 3U);
  const Comparison& pair = PairIn(found, "a", "b");
  const Report expected = session.Conclude();
  ASSERT_TRUE(pair.change && pair.change->hi);
  EXPECT_EQ(*pair.change, *expected.comparisons[0].change);
  EXPECT_DOUBLE_EQ(pair.confidence, 0.99);
  EXPECT_LT(*pair.change->hi, 0) << "b is faster";
}

TEST(ArmPairsTest, TheLastLookCountsHoweverEarlyAPairIsDecided) {
  ArmPairsAnalysis pairs = PairsFor(Three());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(pairs.Add(WallBlock(0, {1.0 + 0.001 * (i % 3), 1.5, 1.5 + 0.001 * (i % 2)})));
  }
  EXPECT_EQ(PairIn(pairs.Conclude(), "base", "a").n_candidate, 20U);
}

TEST(ArmPairsTest, TheLevelIsSharedOverThePairsOfAllBenchmarks) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "a", "b"}),
                               MakeBenchmark("other", 1, {"base", "a", "b", "c"}),
                               MakeBenchmark("alone", 1, {"base", "a"})},
                              0.09);
  for (const std::uint32_t benchmark : {0U, 1U}) {
    ArmPairsAnalysis pairs =
        *ArmPairsAnalysis::Create(spec, benchmark, RatioGate("wall_time", 0.02),
                                  DataSource::kSession)
             .value();
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(
          pairs.Add(WallBlock(benchmark, benchmark == 0 ? std::vector<double>{1, 1, 1}
                                                        : std::vector<double>{1, 1, 1, 1})));
    }
    const ArmPairs found = pairs.Conclude();
    ASSERT_EQ(found.comparisons.size(), benchmark == 0 ? 3U : 6U);
    for (const Comparison& one : found.comparisons) EXPECT_DOUBLE_EQ(one.confidence, 0.99);
  }
}

TEST(ArmPairsTest, AnOrderIsTwoSidedWhateverTheGatesAre) {
  const auto interval = [](Sided sided) {
    SessionSpec spec = Three();
    spec.sided = sided;
    ArmPairsAnalysis pairs = PairsFor(spec);
    Noise noise(kPairsSeed);
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(pairs.Add(noise.Wall({1, 1, 1})));
    return PairIn(pairs.Conclude(), "a", "b").change;
  };
  EXPECT_EQ(interval(Sided::kOne), interval(Sided::kTwo));
}

TEST(ArmPairsTest, NothingToOrder) {
  const Gate gate = RatioGate("wall_time", 0.02);
  const auto made = [&gate](const SessionSpec& spec) {
    return ArmPairsAnalysis::Create(spec, 0, gate, DataSource::kSession).value().has_value();
  };
  EXPECT_TRUE(made(Three()));
  EXPECT_FALSE(made(Two())) << "one candidate";
  SessionSpec with_placebo = Two();
  with_placebo.benchmarks[0].arms.push_back(with_placebo.benchmarks[0].arms[0]);
  with_placebo.benchmarks[0].arms.back().role = ArmRole::kPlacebo;
  EXPECT_FALSE(made(with_placebo));
  std::vector<std::string> many(kMostPairedArms + 1);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = "arm" + std::to_string(i);
  EXPECT_FALSE(made(MakeSpec({MakeBenchmark("main", 1, many)})));
}

TEST(ArmPairsTest, OtherBenchmarksAndMetricsAreLeftOut) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "a", "b"}),
                               MakeBenchmark("other", 1, {"base", "a", "b"})});
  ArmPairsAnalysis pairs = PairsFor(spec);
  for (int i = 0; i < 10; ++i) {
    Block block = WallBlock(0, {1, 1, 1});
    for (auto& run : block) run.samples.push_back({"max_rss", {}, 0, 5});
    ASSERT_TRUE(pairs.Add(block));
    ASSERT_TRUE(pairs.Add(WallBlock(1, {1, 2, 3})));
  }
  for (const Comparison& one : pairs.Conclude().comparisons) {
    EXPECT_EQ(one.metric, "wall_time");
    EXPECT_EQ(one.n_candidate, 10U);
    EXPECT_EQ(one.change->estimate, 0);
  }
}

TEST(ArmPairsTest, ABlockMayLackAPairByCoin) {
  SessionSpec spec = Three();
  spec.method = Method::kWelch;
  spec.schedule.kind = ScheduleKind::kCoin;
  ArmPairsAnalysis pairs = PairsFor(spec);
  Noise noise(kPairsSeed);
  for (int i = 0; i < 40; ++i) {
    Block block = noise.Wall({1, 2, 3});
    for (auto& run : block) run.arm = i % 4 == 0 ? 0 : run.arm;
    ASSERT_TRUE(pairs.Add(block));
  }
  const Comparison pair = PairIn(pairs.Conclude(), "a", "b");
  ASSERT_TRUE(pair.change && pair.change->lo);
  EXPECT_GT(*pair.change->lo, 0.3);
}

TEST(ArmPairsTest, ATableHasThemToo) {
  std::string text = "arm,pair,x\n";
  for (int i = 0; i < 20; ++i) {
    const std::string pair = std::to_string(i);
    text += "a," + pair + "," + std::to_string(100 + i % 3) + "\n";
    text += "b," + pair + "," + std::to_string(120 + i % 2) + "\n";
    text += "c," + pair + "," + std::to_string(90 + i % 4) + "\n";
  }
  const auto report = Analyze(text, Gated("x"));
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->report.orders.size(), 1U);
  std::vector<std::vector<std::string>> arms;
  for (const ArmGroup& group : report->report.orders[0].groups) arms.push_back(group.arms);
  EXPECT_EQ(arms, (std::vector<std::vector<std::string>>{{"c"}, {"a"}, {"b"}}));
  EXPECT_TRUE(
      Analyze(Rows({{"a", 1}, {"b", 2}, {"a", 2}, {"b", 3}}), Gated("t"))->report.orders.empty());
}

}  // namespace
}  // namespace benchd
