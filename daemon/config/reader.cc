#include "daemon/config/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

constexpr std::string_view kProfiles = "machine_profile";

ConfigValue Converted(const toml::node& node) {
  if (const auto flag = node.value_exact<bool>()) return {*flag};
  if (const auto whole = node.value_exact<std::int64_t>()) return {*whole};
  if (const auto number = node.value_exact<double>()) return {*number};
  if (auto text = node.value_exact<std::string>()) return {*std::move(text)};
  const toml::array* array = node.as_array();
  if (array == nullptr) return {};
  std::vector<ConfigValue> values;
  for (const toml::node& one : *array) values.push_back(Converted(one));
  return {std::move(values)};
}

std::vector<std::string_view> KeysOf(const ConfigTable& table) {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : ConfigKeys()) {
    if (key.table == table.name) names.push_back(key.name);
  }
  return names;
}

const ConfigKey* FindKey(const ConfigTable& table, std::string_view name) {
  for (const ConfigKey& key : ConfigKeys()) {
    if (key.table == table.name && key.name == name) return &key;
  }
  return nullptr;
}

std::string HintFor(std::string_view typed, const std::vector<std::string_view>& known) {
  return HintForUnknown(typed, known, "known: " + Join(known, ", "));
}

}  // namespace

Result<ConfigValues> ConfigReader::Read(const toml::table& root) const {
  ConfigValues values;
  for (const auto& [key, node] : root) {
    TRY_VOID(ReadTable(key, node, values));
  }
  std::get<RunnerConfig>(values).children = std::get<ChildLimits>(values);
  return values;
}

Result<void> ConfigReader::ReadTable(const toml::key& key, const toml::node& node,
                                     ConfigValues& into) const {
  const std::string shown = "[" + ShownKey(key.str()) + "]";
  const auto* const kind = std::ranges::find(kConfigTables, key.str(), &ConfigTable::name);
  if (kind == std::end(kConfigTables)) {
    if ((readers_ & kForBenchd) == 0) return {};
    std::vector<std::string_view> names;
    for (const ConfigTable& table : kConfigTables) names.push_back(table.name);
    return At(key.source(), (node.is_table() ? "unknown section " : "unknown key ") + shown,
              HintFor(key.str(), names));
  }
  if (!Concerns(*kind)) return {};
  const toml::table* table = node.as_table();
  const bool is_profiles = kind->name == kProfiles;
  if (table == nullptr) {
    return At(node.source(), shown + " is not a table",
              is_profiles ? "write each profile as a table [machine_profile.NAME]" : "");
  }
  if (!is_profiles) return ReadKeys(*kind, shown, *table, into);
  TRY(std::get<RunnerConfig>(into).profiles, ReadProfiles(*this, *kind, *table));
  return {};
}

bool ConfigReader::Concerns(const ConfigTable& table) const {
  return (table.checkers & readers_) != 0 ||
         std::ranges::any_of(ConfigKeys(), [&](const ConfigKey& key) {
           return key.table == table.name && (key.readers & readers_) != 0;
         });
}

Result<void> ConfigReader::ReadKeys(const ConfigTable& kind, const std::string& shown,
                                    const toml::table& table, ConfigValues& into) const {
  const bool checks = (kind.checkers & readers_) != 0;
  for (const auto& [key, node] : table) {
    const ConfigKey* known = FindKey(kind, key.str());
    if (!checks && (known == nullptr || (known->readers & readers_) == 0)) continue;
    const std::string what = shown + " " + ShownKey(key.str());
    if (known == nullptr) {
      return At(key.source(), what + ": unknown key", HintFor(key.str(), KeysOf(kind)));
    }
    if (!known->type.take(Converted(node), *known, into)) {
      return At(node.source(), what + " " + ShouldBe(*known));
    }
  }
  return {};
}

Error ConfigReader::At(const toml::source_region& place, std::string_view what,
                       std::string_view hint) const {
  const auto line = place.begin.line;
  return InvalidArgument(
      name_.empty() ? fmt::format("line {}", line) : fmt::format("{}:{}", name_, line), what, hint);
}

}  // namespace benchd
