#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/machine_profile.h"
#include "daemon/helper/toml.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Returns the parts of a configuration (TOML) that concern benchd-runner:
/// - the section [runner],
/// - the section [children] (ParseChildLimits()),
/// - the tables [machine_profile.NAME] as complete profiles (ParseProfiles()),
/// - the keys of [socket] and [access] that determine which users children may run as.
///
/// benchd reads all other keys.
/// @errors kInvalidArgument "line 3: ..." for invalid TOML, an unknown key, or a value that has the
///         wrong type or is out of range; those of ParseProfiles() and ParseChildLimits().
Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text);

/// Returns the limits of a run, from the section [children] of a configuration. "none" becomes
/// kNoLimit.
///
/// @errors kInvalidArgument "line 3: [children] KEY should be ..." for an invalid value, and a
///         similar error for an unknown key, with a hint that lists the known keys.
Result<ChildLimits> ParseChildLimits(const toml::table& root);

/// Returns the tables [machine_profile.NAME] of a configuration as complete profiles, sorted by
/// name.
///
/// `default` and `strict` begin with their built-in values, and all other profiles begin with those
/// of the built-in `default`. With the key `base`, a profile begins with the values of another
/// profile, which is taken from this file if the file defines it. benchmark_cpus remains empty
/// unless it is set; the runner fills it in later. "leave" and its synonyms ("other", 0 bytes)
/// become the empty value.
///
/// @errors kInvalidArgument "line 3: [machine_profile.NAME] KEY should be ..." for an invalid
///         value. There are similar errors for an unknown key (with a hint that lists the known
///         keys), an invalid name, a base that does not exist or refers back to the profile, a
///         minimum frequency above the maximum, and more than 64 profiles.
Result<std::vector<MachineProfile>> ParseProfiles(const toml::table& root);

/// A key of a section of the configuration.
template <typename T>
struct ConfigKey {
  std::string_view name;
  /// The allowed values, as the end of an error message or as a list of words, "on|off".
  std::string_view allowed;
  /// Stores the value. Returns false if the value is not allowed.
  bool (*take)(const toml::node& value, std::string_view allowed, T& into);
};

/// Returns all keys of [machine_profile.NAME] except `base`, in the order of MachineProfile.
std::span<const ConfigKey<MachineProfile>> ProfileKeys();

/// Returns "on, off or leave" for "on|off|leave", and any other text unchanged.
std::string AllowedText(std::string_view allowed);

/// Returns "did you mean KEY?", or a list of all keys.
std::string HintForKey(std::string_view typed, std::span<const std::string_view> known);

/// Stores the value of a key of `section` in `into`, using the entry for the key in `keys`.
/// @errors kInvalidArgument "line 3: SECTION KEY should be ..." for an invalid value, and a similar
///         error for an unknown key, with a hint that lists `also_known` and the known keys.
template <typename T>
Result<void> TakeKey(std::span<const ConfigKey<T>> keys, const std::string& section,
                     const toml::key& key, const toml::node& value, T& into,
                     std::string_view also_known = {}) {
  const std::string what = section + " " + ShownKey(key.str());
  std::vector<std::string_view> names;
  if (!also_known.empty()) names.push_back(also_known);
  for (const ConfigKey<T>& known : keys) {
    if (key != known.name) {
      names.push_back(known.name);
    } else if (known.take(value, known.allowed, into)) {
      return {};
    } else {
      return InvalidArgument(TomlLine(value.source()),
                             what + " should be " + AllowedText(known.allowed));
    }
  }
  return InvalidArgument(TomlLine(key.source()), what + ": unknown key",
                         HintForKey(key.str(), names));
}

}  // namespace benchd
