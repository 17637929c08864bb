#include "daemon/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <initializer_list>
#include <map>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "daemon/helper/config.h"
#include "daemon/helper/toml.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxConfigBytes = 1024 * 1024;
constexpr std::int64_t kMaxIdleSeconds = 365LL * 24 * 3600;
constexpr std::int64_t kMaxDays = 36500;
constexpr std::int64_t kMaxMib = std::int64_t{1} << 40U;

/// Stores the value of a key in the config, or returns a message such as "should be true or false".
using Setter = std::function<std::optional<std::string>(const toml::node& value, Config& config)>;

Setter Text(std::string Config::*field) {
  return [field](const toml::node& value, Config& config) -> std::optional<std::string> {
    const auto text = value.value_exact<std::string>();
    if (!text || text->empty()) return "should be a string in quotes";
    config.*field = *text;
    return std::nullopt;
  };
}

Setter Boolean(bool Config::*field) {
  return [field](const toml::node& value, Config& config) -> std::optional<std::string> {
    const auto boolean = value.value_exact<bool>();
    if (!boolean) return "should be true or false";
    config.*field = *boolean;
    return std::nullopt;
  };
}

std::optional<std::string> SetIdleExit(const toml::node& value, Config& config) {
  const auto seconds = value.value_exact<std::int64_t>();
  if (!seconds || *seconds < 1 || *seconds > kMaxIdleSeconds) {
    return "should be a whole number of seconds from 1 to a year";
  }
  config.idle_exit = std::chrono::seconds(*seconds);
  return std::nullopt;
}

/// Returns a setter for a whole number of `unit` from 1 to `most`.
Setter Whole(std::int64_t most, const char* unit, std::function<void(Config&, std::int64_t)> set) {
  return [most, unit, set](const toml::node& value, Config& config) -> std::optional<std::string> {
    const auto number = value.value_exact<std::int64_t>();
    if (!number || *number < 1 || *number > most) {
      return "should be a whole number of " + std::string(unit) + " from 1 to " +
             std::to_string(most);
    }
    set(config, *number);
    return std::nullopt;
  };
}

void SetKeepDays(Config& config, std::int64_t days) {
  config.keep.age = std::chrono::hours(24) * days;
}

void SetKeepMib(Config& config, std::int64_t mib) {
  config.keep.bytes = static_cast<std::uint64_t>(mib) << 20U;
}

Setter Bound(const LimitRow& row) {
  return [&row](const toml::node& value, Config& config) {
    const bool is_number = row.whole ? value.is_integer() : value.is_number();
    constexpr double kNone = 0;  // no limit has this value
    return config.limits.Set(row.limit, is_number ? value.value<double>().value_or(kNone) : kNone);
  };
}

/// Returns the keys of [limits], one for each row of the table of limits.
std::map<std::string, Setter> LimitKeys() {
  std::map<std::string, Setter> keys;
  for (const LimitRow& row : LimitRows()) keys.emplace(row.key, Bound(row));
  return keys;
}

std::optional<std::string> SetLogLevel(const toml::node& value, Config& config) {
  const auto level = value.value_exact<std::string>();
  if (!level || !IsLogLevel(*level)) return "should be trace, debug, info, warn, error or off";
  config.log_level = *level;
  return std::nullopt;
}

// Checks a key of benchd-runner, which also accepts a bare number for a user or a CPU.
std::optional<std::string> CheckRunnerKey(const toml::node& value, Config& /*config*/) {
  if (!value.is_string() && !value.is_integer()) return "should be a string in quotes or a number";
  return std::nullopt;
}

std::optional<std::string> CheckRunnerFlag(const toml::node& value, Config& /*config*/) {
  if (!value.is_boolean()) return "should be true or false";
  return std::nullopt;
}

std::optional<std::string> CheckText(const toml::node& value, Config& /*config*/) {
  const auto text = value.value_exact<std::string>();
  if (!text || text->empty()) return "should be a string in quotes";
  return std::nullopt;
}

std::optional<std::string> CheckPatterns(const toml::node& value, Config& /*config*/) {
  const toml::array* list = value.as_array();
  const auto is_pattern = [](const toml::node& one) {
    const auto pattern = one.value_exact<std::string>();
    return pattern && !pattern->empty();
  };
  if (list != nullptr && std::all_of(list->begin(), list->end(), is_pattern)) return std::nullopt;
  return "should be a list of patterns, such as [\"parse*\"]";
}

std::optional<std::string> CheckUsers(const toml::node& value, Config& /*config*/) {
  const toml::array* list = value.as_array();
  const auto is_user = [](const toml::node& one) { return one.is_string() || one.is_integer(); };
  if (list != nullptr && std::all_of(list->begin(), list->end(), is_user)) return std::nullopt;
  return "should be a list of names and numbers, such as [\"jenkins\"]";
}

