#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/run_cgroup.h"

namespace benchd {

/// What is to be known of a whole process tree beyond what is to be had for nothing.
struct TreeFigureNeeds {
  bool cpu_time = false;
  bool memory_peak = false;
  bool operator==(const TreeFigureNeeds&) const = default;
};

/// Of a whole process tree so far; absent where its group does not count it.
struct TreeFigures {
  std::optional<std::int64_t> cpu_time_us;
  std::optional<std::int64_t> memory_peak_bytes;
};

/// The control group of one run's process tree, where there can be one, with what it limits and
/// counts from run to run.
///
/// Owned by main(), one for the present run and one for the one being prepared; lives in one place.
class TreeGroup {
 public:
  TreeGroup() = default;
  TreeGroup(const TreeGroup&) = delete;
  TreeGroup& operator=(const TreeGroup&) = delete;

  /// Makes it in the folder `parent`; empty: nowhere. `limits` hold from now on, as far as they
  /// can.
  /// @return what could not be had, a sentence each.
  std::vector<std::string> Open(const std::string& parent, const TreeLimits& limits);

  /// Without it, a tree is found through its parents only (ProcessTree).
  bool exists() const { return group_.has_value(); }
  /// A limit holds, so that a child outside must not run.
  bool limited() const { return held_.memory_bytes != kNoLimit || held_.processes != kNoLimit; }
  const TreeLimits& held() const { return held_; }
  /// Where the present run is, or empty.
  std::string path() const { return group_ ? group_->path() : ""; }

  /// For CLONE_INTO_CGROUP, or -1.
  int fd() { return group_ ? group_->fd() : -1; }

  void Kill();

  /// The smaller one of this and what Open() was given, for the whole tree, from the next run on;
  /// kNoLimit = only the latter. @errors where the group cannot hold it.
  Result<void> LimitMemory(std::uint64_t bytes);

  /// Before a child is started: from now on ReadFigures() is about that one's run. CPU time is
  /// there unasked. A memory peak takes a fresh folder each time, as no kernel before Linux 6.12
  /// can reset it, and what is left in the page cache of one run would be the next one's.
  /// @errors for what is not counted here.
  Result<void> BeginRun(const TreeFigureNeeds& needs);
  TreeFigures ReadFigures() const;

  /// After a run, with nothing in it: where a limit of memory holds and something is still charged
  /// (files in memory, the page cache), a fresh folder is made, so that the next run may have all
  /// of the limit.
  void LeaveCharges();
  /// A fresh folder in any case: for another session.
  void Renew();

  /// Which limits the run ran into, as the end of "the run ...": "exceeded its memory limit of
  /// 64 MiB and reached its limit of 200 processes"; empty = none.
  std::string TakeHits();

 private:
  Result<void> LimitProcesses(std::uint64_t count);

  TreeLimits base_;
  TreeLimits held_;
  std::optional<RunCgroup> group_;
  std::optional<std::uint64_t> cpu_time_before_us_;  ///< of the run's begin; absent: not counted
  bool counts_memory_peak_ = false;
};

}  // namespace benchd
