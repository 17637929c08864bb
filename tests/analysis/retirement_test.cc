#include "core/analysis/retirement.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/arm_order.h"
#include "core/analysis/benchmark_groups.h"
#include "core/analysis/confirmed_analysis.h"
#include "tests/analysis/session_feed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using IdleSet = std::vector<std::uint32_t>;

SessionSpec RetiringSpec() {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 1, {"base", "same", "slow", "fast"})});
  spec.benchmarks[0].gates = {RatioGate("wall_time", 0.02)};
  return spec;
}

// `slow` and `fast` are decided at the first look, `same` is not.
const std::vector<double> kFourSeconds = {1.0, 1.015, 1.5, 0.5};

IdleSet IdleArmsOf(const SessionAnalysis& analysis, std::size_t benchmark = 0) {
  const auto idle = analysis.IdleArms(benchmark);
  return {idle.begin(), idle.end()};
}

/// Leaves these arms out of a block, like the schedule.
Block LeavingOut(Block block, const IdleSet& arms) {
  std::erase_if(block,
                [&arms](const Run& run) { return std::ranges::find(arms, run.arm) != arms.end(); });
  return block;
}

/// Feeds blocks from which idle arms are left out.
void FeedAsScheduled(SessionAnalysis& analysis, Noise& noise, int blocks,
                     const std::vector<double>& seconds) {
  for (int i = 0; i < blocks; ++i)
    Feed(analysis, LeavingOut(noise.Wall(seconds), IdleArmsOf(analysis)));
}

TEST(RetirementTest, AnArmIsIdleOnceItsGatesAreSettled) {
  SessionAnalysis analysis = Start(RetiringSpec());
  Noise noise(1);
  for (int i = 0; i < 7; ++i) {
    Feed(analysis, noise.Wall(kFourSeconds));
    EXPECT_EQ(IdleArmsOf(analysis), IdleSet()) << "before the first look";
  }
  Feed(analysis, noise.Wall(kFourSeconds));
  EXPECT_EQ(IdleArmsOf(analysis), (IdleSet{2, 3}));
  EXPECT_FALSE(analysis.RetiredAfter(0, 2)) << "it is idle, but no block lacked it so far";
  FeedAsScheduled(analysis, noise, 4, kFourSeconds);
  EXPECT_EQ(analysis.RetiredAfter(0, 2), 8U);
  EXPECT_EQ(analysis.RetiredAfter(0, 3), 8U);
  EXPECT_EQ(analysis.RetiredAfter(0, 0), std::nullopt);
  const Report report = analysis.Conclude();
  EXPECT_EQ(report.runs, (std::vector<ArmRuns>{{"main", "base", 12, {}},
                                               {"main", "same", 12, {}},
                                               {"main", "slow", 8, 8},
                                               {"main", "fast", 8, 8}}));
}

TEST(RetirementTest, TheComparisonsOfARetiredArmStayAsTheyWere) {
  SessionAnalysis analysis = Start(RetiringSpec());
  Noise noise(2);
  FeedAsScheduled(analysis, noise, 8, kFourSeconds);
  const Comparison before = Find(analysis.Look(), "wall_time", "slow");
  FeedAsScheduled(analysis, noise, 30, kFourSeconds);
  EXPECT_EQ(Find(analysis.Look(), "wall_time", "slow"), before);
  EXPECT_EQ(before.n_reference, 8U);
  EXPECT_EQ(before.verdict, Verdict::kRegression);
  EXPECT_EQ(Find(analysis.Look(), "wall_time", "same").n_reference, 38U);
}

TEST(RetirementTest, OpenComparisonsAreThoseOfASessionWithoutTheRetiredArms) {
  SessionAnalysis all = Start(RetiringSpec());
  SessionAnalysis retiring = Start(RetiringSpec());
  Noise noise(3);
  for (int i = 0; i < 25; ++i) {
    const Block block = noise.Wall(kFourSeconds);
    Feed(all, block);
    Feed(retiring, LeavingOut(block, IdleArmsOf(retiring)));
  }
  EXPECT_EQ(Find(all.Look(), "wall_time", "same"), Find(retiring.Look(), "wall_time", "same"));
}

