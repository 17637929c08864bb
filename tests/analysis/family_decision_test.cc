#include "core/analysis/family_decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/geometric_mean.h"
#include "core/stats/decision.h"
#include "tests/analysis/session_feed.h"

namespace benchd {
namespace {

constexpr Verdict kOpen = Verdict::kUndecided;
constexpr Verdict kPass = Verdict::kPass;
constexpr Verdict kWorse = Verdict::kRegression;

std::vector<GateEvidence> Passing(const std::vector<double>& p_values) {
  std::vector<GateEvidence> family;
  for (const double p : p_values) family.push_back({.p_pass = p});
  return family;
}

std::vector<Verdict> Decide(const std::vector<GateEvidence>& family, ErrorRate rate, double level) {
  return DecideFamily(family, rate, {level, level});
}

TEST(FamilyDecisionTest, HolmGivesTheShareOfADecidedGateToTheOthers) {
  // 0.05 / 4, / 3, / 2: the third fails at / 2, and so the fourth is not tested.
  const auto family = Passing({0.0125, 0.03, 0.0166, 0.026});
  EXPECT_EQ(Decide(family, ErrorRate::kFamily, 0.05), (std::vector{kPass, kOpen, kPass, kOpen}));
  EXPECT_EQ(Decide(Passing({0.0126, 0.0126, 0.0126, 0.0126}), ErrorRate::kFamily, 0.05),
            (std::vector{kOpen, kOpen, kOpen, kOpen}));
}

TEST(FamilyDecisionTest, ADecisionSoFarCounts) {
  auto family = Passing({0.5, 0.02, 1});
  EXPECT_EQ(Decide(family, ErrorRate::kFamily, 0.05), (std::vector{kOpen, kOpen, kOpen}));
  family[0].decided = kPass;
  EXPECT_EQ(Decide(family, ErrorRate::kFamily, 0.05), (std::vector{kOpen, kPass, kOpen}));
  // A regression does not make passes easier.
  family[0].decided = kWorse;
  EXPECT_EQ(Decide(family, ErrorRate::kFamily, 0.05), (std::vector{kOpen, kOpen, kOpen}));
}

TEST(FamilyDecisionTest, EachListHasItsOwnLevel) {
  std::vector<GateEvidence> family(2);
  family[0].p_regression = 0.004;
  family[1].p_pass = 0.004;
  EXPECT_EQ(DecideFamily(family, ErrorRate::kFamily, {.regressions = 0.005, .passes = 0.01}),
            (std::vector{kOpen, kPass}));
  EXPECT_EQ(DecideFamily(family, ErrorRate::kFamily, {.regressions = 0.01, .passes = 0.005}),
            (std::vector{kWorse, kOpen}));
}

// Holm's rejections are those whose adjusted p-value is at most the level; stats/decision.h
// adjusts.
TEST(FamilyDecisionTest, HolmAgreesWithTheAdjustedPValues) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> p_values;
    for (int g = 0; g < 20; ++g) {
      p_values.push_back(std::pow(std::uniform_real_distribution<>()(random), 4));
    }
    const std::vector<double> adjusted = HolmAdjust(p_values);
    const std::vector<Verdict> decisions = Decide(Passing(p_values), ErrorRate::kFamily, 0.05);
    for (std::size_t g = 0; g < p_values.size(); ++g) {
      EXPECT_EQ(decisions[g] == kPass, adjusted[g] <= 0.05) << p_values[g];
    }
  }
}

// By the definition: the largest k with p_(k) <= k q / (G (1 + 1/2 + ... + 1/G)).
TEST(FamilyDecisionTest, FdrStepsUp) {
  // q / (4 * 25/12) = 0.006 for q = 0.05: the steps are 0.006, 0.012, 0.018, 0.024.
  EXPECT_EQ(Decide(Passing({0.011, 0.0119, 0.5, 0.0179}), ErrorRate::kFdr, 0.05),
            (std::vector{kPass, kPass, kOpen, kPass}));
  EXPECT_EQ(Decide(Passing({0.0061, 0.0121, 0.5, 0.0181}), ErrorRate::kFdr, 0.05),
            (std::vector{kOpen, kOpen, kOpen, kOpen}));
  EXPECT_DOUBLE_EQ(ShareDivisor(ErrorRate::kFdr, 4), 4 * 25.0 / 12);
  EXPECT_EQ(ShareDivisor(ErrorRate::kFdr, 1), 1);
  EXPECT_EQ(ShareDivisor(ErrorRate::kFamily, 7), 7);
}

