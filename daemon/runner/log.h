#pragma once

#include <string_view>

namespace benchd {

/// Severity as journald reads it from a "<N>" at the start of a line.
enum class LogLevel : char { kError = '3', kWarning = '4', kInfo = '6' };

/// Writes one line to stderr; with the severity in front when journald reads it (JOURNAL_STREAM).
void Log(LogLevel level, std::string_view text);

}  // namespace benchd