TEST(RetirementTest, LaterFailuresOfTheReferenceDoNotReachARetiredArm) {
  SessionSpec spec = RetiringSpec();
  spec.benchmarks[0].ignore_failure = true;
  SessionAnalysis analysis = Start(spec);
  Noise noise(4);
  FeedAsScheduled(analysis, noise, 8, kFourSeconds);
  Block failed = LeavingOut(noise.Wall(kFourSeconds), IdleArmsOf(analysis));
  failed[0].exit.code = 1;  // base
  Feed(analysis, failed);
  const Report report = analysis.Look();
  EXPECT_EQ(Find(report, "wall_time", "fast").verdict, Verdict::kPass);
  EXPECT_EQ(Find(report, "wall_time", "same").reason, "failed_in_reference");
  EXPECT_EQ(IdleArmsOf(analysis), (IdleSet{2, 3}));
}

TEST(RetirementTest, AnArmThatStillRunsMayBeNeededAgain) {
  SessionSpec spec = RetiringSpec();
  spec.benchmarks[0].ignore_failure = true;
  SessionAnalysis analysis = Start(spec);
  Noise noise(5);
  FeedAsScheduled(analysis, noise, 8, kFourSeconds);
  EXPECT_EQ(IdleArmsOf(analysis), (IdleSet{2, 3}));
  Block failed =
      noise.Wall(kFourSeconds);  // as in a group, one of whose benchmarks needs every arm
  failed[0].exit.code = 1;
  Feed(analysis, failed);
  EXPECT_EQ(analysis.RetiredAfter(0, 3), std::nullopt);
  EXPECT_EQ(Find(analysis.Look(), "wall_time", "fast").reason, "failed_in_reference");
}

TEST(RetirementTest, ANeededArmMayNotBeMissingNorARetiredOneReturn) {
  SessionAnalysis analysis = Start(RetiringSpec());
  Noise noise(6);
  FeedAsScheduled(analysis, noise, 8, kFourSeconds);
  EXPECT_WORDING(analysis.Add(LeavingOut(noise.Wall(kFourSeconds), {1})).error());
  FeedAsScheduled(analysis, noise, 1, kFourSeconds);
  EXPECT_WORDING(analysis.Add(noise.Wall(kFourSeconds)).error());
}

TEST(RetirementTest, NobodyRetiresWhereEveryRunIsAskedFor) {
  const auto idle = [](const SessionSpec& spec) {
    SessionAnalysis analysis = Start(spec);
    Noise noise(7);
    for (int i = 0; i < 8; ++i) Feed(analysis, noise.Wall(kFourSeconds));
    return IdleArmsOf(analysis);
  };
  ASSERT_EQ(idle(RetiringSpec()), (IdleSet{2, 3}));
  SessionSpec keep_all = RetiringSpec();
  keep_all.keep_all = true;
  EXPECT_EQ(idle(keep_all), IdleSet());
  SessionSpec fixed = RetiringSpec();
  fixed.limits.runs = 20;
  EXPECT_EQ(idle(fixed), IdleSet());
  SessionSpec coin = RetiringSpec();
  coin.method = Method::kWelch;
  coin.schedule.kind = ScheduleKind::kCoin;
  EXPECT_EQ(idle(coin), IdleSet());
}

TEST(RetirementTest, WithOnePairOfArmsNobodyIsIdle) {
  SessionSpec spec = Two();
  spec.benchmarks[0].arms.push_back(spec.benchmarks[0].arms[0]);
  spec.benchmarks[0].arms.back().role = ArmRole::kPlacebo;
  SessionAnalysis analysis = Start(spec);
  Noise noise(8);
  for (int i = 0; i < 40; ++i) Feed(analysis, noise.Wall({1, 2, 1}));
  EXPECT_TRUE(analysis.Finished());
  EXPECT_EQ(IdleArmsOf(analysis), IdleSet());
}