// Smaller p-values never lose a decision, so the order of the looks does not matter.
TEST(FamilyDecisionTest, ListsOnlyGrow) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<> uniform;
  for (const ErrorRate rate : {ErrorRate::kFamily, ErrorRate::kFdr}) {
    std::vector<GateEvidence> family(30);
    std::vector<double> lowest(30, 1);
    for (int look = 0; look < 300; ++look) {
      const std::size_t g = random() % 30;
      lowest[g] = std::min(lowest[g], std::pow(uniform(random), 3));
      family[g].p_pass = lowest[g];
      const std::vector<Verdict> now = Decide(family, rate, 0.1);
      for (std::size_t i = 0; i < 30; ++i) {
        if (now[i] != kOpen) family[i].decided = now[i];
      }
      EXPECT_EQ(Decide(family, rate, 0.1), std::vector<Verdict>(30, kOpen)) << "at once";
    }
    // All at once, as if it were the only look.
    const std::vector<Verdict> once = Decide(Passing(lowest), rate, 0.1);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(family[i].decided, once[i]);
  }
}

// ---- in a session ----

SessionSpec Suite(int benchmarks, ErrorRate rate = ErrorRate::kFamily, double alpha = 0.01) {
  std::vector<Benchmark> list;
  for (int i = 0; i < benchmarks; ++i) {
    list.push_back(MakeBenchmark("b" + std::to_string(i), 1, {"base", "candidate"}));
    list.back().gates = {RatioGate("t", 0.02)};
  }
  SessionSpec spec = MakeSpec(std::move(list), alpha);
  spec.error_rate = rate;
  return spec;
}

/// Blocks that do not depend on the schedule.
class Data {
 public:
  Data(std::vector<double> changes, unsigned seed, double sd = 0.02)
      : changes_(std::move(changes)), seed_(seed), sd_(sd) {}

  Block At(std::uint32_t benchmark, std::uint32_t number, Better better = Better::kLower) const {
    std::seed_seq seq{seed_, benchmark, number};
    std::mt19937_64 random(seq);
    std::normal_distribution<double> normal;
    const double base = 1 + sd_ * normal(random);
    const double candidate = (1 + changes_[benchmark]) * (1 + sd_ * normal(random));
    return {RunBuilder(benchmark, 0, 0).Metric("t", better).Sample("t", base),
            RunBuilder(benchmark, 1, 1).Metric("t", better).Sample("t", candidate)};
  }

 private:
  std::vector<double> changes_;
  unsigned seed_;
  double sd_;
};

/// One block of each open benchmark in turn, until all are decided or have `most` blocks.
Report Follow(SessionAnalysis& analysis, const Data& data, std::uint32_t most,
              Better better = Better::kLower) {
  std::map<std::size_t, std::uint32_t> blocks;
  bool more = true;
  while (more) {
    more = false;
    for (const std::size_t open : analysis.OpenBenchmarks()) {
      if (blocks[open] >= most) continue;
      // An earlier block of this round may have decided it.
      const std::vector<std::size_t> still = analysis.OpenBenchmarks();
      if (std::ranges::find(still, open) == still.end()) continue;
      Feed(analysis, data.At(static_cast<std::uint32_t>(open), blocks[open]++, better));
      more = true;
    }
  }
  return analysis.Conclude();
}

std::uint64_t BlocksOf(const Report& report) {
  return std::accumulate(report.runs.begin(), report.runs.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ArmRuns& arm) { return sum + arm.runs; });
}

std::size_t DecidedBy(const Report& report, const std::string& by) {
  return static_cast<std::size_t>(std::ranges::count_if(
      report.comparisons, [&](const auto& one) { return one.decided && one.decided->by == by; }));
}

