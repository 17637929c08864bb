#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "client/app/exit_code.h"
#include "client/git/worktree_plan.h"
#include "core/base/file.h"

namespace benchd::client {

/// What the folder of a worktree says about itself (about.json); its modification time is the
/// worktree's last use.
struct WorktreeAbout {
  std::string repository;
  std::string tree;  ///< absolute
  std::string build;
  std::uint64_t bytes = 0;  ///< of the files, when it was built
};

/// The folder of one worktree, locked against everybody else who makes or removes it; the kernel
/// lets go when this does, or its process ends. Moved, not copied.
class WorktreeFolder {
 public:
  /// Makes the folder if it is not there and takes its lock.
  ///
  /// @param wait  false: none where somebody holds it
  /// @errors (exit 2) the file system's.
  static Result<std::optional<WorktreeFolder>> Lock(const std::string& folder, bool wait);

  /// Whether it was built to its end.
  bool IsBuilt() const;
  /// None: it was never begun, or cannot be read.
  std::optional<WorktreeAbout> ReadAbout() const;
  Result<void> WriteAbout(const WorktreeAbout& about) const;
  /// Makes the way in.
  Result<void> MarkBuilt(const WorktreeAbout& about) const;
  /// When it was used last; when it was begun, as long as it is not built.
  std::chrono::system_clock::time_point LastUse() const;

  /// Takes the worktree away, from the disk and from its repository; the folder itself stays, as
  /// long as it is locked.
  void Empty() const;
  /// Empty, and the folder too.
  void Remove() const;

 private:
  WorktreeFolder(std::string folder, UniqueFd lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::string folder_;
  UniqueFd lock_;
};

/// Bytes that the files below a folder take on the disk, links not followed.
std::uint64_t BytesBelow(const std::string& folder);

/// Removes files and folders, also those without write permission, as build tools leave them.
void RemoveTree(const std::string& path);

/// When kept worktrees go.
struct WorktreeLimits {
  std::chrono::seconds unused = std::chrono::days(30);      ///< nobody asked for it since
  std::chrono::seconds interrupted = std::chrono::days(1);  ///< never finished, and left alone
  std::chrono::seconds spared = std::chrono::hours(1);      ///< younger ones stay in any case
  std::uint64_t bytes = std::uint64_t{10} << 30U;           ///< of all together
};

/// What a build ended with: 0, or its exit code (128 + N: signal N).
using BuildCode = int;

/// The worktrees in a folder of the caller's cache: made, built, found again and taken away.
///
/// Sessions and users' own commands may work there at once: whoever makes, or removes, a worktree
/// holds the lock of its folder.
class WorktreeStore {
 public:
  explicit WorktreeStore(WorktreePlan plan) : plan_(std::move(plan)) {}

  /// Makes the folder, for its owner alone.
  ///
  /// @errors (exit 2) it cannot be made; it belongs to, or may be written by, somebody else.
  Result<void> Open() const;

  /// Has one worktree there, checked out and built; says on stdout what it does. A build that
  /// fails leaves nothing behind. Its output goes to stdout and stderr.
  ///
  /// @errors (exit 2) git's, the file system's.
  Result<BuildCode> Provide(const WorktreeOrder& order) const;

  /// Takes away what nobody needs, but never one of the plan: by age first, then the ones unused
  /// for longest while all are too large together; and the refs of old snapshots. What cannot be
  /// removed stays: the next one tries again.
  void Clean(const WorktreeLimits& limits) const;

 private:
  Result<BuildCode> Make(const WorktreeOrder& order) const;
  Result<void> CheckOut(const WorktreeOrder& order) const;
  Result<BuildCode> Build(const WorktreeOrder& order) const;

  WorktreePlan plan_;
};

/// Counts as a use, now, of a worktree that is built; nothing of one that is not.
void MarkUsed(const WorktreePlaces& places);

}  // namespace benchd::client
