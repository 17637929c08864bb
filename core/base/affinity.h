#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Returns the CPUs that a thread may run on; tid 0 is the calling thread.
/// @errors kNotFound if the thread has ended
Result<std::vector<int>> ReadAffinity(pid_t tid);

/// Pins a thread to these CPUs; numbers of kMaxCpus or more are ignored. Call again for the calling
/// thread after it has moved to another cpuset, because the kernel then resets its CPU mask.
/// @errors kNotFound if the thread has ended; kInternal if all of the CPUs are unavailable
Result<void> SetAffinity(pid_t tid, const std::vector<int>& cpus);

/// Pins all threads of this process to these CPUs, also those that start meanwhile. An empty list
/// has no effect.
/// @errors kInternal if all of the CPUs are unavailable
Result<void> ConfineProcess(const std::vector<int>& cpus);

/// Restores the affinity of the calling thread when it is destroyed.
class KeptAffinity {
 public:
  KeptAffinity();
  ~KeptAffinity();
  KeptAffinity(const KeptAffinity&) = delete;
  KeptAffinity& operator=(const KeptAffinity&) = delete;

 private:
  std::optional<std::vector<int>> cpus_;
};

}  // namespace benchd
