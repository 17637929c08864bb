#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/kernel/topology.h"
#include "daemon/kernel/tree_group.h"
#include "daemon/launch/host.h"
#include "daemon/runner/options.h"
#include "daemon/settings/cpuset.h"
#include "daemon/settings/journal.h"
#include "daemon/settings/machine_owner.h"
#include "daemon/settings/setting.h"
#include "daemon/settings/unit_properties.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Implements --restore: restores the settings that a dead runner left in the journal, and kills
/// its remaining processes.
/// @return a report of what was done, with one sentence per line.
/// @errors kFailedPrecondition if a live runner holds the journal; those of ParseJournal().
Result<std::string> RestoreFromJournal(const RunnerOptions& options);

/// Returns all profiles of the configuration, each with its CPUs on this machine. The result always
/// contains `default`, which comes first, and `strict`.
///
/// All profiles have the same housekeeping CPUs, because benchd and its clients stay on them. They
/// are the CPUs that no profile uses, if there are any.
/// @errors those of ReadTopology(), and those of a profile's CPU list, with the profile's name.
Result<std::vector<KnownProfile>> KnowProfiles(const KernelFiles& files,
                                               const std::vector<int>& usable_cpus,
                                               const RunnerConfig& config);

/// Owns the MachineOwner and all objects that it refers to, in the order of their dependencies. It
/// exists in main() as long as the runner does. Not copyable or movable.
class MachineSetup {
 public:
  /// Opens the journal, if one is configured, and restores the settings that a dead runner left in
  /// it. An unusable journal does not prevent measurements. The runner then leaves all settings
  /// unchanged, and the machine status and sessions report the reason.
  /// @errors kFailedPrecondition if a live runner holds the journal.
  static Result<std::unique_ptr<MachineSetup>> Open(const RunnerOptions& options);
  MachineSetup(const MachineSetup&) = delete;
  MachineSetup& operator=(const MachineSetup&) = delete;

  /// Moves this process into a subgroup, so that the unit's group can have other subgroups with
  /// controllers (Documentation/admin-guide/cgroup-v2.rst, "no internal process"). Then creates the
  /// control groups of the runs, and the owner.
  /// @param counters  description of the available counters, for the record of the machine
  void Begin(const Host& host, std::vector<KnownProfile> profiles, const ChildLimits& limits,
             std::string counters);

  /// Returns the control groups of the current run and of the run being prepared.
  std::array<TreeGroup, 2>& run_groups() { return run_groups_; }

  /// Returns the control group of the Spawner, which creates children on their CPUs. The group is a
  /// sibling of the groups of the runs and has the same CPUs. Returns nullptr if it does not exist;
  /// there is no partition in that case.
  TreeGroup* spawner_group() { return spawner_group_.exists() ? &spawner_group_ : nullptr; }

  /// Returns the folder for the control groups of helpers, which is the top of the cgroup version 2
  /// tree. Below the unit, a partition would confine helpers to the benchmark CPUs. The result is
  /// empty if helpers have no control groups, such as in user mode.
  const std::string& helper_groups() const { return helper_groups_; }

  MachineOwner& owner() { return *owner_; }

 private:
  explicit MachineSetup(const RunnerOptions& options);

  Result<void> OpenJournal(const std::string& path);
  std::string SettleIn();
  void OpenRunGroups(const TreeLimits& limits);

  const bool is_system_;  ///< in user mode, benchd starts the runner without a journal
  KernelFiles files_;
  std::unique_ptr<UnitProperties> units_;
  Settings settings_;
  std::optional<Journal> journal_;
  std::string why_nothing_;
  CgroupPlace place_;
  std::string runs_folder_;
  std::string helper_groups_;
  std::optional<CgroupSeat> seat_;
  std::array<TreeGroup, 2> run_groups_;
  TreeGroup spawner_group_;
  std::optional<MachineOwner> owner_;
};

}  // namespace benchd
