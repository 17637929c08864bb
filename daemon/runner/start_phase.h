#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "core/base/split_mix.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// When a run may begin on CPUs that others use as well.
///
/// There the scheduler's ticks cut runs up. One that begins where the last one ended begins at a
/// place within the tick that follows from that one's length, and so does what it has to wait: a
/// longer arm then changes the times of the other one. A random wait of up to one tick in front of
/// each run makes its beginning independent of the run before. CPUs that nobody else uses need
/// none, and a few quiet runs end it.
///
/// A value, used by one MeasuredRun.
class StartPhase {
 public:
  explicit StartPhase(std::uint64_t seed) : numbers_(seed, 0) {}

  /// After each run: whether it had to wait for its CPU. A program that sleeps may be mistaken for
  /// one that waits, which costs half a tick a run.
  void Note(const wire::RunFigures& run) {
    const std::int64_t idle_ns = run.wall_time_ns - 1000 * (run.user_time_us + run.system_time_us);
    const bool waited = run.involuntary_switches > 0 && idle_ns >= kWaited;
    shared_ = waited ? kRemembered : std::max(shared_ - 1, 0);
  }

  /// How long the next run is to wait, in ns, uniform below one tick; 0 where CPUs are not shared.
  std::int64_t Draw() {
    const std::uint64_t tick_ns = shared_ > 0 ? TickNs() : 0;
    // Far too few values for the remainder's bias to matter.
    return tick_ns > 0 ? static_cast<std::int64_t>(numbers_.Next() % tick_ns) : 0;
  }

 private:
  /// Far beyond what a kernel thread takes, below what a scheduler's slice is.
  static constexpr std::int64_t kWaited = 1'000'000;
  /// Not every run beside others has to wait.
  static constexpr int kRemembered = 16;

  static std::uint64_t TickNs() {
    timespec tick{};
    return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0
               ? static_cast<std::uint64_t>(tick.tv_nsec)
               : 0;
  }

  SplitMix64 numbers_;
  int shared_ = 0;  // for so many runs from now on
};

}  // namespace benchd
