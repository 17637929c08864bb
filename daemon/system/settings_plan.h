#pragma once

#include <string>
#include <vector>

#include "core/model/machine_profile.h"
#include "core/model/session.h"
#include "daemon/system/setting.h"
#include "daemon/system/settings_lease.h"
#include "daemon/system/topology.h"

namespace benchd {

/// One setting of a profile as it will be taken: a name for users, and the changes.
struct PlannedSetting {
  std::string name;    ///< as in status and JSON: "irqs", "governor", "boost", ...
  std::string wanted;  ///< as in the profile
  /// Empty if the setting is unavailable or needs no change.
  std::vector<SettingChange> changes;
  /// Empty, or why this machine cannot provide it: "no cpufreq driver (in a virtual machine the
  /// host decides)".
  std::string missing;
  /// The values that it concerns, even if it is unavailable; for PresentValue().
  std::vector<SettingKey> keys;
};

/// The settings of `profile` that are kernel values, in the order in which they must be taken:
/// first irqs, workqueues and smt (which changes the CPUs that exist), then frequencies, then the
/// rest. cpuset and c_states have leases of their own and are not included, nor are settings that
/// the profile leaves alone.
///
/// smt "idle" needs no change: the choice of the children's CPUs and the cpuset implement it.
std::vector<PlannedSetting> PlanSettings(const MachineProfile& profile, const ProfileCpus& cpus,
                                         const Settings& settings);

/// The present value of a planned setting in the profile's words: "performance", or "performance
/// (CPUs 1-3), powersave (CPU 4)" if CPUs differ, or "27 of 30 on housekeeping CPUs"; empty if
/// nothing can be read.
std::string PresentValue(const PlannedSetting& planned, const Settings& settings);

}  // namespace benchd
