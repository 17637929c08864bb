#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/warning.h"

namespace benchd {

// What benchctl's build of commits (client/git/missing_files.h) has for the verdict. It is a
// command of the session: what it says comes as lines of its log.

/// The line, with its newline: code and message. Control characters of the message become spaces.
std::string LogWarningLine(const Warning& warning);

/// All such lines of a log, the same one once, with the severity and hint of their codes. Only
/// codes of what a build did not fetch, and the first 20: the log is whatever a user's build
/// printed. Pure.
std::vector<Warning> WarningsInLog(std::string_view log);

/// The line, with its newline, with which the build ends if that of one commit fails.
std::string BuildFailureLine(std::string_view commit, int exit_code);

/// The commit that such a line at the end of a log names. Pure.
std::optional<std::string> FailedBuildInLog(std::string_view log);

}  // namespace benchd
