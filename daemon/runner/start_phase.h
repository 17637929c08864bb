#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/split_mix.h"
#include "daemon/system/cpu_accounting.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// What the kernel's scheduler did for one thread in all its life (/proc/PID/schedstat).
struct ThreadSchedule {
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;  ///< able to run, while others had its CPU
};

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

  /// Whether Note() wants to be told of the next run's main thread: only while runs look as if they
  /// had to wait, as to ask costs a few file operations between two runs.
  bool Doubts() const { return doubtful_.any(); }

  /// After each run. One that was switched out and idle for a while may have waited for its CPU, or
  /// have slept after a kernel thread was there for a moment: the kernel knows which, unless other
  /// threads or processes did part of the work. Then the worse is taken to be true, which costs
  /// half a tick a run.
  ///
  /// @param main  of the run's main thread; absent where Doubts() was false, or it is not told.
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

  /// How long the next run is to wait, in ns, uniform below one tick; 0 where CPUs are not shared.
  std::int64_t Draw() {
    const std::int64_t tick_ns = waited_.count() >= kFewestWaits ? KernelTickNs() : 0;
    if (tick_ns <= 0) return 0;
    // Far too few values for the remainder's bias to matter.
    return static_cast<std::int64_t>(numbers_.Next() % static_cast<std::uint64_t>(tick_ns));
  }

 private:
  /// Far beyond what a kernel thread takes, below what a scheduler's slice is.
  static constexpr std::int64_t kWaited = 1'000'000;
  /// Not every run beside others has to wait, and one alone may be held up once.
  static constexpr std::size_t kWaitsRemembered = 16;
  static constexpr std::size_t kFewestWaits = 3;
  /// Where CPUs are shared most runs renew it.
  static constexpr std::size_t kDoubtsRemembered = 4;

  SplitMix64 numbers_;
  // The last runs, the newest first:
  std::bitset<kDoubtsRemembered> doubtful_;
  std::bitset<kWaitsRemembered> waited_;
};

}  // namespace benchd
