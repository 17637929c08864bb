#include "daemon/config/keys.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/text.h"

namespace benchd {
namespace config_types {
namespace {

/// The words that a boolean stands for.
constexpr std::string_view kSwitch = "on off";
constexpr std::string_view kBits = "0 1";

/// Returns the words of a text that are separated by single spaces.
std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(std::min(text.size(), words.back().size() + 1));
  }
  return words;
}

bool HasWord(std::string_view text, std::string_view word) {
  const std::vector<std::string_view> words = Words(text);
  return std::ranges::find(words, word) != words.end();
}

// ---- limits ----

const LimitRow& LimitOf(const ConfigKey& key) {
  return *std::ranges::find(LimitRows(), key.name, &LimitRow::key);
}

bool TakeLimit(const ConfigValue& value, const ConfigKey& key, ConfigValues& into) {
  const LimitRow& row = LimitOf(key);
  double units = 0;  // no limit has this value
  if (const auto* whole = value.As<std::int64_t>()) units = static_cast<double>(*whole);
  if (const auto* number = value.As<double>(); number != nullptr && !row.whole) units = *number;
  return !std::get<Config>(into).limits.Set(row.limit, units);
}

ConfigKey KeyOf(const LimitRow& row) {
  return {"limits", row.key, kForBenchd, {.take = TakeLimit}, "", row.help};
}

// ---- settings of the whole machine ----

std::optional<std::string> NumberText(const ConfigValue& value, const ConfigType& type) {
  if (value.Is(type.also)) return "";
  const auto number = NumberOf(value, type);
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

/// Returns a name like the kernel's, or "" for "leave".
std::optional<std::string> NameText(const ConfigValue& value, const ConfigType& type) {
  const auto* text = value.As<std::string>();
  if (text == nullptr || text->empty() || text->size() > kMaxSettingNameBytes ||
      text->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
    return std::nullopt;
  }
  return *text == type.also ? "" : *text;
}

bool TakeMachineSetting(const ConfigValue& value, const ConfigKey& key, ConfigValues& into) {
  const MachineSetting& setting = *FindMachineSetting(key.name);
  const auto text = setting.values == SettingValues::kNumber ? NumberText(value, key.type)
                    : setting.values == SettingValues::kName ? NameText(value, key.type)
                                                             : WordOf(value, key.type);
  if (text) std::get<MachineProfile>(into).*setting.value = *text;
  return text.has_value();
}

ConfigKey KeyOf(const MachineSetting& setting) {
  ConfigType type{.take = TakeMachineSetting, .also = "leave"};
  switch (setting.values) {
    case SettingValues::kWord:
      type.words = setting.words;
      break;
    case SettingValues::kNumber:
      type.least = setting.least;
      type.most = setting.most;
      type.unit = setting.words;
      break;
    case SettingValues::kName:
      type.allowed = setting.words;
      break;
  }
  return {"machine_profile", setting.name, kForRunner, type, "", setting.help};
}

/// Returns the number of bytes in a unit: 1 for "", 1024 for "KiB" and so on.
std::optional<std::uint64_t> UnitBytes(std::string_view suffix) {
  constexpr std::string_view kUnits[] = {"", "KiB", "MiB", "GiB", "TiB"};
  std::uint64_t bytes = 1;
  for (const std::string_view unit : kUnits) {
    if (suffix == unit) return bytes;
    bytes *= 1024;
  }
  return std::nullopt;
}

std::vector<ConfigKey> AllKeys() {
  std::vector<ConfigKey> keys(std::begin(kOwnConfigKeys), std::end(kOwnConfigKeys));
  for (const LimitRow& row : LimitRows()) keys.push_back(KeyOf(row));
  for (const MachineSetting& setting : kMachineSettings) {
    if (setting.value != nullptr) keys.push_back(KeyOf(setting));
  }
  return keys;
}

}  // namespace

std::optional<std::string> TextOrNumber(const ConfigValue& value) {
  if (const auto* text = value.As<std::string>()) return *text;
  if (const auto* number = value.As<std::int64_t>()) return std::to_string(*number);
  return std::nullopt;
}

std::optional<std::vector<std::string>> TextsOf(const ConfigValue& value, bool numbers) {
  const auto* list = value.As<std::vector<ConfigValue>>();
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const ConfigValue& one : *list) {
    auto text = TextOrNumber(one);
    if (!text || text->empty() || (!numbers && one.As<std::int64_t>() != nullptr)) {
      return std::nullopt;
    }
    texts.push_back(*std::move(text));
  }
  return texts;
}

