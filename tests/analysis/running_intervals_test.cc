#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_feed.h"

// Under watching, a session shows and uses the intersection of the intervals of all its looks; with
// one look, only that interval.

namespace benchd {
namespace {

constexpr unsigned kIntersectionSeed = 20261126;

struct Approach {
  std::string name;
  Method method = Method::kPaired;
  EstimatorKind estimator = EstimatorKind::kMean;
  std::optional<std::uint64_t> max_runs;
};

const std::vector<Approach>& Approaches() {
  static const std::vector<Approach> approaches{
      {"paired", Method::kPaired, EstimatorKind::kMean, {}},
      {"horizon", Method::kPaired, EstimatorKind::kMean, 400},
      {"welch", Method::kWelch, EstimatorKind::kMean, {}},
      {"exact-t", Method::kExactT, EstimatorKind::kMean, {}},
      {"hl", Method::kPaired, EstimatorKind::kHodgesLehmann, {}},
      {"median", Method::kPaired, EstimatorKind::kMedian, {}},
      {"quantile", Method::kPaired, EstimatorKind::kQuantile, {}}};
  return approaches;
}

SessionSpec SpecFor(const Approach& approach, double margin) {
  SessionSpec spec = Two();
  spec.method = approach.method;
  spec.estimator.kind = approach.estimator;
  spec.estimator.quantile = approach.estimator == EstimatorKind::kQuantile ? 0.5 : 0;
  spec.limits.max_runs = approach.max_runs;
  spec.benchmarks[0].gates = {RatioGate("wall_time", margin)};
  return spec;
}

/// Two arms with 3 % of noise, and an info metric in addition to the gate's.
class Draw {
 public:
  Block Pair(double change) {
    Block block = WallBlock(0, {Value(1), Value(1 + change)});
    block[0].samples.push_back({"cpu_time", "", 0, Value(0.5)});
    block[1].samples.push_back({"cpu_time", "", 0, Value(0.5 * (1 + change))});
    return block;
  }

 private:
  double Value(double around) { return around * std::exp(0.03 * normal_(random_)); }

  std::mt19937_64 random_{kIntersectionSeed};
  std::normal_distribution<double> normal_;
};

/// The result that each look alone would give.
struct Common {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();

  void Take(const std::optional<Effect>& last) {
    if (!last) return;
    if (last->lo) lo = std::max(lo, *last->lo);
    if (last->hi) hi = std::min(hi, *last->hi);
  }

