#include "core/analysis/arm_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/analysis/session_feed.h"
#include "tests/golden/golden.h"
#include "tests/support/arm_pair.h"

namespace benchd {
namespace {

using test::PairOf;

std::vector<std::vector<std::string>> ArmsOf(const ArmOrder& order) {
  std::vector<std::vector<std::string>> arms;
  for (const ArmGroup& group : order.groups) arms.push_back(group.arms);
  return arms;
}

using Groups = std::vector<std::vector<std::string>>;
using Clear = std::vector<ClearPair>;

TEST(ArmOrderTest, FollowsThePairsAndNoMore) {
  const auto groups = [](std::vector<Comparison> pairs) {
    return ArmsOf(OrderArms({"main", {"a", "b", "c"}, std::move(pairs)}));
  };
  EXPECT_EQ(groups({PairOf("a", "b", -0.1), PairOf("a", "c", 0.1), PairOf("b", "c", 0.2)}),
            (Groups{{"b"}, {"a"}, {"c"}}));
  EXPECT_EQ(groups({PairOf("a", "b", 0), PairOf("a", "c", 0), PairOf("b", "c", 0)}),
            (Groups{{"a", "b", "c"}}));
  EXPECT_EQ(groups({PairOf("a", "b", 0.001), PairOf("a", "c", -0.1), PairOf("b", "c", -0.1)}),
            (Groups{{"c"}, {"a", "b"}}));
  EXPECT_EQ(groups({}), Groups{});
}

TEST(ArmOrderTest, NamesWhatIsClearAmongThoseThatCannotBeOrdered) {
  // Neighbours are alike; the outer two are not.
  const ArmOrder order =
      OrderArms({"main",
                 {"c", "b", "a"},
                 {PairOf("c", "b", -0.005), PairOf("c", "a", -0.015), PairOf("b", "a", -0.005)}});
  ASSERT_EQ(order.groups.size(), 1U);
  EXPECT_EQ(order.groups[0].arms, (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(order.groups[0].clear, (Clear{{"a", "c"}}));
}

TEST(ArmOrderTest, AnIntervalThatIsMissingTellsNothing) {
  Comparison pair = PairOf("a", "b", 0.5);
  pair.change->lo.reset();
  EXPECT_EQ(ArmsOf(OrderArms({"main", {"a", "b"}, {pair}})), (Groups{{"a", "b"}}));
}

// Whether two arms differ is unknown as long as a quantile of their pair has no interval.
TEST(ArmOrderTest, NamesThePairsWithoutAnInterval) {
  using Pairs = std::vector<ArmPair>;
  Comparison none = PairOf("a", "c", 0.5);
  none.change->lo.reset();
  none.change->hi.reset();
  const ArmOrder order =
      OrderArms({"main", {"a", "b", "c"}, {PairOf("a", "b", 0), none, PairOf("b", "c", -0.1)}});
  ASSERT_EQ(order.groups.size(), 1U);
  EXPECT_EQ(order.groups[0].without_interval, (Pairs{{"a", "c"}}));
  EXPECT_EQ(order.groups[0].clear, (Clear{{"c", "b"}}));
  // A pair without values has no comparison.
  const ArmOrder partial = OrderArms({"main", {"a", "b", "c"}, {PairOf("a", "b", 0)}});
  EXPECT_EQ(partial.groups[0].without_interval, (Pairs{{"a", "c"}, {"b", "c"}}));
}

TEST(ArmOrderTest, OfARateTheHighestIsFirst) {
  Comparison pair = PairOf("a", "b", 0.1);
  pair.metric = "rate";
  pair.better = Better::kHigher;
  const ArmOrder order = OrderArms({"parse", {"a", "b"}, {pair}});
  EXPECT_EQ(order.benchmark, "parse");
  EXPECT_EQ(order.metric, "rate");
  EXPECT_EQ(order.better, Better::kHigher);
  EXPECT_EQ(ArmsOf(order), (Groups{{"b"}, {"a"}}));
}

std::vector<std::string> ArmsWithFactors(const ArmOrder& order) {
  std::vector<std::string> arms;
  for (const ArmFactor& factor : order.factors) arms.push_back(factor.arm);
  return arms;
}

TEST(ArmOrderTest, FactorsAreToTheFirstArmInTheOrderOfTheGroups) {
  const ArmOrder order = OrderArms(
      {"main",
       {"a", "b", "c"},
       {PairOf("a", "b", 1.0, 0.5), PairOf("a", "c", -0.5, 0.25), PairOf("b", "c", -0.75, 0.1)},
       0.95});
  EXPECT_EQ(order.confidence, 0.95);
  EXPECT_EQ(ArmsOf(order), (Groups{{"c"}, {"a"}, {"b"}}));
  ASSERT_EQ(ArmsWithFactors(order), (std::vector<std::string>{"a", "b"}));
  // c/a is 0.5 (0.25 ... 0.75), and c/b is 0.25 (0.15 ... 0.35).
  EXPECT_EQ(order.factors[0].factor, (Effect{2, 1 / 0.75, 4}));
  EXPECT_EQ(order.factors[1].factor.estimate, 4);
  EXPECT_DOUBLE_EQ(*order.factors[1].factor.lo, 1 / 0.35);
  EXPECT_DOUBLE_EQ(*order.factors[1].factor.hi, 1 / 0.15);
}

TEST(ArmOrderTest, AFactorHasTheEndsThatItsPairHas) {
  Comparison unbounded = PairOf("a", "b", -0.5);
  unbounded.change->lo = -1;  // b may take no time at all
  unbounded.change->hi = -0.2;
  const ArmOrder order = OrderArms({"main", {"a", "b"}, {unbounded}});
  ASSERT_EQ(ArmsWithFactors(order), (std::vector<std::string>{"a"}));
  EXPECT_EQ(order.factors[0].factor, (Effect{2, 1.25, std::nullopt}));
  Comparison none = PairOf("a", "b", 0.5);
  none.difference = none.change;
  none.change.reset();
  EXPECT_EQ(ArmsOf(OrderArms({"main", {"a", "b"}, {none}})), (Groups{{"a"}, {"b"}}));
  EXPECT_TRUE(OrderArms({"main", {"a", "b"}, {none}}).factors.empty());
}

// Returns the order that the pairs of the arms of a golden case have. An arm without a value in a
// block has retired.
ArmOrder OrderOfCase(const nlohmann::json& input) {
  const auto names = input["names"].get<std::vector<std::string>>();
  const auto& arms = input["arms"];
  const SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, names)}, input["alpha"]);
  Gate gate = RatioGate("x", 0.02);
  gate.better = input["better"] == "higher" ? Better::kHigher : Better::kLower;
  auto pairs = *ArmPairsAnalysis::Create(spec, 0, gate, DataSource::kSession).value();
  std::size_t blocks = 0;
  for (const std::string& name : names) blocks = std::max(blocks, arms[name].size());
  std::vector<ArmRuns> runs;
  for (const std::string& name : names) {
    const std::size_t own = arms[name].size();
    runs.push_back({"main", name, own, own < blocks ? std::optional(own) : std::nullopt});
  }
  pairs.SetRetired(runs);
  for (std::size_t i = 0; i < blocks; ++i) {
    Block block;
    for (std::uint32_t arm = 0; arm < names.size(); ++arm) {
      const auto& values = arms[names[arm]];
      if (i >= values.size()) continue;
      block.push_back(RunBuilder(0, arm, arm).Sample("x", values[i]).Metric("x", gate.better));
    }
    const Result<void> added = pairs.Add(block);
    EXPECT_TRUE(added) << added.error().message;
  }
  return OrderArms(pairs.Conclude());
}

TEST(ArmOrderTest, OrdersAndFactorsMatchTheReference) {
  const nlohmann::json& file = golden::ReadFile("order.json");
  const double tol = file.at("rel_tol");
  ASSERT_FALSE(file.at("cases").empty());
  for (const nlohmann::json& one : file.at("cases")) {
    SCOPED_TRACE(one["id"]);
    const ArmOrder order = OrderOfCase(one);
    EXPECT_EQ(ArmsOf(order), one["groups"].get<Groups>());
    ASSERT_EQ(order.factors.size(), one["factors"].size());
    for (std::size_t i = 0; i < order.factors.size(); ++i) {
      const nlohmann::json& expected = one["factors"][i];
      const auto& [arm, factor] = order.factors[i];
      EXPECT_EQ(arm, expected["arm"].get<std::string>());
      EXPECT_TRUE(golden::Close(factor.estimate, expected["estimate"], tol));
      EXPECT_TRUE(golden::Close(*factor.lo, expected["lo"], tol));
      EXPECT_TRUE(golden::Close(*factor.hi, expected["hi"], tol));
    }
  }
}

// The reference is four times as fast as the candidates.
TEST(ArmOrderTest, HasTheReferenceToo) {
  const SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "b", "c"})});
  auto analysis =
      *ArmPairsAnalysis::Create(spec, 0, RatioGate("wall_time", 0.3), DataSource::kSession).value();
  Noise noise(1);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(analysis.Add(noise.Wall({0.0025, 0.010, 0.030})));
  EXPECT_EQ(ArmsOf(OrderArms(analysis.Conclude())), (Groups{{"base"}, {"b"}, {"c"}}));
}

}  // namespace
}  // namespace benchd
