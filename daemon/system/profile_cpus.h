#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/machine_profile.h"
#include "daemon/system/topology.h"

namespace benchd {

/// Which CPUs a profile means.
struct ProfileCpus {
  std::vector<int> housekeeping;
  std::vector<int> benchmark;  ///< reserved: every thread of the benchmark cores
  std::vector<int> used;       ///< where children run: with smt "idle" or "off" one thread a core
  /// Empty, or why housekeeping and benchmark CPUs overlap or share a core: then the daemon's work
  /// disturbs what it measures.
  std::string why;
  bool operator==(const ProfileCpus&) const = default;
};

/// Finds a profile's CPUs among the `usable` ones.
///
/// Whole cores are reserved: the siblings of the configured benchmark CPUs belong to them, as what
/// runs there slows them down. Only where that would leave nothing for housekeeping is a core
/// shared. Children run on the first thread of each reserved core that is configured (smt "idle"),
/// or that stays when siblings go offline (smt "off"); else on all that are configured, or on all.
/// @errors those of SplitCpus(), and kInvalidArgument for a text that is no CPU list.
Result<ProfileCpus> ChooseProfileCpus(const Topology& topology, const std::vector<int>& usable,
                                      const MachineProfile& profile);

}  // namespace benchd
