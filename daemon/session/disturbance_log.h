#pragma once

#include <utility>
#include <vector>

#include "core/base/time.h"

namespace benchd {

/// When the daemon did something for clients while children were measured (Run::disturbances).
///
/// Owned by the queue, which notes; read by the session that runs. Loop's thread only.
class DisturbanceLog {
 public:
  /// From now on what is noted is kept.
  void Begin() {
    times_.clear();
    recording_ = true;
  }
  void Note(SteadyTime when) {
    if (recording_) times_.push_back(when);
  }
  /// What was noted since Begin(), in order; nothing is kept any more.
  std::vector<SteadyTime> End() {
    recording_ = false;
    return std::exchange(times_, {});
  }

 private:
  bool recording_ = false;
  std::vector<SteadyTime> times_;
};

}  // namespace benchd
