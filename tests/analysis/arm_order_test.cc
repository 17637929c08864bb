#include "core/analysis/arm_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/analysis/session_feed.h"
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
