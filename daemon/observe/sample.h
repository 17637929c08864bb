#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/session.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/process_stat.h"

namespace benchd {

/// Activity of a CPU since boot. The ticks are those of CpuTicks (proc_stat.h).
struct CpuCounters {
  std::uint64_t busy_ticks = 0;   ///< user, nice, system, irq, softirq
  std::uint64_t irq_ticks = 0;    ///< irq, softirq
  std::uint64_t steal_ticks = 0;  ///< taken by the host of a virtual machine
  std::uint64_t total_ticks = 0;
  std::optional<std::uint64_t> waited_ns;  ///< waiting time of runnable threads (proc/schedstat)
  std::optional<std::uint64_t> throttled;  ///< number of slowdowns because of heat
  std::optional<std::uint64_t> frequency_khz;  ///< current frequency
};

/// All counters of disturbances on the machine at one moment.
struct MachineSample {
  std::int64_t at_ns = 0;  ///< CLOCK_MONOTONIC
  std::map<int, CpuCounters> cpus;
  std::map<std::int32_t, ProcessCounters> processes;  ///< by pid
  /// Device interrupts, added up over the sampled CPUs, by name: "nvme0q1 (IRQ 41)".
  std::map<std::string, std::uint64_t> interrupts;
  /// Interrupts that belong to a CPU and cannot be moved, such as "Local timer interrupts".
  std::map<std::string, std::uint64_t> cpu_interrupts;
  std::int64_t own_children_us = 0;  ///< CPU time of our reaped children (getrusage)
};

/// Takes a sample for the given CPUs, in ascending order. Values that cannot be read are left out.
///
/// Reads one file per process, which takes about 10 us each. Use between runs only.
MachineSample TakeSample(const KernelFiles& files, const std::vector<int>& cpus);

/// The CPU activity between two samples, added up over the CPUs that are in both. A counter that
/// decreased (because its CPU was offline meanwhile) counts as unchanged.
struct CpuChange {
  std::vector<int> cpus;  ///< the CPUs that are in both samples
  double seconds = 0;     ///< available CPU time: 2 CPUs in 1 s have 2 s
  double busy_s = 0;
  double irq_s = 0;
  double steal_s = 0;
  /// Standard deviation of the error in `busy_s` that the kernel's tick-based counting causes.
  double busy_error_s = 0;
};
CpuChange ChangeOf(const MachineSample& before, const MachineSample& after,
                   const std::vector<int>& cpus);

/// Returns the time between the two samples, in seconds.
double SecondsBetween(const MachineSample& before, const MachineSample& after);

/// Returns the CPU time of our children that ended between the samples. They run on the benchmark
/// CPUs, except for the runner's helpers. Subtracting this from `busy_s` therefore gives the time
/// that other processes used, or slightly less.
double OwnSeconds(const MachineSample& before, const MachineSample& after);

/// A process that used CPU time between two samples.
struct BusyProcess {
  std::int32_t pid = 0;
  std::string name;
  double seconds = 0;
  bool kernel = false;
};

/// Returns the processes that last ran on one of `cpus`, busiest first. Processes that ended before
/// the second sample are not included. A process with several threads counts for the CPU of its
/// first thread.
std::vector<BusyProcess> BusyProcesses(const MachineSample& before, const MachineSample& after,
                                       const std::vector<int>& cpus);

/// Returns the increase of a counter; 0 if it decreased.
inline std::uint64_t Rise(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

/// Returns warnings about the benchmark CPUs between two samples, with the codes frequency,
/// throttling, steal, other_process and contention. A value that is missing in either sample does
/// not cause a warning. change.cc has the thresholds and the reasons for them.
///
/// @param used  the CPUs that children were pinned to; only these are judged
std::vector<Warning> CompareSamples(const MachineSample& before, const MachineSample& after,
                                    const std::vector<int>& used);

/// Reads the facts about the machine that affect results, in the order in which they are shown:
/// hostname, kernel, kernel_command_line, cpu, cpus, memory_bytes, clocksource, load (of the last
/// minute), boot_id, load_5m, load_15m, uptime_s, swap_bytes, microcode, mitigations, smt,
/// cpufreq_driver, idle_driver, hypervisor, machine. The last one is a unique name of 32
/// hexadecimal digits, derived from the machine-id without revealing it.
///
/// Facts that cannot be read are left out. Does not change any setting.
Environment ReadEnvironment(const KernelFiles& files);

/// Returns the hypervisor of this machine, such as "KVM" or "xen"; "unknown" if it cannot be
/// identified. Empty on real hardware, and if a hypervisor cannot be detected.
std::string ReadHypervisor(const KernelFiles& files);

}  // namespace benchd
