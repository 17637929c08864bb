#include <charconv>
#include <set>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/base/try.h"
#include "daemon/config/reader.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxProfiles = 64;
constexpr std::size_t kMaxProfileNameBytes = 64;

std::string Section(std::string_view name) { return "[machine_profile." + ShownKey(name) + "]"; }

/// Creates complete profiles from tables that may refer to each other.
class ProfileReader {
 public:
  ProfileReader(const ConfigReader& reader, const ConfigTable& kind, const toml::table& tables)
      : reader_(reader), kind_(kind), tables_(tables) {}

  Result<std::vector<MachineProfile>> ReadAll() {
    if (tables_.size() > kMaxProfiles) {
      return reader_.At(tables_.source(), "[machine_profile] has more than 64 profiles");
    }
    std::vector<MachineProfile> profiles;
    for (const auto& [key, table] : tables_) {
      TRY_VOID(CheckEntry(key, table));
      TRY(auto profile, Complete(key.str(), *table.as_table()));
      profiles.push_back(std::move(profile));
    }
    return profiles;
  }

 private:
  Result<void> CheckEntry(const toml::key& key, const toml::node& entry) const {
    if (!IsPlainWord(key.str()) || key.str().size() > kMaxProfileNameBytes) {
      return reader_.At(key.source(), Section(key.str()) + ": not a valid profile name",
                        "use 1 to 64 letters, digits, _ and -");
    }
    if (entry.is_table()) return {};
    return reader_.At(key.source(), Section(key.str()) + " is not a table");
  }

  /// Returns the profile whose values the profile `name` begins with.
  Result<MachineProfile> Base(std::string_view name, const toml::table& table) {
    const toml::node* base = table.get("base");
    if (base == nullptr) return name == "strict" ? StrictProfile() : MachineProfile{};
    const auto wanted = base->value_exact<std::string>();
    if (!wanted) return MachineProfile{};  // ReadKeys() refuses it
    if (const toml::table* other = tables_[*wanted].as_table()) {
      if (under_way_.contains(*wanted)) {
        return reader_.At(base->source(), Section(name) + " base " + Quoted(*wanted) +
                                              " refers back to this profile");
      }
      return Complete(*wanted, *other);
    }
    if (wanted == "default") return MachineProfile{};
    if (wanted == "strict") return StrictProfile();
    return reader_.At(base->source(),
                      Section(name) + " base " + Quoted(*wanted) + " is not a profile",
                      "known: " + KnownProfiles());
  }

  Result<MachineProfile> Complete(std::string_view name, const toml::table& table) {
    under_way_.emplace(name);
    auto profile = Base(name, table);
    under_way_.erase(under_way_.find(name));
    if (!profile) return profile;
    profile->name = name;
    ConfigValues values;
    std::get<MachineProfile>(values) = *std::move(profile);
    TRY_VOID(reader_.ReadKeys(kind_, Section(name), table, values));
    profile = std::get<MachineProfile>(std::move(values));
    TRY_VOID(CheckFrequencies(*profile, table));
    return profile;
  }

  Result<void> CheckFrequencies(const MachineProfile& profile, const toml::table& table) const {
    const auto number = [](const std::string& text) {
      std::int64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    if (profile.min_frequency_khz.empty() || profile.max_frequency_khz.empty()) return {};
    if (number(profile.min_frequency_khz) <= number(profile.max_frequency_khz)) return {};
    return reader_.At(table.source(),
                      Section(profile.name) + " min_frequency_khz is above max_frequency_khz");
  }

  std::string KnownProfiles() const {
    std::string known = "default, strict";
    for (const auto& [key, table] : tables_) {
      if (key != "default" && key != "strict") known += ", " + ShownKey(key.str());
    }
    return known;
  }

  const ConfigReader& reader_;
  const ConfigTable& kind_;
  const toml::table& tables_;
  std::set<std::string, std::less<>> under_way_;
};

}  // namespace

Result<std::vector<MachineProfile>> ReadProfiles(const ConfigReader& reader,
                                                 const ConfigTable& kind,
                                                 const toml::table& tables) {
  return ProfileReader(reader, kind, tables).ReadAll();
}

}  // namespace benchd
