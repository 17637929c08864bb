#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/model/machine_profile.h"
#include "daemon/helper/toml.h"

namespace benchd {

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
