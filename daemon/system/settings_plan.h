#pragma once

#include <string>
#include <vector>

#include "core/model/machine_profile.h"
#include "core/model/session.h"
#include "daemon/system/setting.h"
#include "daemon/system/settings_lease.h"
#include "daemon/system/topology.h"

namespace benchd {

/// One setting of a profile as it is to be taken: a name for users, and changes of the machine.
struct PlannedSetting {
  std::string name;    ///< as status and JSON write it: "irqs", "governor", "boost", ...
  std::string wanted;  ///< as the profile writes it
  /// Empty where the setting is missing, and where there is nothing to do.
  std::vector<SettingChange> changes;
  /// Empty, or why this machine cannot have it: "no cpufreq driver (in a virtual machine the host
  /// decides)".
  std::string missing;
  /// The values that it is about, also where it is missing; for PresentValue().
  std::vector<SettingKey> keys;
};

/// The settings of `profile` that are kernel values, in the order in which they are to be taken:
/// irqs, workqueues, smt first (before the CPUs that it changes), then frequencies, then the rest.
/// cpuset and c_states are not among them: they have leases of their own. A setting that the
/// profile leaves alone is not listed.
///
/// smt "idle" is planned without a change: which CPUs children get, and the cpuset, decide it.
std::vector<PlannedSetting> PlanSettings(const MachineProfile& profile, const ProfileCpus& cpus,
                                         const Settings& settings);

/// The present value of a planned setting in the profile's words: "performance", or
/// "performance (CPUs 1-3), powersave (CPU 4)" where they differ, or "27 of 30 on housekeeping
/// CPUs"; empty where nothing can be read.
std::string PresentValue(const PlannedSetting& planned, const Settings& settings);

}  // namespace benchd
