#include "core/model/machine_profile.h"

#include <array>
#include <iterator>

namespace benchd {
namespace {

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kMachineSettings)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kMachineSettings[i].name;
  return names;
}();

}  // namespace

MachineProfile StrictProfile() {
  MachineProfile profile;
  profile.name = "strict";
  for (const MachineSetting& setting : kMachineSettings) {
    if (setting.strict) profile.*setting.value = *setting.strict;
  }
  profile.c_state_latency_us = 0;
  profile.numa_local = true;
  return profile;
}

std::span<const std::string_view> MachineSettingNames() { return kNames; }

bool LeaveOut(MachineProfile& profile, std::string_view setting) {
  const MachineSetting* known = FindMachineSetting(setting);
  if (known == nullptr) return false;
  if (known->value == nullptr) {
    profile.c_state_latency_us.reset();
  } else {
    (profile.*known->value).clear();
  }
  return true;
}

}  // namespace benchd
