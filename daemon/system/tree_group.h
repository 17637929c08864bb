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

/// Figures of a whole process tree that must be available; they may cost extra.
struct TreeFigureNeeds {
  bool cpu_time = false;
  bool memory_peak = false;
  bool operator==(const TreeFigureNeeds&) const = default;
};

/// Figures of a whole process tree so far; absent if its group does not count them.
struct TreeFigures {
  std::optional<std::int64_t> cpu_time_us;
  std::optional<std::int64_t> memory_peak_bytes;
};

/// A control group that contains, limits, counts and kills the whole process tree of a run, or of a
/// helper. It may not exist.
///
/// It is made below the runner's own group (a helper's at the top, see
/// MachineSetup::helper_groups()) and removed by the destructor. Its name has our pid and start
/// time, so the next runner removes a dead runner's groups. The folder is locked (flock) while the
/// object lives, for runners in another namespace, which cannot interpret our pid. Killing needs no
/// controller, so this works wherever the folder may be created (root, or a delegated group); a
/// limit needs its controller.
///
/// MachineSetup has two for runs: one for the present run and one for the run that is being
/// prepared.
class TreeGroup {
 public:
  /// Whether `name` is the name of such a group.
  static bool IsOurs(std::string_view name);

  /// Kills and removes groups that dead runners left in `parent`.
  static void RemoveLeftovers(const std::string& parent);

  /// Removes leftovers, then makes a new group in `parent`. @errors if the folder may not be
  /// created, or `parent` is empty
  static Result<TreeGroup> CreateIn(const std::string& parent);

  /// No group until Open().
  TreeGroup() = default;
  TreeGroup(TreeGroup&&) = default;
  TreeGroup& operator=(TreeGroup&&) = delete;
  ~TreeGroup() { RemoveFolder(); }

  /// Makes the group in the folder `parent` (empty: no group). `limits` apply from now on, as far
  /// as they are available.
  /// @return one sentence for each limit that is unavailable
  std::vector<std::string> Open(const std::string& parent, const TreeLimits& limits);

  /// Without a group, a tree can only be found through parents (ProcessTree).
  bool exists() const { return !parent_.empty(); }
  /// Whether a limit applies, so that a child must not run outside the group.
  bool limited() const { return held_ != TreeLimits(); }
  const TreeLimits& held() const { return held_; }
  /// The folder of the present run, or empty.
  const std::string& path() const { return path_; }

  /// The folder's descriptor, for CLONE_INTO_CGROUP; -1 if there is no group.
  ///
  /// After Kill() this is a new folder: some kernels (seen with 6.18) kill every process that is
  /// cloned into a group that was killed once.
  int fd();

  /// Sends SIGKILL to every process in the group: by cgroup.kill if the kernel has it. Otherwise it
  /// freezes the group to prevent forks and kills one by one until a pass finds no process. The
  /// processes exit a moment later.
  void Kill();

  /// Whether the group has the controller for it.
  bool CanLimitMemory() const;
  bool CanLimitProcesses() const;

  /// Limits the whole tree from the next run on, to the smaller one of this and the limit given to
  /// Open(); kNoLimit: only the latter. Memory over the limit is not swapped out, and the whole
  /// tree is killed together with the process that exceeds it.
  /// @errors if the group lacks the controller, or refuses the value; then there is no limit
  Result<void> LimitMemory(std::uint64_t bytes);
  Result<void> LimitProcesses(std::uint64_t count);

  /// Call before a child is started: ReadFigures() then returns figures of its run. CPU time is
  /// always counted if possible. A memory peak needs a fresh folder for each run, because kernels
  /// before Linux 6.12 cannot reset it and one run's page cache would count for the next.
  /// @errors if a needed figure is not counted here
  Result<void> BeginRun(const TreeFigureNeeds& needs);
  TreeFigures ReadFigures() const;

  /// Call after a run, when the group is empty. If memory is limited and some is still charged
  /// (files in memory, the page cache), makes a fresh folder, so that the whole limit is available
  /// to the next run.
  void LeaveCharges();
  /// Makes a fresh folder in any case, for another session.
  void Renew();

  /// The limits that were reached since the last call, as the end of a sentence about a run:
  /// "exceeded its memory limit of 64 MiB and reached its limit of 200 processes"; empty: none.
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
  /// Since the folder was made. CPU time needs no controller; the peak needs the memory controller
  /// and Linux 5.19.
  std::optional<std::uint64_t> CpuTimeUs() const;
  std::optional<std::uint64_t> MemoryPeakBytes() const;

  std::string parent_;  ///< empty: no group
  std::string stem_;    ///< start of the folders' names; a number follows
  std::string path_;
  UniqueFd folder_;
  UniqueFd memory_events_;
  UniqueFd process_events_;
  UniqueFd cpu_time_;
  UniqueFd memory_peak_;
  UniqueFd memory_now_;
  unsigned number_ = 0;  ///< of the next folder
  bool spent_ = false;   ///< this folder must not be used for another child
  TreeLimits base_;      ///< the limits given to Open()
  TreeLimits held_;
  Counts seen_;
  std::optional<std::uint64_t> cpu_time_before_us_;  ///< when the run starts; absent: not counted
  bool counts_memory_peak_ = false;
};

}  // namespace benchd
