#pragma once

#include <linux/capability.h>
#include <sys/types.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/topology.h"
#include "daemon/observe/cpu_accounting.h"

namespace benchd {

/// The severities that journald reads from "<N>" at the start of a line.
enum class LogLevel : char { kError = '3', kWarning = '4', kInfo = '6' };

/// Writes one line to stderr. If journald reads stderr (JOURNAL_STREAM is set), the severity
/// precedes the text.
void Log(LogLevel level, std::string_view text);

/// The facts about the runner and the machine that were determined at startup, and the descriptors
/// that every child needs. Created once by main() and never changed.
struct Host {
  KernelFiles files{"/"};
  uid_t uid = 0;
  gid_t gid = 0;
  bool privileged = false;  ///< the runner may change to other users
  bool has_inheritable = false;
  std::array<__user_cap_data_struct, 2> capabilities{};  ///< the runner's, without inheritable ones
  bool reset_oom_score = false;
  int own_nice = 0;        ///< above 0: inherited, and the runner may not lower it
  bool counts_io = false;  ///< the kernel counts bytes read from and written to storage

  CpuAccounting cpu_accounting;

  std::vector<int> usable_cpus;  ///< all CPUs that the kernel lets the runner use
  ProfileCpus cpus;

  /// The folder in which each helper gets a control group; empty: helpers have none.
  std::string helper_groups;

  UniqueFd null;           ///< /dev/null, for reading and writing
  UniqueFd helper;         ///< benchd-helper (O_PATH), so that children need no access to its path
  UniqueFd own_peak;       ///< /proc/self/clear_refs
  UniqueFd suid_dumpable;  ///< /proc/sys/fs/suid_dumpable, open only if it matters

  /// Returns true if a child of `caller` may run in the runner's memory until execve.
  ///
  /// Returns false if fs.suid_dumpable is 1 (a debugging setting), because the caller could then
  /// trace the child in the runner's memory. Also returns false if the OOM score must be reset,
  /// because the kernel would reset it for every process that shares the memory.
  bool MayShareMemory(const Caller& caller) const;

  /// Resets the runner's peak memory use, which the kernel would otherwise count as the child's.
  void ResetOwnPeak() const;
};

/// Determines ids, capabilities and usable CPUs. In the result, all usable CPUs are housekeeping
/// CPUs.
/// @errors kNotFound if benchd-helper is not installed with this program.
Result<Host> LookAround(const std::string& root);

/// Stores the division of the CPUs in `host` and moves this process to the housekeeping CPUs.
void SettleOn(Host& host, ProfileCpus cpus);

/// Determines only the facts that are needed to start benchd-helper with the runner's own ids,
/// before the configuration is known.
Result<Host> MinimalHost();

/// Drops this program's code from memory. The kernel reads back the pages that are still used.
///
/// A child's max_rss starts at the runner's. Most of the code applies profiles and describes the
/// machine, and is not needed while children run.
void ForgetCode();

/// Joins a new session keyring, which later children inherit, so that they do not find keys of
/// earlier sessions. This is done once per session and not in each child. The kernel frees a
/// keyring in deferred work on the CPU where its last process ended, which would be in the middle
/// of the next run. Does nothing without privileges.
void JoinFreshKeyring(const Host& host);

/// Checks whether the runner can start children as `caller`. AccessRules determine which users are
/// allowed.
/// @errors kPermissionDenied if the runner cannot change to that user; kInvalidArgument if the uid
///         or gid is -1.
Result<void> CheckCaller(const Host& host, const Caller& caller);

}  // namespace benchd
