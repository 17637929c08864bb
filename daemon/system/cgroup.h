#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/base/result.h"
#include "daemon/base/unique_fd.h"

namespace benchd {

/// Where a cgroup hierarchy is mounted, from the text of /proc/self/mountinfo.
struct CgroupMount {
  std::string point;  ///< such as /sys/fs/cgroup, or /sys/fs/cgroup/unified on a hybrid machine
  std::string root;   ///< which group the mount shows at its top, "/" for all
  bool operator==(const CgroupMount&) const = default;
};

/// @errors kNotFound when no cgroup2 file system is mounted.
Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo);

/// Where a whole version 1 hierarchy with the cpuset controller is mounted, from the same text.
/// @errors kNotFound when there is none.
Result<CgroupMount> FindV1CpusetMount(std::string_view mountinfo);

/// The folder of a process' own v2 group, from the text of its /proc/PID/cgroup (the line "0::").
/// @errors kNotFound when it is in none, or in one that the mount does not show.
Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup);

/// A control group of our own in which a run's whole process tree lives and can be killed at once.
///
/// Made below the runner's own group and removed with the object. The folder is flock'ed while the
/// object lives: a group without a lock was left by a runner that died and is removed by the next.
/// No controller is needed, so this works wherever the folder may be created (root, or a delegated
/// group).
class RunCgroup {
 public:
  /// The folder of this process' own group. @errors when there is no cgroup v2.
  static Result<std::string> OwnFolder();

  /// Removes what dead runners left in `parent`, the folder of the runner's group, and makes a new
  /// group there. @errors when the folder may not be created, or `parent` is empty.
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

  /// Sends SIGKILL to every process in the group: by cgroup.kill where the kernel has it, else one
  /// by one until a pass finds none. They are gone only a moment later.
  void Kill();

  /// Limits the memory of the whole tree from the next run on; 0 = no limit.
  /// @errors where the group has no memory controller.
  Result<void> LimitMemory(std::uint64_t bytes);

 private:
  explicit RunCgroup(std::string parent) : parent_(std::move(parent)) {}

  Result<void> MakeFolder();
  void RemoveFolder();

  std::string parent_;
  std::string path_;
  UniqueFd folder_;
  unsigned number_ = 0;  ///< of the next folder
  bool killed_ = false;
  std::uint64_t memory_limit_bytes_ = 0;
};

}  // namespace benchd
