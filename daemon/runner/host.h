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

/// Severity as journald reads it from a "<N>" at the start of a line.
enum class LogLevel : char { kError = '3', kWarning = '4', kInfo = '6' };

/// Writes one line to stderr; with the severity in front when journald reads it (JOURNAL_STREAM).
void Log(LogLevel level, std::string_view text);

/// What the runner found out about itself and the machine when it started, and the descriptors that
/// every child needs. Made once by main(), read by everybody, never changed.
struct Host {
  KernelFiles files{"/"};
  uid_t uid = 0;
  gid_t gid = 0;
  bool privileged = false;  ///< may become other users
  bool has_inheritable = false;
  std::array<__user_cap_data_struct, 2> capabilities{};  ///< own ones, inheritable ones cleared
  bool reset_oom_score = false;
  int own_nice = 0;        ///< above 0: what we were started with, and may not lower
  bool counts_io = false;  ///< the kernel counts bytes from and to storage

  CpuAccounting cpu_accounting;

  std::vector<int> usable_cpus;  ///< all that the kernel lets us use
  ProfileCpus cpus;

  /// The folder in which each helper gets a control group of its own; empty = they have none.
  std::string helper_groups;

  UniqueFd null;           ///< /dev/null, for reading and writing
  UniqueFd helper;         ///< benchd-helper, O_PATH: children execute it without reaching its path
  UniqueFd own_peak;       ///< /proc/self/clear_refs
  UniqueFd suid_dumpable;  ///< /proc/sys/fs/suid_dumpable, open only where it matters

  /// Whether a child that becomes `caller` may run in our memory until it is its program.
  ///
  /// Not with fs.suid_dumpable = 1 (a debugging setting): the caller could then trace it there. Not
  /// with an OOM adjustment to reset: the kernel would reset that of all who share the memory.
  bool MayShareMemory(const Caller& caller) const;

  /// Forgets the peak of our own memory use, which the kernel counts as every child's.
  void ResetOwnPeak() const;
};

/// Looks around: ids, capabilities, usable CPUs; `cpus` is still all of them for everything.
/// @errors kNotFound when benchd-helper is not beside the own program.
Result<Host> LookAround(const std::string& root);

/// Divides the CPUs: this process stays on the housekeeping ones from now on.
void SettleOn(Host& host, ProfileCpus cpus);

/// Just what it takes to start benchd-helper with our own ids, before the configuration is known.
Result<Host> MinimalHost();

/// Lets go of the code that is in memory: what goes on running comes back by itself, page by page.
///
/// A child's max_rss begins with ours. What takes a profile and describes a machine is most of this
/// program, and none of it is needed while children run.
void ForgetCode();

/// Leaves the session keyring for a fresh one, which all children get that are made from now on:
/// nobody finds the keys of whoever ran before. Once a session and not in each child, because the
/// kernel frees a keyring by work on the CPU where its last process ended, in the middle of the
/// next run. Without privileges everything stays as the user has it.
void JoinFreshKeyring(const Host& host);

/// Whether children of `caller` can be started, whoever that may be (AccessRules).
/// @errors kPermissionDenied when we may not become that user; kInvalidArgument for uid or gid -1.
Result<void> CheckCaller(const Host& host, const Caller& caller);

}  // namespace benchd
