#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "daemon/system/kernel_files.h"

namespace benchd {

/// One tick of the running kernel (CONFIG_HZ), which is the resolution of its coarse clocks
/// (clock_getres(2)); 0 if it has none.
std::int64_t KernelTickNs();

/// The precision with which the kernel divides the CPU time of a process into user and system time.
///
/// Most kernels charge a whole tick to the mode that the tick interrupts: the sum is exact, the
/// division is a sample (Linux, kernel/sched/cputime.c, cputime_adjust()). Kernels that read the
/// clock whenever a program enters or leaves them divide it exactly: those with
/// CONFIG_VIRT_CPU_ACCOUNTING_NATIVE, and those with _GEN on the CPUs of the parameter nohz_full.
/// Try() finds out which kind this kernel is.
///
/// A value; made once, when the runner starts.
class CpuAccounting {
 public:
  /// Knows nothing: StepNs() returns 0.
  CpuAccounting() = default;
  /// @param tick_ns  the kernel's tick
  /// @param exact    the CPUs on which the kernel divides exactly
  CpuAccounting(std::int64_t tick_ns, std::vector<int> exact)
      : tick_ns_(tick_ns), exact_(std::move(exact)) {}

  /// Measures on the CPUs that this process may use, and on one of nohz_full. Each takes most of
  /// one tick, or three times that if the division is exact.
  static CpuAccounting Try(const KernelFiles& files);

  /// The smallest step of the user and system time of a program that runs on `cpus` (empty: on any
  /// CPU); 0 if unknown.
  std::int64_t StepNs(const std::vector<int>& cpus) const;

 private:
  std::int64_t tick_ns_ = 0;
  bool exact_everywhere_ = false;
  std::vector<int> exact_;
};

}  // namespace benchd
