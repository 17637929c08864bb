#include "daemon/launch/start_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace benchd {
namespace {

wire::RunFigures RunOf(std::int64_t wall_ms, std::int64_t cpu_ms, std::int64_t switches) {
  wire::RunFigures run;
  run.wall_time_ns = wall_ms * 1'000'000;
  run.user_time_us = cpu_ms * 1000;
  run.involuntary_switches = switches;
  return run;
}

std::int64_t Tick() {
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  return tick.tv_nsec;
}

constexpr std::int64_t kMillisecond = 1'000'000;
const wire::RunFigures kSwitchedOutAndIdle = RunOf(9, 5, 1);
const wire::RunFigures kQuiet = RunOf(5, 5, 0);
/// The schedule of a main thread that did all the work of that run, after `waited_ms` of waiting.
ThreadSchedule AloneAfter(std::int64_t waited_ms) {
  return {5 * kMillisecond, waited_ms * kMillisecond};
}

TEST(StartPhaseTest, WaitsForNothingWhereRunsHaveTheirCpu) {
  StartPhase phase(5);
  EXPECT_EQ(phase.Draw(), 0) << "before any run";
  phase.Note(RunOf(5, 5, 3), {});
  EXPECT_FALSE(phase.Doubts()) << "interrupted, but resumed at once";
  EXPECT_EQ(phase.Draw(), 0);
  phase.Note(RunOf(15, 5, 0), {});
  EXPECT_FALSE(phase.Doubts()) << "it slept voluntarily";
  EXPECT_EQ(phase.Draw(), 0);
}

TEST(StartPhaseTest, AProgramThatSleepsIsNotTakenForOneThatWaits) {
  StartPhase phase(5);
  for (int i = 0; i < 20; ++i) {
    phase.Note(kSwitchedOutAndIdle, phase.Doubts() ? std::optional(AloneAfter(0)) : std::nullopt);
    EXPECT_TRUE(phase.Doubts());
    EXPECT_EQ(phase.Draw(), 0) << "run " << i;
  }
}

/// The state after one run that raised a doubt and three runs that waited.
StartPhase Shared() {
  StartPhase phase(5);
  phase.Note(kSwitchedOutAndIdle, {});
  for (int i = 0; i < 3; ++i) phase.Note(kSwitchedOutAndIdle, AloneAfter(4));
  return phase;
}

TEST(StartPhaseTest, ACpuIsSharedWhereThreeOfTheLastRunsWaited) {
  StartPhase phase(5);
  phase.Note(kSwitchedOutAndIdle, {});
  for (int waits = 1; waits <= 2; ++waits) {
    phase.Note(kSwitchedOutAndIdle, AloneAfter(4));
    phase.Note(kQuiet, AloneAfter(0));
    EXPECT_EQ(phase.Draw(), 0) << "after " << waits;
    EXPECT_TRUE(phase.Doubts());
  }
  phase.Note(kQuiet, AloneAfter(4));
  EXPECT_GT(phase.Draw(), 0);
}

TEST(StartPhaseTest, WhereTheKernelDoesNotTellItMayHaveWaited) {
  StartPhase phase(5);
  for (int i = 0; i < 4; ++i) phase.Note(kSwitchedOutAndIdle, {});
  EXPECT_GT(phase.Draw(), 0);
}

TEST(StartPhaseTest, OfTheWaitingOfOtherThreadsTheMainOneTellsNothing) {
  StartPhase phase(5);
  for (int i = 0; i < 4; ++i) phase.Note(kSwitchedOutAndIdle, ThreadSchedule{kMillisecond, 0});
  EXPECT_GT(phase.Draw(), 0);
}

TEST(StartPhaseTest, RemembersSixteenRunsAndDoubtsFour) {
  StartPhase phase = Shared();
  for (int quiet = 1; quiet < 14; ++quiet) {
    phase.Note(kQuiet, AloneAfter(0));
    EXPECT_EQ(phase.Doubts(), quiet < 4) << quiet;
    EXPECT_GT(phase.Draw(), 0) << quiet;
  }
  phase.Note(kQuiet, {});
  EXPECT_EQ(phase.Draw(), 0);
}

TEST(StartPhaseTest, WaitsAreSpreadOverOneTick) {
  StartPhase phase = Shared();
  constexpr int kDraws = 10'000;
  std::vector<std::int64_t> tenths(10);
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t wait = phase.Draw();
    ASSERT_GE(wait, 0);
    ASSERT_LT(wait, Tick());
    ++tenths[static_cast<std::size_t>(10 * wait / Tick())];
  }
  // A thousand each, within six standard deviations.
  EXPECT_GT(*std::ranges::min_element(tenths), 1000 - 180);
  EXPECT_LT(*std::ranges::max_element(tenths), 1000 + 180);
}

}  // namespace
}  // namespace benchd
