#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/result.h"
#include "daemon/system/run_cgroup.h"

namespace benchd {

/// The folders below which runs get their groups; empty where this machine has no such hierarchy.
struct RunGroupPlaces {
  std::string v2;
  std::string freezer;  ///< these of version 1
  std::string memory;
  std::string processes;

  /// Of version 1, those of this process' own groups; `v2` is given.
  static RunGroupPlaces FindBeside(std::string v2);
};

/// All control groups of one run's process tree: of version 2 where that is there, and of version 1
/// what it cannot do. To join the latter costs the child a write each, so that there are only those
/// that are needed: to kill, or for a limit that was asked for.
///
/// Owned by main(), one for the present run and one for the one being prepared; lives in one place.
class RunGroups {
 public:
  RunGroups() = default;
  RunGroups(const RunGroups&) = delete;
  RunGroups& operator=(const RunGroups&) = delete;

  /// Makes them. `limits` hold from now on, as far as they can.
  /// @return what could not be had, a sentence each joined by "; ", or nothing.
  std::string Open(RunGroupPlaces places, const TreeLimits& limits);

  /// Without any, a tree is found through its parents only (ProcessTree).
  bool any() const { return v2_ || freezer_ || memory_ || processes_; }
  /// Whether children are started in their group (version 2), or have to join it.
  bool has_v1() const { return freezer_ || memory_ || processes_; }
  /// A limit holds, so that a child outside must not run.
  bool limited() const { return held_.memory_bytes != kNoLimit || held_.processes != kNoLimit; }
  const TreeLimits& held() const { return held_; }
  /// Where runs are, for the log.
  std::string Describe() const;

  /// For CLONE_INTO_CGROUP, or -1.
  int clone_fd() { return v2_ ? v2_->fd() : -1; }
  static constexpr std::size_t kMostJoined = 3;
  /// What a child writes itself into; -1 for a group that is not there.
  std::array<int, kMostJoined> joined_fds();

  void Kill();

  /// The smaller one of this and what Open() was given, for the whole tree, from the next run on;
  /// kNoLimit = only the latter. @errors where no group can hold it.
  Result<void> LimitMemory(std::uint64_t bytes);

  /// Which limits the run ran into, as the end of "the run ...": "exceeded its memory limit of
  /// 64 MiB and reached its limit of 200 processes"; empty = none.
  std::string TakeHits();

 private:
  Result<RunCgroup*> GroupForMemory();
  Result<RunCgroup*> GroupForProcesses();

  RunGroupPlaces places_;
  TreeLimits base_;
  TreeLimits held_;
  std::optional<RunCgroup> v2_;
  std::optional<RunCgroup> freezer_;
  std::optional<RunCgroup> memory_;
  std::optional<RunCgroup> processes_;
};

}  // namespace benchd
