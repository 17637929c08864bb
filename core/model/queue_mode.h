#pragma once

namespace benchd {

/// What admins asked of the queue; lasts until `resume`, also over a restart.
struct QueueMode {
  bool paused = false;    ///< no further session starts
  bool draining = false;  ///< nor is one taken
  bool operator==(const QueueMode&) const = default;
};

}  // namespace benchd
