#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// Returns the length of the kernel's tick (1 s / CONFIG_HZ), which is the resolution of its coarse
/// clocks (clock_getres(2)); 0 if it is unknown.
std::int64_t KernelTickNs();

/// The precision with which the kernel divides the CPU time of a process into user and system time.
///
/// Most kernels charge each tick to the mode that it interrupts. The sum is exact, but the division
/// is only a sample (Linux, kernel/sched/cputime.c, cputime_adjust()). The division is exact in
/// kernels that read the clock at every transition between the modes: those with
/// CONFIG_VIRT_CPU_ACCOUNTING_NATIVE, and those with CONFIG_VIRT_CPU_ACCOUNTING_GEN on the CPUs of
/// the boot parameter nohz_full. Try() determines the kind of this kernel.
///
/// A value type; created once, when the runner starts.
class CpuAccounting {
 public:
  /// Unknown precision; StepNs() returns 0.
  CpuAccounting() = default;
  /// @param tick_ns  the length of the kernel's tick
  /// @param exact    the CPUs on which the kernel divides exactly
  CpuAccounting(std::int64_t tick_ns, std::vector<int> exact)
      : tick_ns_(tick_ns), exact_(std::move(exact)) {}

  /// Determines the precision by measuring on the CPUs that this process may use, and on one of
  /// nohz_full. Each of the two takes most of one tick, or three times that if the division is
  /// exact.
  static CpuAccounting Try(const KernelFiles& files);

  /// Returns the smallest step of the user and system time of a program that runs on `cpus` (empty:
  /// on any CPU); 0 if it is unknown.
  std::int64_t StepNs(const std::vector<int>& cpus) const;

 private:
  std::int64_t tick_ns_ = 0;
  bool exact_everywhere_ = false;
  std::vector<int> exact_;
};

}  // namespace benchd
