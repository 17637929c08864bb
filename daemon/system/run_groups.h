#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "daemon/system/run_cgroup.h"

namespace benchd {

/// The folders below which runs get their groups; empty where this machine has no such hierarchy.
struct RunGroupPlaces {
  std::string v2;
  std::string freezer;  ///< these of version 1
  std::string memory;
  std::string processes;
  std::string cpu_time;

  /// Of version 1, those of this process' own groups; `v2` is given.
  static RunGroupPlaces FindBeside(std::string v2);
};

/// What is to be known of a whole process tree beyond what is to be had for nothing.
struct TreeFigureNeeds {
  bool cpu_time = false;
  bool memory_peak = false;
  bool operator==(const TreeFigureNeeds&) const = default;
};

/// Of a whole process tree so far; absent where its groups do not count it.
struct TreeFigures {
  std::optional<std::int64_t> cpu_time_us;
  std::optional<std::int64_t> memory_peak_bytes;
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
  bool any() const { return v2_ || has_v1(); }
  /// Whether children are started in their group (version 2), or have to join it.
  bool has_v1() const { return freezer_ || memory_ || processes_ || cpu_time_; }
  /// A limit holds, so that a child outside must not run.
  bool limited() const { return held_.memory_bytes != kNoLimit || held_.processes != kNoLimit; }
  const TreeLimits& held() const { return held_; }
  /// Where runs are, for the log.
  std::string Describe() const;

  /// For CLONE_INTO_CGROUP, or -1.
  int clone_fd() { return v2_ ? v2_->fd() : -1; }
  static constexpr std::size_t kMostJoined = 4;
  /// What a child writes itself into; -1 for a group that is not there.
  std::array<int, kMostJoined> joined_fds();

  void Kill();

  /// The smaller one of this and what Open() was given, for the whole tree, from the next run on;
  /// kNoLimit = only the latter. @errors where no group can hold it.
  Result<void> LimitMemory(std::uint64_t bytes);

  /// Before a child is started: from now on ReadFigures() is about that one's run. CPU time of
  /// version 2 is there unasked. Else what is needed may cost more groups, and a memory peak always
  /// does: it takes a fresh folder each time, as no kernel before Linux 6.12 can reset it, and what
  /// is left in the page cache of one run would be the next one's.
  /// @errors for what no group here counts.
  Result<void> BeginRun(const TreeFigureNeeds& needs);
  TreeFigures ReadFigures() const;

  /// After a run, with nothing in them: where a limit of memory holds and something is still
  /// charged (files in memory, the page cache), fresh groups are made, so that the next run may
  /// have all of the limit.
  void LeaveCharges();
  /// Fresh groups in any case: for another session.
  void Renew();

  /// Which limits the run ran into, as the end of "the run ...": "exceeded its memory limit of
  /// 64 MiB and reached its limit of 200 processes"; empty = none.
  std::string TakeHits();

 private:
  Result<RunCgroup*> GroupForMemory(const char* what);
  Result<RunCgroup*> GroupForProcesses();
  Result<void> CountCpuTime(bool needed);
  Result<void> CountMemoryPeak(bool needed);

  RunGroupPlaces places_;
  TreeLimits base_;
  TreeLimits held_;
  std::optional<RunCgroup> v2_;
  std::optional<RunCgroup> freezer_;
  std::optional<RunCgroup> memory_;
  std::optional<RunCgroup> processes_;
  std::optional<RunCgroup> cpu_time_;
  const RunCgroup* counts_cpu_time_ = nullptr;     ///< one of the above
  const RunCgroup* counts_memory_peak_ = nullptr;  ///< likewise
  const RunCgroup* limits_memory_ = nullptr;       ///< likewise
  std::uint64_t cpu_time_before_ns_ = 0;
};

}  // namespace benchd
