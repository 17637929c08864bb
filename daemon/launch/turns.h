#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "daemon/launch/start_phase.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// The shortest run, in nanoseconds, that is checked. In shorter runs, the run's own threads take
/// turns too rarely to be distinguished from other processes.
inline constexpr std::int64_t kLongEnoughForTurns = 25'000'000;

/// Returns true if a run had more concurrent work than CPUs, so that its own threads and processes
/// took turns.
///
/// Three conditions must hold. The run used nearly all the time of its CPUs; its first thread did
/// not do so alone; and the run lost its CPUs to its own threads at least once every 25 ms. Even
/// the coarsest scheduler switches that often between two runnable threads (EEVDF and CFS use
/// slices of 3 to 24 ms, in whole ticks of up to 10 ms). Switches to other processes are known from
/// the metric foreign_switches. Without that metric the result is false, because switches to other
/// processes or kernel threads would look like switches to the run's own threads.
///
/// @param main   schedule of the run's first thread; absent: the second condition is skipped
/// @param forks  number of threads and processes created on the whole machine during the run; each
///               may hide one foreign switch
/// @param cpus   number of CPUs that the run could use, > 0
inline bool TookTurns(const wire::RunFigures& run, const std::optional<ThreadSchedule>& main,
                      std::uint64_t forks, std::size_t cpus) {
  const auto foreign = run.Find("foreign_switches");
  if (!foreign || run.wall_time_ns < kLongEnoughForTurns) return false;
  const std::int64_t cpu_ns =
      1000 * run.Find("tree_cpu_time").value_or(run.user_time_us + run.system_time_us);
  const std::int64_t capacity_ns = run.wall_time_ns * static_cast<std::int64_t>(cpus);
  if (10 * cpu_ns < 9 * capacity_ns) return false;
  if (main && 10 * main->ran_ns >= 9 * cpu_ns) return false;
  const std::int64_t to_others = *foreign + static_cast<std::int64_t>(forks);
  const std::int64_t to_its_own = run.involuntary_switches - to_others;
  return to_its_own >= 2 && to_its_own * kLongEnoughForTurns >= run.wall_time_ns;
}

}  // namespace benchd
