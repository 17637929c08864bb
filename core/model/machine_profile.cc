#include "core/model/machine_profile.h"

#include <array>
#include <cstddef>

namespace benchd {
namespace {

struct NamedSetting {
  std::string_view name;
  std::string MachineProfile::*value;  ///< nullptr for the C-states, whose value is a number
};

constexpr auto kSettings =
    std::to_array<NamedSetting>({{"irqs", &MachineProfile::irqs},
                                 {"workqueues", &MachineProfile::workqueues},
                                 {"smt", &MachineProfile::smt},
                                 {"cpuset", &MachineProfile::cpuset},
                                 {"governor", &MachineProfile::governor},
                                 {"min_frequency_khz", &MachineProfile::min_frequency_khz},
                                 {"max_frequency_khz", &MachineProfile::max_frequency_khz},
                                 {"boost", &MachineProfile::boost},
                                 {"energy_preference", &MachineProfile::energy_preference},
                                 {"c_states", nullptr},
                                 {"timer_migration", &MachineProfile::timer_migration},
                                 {"nmi_watchdog", &MachineProfile::nmi_watchdog},
                                 {"transparent_hugepages", &MachineProfile::transparent_hugepages},
                                 {"swappiness", &MachineProfile::swappiness},
                                 {"perf_sample_rate", &MachineProfile::perf_sample_rate}});

constexpr auto kNames = [] {
  std::array<std::string_view, kSettings.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kSettings[i].name;
  return names;
}();

}  // namespace

MachineProfile StrictProfile() {
  MachineProfile profile;
  profile.name = "strict";
  profile.smt = "off";
  profile.c_state_latency_us = 0;
  profile.transparent_hugepages = "madvise";
  profile.swappiness = "0";
  profile.perf_sample_rate = "1";
  profile.numa_local = true;
  return profile;
}

std::span<const std::string_view> MachineSettingNames() { return kNames; }

bool LeaveOut(MachineProfile& profile, std::string_view setting) {
  for (const NamedSetting& one : kSettings) {
    if (one.name != setting) continue;
    if (one.value == nullptr) {
      profile.c_state_latency_us.reset();
    } else {
      (profile.*one.value).clear();
    }
    return true;
  }
  return false;
}

}  // namespace benchd
