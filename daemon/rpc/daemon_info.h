#pragma once

#include <string>
#include <vector>

namespace benchd::rpc {

/// What the daemon says about itself in QueueService.Get. Owned by main, changed and read on the
/// loop's thread.
struct DaemonInfo {
  std::string version;
  int pid = 0;
  /// Where the daemon keeps itself; empty until a runner has said.
  std::vector<int> housekeeping_cpus;
};

}  // namespace benchd::rpc
