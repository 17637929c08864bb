#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/model/session.h"

namespace benchd {

/// Events of a session that its statistics cannot know.
struct SessionNotes {
  bool interrupted = false;  ///< benchd or benchd-runner ended meanwhile
  std::uint64_t dropped_runs = 0;
  Nanoseconds paused{};  ///< because the disk was full
};

/// Adds the warnings `interrupted` and `paused` to the report, if they apply. Pure.
void AddNotes(const SessionNotes& notes, Report& report);

/// Returns the warning `lfs_pointers` about files in commands that the client has found
/// (SessionSpec::lfs_pointers, not empty). Pure.
Warning PointersNamed(const std::vector<std::string>& paths);

/// Adds the runner's report at the release of the machine to the session's record: the settings at
/// that time, and its warnings to the report if there is one. Pure.
void AddReleaseReport(const MachineEnd& end, SessionSnapshot& snapshot);

/// Counts how often benchd-runner died in a session without a block measured in between, so that a
/// benchmark that kills it cannot do so forever.
class RunnerDeaths {
 public:
  /// Counts another death, after `measured_blocks` blocks. @return whether to try again
  bool ShouldRetry(std::uint64_t measured_blocks) {
    deaths_ = measured_blocks > blocks_ ? 1 : deaths_ + 1;
    blocks_ = measured_blocks;
    return deaths_ < kMost;
  }
  bool any() const { return deaths_ > 0; }
  /// Returns whether the previous retry also failed, so that the next one should wait.
  bool repeated() const { return deaths_ > 1; }

 private:
  static constexpr int kMost = 3;

  int deaths_ = 0;
  std::uint64_t blocks_ = 0;
};

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
