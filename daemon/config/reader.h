#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/config/keys.h"
#include "daemon/config/toml.h"

namespace benchd {

/// Reads tables of the configuration for some programs, as ReadConfig() describes.
class ConfigReader {
 public:
  ConfigReader(std::string_view name, unsigned readers) : name_(name), readers_(readers) {}

  Result<ConfigValues> Read(const toml::table& root) const;

  /// Stores the keys of one table.
  /// @param shown  the table in messages, such as "[machine_profile.quiet]"
  Result<void> ReadKeys(const ConfigTable& kind, const std::string& shown, const toml::table& table,
                        ConfigValues& into) const;

  /// Returns the error kInvalidArgument "NAME:3: WHAT" or "line 3: WHAT".
  Error At(const toml::source_region& place, std::string_view what,
           std::string_view hint = {}) const;

 private:
  Result<void> ReadTable(const toml::key& key, const toml::node& node, ConfigValues& into) const;
  bool Concerns(const ConfigTable& table) const;

  std::string name_;
  unsigned readers_;
};

/// Returns the tables [machine_profile.NAME] as complete profiles, sorted by name.
Result<std::vector<MachineProfile>> ReadProfiles(const ConfigReader& reader,
                                                 const ConfigTable& kind,
                                                 const toml::table& tables);

}  // namespace benchd
