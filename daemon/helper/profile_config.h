#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/machine_profile.h"
#include "daemon/helper/toml.h"

namespace benchd {

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

/// One key of [machine_profile.NAME].
struct ProfileKey {
  std::string_view name;
  std::string_view allowed;  ///< what the value should be: the end of a message
  /// Takes the value into the profile. @return false for one that is not allowed.
  bool (*take)(const toml::node& value, MachineProfile& profile);
};

/// All but `base`, in the order of MachineProfile.
std::span<const ProfileKey> ProfileKeys();

}  // namespace benchd
