#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/pool/slurm.h"

namespace benchd::client {

inline constexpr std::string_view kPoolPrefix = "benchd-pool-";

/// The folder of one comparison of a pool, which nodes and login share: all that tasks and the
/// waiting benchctl tell each other.
///
/// `job.sh`, `login` and `jobs` (Slurm's, a line each) are of the login; `task-N.state`,
/// `task-N.json` (the export, once the session has a result) and `task-N.log` of the tasks;
/// `machine-NODE` names the task whose node it is. Files are replaced in one piece, machines
/// claimed by O_EXCL, which NFS keeps since version 3.
class PoolFolder {
 public:
  explicit PoolFolder(std::string path) : path_(std::move(path)) {}

  /// The path below `parent`, absolute, with XXXXXX where mkdtemp puts what makes it new.
  static std::string Pattern(const std::string& parent);
  /// A new one below `parent`.
  /// @errors (exit 2) the system's
  static Result<PoolFolder> Make(const std::string& parent);

  const std::string& path() const { return path_; }
  /// Its last part: what Slurm's jobs are called, too.
  std::string Name() const;
  bool IsShared() const;

  /// Of a pool that no task knows of: takes the folder away again.
  void Remove() const;

  /// What sbatch has made of it, by Slurm's numbers.
  bool AddJob(const std::string& job) const;
  std::vector<std::string> Jobs() const;

  /// Whether the node is this task's from now on: no machine counts twice. What the task had
  /// before, and did not finish on, is free again in any case.
  bool Claim(const std::string& node, int task) const;
  /// The nodes that tasks have.
  std::vector<std::string> ClaimedNodes() const;

  /// Where compare writes; TakeExport() makes it what counts.
  std::string NewExport(int task) const;
  bool TakeExport(int task) const;
  bool HasExport(int task) const;
  std::string Export(int task) const;

  Result<void> Write(const TaskState& state) const;
  /// In the order of the tasks; those that have not begun are missing.
  std::vector<TaskState> ReadStates(std::size_t tasks) const;

 private:
  std::string Of(int task, const char* what) const;

  std::string path_;
};

}  // namespace benchd::client