TEST(RetirementTest, APlaceboRunsAsLongAsItsReference) {
  SessionSpec spec = RetiringSpec();
  spec.benchmarks[0].arms[3].role = ArmRole::kPlacebo;
  SessionAnalysis analysis = Start(spec);
  Noise noise(9);
  FeedAsScheduled(analysis, noise, 10, {1.0, 1.015, 1.5, 1.0});
  EXPECT_EQ(IdleArmsOf(analysis), (IdleSet{2}));
}

TEST(RetirementTest, AReferenceRetiresWhenNoOpenGateNeedsIt) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", 2, {"old", "base", "new"})});
  spec.benchmarks[0].gates = {RatioGate("wall_time", 0.02)};
  SessionAnalysis analysis = Start(spec);
  Noise noise(10);
  FeedAsScheduled(analysis, noise, 12, {2.0, 1.0, 1.015});
  EXPECT_EQ(analysis.RetiredAfter(0, 0), 8U);
  EXPECT_EQ(IdleArmsOf(analysis), (IdleSet{0}));
}

/// Returns the idle arms of a benchmark before and after those of another one are decided.
std::pair<IdleSet, IdleSet> IdleBeforeAndAfter(double change) {
  SessionSpec spec = MakeSpec(
      {MakeBenchmark("one", 1, {"base", "a", "b"}), MakeBenchmark("two", 1, {"base", "a", "b"})});
  for (Benchmark& benchmark : spec.benchmarks) benchmark.gates = {RatioGate("wall_time", 0.02)};
  SessionAnalysis analysis = Start(spec);
  Noise noise(11);
  const auto feed = [&](std::uint32_t benchmark, const std::vector<double>& seconds) {
    Block block = noise.Wall(seconds);
    for (benchd::Run& run : block) run.benchmark = benchmark;
    Feed(analysis, block);
  };
  for (int i = 0; i < 7; ++i) feed(1, {1.0, 1.5, 1.5});
  for (int i = 0; i < 12; ++i) feed(0, {1.0, 1 + change, 1.018});
  const IdleSet before = IdleArmsOf(analysis);
  feed(1, {1.0, 1.5, 1.5});
  return {before, IdleArmsOf(analysis)};
}

TEST(RetirementTest, DecisionsTogetherMakeArmsOfOtherBenchmarksIdle) {
  bool found = false;
  for (double change = 0.03; change < 0.06 && !found; change += 0.0005) {
    const auto [before, after] = IdleBeforeAndAfter(change);
    found = before.empty() && after == IdleSet{1};
  }
  EXPECT_TRUE(found);
}

TEST(RetirementTest, TheSecondPhaseRunsTheArmsOfItsGates) {
  SessionSpec spec = RetiringSpec();
  spec.confirm = true;
  ConfirmedAnalysis analysis = ConfirmedAnalysis::Create(spec).value();
  Noise noise(12);
  const std::vector<double> seconds = {1.0, 1.0, 1.5, 0.5};
  for (int i = 0; i < 2000 && !analysis.Finished(); ++i) {
    ASSERT_TRUE(analysis.Add(
        LeavingOut(noise.Wall(seconds), IdleArmsOf(analysis.OfPhase(RunPhase::kMeasured)))));
  }
  ASSERT_TRUE(analysis.BeginConfirmation());
  for (int i = 0; i < 8; ++i) {
    Block block = noise.Wall({1.0, 1.0, 1.025, 0.5});
    for (benchd::Run& run : block) run.phase = RunPhase::kConfirming;
    ASSERT_TRUE(analysis.Add(block));
  }
  EXPECT_EQ(IdleArmsOf(analysis.OfPhase(RunPhase::kConfirming)), (IdleSet{1, 3}));
  EXPECT_EQ(analysis.OfPhase(RunPhase::kMeasured).RetiredAfter(0, 2), 8U);
}