std::optional<std::int64_t> NumberOf(const ConfigValue& value, const ConfigType& type) {
  const auto* number = value.As<std::int64_t>();
  if (number == nullptr || *number < type.least || *number > type.most) return std::nullopt;
  return *number;
}

std::optional<std::string> WordOf(const ConfigValue& value, const ConfigType& type) {
  if (!type.also.empty() && value.Is(type.also)) return "";
  std::string word = TextOrNumber(value).value_or("");
  if (const auto* flag = value.As<bool>()) {
    if (type.words == kSwitch) word = *flag ? "on" : "off";
    if (type.words == kBits) word = *flag ? "1" : "0";
  }
  return HasWord(type.words, word) ? std::optional(word) : std::nullopt;
}

bool TakeBase(const ConfigValue& value, const ConfigKey& /*key*/, ConfigValues& /*into*/) {
  return value.As<std::string>() != nullptr;  // ReadProfiles() has used it
}

bool TakeBenchmarkCpus(const ConfigValue& value, const ConfigKey& /*key*/, ConfigValues& into) {
  const auto text = TextOrNumber(value);
  if (!text || !ParseCpuList(*text)) return false;
  std::get<MachineProfile>(into).benchmark_cpus = *text;
  return true;
}

bool TakeMemoryLimit(const ConfigValue& value, const ConfigKey& key, ConfigValues& into) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  std::uint64_t count = 0;
  std::optional<std::uint64_t> unit = 1;
  if (const auto* number = value.As<std::int64_t>()) {
    if (*number < 0) return false;
    count = static_cast<std::uint64_t>(*number);
  } else if (!value.Is(key.type.also)) {
    const auto* text = value.As<std::string>();
    if (text == nullptr) return false;
    const char* end = text->data() + text->size();
    const auto read = std::from_chars(text->data(), end, count);
    if (read.ec != std::errc()) return false;
    std::string_view suffix(read.ptr, static_cast<std::size_t>(end - read.ptr));
    if (suffix.starts_with(' ')) suffix.remove_prefix(1);
    unit = UnitBytes(suffix);
  }
  // The kernel stores the number of bytes in a signed integer.
  if (!unit || count > kMost / *unit) return false;
  std::get<MachineProfile>(into).memory_limit_bytes = count * *unit;
  return true;
}

}  // namespace config_types

std::span<const ConfigKey> ConfigKeys() {
  static const std::vector<ConfigKey> keys = config_types::AllKeys();
  return keys;
}

std::string ShouldBe(const ConfigKey& key) {
  if (key.type.take == config_types::TakeLimit)
    return Budgets().Set(config_types::LimitOf(key).limit, 0).value();
  const ConfigType& type = key.type;
  std::vector<std::string_view> words = config_types::Words(type.words);
  if (!words.empty()) {
    if (type.words == config_types::kBits) words.insert(words.end(), {"true", "false"});
    if (!type.also.empty()) words.push_back(type.also);
    return "should be " + JoinWithOr(words);
  }
  std::string text = "should be " + std::string(type.allowed);
  if (type.allowed.empty()) {
    text += "a whole number ";
    if (!type.unit.empty()) text += fmt::format("of {} ", type.unit);
    text += fmt::format("from {} to {}", type.least, type.most);
  }
  return type.also.empty() ? text : text + ", or " + std::string(type.also);
}

bool PushConfig::Sends(const std::string& benchmark) const {
  return benchmarks.empty() || std::ranges::any_of(benchmarks, [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), benchmark.c_str(), 0) == 0;
         });
}

bool IsLogLevel(std::string_view level) {
  return config_types::HasWord(config_types::kLogLevels, level);
}

}  // namespace benchd
