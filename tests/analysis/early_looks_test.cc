// Sessions with looks at three to seven blocks (stats/early_look.h).

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/arm_order.h"
#include "core/stats/early_look.h"
#include "tests/analysis/session_feed.h"
#include "tests/golden/golden.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using golden::Close;
using ArmNumbers = std::vector<std::uint32_t>;

SessionSpec WithEarlyLooks(SessionSpec spec, bool on = true) {
  spec.early_looks = on;
  return spec;
}

/// `slow` takes 33 times as long as `base`, and `near` 1.4 % longer.
SessionSpec ThreeArms(bool on = true) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "near", "slow"})});
  spec.benchmarks[0].gates = {RatioGate("wall_time", 0.02)};
  return WithEarlyLooks(spec, on);
}
const std::vector<double> kThreeSeconds = {1.0, 1.014, 33.0};

/// Wall times around `seconds` with 0.2 % of noise, which is little enough for three blocks.
class LittleNoise {
 public:
  explicit LittleNoise(unsigned seed) : random_(seed) {}
  Block Wall(const std::vector<double>& seconds) {
    std::vector<double> values;
    for (const double s : seconds) values.push_back(s * (1 + 0.002 * normal_(random_)));
    return WallBlock(0, values);
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

ArmNumbers IdleOf(const SessionAnalysis& analysis) {
  const auto idle = analysis.IdleArms(0);
  return {idle.begin(), idle.end()};
}

/// Feeds blocks from which idle arms are left out, like the schedule.
template <typename Source>
void FeedBusyArms(SessionAnalysis& analysis, Source& noise, int blocks,
                  const std::vector<double>& seconds) {
  for (int i = 0; i < blocks; ++i) {
    Block block = noise.Wall(seconds);
    const ArmNumbers idle = IdleOf(analysis);
    std::erase_if(block, [&idle](const benchd::Run& run) {
      return std::ranges::find(idle, run.arm) != idle.end();
    });
    Feed(analysis, block);
  }
}

std::optional<double> OptionalOf(const nlohmann::json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

void ExpectEnd(const std::optional<double>& actual, const nlohmann::json& expected,
               double rel_tol) {
  const std::optional<double> end = OptionalOf(expected);
  ASSERT_EQ(actual.has_value(), end.has_value());
  if (end) {
    EXPECT_TRUE(Close(*actual, *end, rel_tol));
  }
}

SessionSpec SpecOf(const nlohmann::json& one) {
  const double gates = one.at("gates");
  SessionSpec spec = WithEarlyLooks(Two(one.at("alpha").get<double>() / gates));
  if (const auto passes = OptionalOf(one.at("pass_confidence"))) {
    spec.pass_confidence = 1 - (1 - *passes) / gates;
  }
  if (one.at("sided") == "one") spec.sided = Sided::kOne;
  spec.limits.min_runs = one.at("min_runs");
  spec.benchmarks[0].gates = {RatioGate("m", one.at("margin"))};
  return spec;
}

TEST(EarlyLooksTest, SessionsAgreeWithAnIndependentProgram) {
  const nlohmann::json& file = golden::ReadFile("early_looks.json");
  const double rel_tol = file.at("rel_tol");
  ASSERT_GE(file.at("sessions").size(), 30u);
  for (const nlohmann::json& one : file.at("sessions")) {
    SCOPED_TRACE(one.dump());
    SessionAnalysis analysis = Start(SpecOf(one));
    const Better better = one.at("better") == "higher" ? Better::kHigher : Better::kLower;
    const std::vector<double> base = one.at("base");
    const std::vector<double> candidate = one.at("candidate");
    const double step = one.at("step");
    for (std::size_t i = 0; i < base.size(); ++i) {
      Feed(analysis,
           {RunBuilder(0, 0, 0).Metric("m", better, "u", step).Sample("m", base[i]),
            RunBuilder(0, 1, 1).Metric("m", better, "u", step).Sample("m", candidate[i])});
    }
    const Report report = analysis.Look();
    const Comparison& gate = report.comparisons.front();
    ASSERT_EQ(gate.decided.has_value(), !one.at("decided").is_null());
    ASSERT_TRUE(gate.change);
    ExpectEnd(gate.change->lo, one.at("lo"), rel_tol);
    ExpectEnd(gate.change->hi, one.at("hi"), rel_tol);
    if (gate.p_value) {
      EXPECT_TRUE(Close(*gate.p_value, one.at("p"), rel_tol));
    }
    if (!gate.decided) continue;
    ASSERT_TRUE(gate.p_value);
    const nlohmann::json& decided = one.at("decided");
    EXPECT_EQ(gate.decided->blocks, decided.at("blocks"));
    EXPECT_EQ(gate.decided->by, decided.at("by").get<std::string>());
    EXPECT_EQ(NameOf(*gate.verdict), decided.at("verdict").get<std::string>());
    ExpectEnd(gate.decided->lo, decided.at("lo"), rel_tol);
    ExpectEnd(gate.decided->hi, decided.at("hi"), rel_tol);
  }
}

TEST(EarlyLooksTest, AMultipleIsDecidedAtThreeBlocksAndItsArmRetires) {
  SessionAnalysis analysis = Start(ThreeArms());
  LittleNoise noise(1);
  FeedBusyArms(analysis, noise, 2, kThreeSeconds);
  EXPECT_EQ(IdleOf(analysis), ArmNumbers());
  FeedBusyArms(analysis, noise, 1, kThreeSeconds);
  EXPECT_EQ(IdleOf(analysis), ArmNumbers{2});
  FeedBusyArms(analysis, noise, 5, kThreeSeconds);
  EXPECT_EQ(analysis.RetiredAfter(0, 2), 3U);
  const Report report = analysis.Look();
  const Comparison& slow = Find(report, "wall_time", "slow");
  EXPECT_EQ(slow.verdict, Verdict::kRegression);
  ASSERT_TRUE(slow.decided && slow.change);
  EXPECT_EQ(slow.decided->blocks, 3U);
  EXPECT_EQ(slow.decided->by, "early_look");
  EXPECT_EQ(slow.n_candidate, 3U);
  EXPECT_NEAR(slow.change->estimate, 32, 1);
  EXPECT_GE(slow.change->lo, 0.5);
  EXPECT_EQ(slow.decided->lo, slow.change->lo);
  EXPECT_EQ(slow.decided->hi, slow.change->hi);
  EXPECT_EQ(slow.last_change, std::nullopt) << "there was no look of the boundary";
  ASSERT_TRUE(slow.p_value);
  EXPECT_LT(*slow.p_value, 0.005);
  EXPECT_EQ(Find(report, "wall_time", "near").n_candidate, 8U);
}

TEST(EarlyLooksTest, ACandidateThatTakesAFractionPasses) {
  SessionAnalysis analysis = Start(WithEarlyLooks(Two()));
  Noise noise(2);
  for (int i = 0; i < 8 && !analysis.Finished(); ++i) Feed(analysis, noise.Wall({1, 0.05}));
  EXPECT_TRUE(analysis.Finished());
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.verdict, Verdict::kPass);
  const Comparison& gate = Find(report, "wall_time");
  EXPECT_LT(gate.decided->blocks, 8U);
  EXPECT_LE(gate.change->hi, -1.0 / 3);
  EXPECT_EQ(gate.flag, Flag::kImprovement);
}

TEST(EarlyLooksTest, AnArmRunsUntilTheOrderHasItsPlace) {
  const auto idle_after = [](const std::vector<double>& seconds, int blocks) {
    SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "a", "b", "c"})});
    spec.benchmarks[0].gates = {RatioGate("wall_time", 0.02)};
    SessionAnalysis analysis = Start(WithEarlyLooks(spec));
    LittleNoise noise(12);
    FeedBusyArms(analysis, noise, blocks, seconds);
    for (const char* arm : {"a", "b", "c"}) {
      const Report report = analysis.Look();
      EXPECT_TRUE(Find(report, "wall_time", arm).decided) << arm;
    }
    return std::pair(IdleOf(analysis), analysis.Finished());
  };
  const std::vector<double> like = {1, 9, 9.1, 40};
  EXPECT_EQ(idle_after(like, 4), std::pair(ArmNumbers({0, 3}), false)) << "a and b are alike";
  EXPECT_EQ(idle_after(like, 7), std::pair(ArmNumbers({0, 3}), false));
  EXPECT_EQ(idle_after(like, 8), std::pair(ArmNumbers({0, 1, 2, 3}), true));
  EXPECT_EQ(idle_after({1, 9, 20, 40}, 4), std::pair(ArmNumbers({0, 1, 2, 3}), true));
}

