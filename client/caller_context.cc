#include "client/caller_context.h"

#include <unistd.h>

#include <filesystem>

#include "client/quantity.h"

namespace benchd::client {

CapturedContext CaptureEnvironment(const char* const* entries) {
  CapturedContext captured;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    const std::string_view entry = *entries;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    if (IsSendableText(entry)) {
      captured.context.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    } else {
      captured.skipped.emplace_back(entry.substr(0, equals));
    }
  }
  return captured;
}

Outcome<CapturedContext> CaptureCaller() {
  CapturedContext captured = CaptureEnvironment(environ);
  std::error_code error;
  captured.context.cwd = std::filesystem::current_path(error).string();
  if (error)
    return UsageError("the working directory: " + error.message(), "change to another one");
  if (!IsSendableText(captured.context.cwd)) {
    return UsageError("the working directory: its name is not UTF-8", "change to another one");
  }
  return captured;
}

}  // namespace benchd::client
