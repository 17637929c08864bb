#pragma once

#include <string>

#include "core/model/caller.h"
#include "core/model/session.h"

namespace benchd {

/// Who did something, for the history: "uid 1000 (pid 123)".
std::string NameOf(const Caller& caller);

/// What a new state is called in the history: "running", "done: pass", "failed: base, block 3:
/// ...".
/// @param canceller  who asked for it, where the state is `cancelled`.
std::string DescribeState(const SessionSnapshot& snapshot, const std::string& canceller);

/// Of a session that will go on: benchd said so when it was stopped, or found out afterwards.
inline constexpr const char* kInterruptedByStop = "interrupted: benchd was stopped";
inline constexpr const char* kInterruptedByEnd = "interrupted: benchd ended while it ran";

}  // namespace benchd
