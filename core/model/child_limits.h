#pragma once

#include <cstdint>
#include <optional>

namespace benchd {

/// As in ResourceLimit: no limit of ours.
inline constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// The most that one run may use: `[children]` of the configuration. The caller's own limits hold
/// beside them; these only lower.
struct ChildLimits {
  // Of the whole process tree, by control group. Absent: the runner chooses
  // (runner/child_limits.h).
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> processes;  ///< and threads

  // Of each process, by setrlimit(2).
  std::uint64_t open_files = kNoLimit;
  std::uint64_t file_bytes = kNoLimit;
  std::uint64_t core_bytes = kNoLimit;
  std::uint64_t cpu_seconds = kNoLimit;

  bool operator==(const ChildLimits&) const = default;
};

}  // namespace benchd