  void ExpectOf(const std::optional<Effect>& shown) const {
    if (!shown || !std::isfinite(hi)) return;
    EXPECT_EQ(shown->lo, lo <= hi ? std::optional(lo) : std::nullopt);
    EXPECT_EQ(shown->hi, lo <= hi ? std::optional(hi) : std::nullopt);
  }
};

TEST(RunningIntervalsTest, WhatIsShownIsWhatAllLooksHaveInCommon) {
  for (const Approach& approach : Approaches()) {
    SCOPED_TRACE(approach.name);
    SessionAnalysis analysis = Start(SpecFor(approach, 10));
    Draw draw;
    Common of[2][2];
    bool wider = false;
    for (int block = 0; block < 200; ++block) {
      Feed(analysis, draw.Pair(0.01));
      const Report report = analysis.Look();
      for (const int metric : {0, 1}) {
        const Comparison now = Find(report, metric == 0 ? "wall_time" : "cpu_time");
        of[metric][0].Take(now.last_change);
        of[metric][1].Take(now.last_difference);
        of[metric][0].ExpectOf(now.change);
        of[metric][1].ExpectOf(now.difference);
        wider =
            wider || (now.last_change && now.change->lo && now.last_change->lo < now.change->lo);
      }
    }
    EXPECT_TRUE(wider) << "no look was less precise than those before it";
  }
}

TEST(RunningIntervalsTest, ADecidedGatesIntervalStaysOnItsSideForGood) {
  for (const Approach& approach : Approaches()) {
    SCOPED_TRACE(approach.name);
    constexpr double kMargin = 0.02;
    SessionAnalysis analysis = Start(SpecFor(approach, kMargin));
    Draw draw;
    bool decided = false;
    bool crossed = false;
    // A regression at first, then no change: the last look returns across the margin.
    for (int block = 0; block < 300; ++block) {
      Feed(analysis, draw.Pair(block < 40 ? 0.1 : 0.0));
      const Comparison gate = Find(analysis.Look(), "wall_time");
      decided = decided || gate.verdict == Verdict::kRegression;
      if (!decided) continue;
      if (gate.change->lo) {
        EXPECT_EQ(gate.verdict, Verdict::kRegression);
        EXPECT_GT(*gate.change->lo, kMargin);
      } else {
        EXPECT_EQ(gate.verdict, Verdict::kUndecided);
        EXPECT_EQ(gate.reason, "intervals_disjoint");
      }
      crossed = crossed || (gate.last_change && gate.last_change->lo < kMargin);
    }
    EXPECT_TRUE(decided);
    EXPECT_TRUE(crossed);
  }
}

std::size_t CountOf(const Report& report, const std::string& code) {
  return static_cast<std::size_t>(std::ranges::count(report.warnings, code, &Warning::code));
}

// The candidate is twice as slow at first, and as fast as the base from then on.
void FeedDrift(SessionAnalysis& analysis) {
  Draw draw;
  for (int block = 0; block < 30; ++block) Feed(analysis, draw.Pair(1));
  for (int block = 0; block < 300; ++block) Feed(analysis, draw.Pair(0));
}

TEST(RunningIntervalsTest, LooksThatExcludeEachOtherLeaveNoIntervalAndDecideNothing) {
  for (const Approach& approach : Approaches()) {
    SCOPED_TRACE(approach.name);
    SessionSpec spec = SpecFor(approach, 0.5);
    // The rule requires so narrow an interval that none of these looks decides.
    spec.rule = {RuleKind::kPrecision, 1e-6};
    SessionAnalysis analysis = Start(spec);
    FeedDrift(analysis);
    EXPECT_FALSE(analysis.Finished());
    const Report report = analysis.Look();
    const Comparison gate = Find(report, "wall_time");
    ASSERT_TRUE(gate.change);
    EXPECT_FALSE(gate.change->lo || gate.change->hi);
    EXPECT_EQ(gate.verdict, Verdict::kUndecided);
    EXPECT_FALSE(gate.decided);
    EXPECT_FALSE(gate.expected_blocks);
    ASSERT_TRUE(gate.last_change);
    EXPECT_TRUE(gate.last_change->lo);
    EXPECT_EQ(CountOf(report, "intervals_disjoint"), 1U);
    EXPECT_EQ(CountOf(report, "info_intervals_disjoint"), 1U);
  }
}

TEST(RunningIntervalsTest, NoEstimateSettlesAGateWhoseLooksExcludeEachOther) {
  SessionSpec spec = SpecFor(Approaches().front(), 0.5);
  spec.rule = {RuleKind::kPrecision, 1e-6};
  spec.limits.at_limit = AtLimit::kEstimate;
  SessionAnalysis analysis = Start(spec);
  FeedDrift(analysis);
  EXPECT_EQ(analysis.Conclude().verdict, Verdict::kUndecided);
}

TEST(RunningIntervalsTest, ALookThatMayNotDecideDoesNotEnter) {
  SessionSpec spec = SpecFor(Approaches().front(), 0.02);
  SessionAnalysis analysis = Start(spec);
  Draw draw;
  for (int block = 0; block < 40; ++block) {
    Block runs = draw.Pair(0.5);
    // At every look, more than one run in twenty lacks the metric.
    if (block % 8 == 3) runs[1].samples.erase(runs[1].samples.begin());
    Feed(analysis, runs);
    const Comparison gate = Find(analysis.Look(), "wall_time");
    EXPECT_EQ(gate.verdict, Verdict::kUndecided);
    if (!gate.change) continue;
    EXPECT_FALSE(gate.change->lo || gate.change->hi);
    EXPECT_EQ(gate.p_value.value_or(1), 1);
    EXPECT_EQ(gate.last_change.has_value(), gate.n_candidate >= 8);
  }
}

TEST(RunningIntervalsTest, OneLookHasItsOwnInterval) {
  SessionSpec spec = SpecFor(Approaches().front(), 0.02);
  spec.limits.runs = 40;
  SessionAnalysis analysis = Start(spec);
  Draw draw;
  for (int block = 0; block < 40; ++block) Feed(analysis, draw.Pair(block < 20 ? 1 : 0));
  const Comparison watched = Find(analysis.Look(), "wall_time");
  EXPECT_TRUE(watched.last_change);
  const Comparison concluded = Find(analysis.Conclude(), "wall_time");
  EXPECT_FALSE(concluded.last_change || concluded.last_difference);
  ASSERT_TRUE(concluded.change && concluded.change->lo);
  EXPECT_LT(*concluded.change->lo, concluded.change->estimate);
  EXPECT_GT(*concluded.change->hi, concluded.change->estimate);
}

TEST(RunningIntervalsTest, AnEstimateThatLeftTheIntervalIsShownAsItIsAndNoted) {
  SessionAnalysis analysis = Start(SpecFor(Approaches().front(), 10));
  Draw draw;
  bool outside = false;
  for (int block = 0; block < 400 && !outside; ++block) {
    Feed(analysis, draw.Pair(block < 100 ? 0.05 : 0));
    const Report report = analysis.Look();
    const Comparison gate = Find(report, "wall_time");
    if (!gate.change->lo) continue;
    outside = gate.change->estimate < *gate.change->lo;
    EXPECT_EQ(CountOf(report, "estimate_outside"), outside ? 1U : 0U);
    EXPECT_EQ(gate.change->estimate, gate.last_change->estimate);
  }
  EXPECT_TRUE(outside);
}

// c = 1.1 b up to the last bit: every look is a point, and the same one except for rounding.
TEST(RunningIntervalsTest, ArmsInProportionDoNotExcludeThemselves) {
  for (const Approach& approach : Approaches()) {
    SCOPED_TRACE(approach.name);
    SessionAnalysis analysis = Start(SpecFor(approach, 10));
    std::mt19937_64 random(kIntersectionSeed);
    std::normal_distribution<double> normal;
    for (int block = 0; block < 200; ++block) {
      const double base = 1e9 * std::exp(0.3 * normal(random));
      Feed(analysis, WallBlock(0, {base, 1.1 * base}));
    }
    const Report report = analysis.Look();
    EXPECT_TRUE(Find(report, "wall_time").change->lo);
    EXPECT_EQ(CountOf(report, "intervals_disjoint"), 0U);
  }
}

// The margin itself is excluded while the ratio has no bound yet (exact-t, section 4).
TEST(RunningIntervalsTest, ExactTKeepsTheSideThatItDecidedWithoutABound) {
  constexpr double kMargin = 0.02;
  SessionAnalysis analysis = Start(SpecFor({"exact-t", Method::kExactT, {}, {}}, kMargin));
  // The base's spread equals its mean; the candidate is far above it in every pair.
  std::mt19937_64 random(kIntersectionSeed);
  std::exponential_distribution<double> wide(1);
  bool unbounded = false;
  for (int block = 0; block < 200; ++block) {
    const double base = wide(random);
    Feed(analysis, WallBlock(0, {base, 4 * base + 2 + 0.1 * wide(random)}));
    const Comparison gate = Find(analysis.Look(), "wall_time");
    if (gate.verdict != Verdict::kRegression) continue;
    unbounded = unbounded || !gate.change->hi;
    ASSERT_TRUE(gate.change->lo);
    EXPECT_GT(*gate.change->lo, kMargin);
  }
  EXPECT_TRUE(unbounded);
}

TEST(RunningIntervalsTest, AnInfoMetricsPFallsToTheLevelWhenItsIntervalLeavesZero) {
  for (const Approach& approach : Approaches()) {
    SCOPED_TRACE(approach.name);
    SessionAnalysis analysis = Start(SpecFor(approach, 10));
    Draw draw;
    bool excluded = false;
    for (int block = 0; block < 200; ++block) {
      Feed(analysis, draw.Pair(0.02));
      const Comparison info = Find(analysis.Look(), "cpu_time");
      if (!info.change || !info.change->lo) continue;
      excluded = *info.change->lo > 0 || *info.change->hi < 0;
      EXPECT_EQ(*info.p_value <= 0.01, excluded) << block;
    }
    EXPECT_TRUE(excluded);
  }
}

}  // namespace
}  // namespace benchd
