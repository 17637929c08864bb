#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/session.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// Activity of a CPU since the machine started. Ticks are in USER_HZ, which is a hundredth of a
/// second nearly everywhere (sysconf(_SC_CLK_TCK)).
///
/// Source of the ticks: proc_stat(5). The time of our own guests is already part of user and nice
/// there, and is not added again.
struct CpuCounters {
  std::uint64_t busy_ticks = 0;   ///< user, nice, system, irq, softirq
  std::uint64_t irq_ticks = 0;    ///< irq, softirq
  std::uint64_t steal_ticks = 0;  ///< taken by the host of a virtual machine
  std::uint64_t total_ticks = 0;
  std::optional<std::uint64_t> waited_ns;  ///< waiting time of runnable threads (proc/schedstat)
  std::optional<std::uint64_t> throttled;  ///< times it was slowed down because of heat
  std::optional<std::uint64_t> frequency_khz;  ///< at this moment
};

/// CPU time of one process with all its threads, and the last CPU of its first thread.
struct ProcessCounters {
  std::string name;  ///< at most 15 printable characters: /proc/PID/comm
  std::uint64_t busy_ticks = 0;
  std::uint64_t started_ticks = 0;  ///< since boot; distinguishes processes that reuse a pid
  int cpu = -1;
  bool kernel = false;  ///< a kernel thread
  bool bound = false;   ///< ... whose CPU affinity cannot be changed
};

/// All counters of disturbances on the machine, at one moment.
struct MachineSample {
  std::int64_t at_ns = 0;  ///< CLOCK_MONOTONIC
  std::map<int, CpuCounters> cpus;
  std::map<std::int32_t, ProcessCounters> processes;  ///< by pid
  /// Device interrupts on the watched CPUs together, by name: "nvme0q1 (IRQ 41)".
  std::map<std::string, std::uint64_t> interrupts;
  /// Interrupts that belong to a CPU and cannot move: "Local timer interrupts".
  std::map<std::string, std::uint64_t> cpu_interrupts;
  std::int64_t own_children_us = 0;  ///< CPU time of our reaped children (getrusage)
};

/// Parses the text of proc/PID/stat (proc_pid_stat(5)); empty if it is malformed.
std::optional<ProcessCounters> ParseProcess(std::string_view text);

/// Takes a sample for the given CPUs. Values that cannot be read are left out.
///
/// Reads a file of every process, some 10 us each, so use it between runs only.
MachineSample TakeSample(const KernelFiles& files, const std::vector<int>& cpus);

/// The sum of CPU activity between two samples, for CPUs in both. Counters that decreased (because
/// a CPU was offline meanwhile) count as unchanged.
struct CpuChange {
  std::vector<int> cpus;  ///< that could be compared
  double seconds = 0;     ///< available CPU time: 2 CPUs in 1 s have 2 s
  double busy_s = 0;
  double irq_s = 0;
  double steal_s = 0;
  /// Standard deviation of the error in `busy_s` that the kernel's tick-based counting causes.
  double busy_error_s = 0;
};
CpuChange ChangeOf(const MachineSample& before, const MachineSample& after,
                   const std::vector<int>& cpus);

/// Time between the two samples, in seconds.
double SecondsBetween(const MachineSample& before, const MachineSample& after);

/// CPU time of our children that ended in between. They run on the benchmark CPUs, except for the
/// runner's helpers. `busy_s` minus this is therefore the time that other processes used, or
/// slightly less.
double OwnSeconds(const MachineSample& before, const MachineSample& after);

/// A process that used CPU time between two samples.
struct BusyProcess {
  std::int32_t pid = 0;
  std::string name;
  double seconds = 0;
  bool kernel = false;
};

/// The processes that last ran on one of `cpus`, busiest first. A process that has ended is not in
/// the second sample and is not listed; a process of many threads counts for the CPU of its first
/// thread.
std::vector<BusyProcess> BusyProcesses(const MachineSample& before, const MachineSample& after,
                                       const std::vector<int>& cpus);

/// The increase of a counter; 0 if it decreased.
inline std::uint64_t Rise(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

/// Warnings about the benchmark CPUs between two samples: codes frequency, throttling, steal,
/// other_process, contention. A value that was not read in both samples gives no warning.
/// sample_change.cc has the thresholds and the reasons for them.
///
/// @param used  the CPUs that children were pinned to; only these are judged
std::vector<Warning> CompareSamples(const MachineSample& before, const MachineSample& after,
                                    const std::vector<int>& used);

/// The facts about the machine that affect results, in the order in which they are shown: hostname,
/// kernel, kernel_command_line, cpu, cpus, memory_bytes, clocksource, load (of the last minute),
/// boot_id, load_5m, load_15m, uptime_s, swap_bytes, microcode, mitigations, smt, cpufreq_driver,
/// idle_driver, hypervisor, machine (a unique name of 32 hexadecimal digits, derived from the
/// machine-id but not revealing it).
///
/// A fact that cannot be read is left out. Reads files only; changes no setting.
Environment ReadEnvironment(const KernelFiles& files);

/// The hypervisor of this machine ("KVM", "xen"; "unknown" if it has one that cannot be
/// identified). Empty on real hardware, and wherever a hypervisor cannot be detected.
std::string ReadHypervisor(const KernelFiles& files);

}  // namespace benchd
