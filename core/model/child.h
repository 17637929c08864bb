#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace benchd {

/// A resource limit of a process. `resource` is an RLIMIT_* number, and UINT64_MAX means
/// "unlimited".
struct ResourceLimit {
  int resource = 0;
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
  bool operator==(const ResourceLimit&) const = default;
};
BENCHD_FIELDS(ResourceLimit, resource, soft, hard)

/// The client's identity, read from its connection (SO_PEERCRED, SO_PEERGROUPS, /proc/PID), never
/// from a message.
///
/// The children of the session run with exactly these ids, this umask and these limits. They run
/// with those of `groups` that the user database confirms (launch/callers.h).
struct Caller {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
  std::int32_t pid = 0;
  std::uint32_t umask = 022;
  /// Empty if the limits and the umask could not be read from /proc. The runner would then use its
  /// own, so only a daemon in user mode runs commands for such a caller.
  std::vector<ResourceLimit> limits;
  bool operator==(const Caller&) const = default;
};
BENCHD_FIELDS(Caller, uid, gid, groups, pid, umask, limits)

/// The identity of a command's file. It is recorded at submission with the caller's permissions,
/// and checked before each run.
struct ProgramIdentity {
  std::string path;  ///< absolute path, as found in the caller's PATH
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;  ///< modification time of the file itself, since 1970
  std::array<std::uint8_t, 32> sha256{};
  bool operator==(const ProgramIdentity&) const = default;
};
BENCHD_FIELDS(ProgramIdentity, path, device, inode, size_bytes, mtime_ns, sha256)

/// The value "unlimited", as in ResourceLimit: benchd does not set a limit.
inline constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// The most that one run may use, from `[children]` of the configuration. The caller's own limits
/// apply as well; ChildLimits can only lower them.
struct ChildLimits {
  // These limits apply to the whole process tree, by control group. If one is absent, the runner
  // chooses it (launch/child_limits.h).
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> processes;  ///< includes threads

  // These limits apply to each process, by setrlimit(2).
  std::uint64_t open_files = kNoLimit;
  std::uint64_t file_bytes = kNoLimit;
  std::uint64_t core_bytes = kNoLimit;
  std::uint64_t cpu_seconds = kNoLimit;

  bool operator==(const ChildLimits&) const = default;
};
BENCHD_FIELDS(ChildLimits, memory_bytes, processes, open_files, file_bytes, core_bytes, cpu_seconds)

}  // namespace benchd
