#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/session/schedule.h"

namespace benchd {
namespace {

SessionSpec SpecWith(std::size_t candidates, std::uint64_t seed) {
  Benchmark benchmark;
  benchmark.arms.push_back({.name = "base", .role = ArmRole::kReference});
  for (std::size_t i = 0; i < candidates; ++i) {
    benchmark.arms.push_back({.name = "candidate-" + std::to_string(i)});
  }
  SessionSpec spec;
  spec.benchmarks = {benchmark, benchmark};
  spec.seed = seed;
  return spec;
}

TEST(PlanBlockTest, IsAPureFunctionOfSeedBenchmarkPhaseAndBlock) {
  const SessionSpec spec = SpecWith(3, 11);
  EXPECT_EQ(PlanBlock(spec, 1, RunPhase::kMeasured, 5), PlanBlock(spec, 1, RunPhase::kMeasured, 5));
}

TEST(PlanBlockTest, RunsEveryArmOnceInPositionsFromZero) {
  const std::vector<PlannedRun> block = PlanBlock(SpecWith(3, 11), 1, RunPhase::kMeasured, 9);
  ASSERT_EQ(block.size(), 4U);
  std::map<std::uint32_t, int> runs;
  for (std::uint32_t i = 0; i < block.size(); ++i) {
    EXPECT_EQ(block[i].position, i);
    EXPECT_EQ(block[i].benchmark, 1U);
    EXPECT_LE(block[i].padding_bytes, 4096U);
    ++runs[block[i].arm];
  }
  for (std::uint32_t arm = 0; arm < 4; ++arm) EXPECT_EQ(runs[arm], 1) << "arm " << arm;
}

TEST(PlanBlockTest, RunsTheReferenceTwiceForFourCandidates) {
  // floor(sqrt(4)) = 2, docs/statistics.md section 6.
  const std::vector<PlannedRun> block = PlanBlock(SpecWith(4, 11), 0, RunPhase::kMeasured, 0);
  std::map<std::uint32_t, int> runs;
  for (const PlannedRun& run : block) ++runs[run.arm];
  EXPECT_EQ(block.size(), 6U);
  EXPECT_EQ(runs[0], 2);
  EXPECT_EQ(runs[4], 1);
}

TEST(PlanBlockTest, LeavesIdleArmsOut) {
  const SessionSpec spec = SpecWith(4, 11);
  const std::vector<std::uint32_t> idle = {1, 3};
  std::set<std::uint32_t> first;
  for (std::uint64_t number = 0; number < 40; ++number) {
    const std::vector<PlannedRun> block = PlanBlock(spec, 0, RunPhase::kMeasured, number, idle);
    std::vector<std::uint32_t> arms;
    for (std::uint32_t i = 0; i < block.size(); ++i) {
      EXPECT_EQ(block[i].position, i);
      arms.push_back(block[i].arm);
    }
    first.insert(arms.front());
    std::ranges::sort(arms);
    EXPECT_EQ(arms, (std::vector<std::uint32_t>{0, 0, 2, 4}));
  }
  EXPECT_EQ(first, (std::set<std::uint32_t>{0, 2, 4}));
}

TEST(PlanBlockTest, DrawsEachRunsArmByCoin) {
  // Both runs of a block are the base's in a quarter of 10,000 blocks: sd 43, the band is 5 sd.
  SessionSpec spec = SpecWith(1, 2024);
  spec.schedule.kind = ScheduleKind::kCoin;
  int both_base = 0;
  for (std::uint64_t block = 0; block < 10'000; ++block) {
    const std::vector<PlannedRun> runs = PlanBlock(spec, 0, RunPhase::kMeasured, block);
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[1].position, 1U);
    both_base += runs[0].arm == 0 && runs[1].arm == 0 ? 1 : 0;
  }
  EXPECT_NEAR(both_base, 2'500, 217);
  const std::vector<PlannedRun> warmup = PlanBlock(spec, 0, RunPhase::kWarmup, 0);
  EXPECT_NE(warmup[0].arm, warmup[1].arm) << "a warm-up block warms every arm";
}

TEST(PlanBlockTest, PutsTheBaseFirstInAboutHalfOfTheBlocks) {
  // 10,000 fair coins: sd 50, the band is 5 sd; the seed is fixed.
  const SessionSpec spec = SpecWith(1, 2024);
  int base_first = 0;
  for (std::uint64_t block = 0; block < 10'000; ++block) {
    base_first += PlanBlock(spec, 0, RunPhase::kMeasured, block).front().arm == 0 ? 1 : 0;
  }
  EXPECT_NEAR(base_first, 5'000, 250);
}

TEST(PlanBlockTest, DoesNotRepeatTheOrderOfTheBlockBefore) {
  // Strict alternation or a period of two would make this 0 or 9,999; the expectation is half.
  const SessionSpec spec = SpecWith(1, 2024);
  int changes = 0;
  std::uint32_t last = PlanBlock(spec, 0, RunPhase::kMeasured, 0).front().arm;
  for (std::uint64_t block = 1; block < 10'000; ++block) {
    const std::uint32_t first = PlanBlock(spec, 0, RunPhase::kMeasured, block).front().arm;
    changes += first != last ? 1 : 0;
    last = first;
  }
  EXPECT_NEAR(changes, 5'000, 250);
}

TEST(PlanBlockTest, SpreadsThePaddingOverTheWholeRange) {
  const SessionSpec spec = SpecWith(1, 5);
  double sum = 0;
  for (std::uint64_t block = 0; block < 5'000; ++block) {
    for (const PlannedRun& run : PlanBlock(spec, 0, RunPhase::kMeasured, block)) {
      sum += run.padding_bytes;
    }
  }
  // Uniform on 0..4096: mean 2048, sd of the mean of 10,000 draws 11.8; the band is 5 sd.
  EXPECT_NEAR(sum / 10'000, 2048, 60);
}

TEST(PlanBlockTest, DrawsWarmUpAndMeasuredBlocksApart) {
  const SessionSpec spec = SpecWith(5, 5);
  EXPECT_NE(PlanBlock(spec, 0, RunPhase::kWarmup, 0), PlanBlock(spec, 0, RunPhase::kMeasured, 0));
}

}  // namespace
}  // namespace benchd
