#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/warning.h"

namespace benchd {

// Functions that pass warnings from benchctl's build of commits (client/git/missing_files.h) to the
// report. The build is a command of the session, so it writes its warnings as lines to the
// session's log.

/// Formats a warning as a log line with code, message and newline. Replaces control characters by
/// spaces.
std::string LogWarningLine(const Warning& warning);

/// Returns the distinct warnings in a log, with the severity and hint of their codes. The log is
/// the output of an untrusted build, so only codes for missing files are accepted, and only the
/// first 20 warnings. Pure.
std::vector<Warning> WarningsInLog(std::string_view log);

/// Formats the last line of the log, with its newline, for a build that failed at one commit.
std::string BuildFailureLine(std::string_view commit, int exit_code);

/// Returns the commit named in the last line of a log, if that line is a BuildFailureLine(). Pure.
std::optional<std::string> FailedBuildInLog(std::string_view log);

}  // namespace benchd
