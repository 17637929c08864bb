#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "client/app/exit_code.h"
#include "client/git/worktree_plan.h"
#include "core/base/file.h"

namespace benchd::client {

/// The content of about.json in the folder of a worktree. The modification time of the file is the
/// time of the worktree's last use.
struct WorktreeAbout {
  std::string repository;
  std::string tree;  ///< absolute
  std::string build;
  std::uint64_t bytes = 0;  ///< size of the files after the build
};

/// The folder of one worktree, locked against other processes that make or remove it. The lock is
/// released with this object, or when the process ends. Movable, not copyable.
class WorktreeFolder {
 public:
  /// Creates the folder if necessary and takes its lock.
  ///
  /// @param wait  false: returns none if another process holds the lock
  /// @errors (exit 2) file system errors.
  static Result<std::optional<WorktreeFolder>> Lock(const std::string& folder, bool wait);

  /// Returns whether the build was completed.
  bool IsBuilt() const;
  /// Returns none if the build was never started or the file cannot be read.
  std::optional<WorktreeAbout> ReadAbout() const;
  Result<void> WriteAbout(const WorktreeAbout& about) const;
  /// Records the build and creates the link `built`.
  Result<void> MarkBuilt(const WorktreeAbout& about) const;
  /// Returns the time of the last use or, for an unfinished build, the time when it started.
  std::chrono::system_clock::time_point LastUse() const;

  /// Removes the worktree from the disk and from its repository. The folder itself stays, because
  /// it is locked.
  void Empty() const;
  /// Calls Empty(), then removes the folder.
  void Remove() const;

 private:
  WorktreeFolder(std::string folder, UniqueFd lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::string folder_;
  UniqueFd lock_;
};

/// Returns how many bytes the files below a folder occupy on disk. Links are not followed.
std::uint64_t BytesBelow(const std::string& folder);

/// Removes files and folders, even without write permission, which some build tools remove.
void RemoveTree(const std::string& path);

/// The limits beyond which kept worktrees are removed.
struct WorktreeLimits {
  std::chrono::seconds unused = std::chrono::days(30);      ///< longest time since the last use
  std::chrono::seconds interrupted = std::chrono::days(1);  ///< the same for unfinished builds
  std::chrono::seconds spared = std::chrono::hours(1);      ///< kept at least this long after use
  std::uint64_t bytes = std::uint64_t{10} << 30U;           ///< limit of the total size
};

/// The exit code of a build; 128 + N if signal N ended it.
using BuildCode = int;

/// Creates, builds, finds and removes the worktrees in a folder of the caller's cache.
///
/// Several sessions and commands may use the folder at once: a process holds the lock of a
/// worktree's folder while it makes or removes the worktree.
class WorktreeStore {
 public:
  explicit WorktreeStore(WorktreePlan plan) : plan_(std::move(plan)) {}

  /// Creates the folder, accessible only to its owner.
  ///
  /// @errors (exit 2) the folder cannot be created; another user owns it or may write to it.
  Result<void> Open() const;

  /// Ensures that one worktree is checked out and built, and reports progress on stdout. The
  /// output of the build goes to stdout and stderr. A failed build leaves nothing behind.
  ///
  /// @errors (exit 2) errors of git and of the file system.
  Result<BuildCode> Provide(const WorktreeOrder& order) const;

  /// Removes old worktrees, then the least recently used ones until the rest is within the size
  /// limit, and the refs of old snapshots. Worktrees of the plan are kept. If something cannot
  /// be removed, the next call tries again.
  void Clean(const WorktreeLimits& limits) const;

 private:
  Result<BuildCode> Make(const WorktreeOrder& order) const;
  Result<void> CheckOut(const WorktreeOrder& order) const;
  Result<BuildCode> Build(const WorktreeOrder& order) const;

  WorktreePlan plan_;
};

/// Records that the worktree is used now, if it is built.
void MarkUsed(const WorktreePlaces& places);

}  // namespace benchd::client
