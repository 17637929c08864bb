#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/system/machine_sample.h"

namespace benchd {

/// What CPUs did between two samples, added up; only those in both. Counters that went backwards
/// (a CPU that was offline meanwhile) count as unchanged.
struct CpuChange {
  std::vector<int> cpus;  ///< that could be compared
  double seconds = 0;     ///< of time that these CPUs had, together: 2 CPUs in 1 s have 2 s
  double busy_s = 0;
  double irq_s = 0;
  double steal_s = 0;
  /// One standard deviation of what `busy_s` may be off because the kernel counts by ticks.
  double busy_error_s = 0;
};
CpuChange ChangeOf(const MachineSample& before, const MachineSample& after,
                   const std::vector<int>& cpus);

/// From the first to the second, in seconds.
double SecondsBetween(const MachineSample& before, const MachineSample& after);

/// CPU time of our children that ended in between. They are kept on the benchmark CPUs, but for the
/// runner's helpers: what is left of `busy_s` without it is what others used, or a little less.
double OwnSeconds(const MachineSample& before, const MachineSample& after);

/// A process of which CPU time was counted between two samples.
struct BusyProcess {
  std::int32_t pid = 0;
  std::string name;
  double seconds = 0;
  bool kernel = false;
};

/// The processes that were last on one of `cpus`, busiest first. One that has ended is in no second
/// sample and cannot be named; one of many threads counts where its first thread is.
std::vector<BusyProcess> BusyProcesses(const MachineSample& before, const MachineSample& after,
                                       const std::vector<int>& cpus);

/// How much a counter rose; 0 when it fell.
inline std::uint64_t Rise(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

}  // namespace benchd
