#include "core/model/log_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"

namespace benchd {
namespace {

constexpr std::string_view kMark = "benchd-warning ";
constexpr std::string_view kColon = ": ";
constexpr std::array<WarningCode, 2> kCodes = {"lfs_pointers", "empty_submodules"};
constexpr std::string_view kBuilding = "error: building ";
constexpr std::size_t kMost = 20;
constexpr std::size_t kLongestMessage = 500;

}  // namespace

std::string LogWarningLine(const Warning& warning) {
  return std::string(kMark) + warning.code + std::string(kColon) + OnOneLine(warning.message) +
         "\n";
}

std::vector<Warning> WarningsInLog(std::string_view log) {
  std::vector<Warning> found;
  while (!log.empty() && found.size() < kMost) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    const auto code = std::ranges::find_if(kCodes, [line](const WarningCode& known) {
      return line.starts_with(std::string(known.kind().code) + std::string(kColon));
    });
    if (code == kCodes.end()) continue;
    line.remove_prefix(code->kind().code.size() + kColon.size());
    Warning warning = MakeWarning(*code, Utf8Lossy(line.substr(0, kLongestMessage)));
    if (std::ranges::find(found, warning) == found.end()) found.push_back(std::move(warning));
  }
  return found;
}

std::string BuildFailureLine(std::string_view commit, int exit_code) {
  return fmt::format("{}{}{}exit code {}\n", kBuilding, commit, kColon, exit_code);
}

std::optional<std::string> FailedBuildInLog(std::string_view log) {
  while (log.ends_with('\n')) log.remove_suffix(1);
  std::string_view last = log.substr(log.rfind('\n') + 1);
  if (!last.starts_with(kBuilding)) return std::nullopt;
  last.remove_prefix(kBuilding.size());
  const std::string_view commit = last.substr(0, last.find(kColon));
  const bool is_id = !commit.empty() && commit.size() < last.size() &&
                     commit.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_id ? std::optional<std::string>(commit) : std::nullopt;
}

}  // namespace benchd
