#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/model/session.h"

namespace benchd {

/// What happened to a session that its statistics cannot know.
struct SessionNotes {
  bool interrupted = false;  ///< benchd or benchd-runner ended meanwhile
  std::uint64_t dropped_runs = 0;
  Nanoseconds paused{};  ///< for want of room on the disk
};

/// Adds a warning for each to the report: interrupted, paused. Pure.
void AddNotes(const SessionNotes& notes, Report& report);

/// `lfs_pointers` about files that commands name, which the client found
/// (SessionSpec::lfs_pointers, not empty). Pure.
Warning PointersNamed(const std::vector<std::string>& paths);

/// Adds what the runner told as it gave the machine back to the record of the session: how each
/// setting stood then, and its warnings to the report, where there is one. Pure.
void AddReleaseReport(const MachineEnd& end, SessionSnapshot& snapshot);

/// How often benchd-runner died in a session without a block having been measured in between: a
/// benchmark that kills it would otherwise do so for ever. A value.
class RunnerDeaths {
 public:
  /// One more, with so many blocks measured. @return whether another try is worth it.
  bool ShouldRetry(std::uint64_t measured_blocks) {
    deaths_ = measured_blocks > blocks_ ? 1 : deaths_ + 1;
    blocks_ = measured_blocks;
    return deaths_ < kMost;
  }
  bool any() const { return deaths_ > 0; }
  /// The one before was in vain: to try again at once would be, too.
  bool repeated() const { return deaths_ > 1; }

 private:
  static constexpr int kMost = 3;

  int deaths_ = 0;
  std::uint64_t blocks_ = 0;
};

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