TEST(EarlyLooksTest, OtherGatesAreDecidedAsBeforeAtTheRestOfTheLevel) {
  SessionSpec without = ThreeArms(false);
  without.alpha *= 1 - kShareOfEarlyLooks;
  SessionAnalysis early = Start(ThreeArms());
  SessionAnalysis late = Start(without);
  Noise noise(3);
  for (int i = 0; i < 40; ++i) {
    const Block block = noise.Wall(kThreeSeconds);
    Block two = block;
    if (early.RetiredAfter(0, 2) || !IdleOf(early).empty()) two.pop_back();
    Feed(early, two);
    two = block;
    if (late.RetiredAfter(0, 2) || !IdleOf(late).empty()) two.pop_back();
    Feed(late, two);
  }
  const Report report = early.Look();
  const Report expected = late.Look();
  const Comparison& near = Find(report, "wall_time", "near");
  EXPECT_NEAR(*near.change->lo, *Find(expected, "wall_time", "near").change->lo, 1e-12);
  EXPECT_NEAR(*near.change->hi, *Find(expected, "wall_time", "near").change->hi, 1e-12);
  EXPECT_EQ(near.confidence, 0.995) << "the level of the gate is that of both parts";
}

TEST(EarlyLooksTest, TheIntersectionBeginsThereAndNeverWidens) {
  SessionSpec spec = ThreeArms();
  spec.keep_all = true;
  SessionAnalysis analysis = Start(spec);
  Noise noise(4);
  double lo = -1;
  double hi = 1e9;
  for (int i = 0; i < 30; ++i) {
    Feed(analysis, noise.Wall(kThreeSeconds));
    const Report report = analysis.Look();
    const std::optional<Effect>& change = Find(report, "wall_time", "slow").change;
    ASSERT_TRUE(change);
    EXPECT_GE(change->lo.value_or(-1), lo);
    EXPECT_LE(change->hi.value_or(1e9), hi);
    lo = change->lo.value_or(lo);
    hi = change->hi.value_or(hi);
  }
  EXPECT_GT(lo, 31);
  EXPECT_LT(hi, 33);
}

