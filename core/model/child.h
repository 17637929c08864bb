#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace benchd {

/// A resource limit: `resource` is the RLIMIT_* number; UINT64_MAX means "unlimited".
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
/// Children of the session run with exactly these ids, this umask and these limits, and with those
/// of these groups that the user database confirms (runner/access.h).
struct Caller {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
  std::int32_t pid = 0;
  std::uint32_t umask = 022;
  /// Empty if /proc could not be read for the limits and the umask. The runner would then use its
  /// own, so only a user's own daemon runs anything for such a caller.
  std::vector<ResourceLimit> limits;
  bool operator==(const Caller&) const = default;
};
BENCHD_FIELDS(Caller, uid, gid, groups, pid, umask, limits)

/// The file behind a command: recorded at submission as the caller, and checked before each run.
struct ProgramIdentity {
  std::string path;  ///< absolute, as found in the caller's PATH
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;  ///< since 1970; modification time of the file itself
  std::array<std::uint8_t, 32> sha256{};
  bool operator==(const ProgramIdentity&) const = default;
};
BENCHD_FIELDS(ProgramIdentity, path, device, inode, size_bytes, mtime_ns, sha256)

/// As in ResourceLimit: benchd sets no limit.
inline constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// The most that one run may use: `[children]` of the configuration. The caller's own limits apply,
/// too; these can only lower them.
struct ChildLimits {
  // For the whole process tree, by control group. Absent: the runner chooses
  // (runner/child_limits.h).
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> processes;  ///< threads count, too

  // For each process, by setrlimit(2).
  std::uint64_t open_files = kNoLimit;
  std::uint64_t file_bytes = kNoLimit;
  std::uint64_t core_bytes = kNoLimit;
  std::uint64_t cpu_seconds = kNoLimit;

  bool operator==(const ChildLimits&) const = default;
};
BENCHD_FIELDS(ChildLimits, memory_bytes, processes, open_files, file_bytes, core_bytes, cpu_seconds)

}  // namespace benchd