TEST(FamilyDecisionTest, ASuiteEndsEarlierAndItsIntervalsAgreeWithItsVerdicts) {
  std::size_t by_holm = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    for (const Better better : {Better::kLower, Better::kHigher}) {
      const bool rate = better == Better::kHigher;
      const Data data({0, 0.002, -0.002, 0, 0.001, rate ? -0.06 : 0.06}, seed);
      SessionAnalysis analysis = Start(Suite(6));
      const Report report = Follow(analysis, data, 2000, better);
      EXPECT_EQ(report.verdict, kWorse);
      by_holm += DecidedBy(report, "holm");
      for (const Comparison& gate : report.comparisons) {
        ASSERT_TRUE(gate.decided && gate.change && gate.change->lo && gate.change->hi);
        EXPECT_DOUBLE_EQ(gate.confidence, 1 - 0.01 / 6) << "intervals keep their share";
        // The worse end, on the side of a time.
        const double worst = rate ? -*gate.change->lo : *gate.change->hi;
        const double best = rate ? -*gate.change->hi : *gate.change->lo;
        if (gate.verdict == kPass) {
          EXPECT_LE(worst, 0.02 + 1e-12) << gate.benchmark;
        }
        if (gate.verdict == kWorse) {
          EXPECT_GE(best, 0.02 - 1e-12) << gate.benchmark;
        }
        EXPECT_LE(*gate.decided->lo, *gate.decided->hi);
      }
    }
  }
  EXPECT_GT(by_holm, 5u);
}

TEST(FamilyDecisionTest, OneGateIsDecidedByItsIntervalAlone) {
  for (const ErrorRate rate : {ErrorRate::kFamily, ErrorRate::kFdr}) {
    SessionAnalysis analysis = Start(Suite(1, rate));
    const Report report = Follow(analysis, Data({0}, 3), 2000);
    EXPECT_EQ(report.comparisons[0].decided->by, "");
    EXPECT_EQ(report.comparisons[0].confidence, 0.99);
  }
}

TEST(FamilyDecisionTest, FdrDecidesEarlierAmongMany) {
  const std::vector<double> changes(40, 0);
  SessionAnalysis family = Start(Suite(40));
  SessionAnalysis fdr = Start(Suite(40, ErrorRate::kFdr));
  const Data data(changes, 4);
  const Report by_family = Follow(family, data, 2000);
  const Report by_fdr = Follow(fdr, data, 2000);
  EXPECT_EQ(by_family.verdict, kPass);
  EXPECT_EQ(by_fdr.verdict, kPass);
  EXPECT_LT(BlocksOf(by_fdr), BlocksOf(by_family));
  EXPECT_GT(DecidedBy(by_fdr, "fdr"), 20u);
  // An interval that excludes the margin decides under fdr as well, so it has the first step's
  // level.
  EXPECT_DOUBLE_EQ(by_fdr.comparisons[0].confidence, 1 - 0.01 / ShareDivisor(ErrorRate::kFdr, 40));
}

TEST(FamilyDecisionTest, EveryWatchedMethodDecidesTogether) {
  for (const auto& [method, estimator] : {std::pair(Method::kWelch, EstimatorKind::kMean),
                                          {Method::kExactT, EstimatorKind::kMean},
                                          {Method::kPaired, EstimatorKind::kHodgesLehmann},
                                          {Method::kPaired, EstimatorKind::kMedian}}) {
    std::size_t by_holm = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SessionSpec spec = Suite(5);
      spec.method = method;
      spec.estimator.kind = estimator;
      SessionAnalysis analysis = Start(spec);
      const Report report = Follow(analysis, Data({0, 0, 0, 0, 0.05}, seed), 3000);
      EXPECT_EQ(report.verdict, kWorse) << NameOf(method) << NameOf(estimator);
      by_holm += DecidedBy(report, "holm");
    }
    EXPECT_GT(by_holm, 0u) << NameOf(method) << NameOf(estimator);
  }
}

TEST(FamilyDecisionTest, AHorizonAndOneLookDecideTogether) {
  std::size_t by_holm = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    for (const bool once : {false, true}) {
      SessionSpec spec = Suite(5);
      if (once) spec.limits.runs = 160;
      if (!once) spec.limits.max_runs = 1000;
      SessionAnalysis analysis = Start(spec);
      const Report report = Follow(analysis, Data({0.012, 0.011, 0.01, 0, 0.05}, seed), 1000);
      by_holm += DecidedBy(report, "holm");
      for (const Comparison& gate : report.comparisons) {
        if (gate.verdict == kPass) {
          EXPECT_LE(*gate.change->hi, 0.02 + 1e-12);
        }
      }
    }
  }
  EXPECT_GT(by_holm, 3u);
}

// The live view of `--runs` decides nothing, and neither does it together with finished benchmarks.
TEST(FamilyDecisionTest, ABenchmarkWithoutItsOneLookStaysOpen) {
  SessionSpec spec = Suite(2);
  spec.limits.runs = 100;
  SessionAnalysis analysis = Start(spec);
  const Data data({0, 0}, 1, 0.005);
  for (std::uint32_t i = 0; i < 100; ++i) {
    Feed(analysis, data.At(0, i));
    if (i < 99) Feed(analysis, data.At(1, i));
  }
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.comparisons[0].verdict, kPass);
  EXPECT_EQ(report.comparisons[1].verdict, kOpen);
}

