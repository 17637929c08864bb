#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/warning.h"

namespace benchd {

// Warnings from benchctl's build of commits (client/git/missing_files.h) about the verdict. The
// build is a command of the session, so it passes its warnings on as lines of its log.

/// The log line with its newline: code and message. Control characters become spaces.
std::string LogWarningLine(const Warning& warning);

/// The distinct warnings in a log, with the severity and hint of their codes. The log is output of
/// an untrusted build, so only codes for missing files are accepted, and only the first 20
/// warnings. Pure.
std::vector<Warning> WarningsInLog(std::string_view log);

/// The line, with its newline, with which the build ends if that of one commit fails.
std::string BuildFailureLine(std::string_view commit, int exit_code);

/// The commit that such a line at the end of a log names. Pure.
std::optional<std::string> FailedBuildInLog(std::string_view log);

}  // namespace benchd
