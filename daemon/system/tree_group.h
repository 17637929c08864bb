#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/model/child.h"

namespace benchd {

/// The most that a whole process tree may use.
struct TreeLimits {
  std::uint64_t memory_bytes = kNoLimit;
  std::uint64_t processes = kNoLimit;  ///< and threads
  bool operator==(const TreeLimits&) const = default;
};

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

/// A control group of our own in which a run's whole process tree lives, is limited and counted
/// from run to run, and can be killed at once; a helper's likewise. There need not be one.
///
/// Made below the runner's own group (a helper's: at the top, see MachineSetup::helper_groups())
/// and removed with the object. Its name has our number and when we began: a group whose runner has
/// died is removed by the next one. The folder is flock'ed while the object lives, for runners that
/// do not know our number (of another namespace). To kill needs no controller, so this works
/// wherever the folder may be created (root, or a delegated group); to limit needs that of the
/// limit.
///
/// Of runs there are two, owned by MachineSetup: of the present run and of the one being prepared.
class TreeGroup {
 public:
  /// Whether a group of that name is such a one.
  static bool IsOurs(std::string_view name);

  /// Kills and removes what dead runners left in `parent`.
  static void RemoveLeftovers(const std::string& parent);

  /// The same, then makes a new group there. @errors when the folder may not be created, or
  /// `parent` is empty.
  static Result<TreeGroup> CreateIn(const std::string& parent);

  /// There is none, until Open().
  TreeGroup() = default;
  TreeGroup(TreeGroup&&) = default;
  TreeGroup& operator=(TreeGroup&&) = delete;
  ~TreeGroup() { RemoveFolder(); }

  /// Makes it in the folder `parent`; empty: nowhere. `limits` hold from now on, as far as they
  /// can.
  /// @return what could not be had, a sentence each.
  std::vector<std::string> Open(const std::string& parent, const TreeLimits& limits);

  /// Without it, a tree is found through its parents only (ProcessTree).
  bool exists() const { return !parent_.empty(); }
  /// A limit holds, so that a child outside must not run.
  bool limited() const { return held_ != TreeLimits(); }
  const TreeLimits& held() const { return held_; }
  /// Where the present run is, or empty.
  const std::string& path() const { return path_; }

  /// The folder's descriptor, for CLONE_INTO_CGROUP; -1 when there is none.
  ///
  /// After a Kill() it is another folder's: some kernels (seen with 6.18) kill whatever is cloned
  /// into a group that was killed once.
  int fd();

  /// Sends SIGKILL to every process in the group: by cgroup.kill where the kernel has it, else by
  /// freezing the group, so that nobody forks meanwhile, one by one until a pass finds none. They
  /// are gone only a moment later.
  void Kill();

  /// Whether the group has the controller for it.
  bool CanLimitMemory() const;
  bool CanLimitProcesses() const;

  /// For the whole tree, from the next run on: the smaller one of this and what Open() was given;
  /// kNoLimit = only the latter. Memory over the limit does not go to the swap, and the whole tree
  /// ends with the process that asks for too much.
  /// @errors where the group has no such controller, or refuses the value: then none holds.
  Result<void> LimitMemory(std::uint64_t bytes);
  Result<void> LimitProcesses(std::uint64_t count);

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

  /// Which limits were run into since the last call, as the end of "the run ...": "exceeded its
  /// memory limit of 64 MiB and reached its limit of 200 processes"; empty = none.
  std::string TakeHits();

 private:
  /// Events counted since the folder was made.
  struct Counts {
    std::uint64_t memory_limit = 0;
    std::uint64_t memory_kills = 0;
    std::uint64_t refused_forks = 0;
  };

  Result<void> Make(const std::string& parent);
  Result<void> MakeFolder();
  Result<UniqueFd> MakeLocked(std::string& path);
  void RemoveFolder();
  Result<void> Apply();
  Result<void> WriteMemoryLimit();
  Result<void> WriteValue(const char* name, std::uint64_t value) const;
  Counts ReadCounts() const;
  /// Since the folder was made: CPU time needs no controller, the peak that of memory and Linux
  /// 5.19.
  std::optional<std::uint64_t> CpuTimeUs() const;
  std::optional<std::uint64_t> MemoryPeakBytes() const;

  std::string parent_;  ///< empty: there is no group
  std::string stem_;    ///< of the names of its folders; a number follows
  std::string path_;
  UniqueFd folder_;
  UniqueFd memory_events_;
  UniqueFd process_events_;
  UniqueFd cpu_time_;
  UniqueFd memory_peak_;
  UniqueFd memory_now_;
  unsigned number_ = 0;  ///< of the next folder
  bool spent_ = false;   ///< no child may be started in this folder any more
  TreeLimits base_;      ///< what Open() was given
  TreeLimits held_;
  Counts seen_;
  std::optional<std::uint64_t> cpu_time_before_us_;  ///< of the run's begin; absent: not counted
  bool counts_memory_peak_ = false;
};

}  // namespace benchd
