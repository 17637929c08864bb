#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "daemon/system/kernel_files.h"

namespace benchd {

/// One tick of the running kernel (CONFIG_HZ), which is the resolution of its coarse clocks
/// (clock_getres(2)); 0 where there are none.
std::int64_t KernelTickNs();

/// How finely the kernel divides the CPU time of a process into user and system time.
///
/// Mostly it charges what its tick interrupts: their sum is exact, the division a sample (Linux,
/// kernel/sched/cputime.c, cputime_adjust()). Kernels that look at the clock whenever a program
/// enters or leaves them divide it exactly: those with CONFIG_VIRT_CPU_ACCOUNTING_NATIVE, and those
/// with _GEN on the CPUs of the parameter nohz_full. Which of them this one is, is tried.
///
/// A value; made once, when the runner starts.
class CpuAccounting {
 public:
  /// Nothing is known.
  CpuAccounting() = default;
  /// @param tick_ns  of the kernel
  /// @param exact    the CPUs on which it divides exactly
  CpuAccounting(std::int64_t tick_ns, std::vector<int> exact)
      : tick_ns_(tick_ns), exact_(std::move(exact)) {}

  /// Tries it on the CPUs that this process may use, and on one of nohz_full, which takes most of a
  /// tick of their time each, three times that where it turns out to be exact.
  static CpuAccounting Try(const KernelFiles& files);

  /// The smallest step of the user and the system time of a program that runs on `cpus`, empty:
  /// anywhere; 0 = not known.
  std::int64_t StepNs(const std::vector<int>& cpus) const;

 private:
  std::int64_t tick_ns_ = 0;
  bool exact_everywhere_ = false;
  std::vector<int> exact_;
};

}  // namespace benchd
