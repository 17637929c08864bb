#pragma once

#include <cstdint>

#include "core/base/time.h"
#include "core/model/session.h"

namespace benchd {

/// What happened to a session that its statistics cannot know.
struct SessionNotes {
  std::uint64_t failed_runs = 0;  ///< that count like any other (--ignore-failure)
  bool interrupted = false;       ///< benchd or benchd-runner ended meanwhile
  std::uint64_t dropped_runs = 0;
  Nanoseconds paused{};  ///< for want of room on the disk
};

/// Adds a warning for each to the report: failed_runs, interrupted, paused. Pure.
void TellNotes(const SessionNotes& notes, Report& report);

}  // namespace benchd
