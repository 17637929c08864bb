#include "daemon/helper/profile_config.h"

#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "daemon/helper/profile_keys.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxProfiles = 64;
constexpr std::size_t kMaxProfileNameBytes = 64;

std::string Section(std::string_view name) { return "[machine_profile." + ShownKey(name) + "]"; }

std::string ProfileKeyNames() {
  std::string known = "known are base";
  for (const ProfileKey& key : ProfileKeys()) known.append(", ").append(key.name);
  return known;
}

Result<void> TakeProfileKey(std::string_view profile_name, const toml::key& key,
                            const toml::node& value, MachineProfile& profile) {
  const std::string what = Section(profile_name) + " " + ShownKey(key.str());
  for (const ProfileKey& known : ProfileKeys()) {
    if (key != known.name) continue;
    if (known.take(value, profile)) return {};
    return InvalidArgument(TomlLine(value.source()),
                           what + " should be " + std::string(known.allowed));
  }
  return InvalidArgument(TomlLine(key.source()), what + " is no known key", ProfileKeyNames());
}

/// Makes complete profiles of tables that may stand on each other.
class ProfileReader {
 public:
  explicit ProfileReader(const toml::table& tables) : tables_(tables) {}

  Result<std::vector<MachineProfile>> ReadAll() {
    if (tables_.size() > kMaxProfiles) {
      return InvalidArgument(TomlLine(tables_.source()),
                             "[machine_profile] has more than 64 profiles");
    }
    std::vector<MachineProfile> profiles;
    for (const auto& [key, table] : tables_) {
      if (auto checked = CheckEntry(key, table); !checked) return std::move(checked).error();
      auto profile = Complete(key.str(), *table.as_table());
      if (!profile) return std::move(profile).error();
      profiles.push_back(std::move(*profile));
    }
    return profiles;
  }

 private:
  static Result<void> CheckEntry(const toml::key& key, const toml::node& entry) {
    if (!IsPlainWord(key.str()) || key.str().size() > kMaxProfileNameBytes) {
      return InvalidArgument(TomlLine(key.source()),
                             Section(key.str()) + " is no name for a profile",
                             "1 to 64 letters, digits, _ and - are");
    }
    if (entry.is_table()) return {};
    return InvalidArgument(TomlLine(key.source()), Section(key.str()) + " is no table");
  }

  /// The values that a profile begins with.
  Result<MachineProfile> Base(std::string_view name, const toml::table& table) {
    const toml::node* base = table.get("base");
    if (base == nullptr) return name == "strict" ? StrictProfile() : MachineProfile{};
    const auto wanted = base->value_exact<std::string>();
    const std::string line = TomlLine(base->source());
    if (!wanted) {
      return InvalidArgument(line, Section(name) + " base should be the name of a profile");
    }
    if (const toml::table* other = tables_[*wanted].as_table()) {
      if (under_way_.contains(*wanted)) {
        return InvalidArgument(line, Section(name) + " base " + Quoted(*wanted) +
                                         " leads back to that profile itself");
      }
      return Complete(*wanted, *other);
    }
    if (wanted == "default") return MachineProfile{};
    if (wanted == "strict") return StrictProfile();
    return InvalidArgument(line, Section(name) + " base " + Quoted(*wanted) + " is no profile",
                           "known are " + KnownProfiles());
  }

  Result<MachineProfile> Complete(std::string_view name, const toml::table& table) {
    under_way_.emplace(name);
    auto profile = Base(name, table);
    under_way_.erase(under_way_.find(name));
    if (!profile) return profile;
    profile->name = name;
    for (const auto& [key, value] : table) {
      if (key == "base") continue;
      if (auto taken = TakeProfileKey(name, key, value, *profile); !taken) {
        return std::move(taken).error();
      }
    }
    if (auto checked = CheckFrequencies(*profile, table); !checked) {
      return std::move(checked).error();
    }
    return profile;
  }

  static Result<void> CheckFrequencies(const MachineProfile& profile, const toml::table& table) {
    const auto number = [](const std::string& text) {
      std::int64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    if (profile.min_frequency_khz.empty() || profile.max_frequency_khz.empty()) return {};
    if (number(profile.min_frequency_khz) <= number(profile.max_frequency_khz)) return {};
    return InvalidArgument(TomlLine(table.source()),
                           Section(profile.name) + " min_frequency_khz is above max_frequency_khz");
  }

  std::string KnownProfiles() const {
    std::string known = "default, strict";
    for (const auto& [key, table] : tables_) {
      if (key != "default" && key != "strict") known += ", " + ShownKey(key.str());
    }
    return known;
  }

  const toml::table& tables_;
  std::set<std::string, std::less<>> under_way_;
};

}  // namespace

Result<std::vector<MachineProfile>> ParseProfiles(const toml::table& root) {
  const toml::node* section = root.get("machine_profile");
  if (section == nullptr) return std::vector<MachineProfile>{};
  if (const toml::table* tables = section->as_table()) return ProfileReader(*tables).ReadAll();
  return InvalidArgument(TomlLine(section->source()), "[machine_profile] is no table",
                         "a profile is a table [machine_profile.NAME]");
}

}  // namespace benchd
