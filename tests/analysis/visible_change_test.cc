#include "core/analysis/visible_change.h"

#include <gtest/gtest.h>

#include "tests/golden/golden.h"

namespace benchd {
namespace {

SequentialDesign DesignOf(const std::string& method, double level, std::uint64_t pairs) {
  SessionSpec spec;
  spec.alpha = level;
  spec.method = *ValueOf<Method>(method);
  if (spec.method == Method::kFixed) spec.limits.runs = pairs;
  return *MakeSequentialDesign(spec);
}

Comparison ComparisonOf(std::uint64_t pairs, double level, Effect change, double allowance) {
  Comparison comparison;
  comparison.n_reference = comparison.n_candidate = pairs;
  comparison.confidence = 1 - level;
  comparison.change = change;
  if (allowance > 0) comparison.change_allowance = allowance;
  return comparison;
}

TEST(VisibleChangeTest, NoiseChangeAndPairsMatchTheReference) {
  const nlohmann::json& file = golden::ReadFile("visible.json");
  const double tol = file.at("rel_tol");
  ASSERT_FALSE(file.at("cases").empty());
  for (const nlohmann::json& one : file.at("cases")) {
    SCOPED_TRACE(one.dump());
    const std::uint64_t pairs = one["n"];
    const SequentialDesign design = DesignOf(one["method"], one["level"], pairs);
    const Effect change{0, one["lo"].get<double>(), one["hi"].get<double>()};
    const auto spread =
        SpreadOf(ComparisonOf(pairs, one["level"], change, one["allowance"]), design);
    ASSERT_TRUE(spread);
    // The level went through 1 - confidence, which rounds it.
    EXPECT_TRUE(golden::Close(spread->sd, one["sd"], 1e-7));
    EXPECT_EQ(spread->allowance, one["allowance"].get<double>());
    const PlannedLooks looks(design, one["level"], one["probability"]);
    const PairSpread exact{one["sd"], one["allowance"]};
    EXPECT_TRUE(golden::Close(*looks.VisibleAt(exact, pairs), one["visible"], tol));
    const auto needed = looks.PairsFor(exact, one["distance"]);
    ASSERT_EQ(needed.has_value(), !one["pairs"].is_null());
    if (needed) {
      EXPECT_EQ(*needed, one["pairs"].get<std::uint64_t>());
    }
  }
}

TEST(VisibleChangeTest, ALookAloneIsReadAndNotTheNarrowerIntersection) {
  const SequentialDesign design = DesignOf("paired", 0.01, 0);
  Comparison comparison = ComparisonOf(60, 0.01, {0, -0.01, 0.01}, 0);
  const auto narrow = SpreadOf(comparison, design);
  comparison.last_change = Effect{0, -0.02, 0.02};
  const auto last = SpreadOf(comparison, design);
  ASSERT_TRUE(narrow && last);
  EXPECT_NEAR(last->sd / narrow->sd, 2, 0.01);
}

TEST(VisibleChangeTest, ThereIsNoNoiseWithoutAnIntervalOfTwoEnds) {
  const SequentialDesign design = DesignOf("paired", 0.01, 0);
  EXPECT_FALSE(SpreadOf(ComparisonOf(60, 0.01, {0, {}, {}}, 0), design));
  EXPECT_FALSE(SpreadOf(ComparisonOf(60, 0.01, {0, {}, 0.1}, 0), design));
  EXPECT_FALSE(SpreadOf(ComparisonOf(60, 0.01, {0, -1, 0.1}, 0), design)) << "a decrease of 100 %";
  EXPECT_FALSE(SpreadOf(ComparisonOf(7, 0.01, {0, -0.1, 0.1}, 0), design))
      << "before the first look";
  EXPECT_EQ(SpreadOf(ComparisonOf(8, 0.01, {0, 0, 0}, 0), design), (PairSpread{0, 0}))
      << "no noise";
}

TEST(VisibleChangeTest, TheSmallerLevelOfBothEndsCounts) {
  SessionSpec spec;
  spec.alpha = 0.01;
  spec.pass_confidence = 0.9;  // 10 %, one-sided: a pass comes earlier, a regression does not
  const PairSpread spread{0.05, 0};
  const auto visible = [&spread](const SessionSpec& of) {
    return *PlannedLooks(*MakeSequentialDesign(of), of.alpha).VisibleAt(spread, 100);
  };
  const double with = visible(spec);
  spec.pass_confidence.reset();
  EXPECT_DOUBLE_EQ(with, visible(spec));
  spec.sided = Sided::kOne;
  EXPECT_LT(visible(spec), with) << "both ends have the whole level";
}

TEST(VisibleChangeTest, AHugeNumberOfPairsIsNone) {
  const PlannedLooks looks(DesignOf("paired", 0.01, 0), 0.01);
  EXPECT_FALSE(looks.PairsFor({10, 0}, 0.001));
  EXPECT_FALSE(looks.PairsFor({0.01, 0.001}, 0.001));
  EXPECT_EQ(looks.PairsFor({0, 0}, 0.001), 8U);
  EXPECT_FALSE(looks.VisibleAt({0.01, 0}, 7));
}

}  // namespace
}  // namespace benchd
