#pragma once

#include <chrono>
#include <ctime>

namespace benchd {

/// Returns the CPU time of this process. Unlike the time of a clock, it does not grow while other
/// programs have the CPU.
inline std::chrono::nanoseconds CpuTime() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace benchd
