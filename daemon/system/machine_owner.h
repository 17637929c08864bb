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

/// A profile and the CPUs it means on this machine.
struct KnownProfile {
  MachineProfile profile;
  ProfileCpus cpus;

  /// Those a session may ask for: with smt "off" the siblings are offline by the time they would be
  /// used.
  const std::vector<int>& RequestableCpus() const {
    return profile.smt == "off" ? cpus.used : cpus.benchmark;
  }
};

/// Who decides which profile's settings are taken: a session, an admin (`benchctl machine apply`),
/// or a profile that is held as long as benchd lives. One profile at a time.
///
/// Without a journal (user mode) nothing is ever changed: then the settings are described, and
/// children are kept on their CPUs by affinity alone. Single-threaded; the references outlive it.
class MachineOwner {
 public:
  struct Parts {
    const Settings& settings;
    const CgroupPlace& place;
    CgroupSeat& seat;
    std::vector<KnownProfile> profiles;  ///< `default` among them
    std::vector<TreeGroup*> run_groups;  ///< of the runs: for limits of memory
    /// What [children] memory_mib asks for, beside which a profile may ask for less.
    std::uint64_t memory_limit_bytes = kNoLimit;
    /// nullptr: changes nothing, for the reason `why_nothing`.
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
  /// @errors kInvalidArgument for an unknown profile, an unknown setting that is to be left out, or
  ///         CPUs outside the profile's; kFailedPrecondition when
  ///         `strict` isolation misses a setting, or cgroup version 2, which is named; nothing
  ///         stays changed then.
  Result<MachineReport> Acquire(const MachineRequest& request);
  /// The end of the session: gives back what nobody else holds. Idempotent.
  MachineEnd Release();

  /// The profile of the session under way, for what is every child's own; never nullptr.
  const MachineProfile& child_profile() const { return child_profile_; }
  /// How the CPUs of children are confined at the moment.
  CpusetKind cpuset() const { return held_ ? held_->cpuset() : CpusetKind::kAffinity; }
  /// Looks whether the cpuset still is what was taken; what is found is told by Release(). Between
  /// runs only.
  void CheckCpuset();
  /// Told by Release(): runs of this session in which a child was moved between CPUs.
  void NoteMigrations(std::uint64_t count);
  /// Likewise: a run that ran into a limit; "reached its limit of ...".
  void NoteLimit(const std::string& limit);
  /// Likewise: whether the threads of a run of `command` had to take turns on its `cpus`.
  void NoteTurns(const std::vector<std::string>& command, std::size_t cpus, bool took_turns);
  /// Likewise: a run for whose counters the CPU had not enough, so that one really counted for only
  /// this share of the time.
  void NoteScaledCounters(double share);

  /// @errors kInvalidArgument for an unknown profile.
  Result<MachineStatus> Describe(const std::string& profile) const;
  /// @errors kFailedPrecondition while a session runs, or where nothing may be changed.
  Result<MachineStatus> Apply(const std::string& profile);
  Result<MachineStatus> Restore();

  /// benchd has connected: takes `default` if it is to be held as long as benchd lives.
  void DaemonCame();
  /// benchd has gone: everything is given back.
  void DaemonGone();

  /// Noise between two samples of the benchmark CPUs.
  MachineSample Sample() const;
  std::vector<NoiseSource> Diagnose(const MachineSample& before) const;

 private:
  /// What is remembered of a session until its end.
  struct Session {
    std::vector<SettingState> at_start;
    std::vector<int> used;
    MachineSample before;
    std::string broken_cpuset;
    std::uint64_t migrations = 0;
    std::uint64_t runs = 0;
    std::map<std::string, std::uint64_t> limits;  ///< what was run into, and by how many runs
    struct Turns {
      std::size_t cpus = 0;
      std::uint64_t runs = 0;   ///< since the first one whose threads took turns
      std::uint64_t taken = 0;  ///< of these
    };
    std::map<std::string, Turns> turns;  ///< by command, of those that have some
    std::uint64_t scaled_runs = 0;
    double smallest_share = 1;  ///< of the time, of a counter in these
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
  /// In system mode, where isolation and limits of whole trees are promised.
  bool LacksVersion2() const { return parts_.journal != nullptr && !parts_.place.version1.empty(); }
  Environment DescribeEnvironment() const;
  std::vector<Warning> WarningsOf(const Session& session,
                                  const std::vector<std::string>& at_end) const;

  Parts parts_;
  std::string boot_id_;
  std::optional<HeldProfile> held_;
  std::optional<Session> session_;
  std::string applied_;  // by an admin; empty = none
  bool daemon_here_ = false;
  MachineProfile child_profile_;
  std::vector<std::string> notes_;  // of the last time something was given back
};

}  // namespace benchd
