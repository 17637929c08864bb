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
#include "daemon/kernel/tree_group.h"
#include "daemon/observe/sample.h"
#include "daemon/settings/held_profile.h"
#include "daemon/settings/journal.h"

namespace benchd {

/// A profile and its CPUs on this machine.
struct KnownProfile {
  MachineProfile profile;
  ProfileCpus cpus;

  /// Returns the CPUs that a session may request. With smt "off", sibling threads are not included,
  /// because they are offline while the session runs.
  const std::vector<int>& RequestableCpus() const {
    return profile.smt == "off" ? cpus.used : cpus.benchmark;
  }
};

/// Decides which machine profile is held: the profile of the running session, the one that an
/// administrator has applied (`benchctl machine apply`), or one that is held as long as benchd
/// runs. Only one profile is held at a time.
///
/// Without a journal (user mode), settings are described but not changed, and children are only
/// pinned to their CPUs. Single-threaded; the referenced objects must outlive it.
class MachineOwner {
 public:
  struct Parts {
    const Settings& settings;
    const CgroupPlace& place;
    CgroupSeat& seat;
    std::vector<KnownProfile> profiles;  ///< includes `default`
    std::vector<TreeGroup*> run_groups;  ///< the control groups of runs, for memory limits
    /// The limit from memory_mib in [children]; a profile may set a lower one.
    std::uint64_t memory_limit_bytes = kNoLimit;
    /// nullptr: settings are not changed, for the reason in `why_nothing`.
    Journal* journal = nullptr;
    std::string why_nothing;
    bool user_mode = false;  ///< the daemon belongs to one user and therefore changes nothing
    std::string counters;    ///< the available hardware counters (launch/perf_counters.h)
    std::string overlap;     ///< why housekeeping and benchmark CPUs overlap; empty if they do not
    int own_nice = 0;        ///< the runner's nice value; children inherit it and may not lower it
  };
  explicit MachineOwner(Parts parts);

  const std::vector<KnownProfile>& profiles() const { return parts_.profiles; }

  /// Applies a profile for a session.
  ///
  /// @errors kInvalidArgument for an unknown profile, an unknown setting in `settings_off`, or CPUs
  ///         outside the profile's; kFailedPrecondition if isolation `strict` lacks a setting
  ///         (named in the error) or cgroup version 2. After an error, the settings are as before.
  Result<MachineReport> Acquire(const MachineRequest& request);
  /// Ends the session: restores the settings that no other holder needs. Idempotent.
  MachineEnd Release();

  /// Returns the profile of the current session, which also has settings for each child.
  const MachineProfile& child_profile() const { return child_profile_; }
  /// Returns how other processes are currently kept off the children's CPUs.
  CpusetKind cpuset() const { return held_ ? held_->cpuset() : CpusetKind::kAffinity; }
  /// Checks that the cpuset is unchanged; Release() reports a change. Call only between runs.
  void CheckCpuset();

  // Observations about a run of the current session; Release() warns about them.

  /// Counts a run and the CPU migrations of its child.
  void NoteMigrations(std::uint64_t count);
  /// Notes that a run reached a limit: "reached its limit of ...".
  void NoteLimit(const std::string& limit);
  /// Notes whether the threads of a run of `command` had to take turns on its `cpus`.
  void NoteTurns(const std::vector<std::string>& command, std::size_t cpus, bool took_turns);
  /// Notes a run that needed more hardware counters than the CPU has. `share` is the smallest share
  /// of the time for which a counter was active.
  void NoteScaledCounters(double share);

  /// Returns the status of a profile's settings. @errors kInvalidArgument for an unknown profile.
  Result<MachineStatus> Describe(const std::string& profile) const;
  /// Holds a profile until Restore(). @errors those of Describe(), and kFailedPrecondition while a
  /// session runs or if settings cannot be changed here.
  Result<MachineStatus> Apply(const std::string& profile);
  /// Restores all settings, including those of an earlier runner. @errors kFailedPrecondition while
  /// a session runs; those of the journal.
  Result<MachineStatus> Restore();

  /// Applies the profile `default` if it is held as long as benchd runs. Call when benchd has
  /// connected.
  void DaemonCame();
  /// Restores all settings. Call when benchd has disconnected.
  void DaemonGone();

  /// Samples the benchmark CPUs, for a later Diagnose().
  MachineSample Sample() const;
  /// Lists the sources of noise since an earlier sample.
  std::vector<NoiseSource> Diagnose(const MachineSample& before) const;

 private:
  /// The data of a session that Release() needs.
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
      std::uint64_t runs = 0;   ///< runs since the first one whose threads took turns
      std::uint64_t taken = 0;  ///< number of these runs whose threads took turns
    };
    std::map<std::string, Turns> turns;  ///< by command; only commands whose threads took turns
    std::uint64_t scaled_runs = 0;
    double smallest_share = 1;  ///< smallest share of the time for which a counter was active
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
  /// Whether cgroup version 2 is missing although it is needed. User mode does not need it, because
  /// it does not provide isolation or limits of process trees.
  bool LacksVersion2() const { return parts_.journal != nullptr && !parts_.place.version1.empty(); }
  Environment DescribeEnvironment() const;
  std::vector<Warning> WarningsOf(const Session& session,
                                  const std::vector<std::string>& at_end) const;

  Parts parts_;
  std::string boot_id_;
  std::optional<HeldProfile> held_;
  std::optional<Session> session_;
  std::string applied_;  // the profile that an administrator has applied, or empty
  bool daemon_here_ = false;
  MachineProfile child_profile_;
  std::vector<std::string> notes_;  // messages of the last restore
};

}  // namespace benchd
