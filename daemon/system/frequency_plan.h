#pragma once

#include <vector>

#include "core/model/machine_profile.h"
#include "daemon/system/setting.h"
#include "daemon/system/settings_plan.h"

namespace benchd {

/// The part of PlanSettings() about cpufreq, for the CPUs on which children run.
///
/// Each setting comes before those that it would change or forbid: boost moves the frequencies'
/// limits; under the governor `performance`, intel_pstate and amd-pstate take no other energy
/// preference than `performance` (EBUSY), so that the governor has to be the first to go back.
std::vector<PlannedSetting> PlanFrequencies(const MachineProfile& profile,
                                            const std::vector<int>& cpus, const Settings& settings);

}  // namespace benchd
