#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "daemon/system/kernel_files.h"

namespace benchd {

/// Other people's threads that were put onto certain CPUs, and are put back there.
///
/// Before Linux 6.2 a change of a cpuset gives every thread in it all of its CPUs: who was pinned
/// is pinned no more. This remembers them before and pins again those that lost it. It is no
/// setting: a kill in between loses it, and later kernels need none of it.
class PinnedThreads {
 public:
  /// Looks at every thread but ours; nothing is remembered below another root than "/".
  void Remember(const KernelFiles& files);
  /// Pins those again that live still and may now run anywhere. Idempotent.
  void PutBack(const KernelFiles& files);

 private:
  struct Thread {
    pid_t tid = 0;
    std::uint64_t started_ticks = 0;  ///< its number may be somebody else's by then
    cpu_set_t cpus{};
  };
  std::vector<Thread> threads_;
};

}  // namespace benchd
