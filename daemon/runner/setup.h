#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/runner/host.h"
#include "daemon/system/cpuset_lease.h"
#include "daemon/system/journal.h"
#include "daemon/system/machine_owner.h"
#include "daemon/system/setting.h"
#include "daemon/system/topology.h"
#include "daemon/system/tree_group.h"
#include "daemon/system/unit_properties.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Reads the [runner] section of the configuration through a short-lived benchd-helper: a TOML
/// parser in this process would stay in its memory, which is the floor of every child's max_rss.
///
/// An empty `path` is the default place, where the file may be missing. When we are root the file
/// must be root's and writable by nobody else.
/// @errors kNotFound, kPermissionDenied, kInvalidArgument with the file's name, line and key.
Result<wire::RunnerConfig> LoadRunnerConfig(const Host& host, const std::string& path);

/// The uid of a user named in the configuration: a number, or a name of /etc/passwd (the only
/// source that a static program can ask). @errors kNotFound.
Result<uid_t> UidOf(const std::string& user);

/// What the command line of benchd-runner says.
struct RunnerOptions {
  std::string config;            ///< empty = the default place, if there is a file
  std::string socket;            ///< a path, or "fd:N" for an inherited connection; may be empty
  std::string journal;           ///< empty = none
  std::string sysfs_root = "/";  ///< stands in for "/" when the machine is described
  bool restore = false;
  bool version = false;
  bool help = false;
};

/// @errors kInvalidArgument for an unknown option or a missing value.
Result<RunnerOptions> ParseRunnerOptions(int argc, char** argv);

/// The text of --help.
extern const char kRunnerHelp[];

/// --restore: puts back what a dead runner left in the journal, and ends what it left running.
/// @return what was done, a sentence a line.
/// @errors kFailedPrecondition when a live runner holds it; those of ParseJournal().
Result<std::string> RestoreFromJournal(const RunnerOptions& options);

/// Every profile of the configuration, `default` and `strict` in any case, with their CPUs here.
///
/// Housekeeping CPUs are the same for all, as benchd and its clients stay on them whatever runs:
/// those that no profile wants, where there are any. `default` is the first.
/// @errors those of the topology and of a profile's CPU list, with its name.
Result<std::vector<KnownProfile>> KnowProfiles(const KernelFiles& files,
                                               const std::vector<int>& usable_cpus,
                                               const wire::RunnerConfig& config);

/// The machine's owner and all that it refers to, in the order in which they depend on each other;
/// lives in main() as long as the runner. Neither copied nor moved.
class MachineSetup {
 public:
  /// Opens the journal, if there is to be one, and gives back what a dead runner left in it. A
  /// journal that cannot be used is no reason not to measure: then nothing is changed, and status
  /// and sessions tell why.
  /// @errors kFailedPrecondition when a live runner holds the journal.
  static Result<std::unique_ptr<MachineSetup>> Open(const RunnerOptions& options);
  MachineSetup(const MachineSetup&) = delete;
  MachineSetup& operator=(const MachineSetup&) = delete;

  /// Moves into a group of its own below the unit's, so that the unit's can have inner ones with
  /// controllers (Documentation/admin-guide/cgroup-v2.rst, "no internal process"), makes the groups
  /// of runs there, and the owner.
  /// @param counters  which there are, a sentence for the record of the machine.
  void Begin(const Host& host, std::vector<KnownProfile> profiles, const ChildLimits& limits,
             std::string counters);

  /// Of the present run and of the one being prepared.
  std::array<TreeGroup, 2>& run_groups() { return run_groups_; }

  /// Of the process that makes children on their CPUs (Spawner): beside those of runs, so that it
  /// is where they are whoever holds the CPUs. nullptr: there is none, and no partition either.
  TreeGroup* spawner_group() { return spawner_group_.exists() ? &spawner_group_ : nullptr; }

  /// Where helpers get their control groups: at the top of version 2, in system mode. Below the
  /// unit they would be on the benchmark CPUs as soon as somebody takes a partition. Empty: none.
  const std::string& helper_groups() const { return helper_groups_; }

  MachineOwner& owner() { return *owner_; }

 private:
  explicit MachineSetup(const RunnerOptions& options);

  Result<void> OpenJournal(const std::string& path);
  std::string SettleIn();
  void OpenRunGroups(const TreeLimits& limits);

  const bool is_system_;  ///< who starts a runner without a journal is benchd in user mode
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
