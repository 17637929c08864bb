#pragma once

#include <string>

#include "core/base/result.h"

namespace benchd {

/// Where the log goes and how it is written.
struct LogOptions {
  std::string level = "info";
  std::string file;  ///< appended to; empty = stderr
  /// sd-daemon's "<6>text" lines, which journald turns into priorities; it adds the time itself.
  bool journal_priorities = false;
};

/// True when stderr goes to journald, or in system mode anywhere but to a terminal.
bool WantsJournalPriorities(bool system_mode);

/// Makes spdlog's default logger; called once, before any thread exists.
/// @errors kNotFound, kPermissionDenied, ... when the file cannot be opened.
Result<void> SetUpLogging(const LogOptions& options);

}  // namespace benchd
