#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "client/exit_code.h"
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

}  // namespace benchd::client
