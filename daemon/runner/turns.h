#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "daemon/runner/start_phase.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Shorter runs end before their threads have taken turns often enough to be told from others.
inline constexpr std::int64_t kLongEnoughForTurns = 25'000'000;

/// Whether a run had more to do at the same time than CPUs to do it on, so that its own threads and
/// processes took turns.
///
/// It used all of its CPUs' time, not by its first thread alone, and lost them in favour of its own
/// at least as often as the coarsest scheduler changes between two that would both run: every 25 ms
/// (EEVDF and CFS give slices of 3 to 24 ms, in whole ticks of up to 10 ms). Who else was there
/// shows in how often it lost its CPU to others. Where that is not known nothing is said: a busy
/// neighbour, kernel threads and a sibling look alike.
///
/// @param main   of the run's first thread; absent where it is not told: then that is not asked
/// @param forks  threads and processes made on the whole machine meanwhile; each may hide one
///               foreign switch
/// @param cpus   that it could use, > 0
inline bool TookTurns(const wire::RunFigures& run, const std::optional<ThreadSchedule>& main,
                      std::uint64_t forks, std::size_t cpus) {
  if (!run.foreign_switches || run.wall_time_ns < kLongEnoughForTurns) return false;
  const std::int64_t cpu_ns =
      1000 * run.tree_cpu_time_us.value_or(run.user_time_us + run.system_time_us);
  const std::int64_t capacity_ns = run.wall_time_ns * static_cast<std::int64_t>(cpus);
  if (10 * cpu_ns < 9 * capacity_ns) return false;
  if (main && 10 * main->ran_ns >= 9 * cpu_ns) return false;
  const std::int64_t to_others = *run.foreign_switches + static_cast<std::int64_t>(forks);
  const std::int64_t to_its_own = run.involuntary_switches - to_others;
  return to_its_own >= 2 && to_its_own * kLongEnoughForTurns >= run.wall_time_ns;
}

}  // namespace benchd
