#include "core/model/log_warnings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"

namespace benchd {
namespace {

constexpr std::string_view kMark = "benchd-warning ";
constexpr std::string_view kColon = ": ";
constexpr std::array<WarningCode, 2> kCodes = {"lfs_pointers", "empty_submodules"};
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

}  // namespace benchd
