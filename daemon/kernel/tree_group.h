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

/// Limits of a whole process tree.
struct TreeLimits {
  std::uint64_t memory_bytes = kNoLimit;
  std::uint64_t processes = kNoLimit;  ///< threads included
  bool operator==(const TreeLimits&) const = default;
};

/// The figures that a run needs; measuring them may cost time.
struct TreeFigureNeeds {
  bool cpu_time = false;
  bool memory_peak = false;
  bool operator==(const TreeFigureNeeds&) const = default;
};

/// The figures of a whole process tree so far; absent if its group does not count them.
struct TreeFigures {
  std::optional<std::int64_t> cpu_time_us;
  std::optional<std::int64_t> memory_peak_bytes;
};

/// A control group for the whole process tree of a run or of a helper. It can limit, measure and
/// kill the tree. An object may also be without a group, if none can be created.
///
/// The group is created below the runner's group (a helper's group in the root group, see
/// MachineSetup::helper_groups()) and removed by the destructor. Its name contains our pid and
/// start time, so that the next runner can remove the groups of a dead runner. The folder is locked
/// (flock) during the lifetime of the object, for runners in another namespace, which cannot
/// interpret our pid.
///
/// Killing does not need a controller, so it works wherever the folder can be created (as root, or
/// in a delegated group). A limit needs its controller.
///
/// MachineSetup has two groups for runs: one for the current run, and one for the run that is being
/// prepared.
class TreeGroup {
 public:
  /// Returns true if `name` is the name of such a group.
  static bool IsOurs(std::string_view name);

  /// Kills and removes groups that dead runners left in `parent`.
  static void RemoveLeftovers(const std::string& parent);

  /// Removes leftovers, then creates a group in `parent`. @errors if the folder cannot be created,
  /// or if `parent` is empty
  static Result<TreeGroup> CreateIn(const std::string& parent);

  /// An object without a group; Open() creates one.
  TreeGroup() = default;
  TreeGroup(TreeGroup&&) = default;
  TreeGroup& operator=(TreeGroup&&) = delete;
  ~TreeGroup() { RemoveFolder(); }

  /// Creates the group in the folder `parent` (empty: no group). From now on, `limits` apply as far
  /// as they are available.
  /// @return one sentence for each limit that is unavailable
  std::vector<std::string> Open(const std::string& parent, const TreeLimits& limits);

  /// Whether there is a group. Without one, a tree can only be found through the parents of its
  /// processes (ProcessTree).
  bool exists() const { return !parent_.empty(); }
  /// Whether a limit applies, so that a child must not run outside the group.
  bool limited() const { return held_ != TreeLimits(); }
  const TreeLimits& held() const { return held_; }
  /// The folder of the current run, or empty.
  const std::string& path() const { return path_; }

  /// Returns the folder's descriptor, for CLONE_INTO_CGROUP; -1 if there is no group.
  ///
  /// Creates a new folder after Kill(), because some kernels (seen with 6.18) kill every process
  /// that is cloned into a group that was killed before.
  int fd();

  /// Sends SIGKILL to every process in the group, with cgroup.kill if the kernel has it. Otherwise
  /// freezes the group to prevent forks and kills its processes one by one until a pass does not
  /// find any more. The processes exit shortly afterwards.
  void Kill();

  /// Whether the group has the controller that the limit needs.
  bool CanLimitMemory() const;
  bool CanLimitProcesses() const;

  /// Limits the whole tree, starting with the next run. The limit is the smaller of this value and
  /// the one given to Open(); kNoLimit restores the latter. Memory is not swapped out to stay below
  /// the limit. If a process exceeds the memory limit, the whole tree is killed.
  /// @errors if the group lacks the controller or refuses the value. There is no limit then.
  Result<void> LimitMemory(std::uint64_t bytes);
  Result<void> LimitProcesses(std::uint64_t count);

  /// Prepares the figures that ReadFigures() returns. Call before a child is started.
  ///
  /// CPU time is counted whenever possible. A memory peak needs a new folder for each run, because
  /// kernels before Linux 6.12 cannot reset it, and the page cache of one run would count for the
  /// next.
  /// @errors if a needed figure is not counted here
  Result<void> BeginRun(const TreeFigureNeeds& needs);
  /// Returns the figures of the current run.
  TreeFigures ReadFigures() const;

  /// Makes the whole memory limit available to the next run: if memory is still charged to the
  /// group (files in memory, the page cache), creates a new folder. Call after a run, when the
  /// group is empty.
  void LeaveCharges();
  /// Creates a new folder in any case, for another session.
  void Renew();

  /// Returns the limits that were reached since the last call, as the end of a sentence about a
  /// run: "exceeded its memory limit of 64 MiB and reached its limit of 200 processes"; empty if
  /// none was reached.
  std::string TakeHits();

 private:
  /// The number of events since the folder was created.
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
  // The figures since the folder was created. CPU time does not need a controller; the peak needs
  // the memory controller and Linux 5.19.
  std::optional<std::uint64_t> CpuTimeUs() const;
  std::optional<std::uint64_t> MemoryPeakBytes() const;

  std::string parent_;  ///< the parent folder; empty without a group
  std::string stem_;    ///< the beginning of the folders' names; a number follows
  std::string path_;
  UniqueFd folder_;
  UniqueFd memory_events_;
  UniqueFd process_events_;
  UniqueFd cpu_time_;
  UniqueFd memory_peak_;
  UniqueFd memory_now_;
  unsigned number_ = 0;  ///< the number of the next folder
  bool spent_ = false;   ///< this folder must not be used for another child
  TreeLimits base_;      ///< the limits given to Open()
  TreeLimits held_;
  Counts seen_;
  /// The CPU time when the run starts; absent if it is not counted.
  std::optional<std::uint64_t> cpu_time_before_us_;
  bool counts_memory_peak_ = false;
};

}  // namespace benchd