TEST(FamilyDecisionTest, WidthsAndBootstrapsKeepTheirShares) {
  SessionSpec precise = Suite(3);
  precise.rule = {RuleKind::kPrecision, 0.02};
  SessionAnalysis analysis = Start(precise);
  EXPECT_EQ(DecidedBy(Follow(analysis, Data({0, 0, 0}, 1), 3000), "holm"), 0u);
  precise.error_rate = ErrorRate::kFdr;
  EXPECT_TRUE(SessionAnalysis::Create(precise).error().message.starts_with("error-rate: "));
  SessionSpec quantile = Suite(2, ErrorRate::kFdr);
  quantile.estimator = {EstimatorKind::kQuantile, 0.5};
  quantile.limits.runs = 200;
  EXPECT_TRUE(SessionAnalysis::Create(quantile).error().message.starts_with("error-rate: "));
}

// Passes at their own level need fewer blocks; regressions need as many as before.
TEST(FamilyDecisionTest, PassesMayHaveTheirOwnLevel) {
  const auto blocks = [](std::optional<double> pass_confidence) {
    SessionSpec spec = Suite(6);
    spec.pass_confidence = pass_confidence;
    SessionAnalysis analysis = Start(spec);
    return BlocksOf(Follow(analysis, Data({0, 0, 0, 0, 0, 0}, 8), 3000));
  };
  EXPECT_LT(blocks(0.9), blocks({}));
}

// The second gate has the evidence that it would need alone. Once the first has passed, it needs no
// more, and no block of its own: its benchmark is closed for the schedule.
TEST(FamilyDecisionTest, ABlockOfOneBenchmarkMayDecideAnother) {
  std::uint32_t blocks = 0;
  unsigned seed = 0;
  // A seed with which the second gate needs more blocks at half of the level.
  const auto feed_second = [&](SessionAnalysis& both) {
    const Data data({0, 0}, ++seed);
    SessionAnalysis alone = Start(Suite(1));
    for (blocks = 0; !alone.Finished(); ++blocks) {
      Block block = data.At(1, blocks);
      Feed(both, block);
      for (auto& run : block) run.benchmark = 0;
      Feed(alone, block);
    }
    return both.OpenBenchmarks().size() == 2;
  };
  SessionAnalysis both = Start(Suite(2));
  while (!feed_second(both)) {
    ASSERT_LT(seed, 50u);
    both = Start(Suite(2));
  }
  const Data data({0, 0}, seed);
  for (std::uint32_t i = 0; both.OpenBenchmarks().size() == 2; ++i) Feed(both, data.At(0, i));
  EXPECT_TRUE(both.Finished());
  const std::vector<BenchmarkOutlook> outlooks = both.Outlook();
  EXPECT_FALSE(outlooks[0].open);
  EXPECT_FALSE(outlooks[1].open);
  EXPECT_FALSE(outlooks[1].expected_blocks);
  const Report report = both.Conclude();
  EXPECT_EQ(report.comparisons[0].decided->by, "");
  EXPECT_EQ(report.comparisons[1].decided->by, "holm");
  EXPECT_EQ(report.comparisons[1].decided->blocks, blocks);
}

// The mean needs intervals that hold together, so it does not use ends at which Holm cut them.
TEST(FamilyDecisionTest, TheGeometricMeanUsesTheGatesOwnIntervals) {
  Comparison gate;
  gate.role = ComparisonRole::kGate;
  gate.metric = "t";
  gate.margin = 0.02;
  gate.confidence = 0.995;
  gate.verdict = kPass;
  gate.change = Effect{0.0, -0.03, 0.02};
  gate.last_change = Effect{0.0, -0.031, 0.024};
  gate.decided = Decision{40, -0.03, 0.02};
  const auto mean_of = [&gate] {
    const std::vector<Comparison> both{gate, gate};
    return *ChangesOverBenchmarks(both).at(0).change.hi;
  };
  EXPECT_NEAR(mean_of(), 0.02, 1e-12);
  gate.decided->by = "holm";
  EXPECT_NEAR(mean_of(), 0.024, 1e-12);
  gate.change->hi = 0.015;  // narrower than its cut
  EXPECT_NEAR(mean_of(), 0.015, 1e-12);
}

}  // namespace
}  // namespace benchd
