#include "daemon/helper/children_config.h"

#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace benchd {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr std::int64_t kMaxMebibytes = std::int64_t{1} << 40;

/// One key: a whole number in a range, or "none".
struct LimitKey {
  std::string_view name;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t unit = 1;
  void (*put)(ChildLimits& limits, std::uint64_t value) = nullptr;
};

constexpr LimitKey kLimitKeys[] = {
    {"memory_mib", 1, kMaxMebibytes, kMebibyte,
     [](ChildLimits& limits, std::uint64_t value) { limits.memory_bytes = value; }},
    // The largest pid_max there is (proc(5)).
    {"pids", 1, 4'194'304, 1,
     [](ChildLimits& limits, std::uint64_t value) { limits.processes = value; }},
    // Programs begin with three, and their loader needs some more.
    {"open_files", 16, 1'048'576, 1,
     [](ChildLimits& limits, std::uint64_t value) { limits.open_files = value; }},
    {"file_size_mib", 0, kMaxMebibytes, kMebibyte,
     [](ChildLimits& limits, std::uint64_t value) { limits.file_bytes = value; }},
    {"core_mib", 0, kMaxMebibytes, kMebibyte,
     [](ChildLimits& limits, std::uint64_t value) { limits.core_bytes = value; }},
    {"cpu_seconds", 1, 31'536'000, 1,
     [](ChildLimits& limits, std::uint64_t value) { limits.cpu_seconds = value; }},
};

std::string LimitKeyNames() {
  std::string known;
  for (const LimitKey& key : kLimitKeys) known.append(known.empty() ? "" : ", ").append(key.name);
  return "known are " + known;
}

Result<void> TakeLimitKey(const toml::key& key, const toml::node& value, ChildLimits& limits) {
  const std::string what = "[children] " + ShownKey(key.str());
  for (const LimitKey& known : kLimitKeys) {
    if (key != known.name) continue;
    if (value.value_exact<std::string>() == "none") {
      known.put(limits, kNoLimit);
      return {};
    }
    const auto number = value.value_exact<std::int64_t>();
    if (!number || *number < known.low || *number > known.high) {
      return InvalidArgument(TomlLine(value.source()),
                             what + " should be a whole number from " + std::to_string(known.low) +
                                 " to " + std::to_string(known.high) + ", or none");
    }
    known.put(limits, static_cast<std::uint64_t>(*number * known.unit));
    return {};
  }
  return InvalidArgument(TomlLine(key.source()), what + " is no known key", LimitKeyNames());
}

}  // namespace

Result<ChildLimits> ParseChildLimits(const toml::table& root) {
  ChildLimits limits;
  const toml::node* section = root.get("children");
  if (section == nullptr) return limits;
  const toml::table* table = section->as_table();
  if (table == nullptr) {
    return InvalidArgument(TomlLine(section->source()), "[children] is no table");
  }
  for (const auto& [key, value] : *table) {
    if (auto taken = TakeLimitKey(key, value, limits); !taken) return std::move(taken).error();
  }
  return limits;
}

}  // namespace benchd
