#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/machine_profile.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/system/held_profile.h"
#include "daemon/system/journal.h"
#include "daemon/system/machine_sample.h"
#include "daemon/system/tree_group.h"

namespace benchd {

/// A profile and its CPUs on this machine.
struct KnownProfile {
  MachineProfile profile;
  ProfileCpus cpus;

  /// The CPUs that a session may request: with smt "off", siblings are offline when the session
  /// runs.
  const std::vector<int>& RequestableCpus() const {
    return profile.smt == "off" ? cpus.used : cpus.benchmark;
  }
};

/// Decides which profile's settings are held: a session's, the one that an admin has applied
/// (`benchctl machine apply`), or one that is held as long as benchd runs. One profile at a time.
///
/// Without a journal (user mode) it changes nothing: it describes the settings, and children are
/// pinned to their CPUs by affinity alone. Single-threaded; the references must outlive it.
class MachineOwner {
 public:
  struct Parts {
    const Settings& settings;
    const CgroupPlace& place;
    CgroupSeat& seat;
    std::vector<KnownProfile> profiles;  ///< includes `default`
    std::vector<TreeGroup*> run_groups;  ///< the groups of the runs, for memory limits
    /// The limit of [children] memory_mib; a profile may ask for less.
    std::uint64_t memory_limit_bytes = kNoLimit;
    /// nullptr: changes nothing, for the reason in `why_nothing`.
    Journal* journal = nullptr;
    std::string why_nothing;
    bool user_mode = false;  ///< that reason is that the daemon is one user's
    std::string counters;    ///< which there are (runner/perf_counters.h), a fact of the machine
    std::string overlap;     ///< empty, or why housekeeping and benchmark CPUs are the same ones
    int own_nice = 0;  ///< of the runner; above 0 it may not be lowered, and children inherit it
  };
  explicit MachineOwner(Parts parts);

  const std::vector<KnownProfile>& profiles() const { return parts_.profiles; }

  /// Takes a profile for a session.
  ///
  /// @errors kInvalidArgument for an unknown profile, an unknown setting in `settings_off`, or CPUs
  ///         outside the profile's; kFailedPrecondition if `strict` isolation lacks a setting
  ///         (which the error names) or cgroup version 2. After an error no setting is changed.
  Result<MachineReport> Acquire(const MachineRequest& request);
  /// Ends the session: restores the settings that no other holder needs. Idempotent.
  MachineEnd Release();

  /// The profile of the current session, for settings of each child.
  const MachineProfile& child_profile() const { return child_profile_; }
  /// How children's CPUs are currently confined.
  CpusetKind cpuset() const { return held_ ? held_->cpuset() : CpusetKind::kAffinity; }
  /// Checks that the cpuset is still as it was taken. Release() reports a difference. Call between
  /// runs only.
  void CheckCpuset();
  /// Counts a run of this session and the CPU migrations of its child; Release() warns of them.
  void NoteMigrations(std::uint64_t count);
  /// Likewise for a run that reached a limit: "reached its limit of ...".
  void NoteLimit(const std::string& limit);
  /// Likewise for a run of `command`: whether its threads had to take turns on its `cpus`.
  void NoteTurns(const std::vector<std::string>& command, std::size_t cpus, bool took_turns);
  /// Likewise for a run that needed more hardware counters than the CPU has: `share` is the
  /// smallest share of the time that a counter was active.
  void NoteScaledCounters(double share);

  /// @errors kInvalidArgument for an unknown profile.
  Result<MachineStatus> Describe(const std::string& profile) const;
  /// @errors kFailedPrecondition while a session runs, or if settings may not be changed here
  Result<MachineStatus> Apply(const std::string& profile);
  Result<MachineStatus> Restore();

  /// Called when benchd has connected: takes `default` if that profile is held as long as benchd
  /// runs.
  void DaemonCame();
  /// Called when benchd has disconnected: restores everything.
  void DaemonGone();

  /// Samples the benchmark CPUs; Diagnose() finds the noise since an earlier sample.
  MachineSample Sample() const;
  std::vector<NoiseSource> Diagnose(const MachineSample& before) const;

 private:
  /// Data of a session that Release() reports.
  struct Session {
    std::vector<SettingState> at_start;
    std::vector<int> used;
    MachineSample before;
    std::string broken_cpuset;
    std::uint64_t migrations = 0;
    std::uint64_t runs = 0;
    std::map<std::string, std::uint64_t> limits;  ///< number of runs that reached each limit
    struct Turns {
      std::size_t cpus = 0;
      std::uint64_t runs = 0;   ///< since the first one whose threads took turns
      std::uint64_t taken = 0;  ///< of these, runs whose threads took turns
    };
    std::map<std::string, Turns> turns;  ///< by command; only those whose threads took turns
    std::uint64_t scaled_runs = 0;
    double smallest_share = 1;  ///< of the time that a counter was active
  };

  Result<const KnownProfile*> Find(const std::string& name) const;
  Result<KnownProfile> Choose(const MachineRequest& request) const;
  Result<std::vector<int>> ChooseCpus(const KnownProfile& known, Isolation isolation,
                                      const std::string& cpus) const;
  void Hold(const KnownProfile& known);
  std::vector<std::string> ReleaseProfile();
  void HoldWhatStays();
  std::optional<SettingState> LimitMemory(std::uint64_t profile_bytes) const;
  std::vector<SettingState> States(const KnownProfile& known) const;
  MachineStatus StatusOf(const KnownProfile& known) const;
  /// True only in system mode, which promises isolation and limits of whole process trees.
  bool LacksVersion2() const { return parts_.journal != nullptr && !parts_.place.version1.empty(); }
  Environment DescribeEnvironment() const;
  std::vector<Warning> WarningsOf(const Session& session,
                                  const std::vector<std::string>& at_end) const;

  Parts parts_;
  std::string boot_id_;
  std::optional<HeldProfile> held_;
  std::optional<Session> session_;
  std::string applied_;  // profile that an admin has applied; empty: none
  bool daemon_here_ = false;
  MachineProfile child_profile_;
  std::vector<std::string> notes_;  // from the last time that settings were restored
};

}  // namespace benchd
