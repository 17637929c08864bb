#include "daemon/helper/config.h"

#include <array>
#include <utility>

#include "core/base/try.h"

namespace benchd {
namespace {

/// Returns the value as text. Users and CPU lists may also be written as numbers without quotes.
Result<std::string> Text(std::string_view key, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  return InvalidArgument(TomlLine(node.source()),
                         "[runner] " + std::string(key) + " should be a string or a number");
}

Result<void> TakeBool(const toml::node& node, const std::string& what, bool& into) {
  const auto value = node.value_exact<bool>();
  if (!value) return InvalidArgument(TomlLine(node.source()), what + " should be true or false");
  into = *value;
  return {};
}

Result<void> ReadRunnerSection(const toml::table& section, wire::RunnerConfig& config) {
  for (const auto& [key, node] : section) {
    if (key == "socket") continue;  // read by benchd
    if (key == "counters") {
      TRY_VOID(TakeBool(node, "[runner] counters", config.counters));
      continue;
    }
    std::string* target = nullptr;
    if (key == "user") target = &config.user;
    if (key == "benchmark_cpus") target = &config.benchmark_cpus;
    if (target == nullptr) {
      static constexpr std::array<std::string_view, 4> kKnown = {"socket", "user", "benchmark_cpus",
                                                                 "counters"};
      return InvalidArgument(TomlLine(key.source()),
                             "[runner] " + ShownKey(key.str()) + ": unknown key",
                             HintForKey(key.str(), kKnown));
    }
    TRY(auto value, Text(key.str(), node));
    *target = std::move(value);
  }
  return {};
}

/// Returns the table with the name `name`; nullptr if it does not exist.
Result<const toml::table*> SectionOf(const toml::table& root, std::string_view name) {
  const toml::node* section = root.get(name);
  if (section == nullptr || section->is_table()) {
    return section == nullptr ? nullptr : section->as_table();
  }
  return InvalidArgument(TomlLine(section->source()), "[" + std::string(name) + "] is not a table");
}

Result<void> ReadUsers(const toml::node& node, wire::RunnerConfig& config) {
  const auto refuse = [](const toml::node& at) {
    return InvalidArgument(TomlLine(at.source()),
                           "[access] users should be a list of names and numbers");
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

/// Reads the keys that determine which users children may run as: `group` in [socket], and
/// `allow_root` and `users` in [access]. The runner reads these keys itself, because it must not
/// leave the decision to benchd. Only benchd reads the other keys of these sections.
Result<void> ReadAccess(const toml::table& root, wire::RunnerConfig& config) {
  TRY(auto socket, SectionOf(root, "socket"));
  if (const toml::node* group = socket == nullptr ? nullptr : socket->get("group")) {
    const auto name = group->value_exact<std::string>();
    if (!name)
      return InvalidArgument(TomlLine(group->source()), "[socket] group should be a string");
    config.socket_group = *name;
  }
  TRY(auto access, SectionOf(root, "access"));
  if (access == nullptr) return {};
  if (const toml::node* allow = access->get("allow_root")) {
    auto taken = TakeBool(*allow, "[access] allow_root", config.allow_root);
    if (!taken) return taken;
  }
  const toml::node* users = access->get("users");
  return users == nullptr ? Result<void>() : ReadUsers(*users, config);
}

}  // namespace

std::string HintForKey(std::string_view typed, std::span<const std::string_view> known) {
  return HintForUnknown(typed, known, "known: " + Join(known, ", "));
}

Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return InvalidArgument(TomlLine(parsed.error().source()),
                           OnOneLine(parsed.error().description()));
  }
  wire::RunnerConfig config;
  TRY(auto section, SectionOf(parsed.table(), "runner"));
  if (section != nullptr) {
    TRY_VOID(ReadRunnerSection(*section, config));
  }
  TRY_VOID(ReadAccess(parsed.table(), config));
  TRY(auto profiles, ParseProfiles(parsed.table()));
  config.profiles = std::move(profiles);
  TRY(auto children, ParseChildLimits(parsed.table()));
  config.children = children;
  return config;
}

namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr std::int64_t kMaxMebibytes = std::int64_t{1} << 40;

/// Stores a whole number from `low` to `high`, multiplied by `unit`, or "none".
template <auto field, std::int64_t low, std::int64_t high, std::int64_t unit = 1>
bool TakeLimit(const toml::node& value, std::string_view, ChildLimits& limits) {
  const bool is_none = value.value_exact<std::string>() == "none";
  const auto number = value.value_exact<std::int64_t>();
  if (!is_none && (!number || *number < low || *number > high)) return false;
  limits.*field = is_none ? kNoLimit : static_cast<std::uint64_t>(*number * unit);
  return true;
}

constexpr ConfigKey<ChildLimits> kLimitKeys[] = {
    {"memory_mib", "a whole number from 1 to 1099511627776, or none",
     TakeLimit<&ChildLimits::memory_bytes, 1, kMaxMebibytes, kMebibyte>},
    // 4194304 is the largest possible value of pid_max (proc(5)).
    {"pids", "a whole number from 1 to 4194304, or none",
     TakeLimit<&ChildLimits::processes, 1, 4'194'304>},
    // A program starts with three descriptors, and its loader needs a few more.
    {"open_files", "a whole number from 16 to 1048576, or none",
     TakeLimit<&ChildLimits::open_files, 16, 1'048'576>},
    {"file_size_mib", "a whole number from 0 to 1099511627776, or none",
     TakeLimit<&ChildLimits::file_bytes, 0, kMaxMebibytes, kMebibyte>},
    {"core_mib", "a whole number from 0 to 1099511627776, or none",
     TakeLimit<&ChildLimits::core_bytes, 0, kMaxMebibytes, kMebibyte>},
    {"cpu_seconds", "a whole number from 1 to 31536000, or none",
     TakeLimit<&ChildLimits::cpu_seconds, 1, 31'536'000>},
};

}  // namespace

Result<ChildLimits> ParseChildLimits(const toml::table& root) {
  ChildLimits limits;
  TRY(auto section, SectionOf(root, "children"));
  if (section == nullptr) return limits;
  for (const auto& [key, value] : *section) {
    TRY_VOID(TakeKey<ChildLimits>(kLimitKeys, "[children]", key, value, limits));
  }
  return limits;
}

}  // namespace benchd
