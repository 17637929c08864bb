#include "client/caller_context.h"

#include <unistd.h>

#include <filesystem>

#include "client/quantity.h"

namespace benchd::client {
namespace {

// Only what is surely wrong: whether it may be read is for the kernel to say when it is opened.
Outcome<void> CheckPlace(const std::string& option, const std::string& path, bool folder) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const std::string what = option + ": " + path + ": ";
  if (status.type() == std::filesystem::file_type::not_found) {
    return UsageError(what + "there is no such " + (folder ? "folder" : "file"));
  }
  if (error || std::filesystem::is_directory(status) == folder) return {};
  return UsageError(what + (folder ? "it is no folder" : "it is a folder"));
}

}  // namespace

Outcome<void> CheckPlaces(const v1::SessionSpec& spec) {
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    const v1::Hooks& hooks = benchmark.hooks();
    if (!hooks.build().empty()) continue;
    // Without a folder of its own, setup runs in an arm's, and cannot make that.
    const bool may_make_folders = !hooks.setup().empty() && !hooks.cwd().empty();
    for (const v1::Arm& arm : benchmark.arms()) {
      if (may_make_folders) break;
      auto folder = CheckPlace("cwd", arm.cwd(), /*folder=*/true);
      if (!folder) return folder;
    }
    if (benchmark.input().empty() || !hooks.setup().empty() || !hooks.prepare().empty()) continue;
    auto file = CheckPlace("input", benchmark.input(), /*folder=*/false);
    if (!file) return file;
  }
  return {};
}

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
