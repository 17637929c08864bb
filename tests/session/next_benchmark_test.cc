#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "daemon/session/schedule.h"

namespace benchd {
namespace {

/// The outlook after this many blocks of this length, with a first look after eight.
BenchmarkOutlook Outlook(std::uint64_t blocks, double seconds_each,
                         std::optional<double> expected_blocks) {
  return {.blocks = blocks,
          .minimum = 8,
          .seconds = seconds_each * static_cast<double>(blocks),
          .expected_blocks = expected_blocks};
}

/// Simulates a schedule with benchmarks that need `needed` blocks and know it from the first look.
struct Course {
  std::vector<std::uint32_t> turns;
  std::vector<std::uint32_t> decided;  ///< in the order of their verdicts
};

Course Follow(const std::vector<std::uint64_t>& needed, const std::vector<double>& seconds_each) {
  std::vector<BenchmarkOutlook> outlooks(needed.size(), {.minimum = 8});
  Course course;
  while (course.decided.size() < needed.size()) {
    const std::uint32_t turn = NextBenchmark(outlooks);
    course.turns.push_back(turn);
    BenchmarkOutlook& outlook = outlooks[turn];
    ++outlook.blocks;
    outlook.seconds += seconds_each[turn];
    if (outlook.blocks < outlook.minimum) continue;
    outlook.expected_blocks = static_cast<double>(needed[turn] - outlook.blocks);
    outlook.open = outlook.blocks < needed[turn];
    if (!outlook.open) course.decided.push_back(turn);
  }
  return course;
}

TEST(NextBenchmarkTest, GivesEverybodyTheirMinimumInTurn) {
  std::vector<BenchmarkOutlook> outlooks = {Outlook(4, 1, {}), Outlook(3, 1, {}),
                                            Outlook(3, 1, {})};
  EXPECT_EQ(NextBenchmark(outlooks), 1U) << "the fewest blocks, the first on a tie";
  outlooks[1].blocks = 4;
  EXPECT_EQ(NextBenchmark(outlooks), 2U);
}

TEST(NextBenchmarkTest, TheMinimumComesBeforeAnyVerdict) {
  const std::vector<BenchmarkOutlook> outlooks = {Outlook(8, 0.001, 1), Outlook(7, 100, {})};
  EXPECT_EQ(NextBenchmark(outlooks), 1U);
}

TEST(NextBenchmarkTest, TakesWhoIsNearestToItsVerdictInSeconds) {
  // 4 x 10 s = 40 s, 10 x 1 s = 10 s, 20 x 1 s = 20 s; 40 blocks so far: no fair turn.
  const std::vector<BenchmarkOutlook> outlooks = {Outlook(12, 10, 4), Outlook(14, 1, 10),
                                                  Outlook(14, 1, 20)};
  EXPECT_EQ(NextBenchmark(outlooks), 1U);
}

TEST(NextBenchmarkTest, WhoseVerdictIsUnknownComesAfterThoseThatHaveOneInSight) {
  // 24 blocks so far: no fair turn.
  const std::vector<BenchmarkOutlook> outlooks = {Outlook(8, 1, {}), Outlook(16, 1, 1000)};
  EXPECT_EQ(NextBenchmark(outlooks), 1U);
}

TEST(NextBenchmarkTest, EveryFourthBlockGoesToWhoHadTheLeastTime) {
  // 8 + 16 + 11 = 35 blocks so far, and 35 % 4 == 3.
  std::vector<BenchmarkOutlook> outlooks = {Outlook(8, 1, {}), Outlook(16, 1, 2),
                                            Outlook(11, 0.1, 500)};
  EXPECT_EQ(NextBenchmark(outlooks), 2U);
  outlooks[2].open = false;
  EXPECT_EQ(NextBenchmark(outlooks), 0U) << "blocks of decided benchmarks count";
}

TEST(NextBenchmarkTest, NeverTakesADecidedOne) {
  std::vector<BenchmarkOutlook> outlooks = {Outlook(8, 1, 0), Outlook(500, 1, {})};
  outlooks[0].open = false;
  for (std::uint64_t more = 0; more < 2 * kFairnessInterval; ++more) {
    outlooks[1].blocks = 500 + more;
    EXPECT_EQ(NextBenchmark(outlooks), 1U);
  }
}

TEST(NextBenchmarkTest, VerdictsComeInTheOrderOfTheSecondsTheyTake) {
  // Remaining after eight blocks each: 12 x 1 s, 92 x 0.01 s, 32 x 1 s, 2 x 20 s.
  const Course course = Follow({20, 100, 40, 10}, {1, 0.01, 1, 20});
  EXPECT_EQ(course.decided, (std::vector<std::uint32_t>{1, 0, 2, 3}));
}

TEST(NextBenchmarkTest, NobodyWaitsForEver) {
  // Three of four benchmarks expect verdicts after thousands of blocks. The fourth still gets
  // blocks, because one turn in four depends on the time spent so far.
  const Course course = Follow({9000, 9000, 9000, 20000}, {1, 1, 1, 1});
  for (std::uint32_t benchmark = 0; benchmark < 4; ++benchmark) {
    const auto had = std::count(course.turns.begin(), course.turns.begin() + 4000, benchmark);
    // One turn in four of 4000 is fair, shared by the three that are not the nearest: 333 each.
    EXPECT_GE(had, 300) << benchmark;
  }
}

TEST(NextBenchmarkTest, IsTheSameForTheSameHistory) {
  constexpr std::uint64_t kSeed = 71;
  RandomStream random(kSeed, 0);
  for (int round = 0; round < 1000; ++round) {
    std::vector<BenchmarkOutlook> outlooks;
    for (int i = 0; i < 20; ++i) {
      outlooks.push_back(Outlook(random.Below(40), 0.001 * static_cast<double>(random.Below(9)),
                                 static_cast<double>(random.Below(50))));
      outlooks.back().open = i == 7 || random.Below(2) == 0;
    }
    const std::uint32_t next = NextBenchmark(outlooks);
    ASSERT_TRUE(outlooks.at(next).open) << "seed " << kSeed;
    const std::vector<BenchmarkOutlook> copy = outlooks;
    ASSERT_EQ(NextBenchmark(copy), next) << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace benchd