TEST(RetirementTest, TheNextBlocksTakeAsLongAsTheirArms) {
  SessionAnalysis analysis = Start(RetiringSpec());
  const auto block = [](std::vector<double> seconds) {
    Block runs = WallBlock(0, seconds);
    double at = 0;
    for (benchd::Run& run : runs) {
      run.started_at = Timestamp(std::chrono::nanoseconds(static_cast<std::int64_t>(at * 1e9)));
      at += run.samples[0].value;
    }
    return runs;
  };
  for (int i = 0; i < 8; ++i) Feed(analysis, block({1, 1.019 + 0.002 * (i % 2), 30, 0.5}));
  const BenchmarkOutlook outlook = analysis.Outlook()[0];
  ASSERT_EQ(outlook.idle_arms, (IdleSet{2, 3}));
  EXPECT_NEAR(outlook.BlockSeconds(), 2.02, 1e-6);
  EXPECT_NEAR(outlook.seconds, 8 * 32.52, 1e-6);
}

TEST(ArmTimesTest, WithoutIdleArmsOrTimesThereIsNone) {
  ArmTimes times(2);
  EXPECT_EQ(times.WithoutIdle({1}, 5), std::nullopt);
  times.Add(0, 1);
  times.Add(1, 3);
  times.Add(0, 2);
  EXPECT_EQ(times.WithoutIdle({}, 9), std::nullopt);
  // 9 s for 6 s of runs; arm 0 takes 1.5 s a block.
  EXPECT_EQ(times.WithoutIdle({1}, 9), 1.5 * 9 / 6);
}

TEST(IdleArmsOfGroupTest, AreThoseThatNoBenchmarkOfTheGroupNeeds) {
  const std::vector<IdleSet> idle = {{1, 2, 3}, {2, 3}, {0, 3, 4}, {1}};
  const auto of = [&idle](std::uint32_t one) { return std::span<const std::uint32_t>(idle[one]); };
  const BenchmarkGroups groups({{0, 1, 2}});
  EXPECT_EQ(IdleArmsOfGroup(0, groups, of), (IdleSet{3}));
  EXPECT_EQ(IdleArmsOfGroup(2, groups, of), (IdleSet{3}));
  EXPECT_EQ(IdleArmsOfGroup(3, groups, of), (IdleSet{1}));
  std::vector<BenchmarkOutlook> outlooks(4);
  for (std::size_t i = 0; i < idle.size(); ++i) outlooks[i].idle_arms = idle[i];
  EXPECT_EQ(GroupedOutlooks(outlooks, groups)[0].idle_arms, (IdleSet{3}));
}

// The pairs of a retired arm end with its last block, in the order, too.
TEST(RetirementTest, TheOrderHasRetiredArms) {
  const SessionSpec spec = RetiringSpec();
  SessionAnalysis analysis = Start(spec);
  Noise noise(13);
  std::vector<Block> blocks;
  for (int i = 0; i < 40; ++i) {
    blocks.push_back(LeavingOut(noise.Wall(kFourSeconds), IdleArmsOf(analysis)));
    Feed(analysis, blocks.back());
  }
  ArmOrderAnalysis orders(spec, analysis.Conclude(), DataSource::kSession);
  for (const Block& block : blocks) {
    const Result<void> added = orders.Add(block);
    ASSERT_TRUE(added) << added.error().message;
  }
  const std::vector<ArmOrder> found = orders.Conclude();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].confidence, 0.99);
  ASSERT_EQ(found[0].groups.size(), 4U);
  EXPECT_EQ(found[0].groups[0].arms, std::vector<std::string>{"fast"});
  EXPECT_EQ(found[0].groups[3].arms, std::vector<std::string>{"slow"});
  ASSERT_EQ(found[0].factors.size(), 3U);
  EXPECT_NEAR(found[0].factors[2].factor.estimate, 3, 0.1);
}

}  // namespace
}  // namespace benchd
