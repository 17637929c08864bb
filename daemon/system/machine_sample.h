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

/// What a CPU has done since the machine started. Ticks are the kernel's for users: USER_HZ, a
/// hundredth of a second nearly everywhere (sysconf(_SC_CLK_TCK)).
///
/// Source of the ticks: proc_stat(5). What a guest of ours used is inside user and nice there, and
/// is not added again.
struct CpuCounters {
  std::uint64_t busy_ticks = 0;   ///< user, nice, system, irq, softirq
  std::uint64_t irq_ticks = 0;    ///< irq, softirq
  std::uint64_t steal_ticks = 0;  ///< taken by the host of a virtual machine
  std::uint64_t total_ticks = 0;
  std::optional<std::uint64_t> waited_ns;      ///< runnable threads' waiting (proc/schedstat)
  std::optional<std::uint64_t> throttled;      ///< times it was slowed down for heat
  std::optional<std::uint64_t> frequency_khz;  ///< at this moment
};

/// What one process has used, with all its threads, and where its first thread was last.
struct ProcessCounters {
  std::string name;  ///< at most 15 printable characters: /proc/PID/comm
  std::uint64_t busy_ticks = 0;
  std::uint64_t started_ticks = 0;  ///< since the machine started: tells two users of a pid apart
  int cpu = -1;
  bool kernel = false;  ///< a thread of the kernel's own
  bool bound = false;   ///< ... whose CPUs nobody may change
};

/// Everything about the machine's unrest that counts up, at one moment.
struct MachineSample {
  std::int64_t at_ns = 0;  ///< CLOCK_MONOTONIC
  std::map<int, CpuCounters> cpus;
  std::map<std::int32_t, ProcessCounters> processes;  ///< by pid
  /// On the watched CPUs together, by name: "nvme0q1 (IRQ 41)".
  std::map<std::string, std::uint64_t> interrupts;
  /// The CPUs' own, which go nowhere else: "Local timer interrupts".
  std::map<std::string, std::uint64_t> cpu_interrupts;
  std::int64_t own_children_us = 0;  ///< CPU time of our reaped children (getrusage)
};

/// Takes the text of proc/PID/stat apart (proc_pid_stat(5)); empty for what is none.
std::optional<ProcessCounters> ParseProcess(std::string_view text);

/// Takes a sample for the given CPUs. What cannot be read is left out.
///
/// Reads a file of every process: some 10 us each, so between runs only.
MachineSample TakeSample(const KernelFiles& files, const std::vector<int>& cpus);

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

/// What happened on the benchmark CPUs between two samples that a reader of a verdict should know:
/// codes frequency, throttling, steal, other_process, contention. What was not read at both ends
/// gives no warning. The thresholds and their reasons stand in sample_change.cc.
///
/// @param used  the CPUs that children were kept on, the only ones that are judged
std::vector<Warning> CompareSamples(const MachineSample& before, const MachineSample& after,
                                    const std::vector<int>& used);

/// The facts about the machine that a result depends on and a reader asks for, in the order shown:
/// hostname, kernel, kernel_command_line, cpu, cpus, memory_bytes, clocksource, load (of the last
/// minute), boot_id, load_5m, load_15m, uptime_s, swap_bytes, microcode, mitigations, smt,
/// cpufreq_driver, idle_driver, hypervisor, machine (its name among all machines: 32 hexadecimal
/// digits that its machine-id gives, and that do not give that).
///
/// A fact that cannot be read is left out. Reads files only; takes no setting.
Environment ReadEnvironment(const KernelFiles& files);

/// What the machine is a guest of ("KVM", "xen"; "unknown" where it is one and does not say whose);
/// empty on real hardware, and where it cannot be told (only x86 tells).
std::string ReadHypervisor(const KernelFiles& files);

}  // namespace benchd
