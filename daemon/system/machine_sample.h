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

/// What happened on the benchmark CPUs between two samples that a reader of a verdict should know:
/// codes frequency, throttling, steal, other_process, contention. What was not read at both ends
/// gives no warning. The thresholds and their reasons stand in sample_change.cc.
///
/// @param used  the CPUs that children were kept on, the only ones that are judged
std::vector<Warning> CompareSamples(const MachineSample& before, const MachineSample& after,
                                    const std::vector<int>& used);

}  // namespace benchd