TEST(EarlyLooksTest, WithoutThemNothingChanges) {
  SessionSpec absent = ThreeArms(false);
  absent.early_looks.reset();
  SessionAnalysis off = Start(ThreeArms(false));
  SessionAnalysis none = Start(absent);
  Noise noise(5);
  for (int i = 0; i < 8; ++i) {
    const Block block = noise.Wall(kThreeSeconds);
    Feed(off, block);
    Feed(none, block);
    EXPECT_EQ(IdleOf(off), i < 7 ? ArmNumbers() : ArmNumbers{2});
  }
  EXPECT_EQ(off.Look().comparisons, none.Look().comparisons);
  EXPECT_EQ(Find(off.Look(), "wall_time", "slow").decided->blocks, 8U);
}

TEST(EarlyLooksTest, OnlyAMarginThatTheMultipleSettles) {
  const auto decided_at = [](const Gate& gate, double candidate) {
    SessionSpec spec = WithEarlyLooks(Two());
    spec.benchmarks[0].gates = {gate};
    SessionAnalysis analysis = Start(spec);
    Noise noise(6);
    for (int i = 0; i < 10; ++i) Feed(analysis, noise.Wall({1, candidate}));
    const Report report = analysis.Look();
    return Find(report, "wall_time").decided->blocks;
  };
  EXPECT_LT(decided_at(RatioGate("wall_time", 0.5), 40), 8U);
  EXPECT_EQ(decided_at(RatioGate("wall_time", 0.51), 40), 8U) << "1.5 times is within the margin";
  EXPECT_LT(decided_at(RatioGate("wall_time", 0.51), 0.02), 8U) << "but it is no question here";
  EXPECT_LT(decided_at(RatioGate("wall_time", -0.3), 0.02), 8U);
  EXPECT_EQ(decided_at(RatioGate("wall_time", -0.4), 0.02), 8U) << "may be only 33 % better";
  EXPECT_LT(decided_at(RatioGate("wall_time", -0.4), 40), 8U);
  EXPECT_EQ(decided_at(AbsoluteGate("wall_time", 0.02), 40), 8U);
}

