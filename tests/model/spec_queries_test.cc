#include <gtest/gtest.h>

#include "core/model/session_spec.h"

namespace benchd {
namespace {

Benchmark WithArms(std::size_t references, std::size_t candidates) {
  Benchmark benchmark;
  for (std::size_t i = 0; i < references; ++i)
    benchmark.arms.push_back({.role = ArmRole::kReference});
  for (std::size_t i = 0; i < candidates; ++i)
    benchmark.arms.push_back({.role = ArmRole::kCandidate});
  return benchmark;
}

TEST(ArmsWithRoleTest, KeepsTheOrderOfTheSpec) {
  EXPECT_EQ(ArmsWithRole(WithArms(1, 2), ArmRole::kCandidate), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(ArmsWithRole(WithArms(2, 1), ArmRole::kReference), (std::vector<std::size_t>{0, 1}));
}

TEST(MeasuredTest, IsASessionWhoseArmsAreAllMeasured) {
  Benchmark measured;
  measured.arms = {{.role = ArmRole::kMeasured}, {.role = ArmRole::kMeasured}};
  EXPECT_TRUE(IsMeasured(measured));
  EXPECT_FALSE(IsMeasured(Benchmark()));
  EXPECT_EQ(PairsOf(measured), 2U);
  EXPECT_EQ(PairsOf(WithArms(2, 3)), 6U);
  SessionSpec spec;
  EXPECT_FALSE(IsMeasured(spec));
  spec.benchmarks = {measured};
  EXPECT_TRUE(IsMeasured(spec));
  spec.benchmarks.push_back(WithArms(1, 1));
  EXPECT_FALSE(IsMeasured(spec));
  EXPECT_EQ(RunsPerBlock(measured), (std::vector<std::size_t>{1, 1}));
}

TEST(RunsPerBlockTest, IsOneForUpToThreeCandidates) {
  EXPECT_EQ(RunsPerBlock(WithArms(1, 3)), (std::vector<std::size_t>{1, 1, 1, 1}));
}

TEST(RunsPerBlockTest, RunsReferencesFloorOfTheRootTimesFromFourCandidatesOn) {
  EXPECT_EQ(RunsPerBlock(WithArms(1, 4)).front(), 2U);
  EXPECT_EQ(RunsPerBlock(WithArms(1, 8)).front(), 2U);
  EXPECT_EQ(RunsPerBlock(WithArms(1, 9)).front(), 3U);
  EXPECT_EQ(RunsPerBlock(WithArms(1, 9)).back(), 1U);
}

TEST(OptionalGatesTest, AreTheGatesThatNotEveryMachineCanDecide) {
  Benchmark benchmark;
  EXPECT_TRUE(OptionalGates(benchmark).empty());
  benchmark.gates = {{.metric = "wall_time"},
                     {.metric = "instructions"},
                     {.metric = "BM_sort/instructions"},
                     {.metric = "tree_memory_peak"}};
  EXPECT_EQ(OptionalGates(benchmark),
            (std::vector<std::string>{"instructions", "tree_memory_peak"}));
}

TEST(OptionalGatesTest, APatternNeedsThemUnlessEveryRunHasAMatch) {
  Benchmark benchmark;
  benchmark.gates = {{.metric = "*_misses"}, {.metric = "branch*"}, {.metric = "*faults"}};
  EXPECT_EQ(OptionalGates(benchmark), (std::vector<std::string>{"branch_misses", "cache_misses"}));
  benchmark.gates = {{.metric = "*"}};
  EXPECT_TRUE(OptionalGates(benchmark).empty());
  benchmark.gates = {{.metric = "*_misses"}};
  benchmark.parse = "lines";
  EXPECT_TRUE(OptionalGates(benchmark).empty()) << "the output may have them";
}

}  // namespace
}  // namespace benchd
