#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "core/model/child.h"

namespace benchd {

/// The most that a whole process tree may use.
struct TreeLimits {
  std::uint64_t memory_bytes = kNoLimit;
  std::uint64_t processes = kNoLimit;  ///< and threads
  bool operator==(const TreeLimits&) const = default;
};

/// What a group's counters say of a run.
struct LimitHits {
  bool memory = false;  ///< the kernel ended processes of it: they took more than their limit
  bool machine_memory = false;  ///< ... or all there is in the machine
  bool processes = false;       ///< a fork was refused
};

/// A control group of our own in which a run's whole process tree lives and can be killed at once;
/// a helper's likewise.
///
/// Made below the runner's own group (a helper's: at the top, see MachineSetup::helper_groups())
/// and removed with the object. The folder is flock'ed while the object lives: a group without a
/// lock was left by a runner that died and is removed by the next. To kill needs no controller, so
/// this works wherever the folder may be created (root, or a delegated group); to limit needs that
/// of the limit.
class RunCgroup {
 public:
  /// The folder of this process' own group of version 2. @errors when there is none.
  static Result<std::string> OwnFolder();

  /// Whether a group of that name is such a one.
  static bool IsOurs(std::string_view name);

  /// Kills and removes what dead runners left in `parent`.
  static void RemoveLeftovers(const std::string& parent);

  /// The same, then makes a new group there. @errors when the folder may not be created, or
  /// `parent` is empty.
  static Result<RunCgroup> CreateIn(const std::string& parent);

  RunCgroup(RunCgroup&&) = default;
  RunCgroup& operator=(RunCgroup&&) = delete;
  ~RunCgroup();

  /// The folder's descriptor, for CLONE_INTO_CGROUP; -1 when there is none.
  ///
  /// After a Kill() it is another folder's: some kernels (seen with 6.18) kill whatever is cloned
  /// into a group that was killed once.
  int fd();
  const std::string& path() const { return path_; }

  /// Sends SIGKILL to every process in the group: by cgroup.kill where the kernel has it, else by
  /// freezing the group, so that nobody forks meanwhile, one by one until a pass finds none. They
  /// are gone only a moment later.
  void Kill();

  /// Whether the group has the controller for it.
  bool CanLimitMemory() const;
  bool CanLimitProcesses() const;

  /// From the next run on; kNoLimit = none. Memory over the limit does not go to the swap, and the
  /// whole tree ends with the process that asks for too much.
  /// @errors where the group has no such controller, or refuses the value.
  Result<void> LimitMemory(std::uint64_t bytes);
  Result<void> LimitProcesses(std::uint64_t count);

  /// What happened since the last call.
  LimitHits TakeHits();

  /// The CPU time that everything in the group has used since its folder was made; needs no
  /// controller. Empty where the kernel does not count it.
  std::optional<std::uint64_t> CpuTimeUs() const;
  /// The most memory that was charged to the group at once since its folder was made: anonymous
  /// pages, page cache, the kernel's own. Needs the memory controller and Linux 5.19.
  std::optional<std::uint64_t> MemoryPeakBytes() const;
  /// What is charged to it at this moment; empty without the memory controller.
  std::optional<std::uint64_t> MemoryNowBytes() const;
  /// From the next fd() on it is a fresh folder, to which nothing is charged yet.
  void RenewLater() { spent_ = true; }

 private:
  /// Events counted since the folder was made.
  struct Counts {
    std::uint64_t memory_limit = 0;
    std::uint64_t memory_kills = 0;
    std::uint64_t refused_forks = 0;
  };

  explicit RunCgroup(std::string parent) : parent_(std::move(parent)) {}

  Result<void> MakeFolder();
  void RenewFolder();
  void RemoveFolder();
  Result<void> Apply();
  Result<void> WriteMemoryLimit();
  Result<void> WriteValue(const char* name, std::uint64_t value) const;
  Counts ReadCounts() const;

  std::string parent_;
  std::string path_;
  UniqueFd folder_;
  UniqueFd memory_events_;
  UniqueFd process_events_;
  UniqueFd cpu_time_;
  UniqueFd memory_peak_;
  UniqueFd memory_now_;
  unsigned number_ = 0;  ///< of the next folder
  bool spent_ = false;   ///< no child may be started in this folder any more
  TreeLimits limits_;
  Counts seen_;
};

}  // namespace benchd