// Gates without early looks keep the whole of their level.
TEST(EarlyLooksTest, OtherGatesKeepTheirLevel) {
  const auto change_of = [](bool on) {
    SessionSpec spec = WithEarlyLooks(Two(), on);
    spec.benchmarks[0].gates = {AbsoluteGate("wall_time", 0.02)};
    SessionAnalysis analysis = Start(spec);
    Noise noise(7);
    for (int i = 0; i < 12; ++i) Feed(analysis, noise.Wall({1, 1.01}));
    return Find(analysis.Look(), "wall_time").difference;
  };
  EXPECT_EQ(change_of(true), change_of(false));
}

TEST(EarlyLooksTest, CountsThatRepeatAreNotTested) {
  SessionSpec spec = WithEarlyLooks(Two());
  spec.benchmarks[0].gates = {GateWithoutMargin("instructions")};
  SessionAnalysis analysis = Start(spec);
  for (int i = 0; i < 7; ++i) {
    Feed(analysis, {RunBuilder(0, 0, 0).Sample("instructions", 1000),
                    RunBuilder(0, 1, 1).Sample("instructions", 9000)});
  }
  EXPECT_FALSE(analysis.Finished());
}

TEST(EarlyLooksTest, AnOutlierAloneFindsNothing) {
  SessionAnalysis analysis = Start(WithEarlyLooks(Two()));
  Noise noise(8);
  for (int i = 0; i < 7; ++i) Feed(analysis, noise.Wall({1, i == 3 ? 100.0 : 1.0}));
  EXPECT_FALSE(Find(analysis.Look(), "wall_time").decided);
}

TEST(EarlyLooksTest, MissingValuesAndFailedRunsCount) {
  SessionSpec spec = WithEarlyLooks(Two());
  spec.benchmarks[0].gates = {RatioGate("m", 0.02)};
  SessionAnalysis analysis = Start(spec);
  const auto block = [](double base, std::optional<double> candidate) {
    Block runs{RunBuilder(0, 0, 0).Metric("m", Better::kLower).Sample("m", base),
               RunBuilder(0, 1, 1).Metric("m", Better::kLower)};
    if (candidate) runs[1].samples.push_back({"m", "", 0, *candidate});
    return runs;
  };
  Feed(analysis, block(1, 40));
  Feed(analysis, block(1.01, std::nullopt));
  for (int i = 0; i < 4; ++i) Feed(analysis, block(1 + 0.01 * i, 40 + 0.1 * i));
  EXPECT_FALSE(Find(analysis.Look(), "m").decided) << "one of six is over 5 %";

  SessionSpec failing = WithEarlyLooks(Two());
  failing.benchmarks[0].ignore_failure = true;
  SessionAnalysis with_failures = Start(failing);
  Noise noise(9);
  for (int i = 0; i < 5; ++i) {
    Block runs = noise.Wall({1, 0.02});
    runs[1].exit.code = 1;
    Feed(with_failures, runs);
  }
  EXPECT_EQ(Find(with_failures.Look(), "wall_time").reason, "failed_in_candidate");
}

// With two gates, the first decision leaves the whole level to the second one.
TEST(EarlyLooksTest, EvidenceCountsInDecisionsTogether) {
  bool found = false;
  for (unsigned seed = 1; seed < 500 && !found; ++seed) {
    SessionSpec spec = ThreeArms();
    spec.keep_all = true;
    SessionAnalysis analysis = Start(spec);
    Noise noise(seed);
    for (int i = 0; i < 7; ++i) Feed(analysis, noise.Wall({1, 1.58, 33}));
    const Report report = analysis.Look();
    const Comparison& gate = Find(report, "wall_time", "near");
    found = gate.decided && gate.decided->by == "holm";
    if (!found) continue;
    EXPECT_NEAR(*gate.decided->lo, 0.02, 1e-12);
    EXPECT_EQ(gate.verdict, Verdict::kRegression);
    EXPECT_LE(*gate.p_value, 0.01);
  }
  EXPECT_TRUE(found);
}

