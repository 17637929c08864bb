#pragma once

#include <cstdint>
#include <vector>

namespace benchd {

/// One resource limit: `resource` is the RLIMIT_* number; UINT64_MAX is "unlimited".
struct ResourceLimit {
  int resource = 0;
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
  bool operator==(const ResourceLimit&) const = default;
};

/// Who asked: read from the connection (SO_PEERCRED, SO_PEERGROUPS, /proc/PID), never from a
/// message.
///
/// Children of the session run with exactly these ids, this umask and these limits, and those of
/// these groups that the user database confirms (runner/access.h).
struct Caller {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
  std::int32_t pid = 0;
  std::uint32_t umask = 022;
  /// Empty where /proc told neither these nor the umask: the runner would use its own, so only a
  /// user's own daemon runs anything for such a caller.
  std::vector<ResourceLimit> limits;
  bool operator==(const Caller&) const = default;
};

}  // namespace benchd