const std::map<std::string, std::map<std::string, Setter>>& Sections() {
  static const std::map<std::string, std::map<std::string, Setter>> sections{
      {"socket", {{"group", Text(&Config::socket_group)}}},
      {"runner",
       {{"socket", Text(&Config::runner_socket)},
        {"user", CheckRunnerKey},
        {"benchmark_cpus", CheckRunnerKey},
        {"counters", CheckRunnerFlag}}},
      {"access",
       {{"allow_root", Boolean(&Config::allow_root)},
        {"admin_group", Text(&Config::admin_group)},
        {"users", CheckUsers}}},
      // Read by benchd-push.
      {"push",
       {{"url", CheckText},
        {"commands", CheckRunnerFlag},
        {"labels", CheckRunnerFlag},
        {"benchmarks", CheckPatterns}}},
      {"daemon", {{"idle_exit", SetIdleExit}}},
      {"log", {{"level", SetLogLevel}}},
      {"store",
       {{"keep_days", Whole(kMaxDays, "days", SetKeepDays)},
        {"keep_mib", Whole(kMaxMib, "MiB", SetKeepMib)}}},
      {"limits", LimitKeys()},
  };
  return sections;
}

// Returns whether only benchd-runner reads a section; see CheckRunnerParts() below.
bool IsRunnersSection(std::string_view section) {
  return section == "machine_profile" || section == "children";
}

Error At(std::string_view name, const toml::source_region& where, const std::string& what,
         std::string hint = "") {
  return Error{ErrorCode::kInvalidArgument,
               std::string(name) + ":" + std::to_string(where.begin.line) + ": " + what,
               std::move(hint)};
}

/// Returns HintForKey() for the keys of a map.
template <typename Keys>
std::string HintForKeyOf(const Keys& known, std::string_view typed,
                         std::initializer_list<std::string_view> also_known = {}) {
  std::vector<std::string_view> names(also_known);
  for (const auto& [name, value] : known) names.push_back(name);
  return HintForKey(typed, names);
}

Result<void> ReadSection(std::string_view name, const std::string& section,
                         const toml::table& table, Config& config) {
  const std::map<std::string, Setter>& keys = Sections().at(section);
  for (const auto& [key, value] : table) {
    const std::string word(key.str());
    const auto known = keys.find(word);
    if (known == keys.end()) {
      return At(name, key.source(), "unknown key '" + OnOneLine(word) + "' in [" + section + "]",
                HintForKeyOf(keys, word));
    }
    if (const auto wrong = known->second(value, config)) {
      return At(name, value.source(), "[" + section + "] " + word + " " + *wrong);
    }
  }
  return {};
}

Result<Config> ReadTable(std::string_view name, const toml::table& root) {
  Config config;
  for (const auto& [key, value] : root) {
    const std::string section(key.str());
    if (IsRunnersSection(section)) continue;
    if (!Sections().contains(section)) {
      const char* kind = value.is_table() ? "unknown section [" : "unknown key [";
      return At(name, key.source(), kind + OnOneLine(section) + "]",
                HintForKeyOf(Sections(), section, {"machine_profile", "children"}));
    }
    const toml::table* table = value.as_table();
    if (table == nullptr) return At(name, key.source(), section + " should be a section");
    TRY_VOID(ReadSection(name, section, *table, config));
  }
  return config;
}

Result<void> CheckOwner(int fd, const std::string& name) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return SystemError(name, errno);
  const char* why = nullptr;
  if (info.st_uid != 0) why = "does not belong to root";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) why = "is writable by users other than root";
  if (why == nullptr) return {};
  return Error{ErrorCode::kPermissionDenied, name + ": " + why,
               "chown root:root " + name + " && chmod 644 " + name};
}

Result<void> CheckRunnerParts(std::string_view text, std::string_view name) {
  Result<wire::RunnerConfig> runner = ParseRunnerConfig(text);
  if (!runner) return std::move(runner).error().Within(name);
  return {};
}

}  // namespace

bool IsLogLevel(std::string_view level) {
  constexpr std::array<std::string_view, 6> kLevels{"trace", "debug", "info",
                                                    "warn",  "error", "off"};
  return std::find(kLevels.begin(), kLevels.end(), level) != kLevels.end();
}

Result<Config> ParseConfig(std::string_view text, std::string_view name) {
  const toml::parse_result parsed = toml::parse(text);
  if (parsed) return ReadTable(name, parsed.table());
  return At(name, parsed.error().source(), OnOneLine(parsed.error().description()));
}

Result<Config> LoadConfig(const std::filesystem::path& file, const ConfigRules& rules) {
  const std::string name = file.string();
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT && !rules.required) return Config{};
    return SystemError(name, errno);
  }
  if (rules.system_mode) {
    TRY_VOID(CheckOwner(fd.get(), name));
  }
  TRY(std::string text, ReadAll(fd.get(), name, kMaxConfigBytes));
  if (text.size() > kMaxConfigBytes) return InvalidArgument(name, "is larger than 1 MiB");
  Result<Config> config = ParseConfig(text, name);
  if (!config || !rules.runner_parts) return config;
  TRY_VOID(CheckRunnerParts(text, name));
  return config;
}

}  // namespace benchd
