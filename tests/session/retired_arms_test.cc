// Arms that retire (analysis/retirement.h): what runs, what is stored, what a restart finds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/session/mortal_session.h"
#include "tests/support/fakes.h"

namespace benchd {
namespace {

/// One reference and two candidates: `near` is decided late, `far` at the first look.
class RetiredArmsTest : public test::MortalSession {
 protected:
  RetiredArmsTest() {
    Arm far = spec_.benchmarks[0].arms[1];
    far.name = "far";
    spec_.benchmarks[0].arms[1].name = "near";
    spec_.benchmarks[0].arms.push_back(far);
    runner_.program = [](std::uint32_t child, std::uint64_t run) {
      const double jitter = 0.02 * static_cast<double>((run * 7 + child * 3) % 10) / 10;
      const double seconds[] = {1.0, 1.014, 1.5};
      return fake::Took(seconds[child] * (1 + jitter));
    };
  }

  /// The measured runs that count, by block.
  std::map<std::uint64_t, std::vector<benchd::Run>> Blocks() {
    std::map<std::uint64_t, std::vector<benchd::Run>> blocks;
    for (const benchd::Run& run : store_.runs(id_)) {
      if (run.phase == RunPhase::kMeasured) blocks[run.block].push_back(run);
    }
    return blocks;
  }

  /// The report computed from the stored runs alone.
  Report Replayed() {
    SessionAnalysis analysis = SessionAnalysis::Create(spec_).value();
    for (const auto& [number, block] : Blocks()) {
      const Result<void> added = analysis.Add(block);
      EXPECT_TRUE(added) << added.error().message;
    }
    return analysis.Conclude();
  }

  /// Returns by how many runs each block number, from 0, was measured.
  std::vector<std::size_t> Sizes() {
    std::vector<std::size_t> sizes;
    for (const auto& [number, block] : Blocks()) sizes.push_back(block.size());
    return sizes;
  }

  void ExpectWholeStory(const SessionSnapshot& last) {
    ASSERT_EQ(last.state, SessionState::kDone);
    ASSERT_TRUE(last.report);
    const Report replayed = Replayed();
    EXPECT_EQ(last.report->verdict, replayed.verdict);
    EXPECT_EQ(last.report->runs, replayed.runs);
    ASSERT_EQ(last.report->comparisons.size(), replayed.comparisons.size());
    for (std::size_t i = 0; i < replayed.comparisons.size(); ++i) {
      Comparison one = last.report->comparisons[i];
      one.forecast.reset();  // a session gets its own with its time
      EXPECT_EQ(one, replayed.comparisons[i]);
    }
  }
};

TEST_F(RetiredArmsTest, ADecidedCandidateGetsNoMoreRuns) {
  const SessionSnapshot last = Live();
  ExpectWholeStory(last);
  const std::vector<std::size_t> sizes = Sizes();
  ASSERT_GT(sizes.size(), 20U);
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], i < 8 ? 3U : 2U) << i;
  EXPECT_EQ(last.report->runs[2], (ArmRuns{spec_.benchmarks[0].name, "far", 8, 8}));
  EXPECT_EQ(last.report->runs[1].runs, sizes.size());
  ASSERT_EQ(last.report->orders.size(), 1U);
  EXPECT_EQ(last.report->orders[0].groups.back().arms, std::vector<std::string>{"far"});
  ASSERT_EQ(last.report->orders[0].factors.size(), 2U);
}

TEST_F(RetiredArmsTest, TheOrderOfTheOthersIsStillRandom) {
  Live();
  std::set<std::uint32_t> first;
  for (const auto& [number, block] : Blocks()) {
    if (number >= 8) first.insert(block.front().arm);
  }
  EXPECT_EQ(first, (std::set<std::uint32_t>{0, 1}));
}

TEST_F(RetiredArmsTest, WithKeepAllEveryBlockHasEveryArm) {
  spec_.keep_all = true;
  const SessionSnapshot last = Live();
  ExpectWholeStory(last);
  ASSERT_GT(Sizes().size(), 20U);
  for (const std::size_t size : Sizes()) EXPECT_EQ(size, 3U);
  for (const ArmRuns& arm : last.report->runs) EXPECT_EQ(arm.retired_after, std::nullopt);
}

TEST_F(RetiredArmsTest, RestartsAtAnyRunLeaveTheSameBlocks) {
  const std::vector<std::size_t> kills = {5, 23, 24, 25, 1, 2, 3, 26, 7};
  for (const std::size_t kill : kills) LiveUntilKilledInRun(kill);
  const SessionSnapshot last = Live();
  ExpectWholeStory(last);
  const std::vector<std::size_t> sizes = Sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], i < 8 ? 3U : 2U) << i;
}

TEST_F(RetiredArmsTest, LongRunsThatAreStoredOneByOneToo) {
  runner_.run_time = std::chrono::seconds(2);
  spec_.limits.max_time = std::chrono::hours(1);
  for (const std::size_t kill : {4U, 20U, 1U, 2U, 3U}) LiveUntilKilledInRun(kill);
  ExpectWholeStory(Live());
  for (std::size_t i = 0; i < Sizes().size(); ++i) EXPECT_EQ(Sizes()[i], i < 8 ? 3U : 2U) << i;
}

// An earlier release of benchd ran every arm until the end.
TEST_F(RetiredArmsTest, BlocksThatHaveAllArmsAreTakenAsTheyAre) {
  spec_.keep_all = true;
  LiveUntilKilledInRun(3 + 3 * 15 + 1);
  spec_.keep_all = false;
  const SessionSnapshot last = Live();
  ExpectWholeStory(last);
  ASSERT_TRUE(last.report->runs[2].retired_after);
  EXPECT_GT(*last.report->runs[2].retired_after, 8U);
  EXPECT_EQ(last.report->runs[2].runs, *last.report->runs[2].retired_after);
}

}  // namespace
}  // namespace benchd
