#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/split_mix.h"
#include "daemon/observe/cpu_accounting.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Scheduler statistics of one thread over its lifetime (/proc/PID/schedstat).
struct ThreadSchedule {
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;  ///< runnable, but not on a CPU
};

/// Decides when a run may begin on CPUs that other processes also use.
///
/// On shared CPUs, the scheduler's ticks divide runs. If a run begins as soon as the previous one
/// has ended, its phase within the tick depends on the length of the previous run, and so does its
/// waiting time. A slower arm would therefore change the times of the other arm. A random delay of
/// up to one tick before each run makes its phase independent of the previous run. CPUs that are
/// not shared need no delay; the delay ends after a few undisturbed runs.
///
/// A value type, used by one MeasuredRun.
class StartPhase {
 public:
  explicit StartPhase(std::uint64_t seed) : numbers_(seed, 0) {}

  /// Returns true if Note() needs the schedule of the next run's main thread. This is the case only
  /// while runs appear to have waited, because reading the schedule takes a few file operations
  /// between two runs.
  bool Doubts() const { return doubtful_.any(); }

  /// Records a run that has ended. A run that was switched out and idle for a while may have waited
  /// for its CPU, or it may have slept after a kernel thread ran briefly. The schedule shows which
  /// is the case, unless other threads or processes did part of the work. Note() then assumes that
  /// the run waited, which costs half a tick per run.
  ///
  /// @param main  schedule of the run's main thread; absent if Doubts() was false or the kernel
  ///              does not provide it
  void Note(const wire::RunFigures& run, const std::optional<ThreadSchedule>& main) {
    const std::int64_t cpu_ns = 1000 * (run.user_time_us + run.system_time_us);
    const bool may_have_waited =
        run.involuntary_switches > 0 && run.wall_time_ns - cpu_ns >= kWaited;
    const bool worked_alone = main && 10 * main->ran_ns >= 9 * cpu_ns;
    const bool waited = worked_alone ? main->waited_ns >= kWaited : Doubts() && may_have_waited;
    waited_ <<= 1;
    waited_[0] = waited;
    doubtful_ <<= 1;
    doubtful_[0] = waited || may_have_waited;
  }

  /// Returns the delay before the next run in nanoseconds, distributed uniformly below one tick; 0
  /// if the CPUs are not shared.
  std::int64_t Draw() {
    const std::int64_t tick_ns = waited_.count() >= kFewestWaits ? KernelTickNs() : 0;
    if (tick_ns <= 0) return 0;
    // The range is far too small for the bias of the remainder to matter.
    return static_cast<std::int64_t>(numbers_.Next() % static_cast<std::uint64_t>(tick_ns));
  }

 private:
  /// In nanoseconds: far more than a kernel thread takes, and less than a scheduler's timeslice.
  static constexpr std::int64_t kWaited = 1'000'000;
  /// On shared CPUs, some runs do not wait. On other CPUs, a single run may be delayed.
  static constexpr std::size_t kWaitsRemembered = 16;
  static constexpr std::size_t kFewestWaits = 3;
  /// A few runs suffice, because on shared CPUs most runs appear to have waited.
  static constexpr std::size_t kDoubtsRemembered = 4;

  SplitMix64 numbers_;
  // One bit for each of the last runs, newest first.
  std::bitset<kDoubtsRemembered> doubtful_;
  std::bitset<kWaitsRemembered> waited_;
};

}  // namespace benchd