TEST(EarlyLooksTest, TheOrderHasArmsThatRetiredEarly) {
  const SessionSpec spec = ThreeArms();
  SessionAnalysis analysis = Start(spec);
  Noise noise(10);
  std::vector<Block> blocks;
  for (int i = 0; i < 60; ++i) {
    Block block = noise.Wall({1.0, 1.014, 33});
    // So steady that the pairs of the order, which share its level, need no more than those of the
    // gate.
    block[2].samples[0].value = 33 + 0.01 * (i % 3);
    if (!IdleOf(analysis).empty()) block.pop_back();
    blocks.push_back(block);
    Feed(analysis, block);
  }
  const Report report = analysis.Conclude();
  ASSERT_LT(report.runs[2].runs, 8U);
  ArmOrderAnalysis orders(spec, report, DataSource::kSession);
  for (const Block& block : blocks) ASSERT_TRUE(orders.Add(block));
  const std::vector<ArmOrder> found = orders.Conclude();
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].groups.size(), 3U);
  EXPECT_EQ(found[0].groups[2].arms, std::vector<std::string>{"slow"});
  ASSERT_EQ(found[0].factors.size(), 2U);
  EXPECT_NEAR(found[0].factors[1].factor.estimate, 33, 1);
  EXPECT_GE(found[0].factors[1].factor.lo, 1.5);
}

TEST(EarlyLooksTest, MinRunsBelowEightStartsThemThere) {
  const auto looks = [](std::uint64_t min_runs, bool on) {
    SessionSpec spec = WithEarlyLooks(Two(), on);
    spec.limits.min_runs = min_runs;
    const SessionAnalysis analysis = Start(spec);
    return std::vector<std::uint64_t>{analysis.NextLook(0), analysis.NextLook(5),
                                      analysis.NextLook(7), analysis.NextLook(20)};
  };
  EXPECT_EQ(looks(8, true), (std::vector<std::uint64_t>{3, 6, 8, 21}));
  EXPECT_EQ(looks(5, true), (std::vector<std::uint64_t>{5, 6, 8, 21}));
  EXPECT_EQ(looks(8, false), (std::vector<std::uint64_t>{8, 8, 8, 21}));
}

TEST(EarlyLooksTest, AreRefusedWhereTheyDoNotApply) {
  const auto refused = [](auto change) {
    SessionSpec spec = WithEarlyLooks(Two());
    change(spec);
    const auto created = SessionAnalysis::Create(spec);
    ASSERT_FALSE(created);
    EXPECT_WORDING(created.error());
    spec.early_looks = EarlyLooksByDefault(spec);
    EXPECT_FALSE(*spec.early_looks);
  };
  refused([](SessionSpec& spec) { spec.limits.min_runs = 9; });
  refused([](SessionSpec& spec) { spec.limits.runs = 20; });
  refused([](SessionSpec& spec) { spec.limits.max_runs = 8; });
  refused([](SessionSpec& spec) { spec.method = Method::kWelch; });
  refused([](SessionSpec& spec) { spec.estimator.kind = EstimatorKind::kHodgesLehmann; });
  refused([](SessionSpec& spec) { spec.rule = {RuleKind::kPrecision, 0.01}; });
  SessionSpec spec = WithEarlyLooks(Two());
  spec.limits.min_runs = 2;
  EXPECT_WORDING(SessionAnalysis::Create(spec).error());
}

TEST(EarlyLooksTest, AreTheDefaultWhereArmsMayRetire) {
  EXPECT_FALSE(EarlyLooksByDefault(Two()));
  SessionSpec spec = ThreeArms();
  EXPECT_TRUE(EarlyLooksByDefault(spec));
  spec.limits.max_runs = 9;
  spec.method = Method::kExactT;
  EXPECT_TRUE(EarlyLooksByDefault(spec));
  spec.limits.min_runs = 9;
  EXPECT_FALSE(EarlyLooksByDefault(spec));
  spec = ThreeArms();
  spec.benchmarks[0].arms[1].role = ArmRole::kReference;
  EXPECT_FALSE(EarlyLooksByDefault(spec));
}

TEST(EarlyLooksTest, ExactTHasThemToo) {
  SessionSpec spec = ThreeArms();
  spec.method = Method::kExactT;
  spec.keep_all = true;
  SessionAnalysis analysis = Start(spec);
  Noise noise(11);
  for (int i = 0; i < 12; ++i) Feed(analysis, noise.Wall(kThreeSeconds));
  const Report report = analysis.Look();
  const Comparison& slow = Find(report, "wall_time", "slow");
  EXPECT_LT(slow.decided->blocks, 8U);
  EXPECT_GT(*slow.change->lo, 20);
}

}  // namespace
}  // namespace benchd
