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
#include "daemon/system/cpu_accounting.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/topology.h"

namespace benchd {

/// Severities that journald reads from "<N>" at the start of a line.
enum class LogLevel : char { kError = '3', kWarning = '4', kInfo = '6' };

/// Writes one line to stderr, preceded by the severity if journald reads it (JOURNAL_STREAM).
void Log(LogLevel level, std::string_view text);

/// The facts about the runner and the machine that were found at startup, and the descriptors that
/// every child needs. Made once by main() and never changed.
struct Host {
  KernelFiles files{"/"};
  uid_t uid = 0;
  gid_t gid = 0;
  bool privileged = false;  ///< may change to other users
  bool has_inheritable = false;
  std::array<__user_cap_data_struct, 2> capabilities{};  ///< own ones, inheritable ones cleared
  bool reset_oom_score = false;
  int own_nice = 0;        ///< above 0: inherited, and we may not lower it
  bool counts_io = false;  ///< the kernel counts bytes from and to storage

  CpuAccounting cpu_accounting;

  std::vector<int> usable_cpus;  ///< all that the kernel lets us use
  ProfileCpus cpus;

  /// The folder in which each helper gets a control group; empty: helpers have none.
  std::string helper_groups;

  UniqueFd null;           ///< /dev/null, for reading and writing
  UniqueFd helper;         ///< benchd-helper, O_PATH: children need no access to its path
  UniqueFd own_peak;       ///< /proc/self/clear_refs
  UniqueFd suid_dumpable;  ///< /proc/sys/fs/suid_dumpable, open only if it matters

  /// Whether a child of `caller` may run in our memory until execve.
  ///
  /// False with fs.suid_dumpable = 1 (a debugging setting), since the caller could then trace the
  /// child in our memory. Also false if the OOM score must be reset: the kernel would reset it for
  /// every process that shares the memory.
  bool MayShareMemory(const Caller& caller) const;

  /// Resets our peak memory use, which the kernel would count as the child's.
  void ResetOwnPeak() const;
};

/// Finds ids, capabilities and usable CPUs. `cpus` does not divide the CPUs yet.
/// @errors kNotFound if benchd-helper is not beside this program.
Result<Host> LookAround(const std::string& root);

/// Divides the CPUs and moves this process to the housekeeping CPUs.
void SettleOn(Host& host, ProfileCpus cpus);

/// The subset needed to start benchd-helper with our own ids, before the configuration is known.
Result<Host> MinimalHost();

/// Drops this program's code from memory. The kernel reads back the pages that are still used.
///
/// A child's max_rss starts at ours. Most of the code takes profiles and describes the machine,
/// which is not needed while children run.
void ForgetCode();

/// Joins a fresh session keyring, which later children inherit, so that they find no keys of
/// earlier sessions. This happens once per session instead of in each child, because the kernel
/// frees a keyring in deferred work on the CPU where its last process ended, in the middle of the
/// next run. Does nothing without privileges.
void JoinFreshKeyring(const Host& host);

/// Whether we can start children as `caller` at all; AccessRules decide who is allowed.
/// @errors kPermissionDenied if we cannot change to that user; kInvalidArgument for uid or gid -1.
Result<void> CheckCaller(const Host& host, const Caller& caller);

}  // namespace benchd
