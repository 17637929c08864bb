#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/pool/slurm.h"

namespace benchd::client {

inline constexpr std::string_view kPoolPrefix = "benchd-pool-";

/// The folder of one comparison on a pool, shared by the nodes and the login node. The tasks and
/// the waiting benchctl communicate only through it.
///
/// benchctl on the login node writes `job.sh`, `login` and `jobs` (Slurm job IDs, one per line).
/// The tasks write `task-N.state`, `task-N.json` (the export, once the session has a result) and
/// `task-N.log`. `machine-NODE` contains the number of the task that claimed the node. Files are
/// replaced atomically. Nodes are claimed with O_EXCL, which NFS supports since version 3.
class PoolFolder {
 public:
  explicit PoolFolder(std::string path) : path_(std::move(path)) {}

  /// Returns the absolute path below `parent`, with the XXXXXX that mkdtemp replaces.
  static std::string Pattern(const std::string& parent);
  /// Creates a new folder below `parent`.
  /// @errors (exit 2) file system errors
  static Result<PoolFolder> Make(const std::string& parent);

  const std::string& path() const { return path_; }
  /// Returns the last component of the path, which is also the name of the Slurm jobs.
  std::string Name() const;
  bool IsShared() const;

  /// Deletes the folder of a pool whose tasks were not submitted.
  void Remove() const;

  /// Records a job that sbatch submitted, by its Slurm job ID.
  bool AddJob(const std::string& job) const;
  std::vector<std::string> Jobs() const;

  /// Claims the node for the task, so that no machine counts twice. Returns false if another task
  /// has claimed it. Releases any other node that the task had claimed.
  bool Claim(const std::string& node, int task) const;
  /// Returns the nodes that tasks have claimed.
  std::vector<std::string> ClaimedNodes() const;

  /// Returns the path of the file that compare writes. TakeExport() renames it to Export().
  std::string NewExport(int task) const;
  bool TakeExport(int task) const;
  bool HasExport(int task) const;
  std::string Export(int task) const;

  Result<void> Write(const TaskState& state) const;
  /// Returns the states, sorted by task. Tasks that have not started are missing.
  std::vector<TaskState> ReadStates(std::size_t tasks) const;

 private:
  std::string Of(int task, const char* what) const;

  std::string path_;
};

}  // namespace benchd::client
