#pragma once

#include <cstdint>
#include <string>
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

}  // namespace benchd
