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

/// What a configuration (TOML) says to benchd-runner: the sections [runner] and [children]
/// (ChildrenConfig) and the tables [machine_profile.NAME], each complete (ParseProfiles()), and
/// of [socket] and [access] what says whom a child may be. All else is benchd's business.
/// @errors kInvalidArgument "line 3: ..." for what is no TOML, an unknown key, a value of wrong
///         type or out of range; those of ParseProfiles() and ParseChildLimits().
Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text);

/// The section [children] of a configuration: what one run may use at most. "none" is kNoLimit.
///
/// @errors kInvalidArgument "line 3: [children] KEY should be ..." for a value, and likewise for an
///         unknown key (its hint has the known ones).
Result<ChildLimits> ParseChildLimits(const toml::table& root);

/// The tables [machine_profile.NAME] of a configuration as complete profiles, by their names.
///
/// `default` and `strict` begin with their built-in values, every other with those of the built-in
/// `default`; the key `base` makes a profile begin with another's values instead: those of this
/// file where it has a table of that name. benchmark_cpus that nobody sets stays empty: it is the
/// reader's to fill in. "leave" and what means the same ("other", 0 bytes) become the empty value.
///
/// @errors kInvalidArgument "line 3: [machine_profile.NAME] KEY should be ..." for a value, and
///         likewise for an unknown key (its hint has the known ones), a name, a base that is not
///         there or leads back to the profile itself, a lowest frequency above the highest, and
///         more than 64 profiles.
Result<std::vector<MachineProfile>> ParseProfiles(const toml::table& root);

/// One key of a section.
template <typename T>
struct ConfigKey {
  std::string_view name;
  /// What the value should be: the end of a message, or the words there are, "on|off".
  std::string_view allowed;
  /// Takes the value. @return false for one that is not allowed.
  bool (*take)(const toml::node& value, std::string_view allowed, T& into);
};

/// All of [machine_profile.NAME] but `base`, in the order of MachineProfile.
std::span<const ConfigKey<MachineProfile>> ProfileKeys();

/// "on, off or leave" for "on|off|leave"; any other text as it is.
std::string AllowedText(std::string_view allowed);

/// "did you mean KEY?", or all there are.
std::string HintForKey(std::string_view typed, std::span<const std::string_view> known);

/// Takes a key of `section` by the one of `keys` that it is.
/// @errors kInvalidArgument "line 3: SECTION KEY should be ..." for a value, and likewise for an
///         unknown key, whose hint has the known ones after those of `also_known`.
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
