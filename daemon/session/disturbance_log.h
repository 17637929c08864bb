#pragma once

#include <utility>
#include <vector>

#include "core/base/time.h"

namespace benchd {

/// Times at which the daemon served clients while children were measured (Run::disturbances).
///
/// Owned by the queue, which writes it; read by the running session. Loop's thread only.
class DisturbanceLog {
 public:
  /// Starts recording.
  void Begin() {
    times_.clear();
    recording_ = true;
  }
  void Note(SteadyTime when) {
    if (recording_) times_.push_back(when);
  }
  /// Stops recording. @return the times since Begin(), in order
  std::vector<SteadyTime> End() {
    recording_ = false;
    return std::exchange(times_, {});
  }

 private:
  bool recording_ = false;
  std::vector<SteadyTime> times_;
};

}  // namespace benchd
