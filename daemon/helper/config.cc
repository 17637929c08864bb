#include "daemon/helper/config.h"

#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "daemon/helper/profile_config.h"
#include "daemon/helper/toml.h"

namespace benchd {
namespace {

/// The value as text: users and CPU lists may be written as a bare number.
Result<std::string> Text(std::string_view key, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  return InvalidArgument(TomlLine(node.source()),
                         "[runner] " + std::string(key) + " is neither a text nor a number");
}

Result<void> ReadRunnerSection(const toml::table& section, wire::RunnerConfig& config) {
  for (const auto& [key, node] : section) {
    if (key == "socket") continue;  // where benchd looks for us
    if (key == "counters") {
      const auto value = node.value_exact<bool>();
      if (!value) {
        return InvalidArgument(TomlLine(node.source()),
                               "[runner] counters is neither true nor false");
      }
      config.counters = *value;
      continue;
    }
    std::string* target = nullptr;
    if (key == "user") target = &config.user;
    if (key == "benchmark_cpus") target = &config.benchmark_cpus;
    if (target == nullptr) {
      return InvalidArgument(TomlLine(key.source()),
                             "[runner] " + ShownKey(key.str()) + " is no known key",
                             "known are socket, user, benchmark_cpus and counters");
    }
    auto value = Text(key.str(), node);
    if (!value) return std::move(value).error();
    *target = std::move(*value);
  }
  return {};
}

/// The table of that name; none is no error.
Result<const toml::table*> SectionOf(const toml::table& root, std::string_view name) {
  const toml::node* section = root.get(name);
  if (section == nullptr || section->is_table()) {
    return section == nullptr ? nullptr : section->as_table();
  }
  return InvalidArgument(TomlLine(section->source()), "[" + std::string(name) + "] is no table");
}

Result<void> ReadUsers(const toml::node& node, wire::RunnerConfig& config) {
  const auto refuse = [](const toml::node& at) {
    return InvalidArgument(TomlLine(at.source()), "[access] users is no list of names and numbers");
  };
  const toml::array* list = node.as_array();
  if (list == nullptr) return refuse(node);
  for (const toml::node& one : *list) {
    auto user = Text("users", one);
    if (!user || user->empty()) return refuse(one);
    config.users.push_back(std::move(*user));
  }
  return {};
}

/// Whom a child may be. The runner decides that by itself, so it reads by itself what else is
/// benchd's: [socket] group, [access] allow_root and users. Their other keys are benchd's alone.
Result<void> ReadAccess(const toml::table& root, wire::RunnerConfig& config) {
  auto socket = SectionOf(root, "socket");
  if (!socket) return std::move(socket).error();
  if (const toml::node* group = *socket == nullptr ? nullptr : (*socket)->get("group")) {
    const auto name = group->value_exact<std::string>();
    if (!name) return InvalidArgument(TomlLine(group->source()), "[socket] group is no text");
    config.socket_group = *name;
  }
  auto access = SectionOf(root, "access");
  if (!access) return std::move(access).error();
  if (*access == nullptr) return {};
  if (const toml::node* allow = (*access)->get("allow_root")) {
    const auto value = allow->value_exact<bool>();
    if (!value) {
      return InvalidArgument(TomlLine(allow->source()),
                             "[access] allow_root is neither true nor false");
    }
    config.allow_root = *value;
  }
  const toml::node* users = (*access)->get("users");
  return users == nullptr ? Result<void>() : ReadUsers(*users, config);
}

}  // namespace

Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return InvalidArgument(TomlLine(parsed.error().source()),
                           OnOneLine(parsed.error().description()));
  }
  wire::RunnerConfig config;
  auto section = SectionOf(parsed.table(), "runner");
  if (!section) return std::move(section).error();
  if (*section != nullptr) {
    if (auto read = ReadRunnerSection(**section, config); !read) return std::move(read).error();
  }
  if (auto read = ReadAccess(parsed.table(), config); !read) return std::move(read).error();
  auto profiles = ParseProfiles(parsed.table());
  if (!profiles) return std::move(profiles).error();
  config.profiles = std::move(*profiles);
  auto children = ParseChildLimits(parsed.table());
  if (!children) return std::move(children).error();
  config.children = *children;
  return config;
}

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
