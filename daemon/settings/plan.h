#pragma once

#include <string>
#include <vector>

#include "core/model/machine_profile.h"
#include "core/model/session.h"
#include "daemon/kernel/topology.h"
#include "daemon/settings/lease.h"
#include "daemon/settings/setting.h"

namespace benchd {

/// The plan for one setting of a profile: its name for users, and the changes that apply it.
struct PlannedSetting {
  std::string name;    ///< as in status and JSON: "irqs", "governor", "boost", ...
  std::string wanted;  ///< as in the profile
  /// Empty if the setting is unavailable or needs no change.
  std::vector<SettingChange> changes;
  /// The reason why the setting is unavailable, or empty: "no cpufreq driver (in a virtual machine
  /// the host decides)".
  std::string missing;
  /// The affected kernel values, even if the setting is unavailable; for PresentValue().
  std::vector<SettingKey> keys;
};

/// Plans the settings of `profile` that are kernel values, in the order in which they must be
/// applied: first irqs, workqueues and smt (which takes CPUs offline), then frequencies, then the
/// rest. cpuset and c_states are not included, because they have separate leases. Settings that the
/// profile does not mention are not included either.
///
/// smt "idle" does not need a change; it is implemented by the choice of the children's CPUs and by
/// the cpuset.
std::vector<PlannedSetting> PlanSettings(const MachineProfile& profile, const ProfileCpus& cpus,
                                         const Settings& settings);

/// Returns the present value of a planned setting in the terms of the profile: "performance",
/// "performance (CPUs 1-3), powersave (CPU 4)" if CPUs differ, or "27 of 30 on housekeeping CPUs";
/// empty if it cannot be read.
std::string PresentValue(const PlannedSetting& planned, const Settings& settings);

}  // namespace benchd
