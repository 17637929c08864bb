#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace benchd::store {

/// A file that was written under its final name, but may not be on the disk yet.
struct UnsyncedFile {
  UniqueFd file;
  std::filesystem::path path;
};

/// Puts the commits of a database onto the disk, with the files that were written before them. A
/// commit alone survives kill -9, but not a power loss.
///
/// One sync covers all commits before it, so changes that wait for the disk at the same time share
/// it. On a busy disk a sync takes up to a second. It delays neither a commit nor a read, because
/// it runs on another thread (sync_thread.h).
class LogSync {
 public:
  /// Syncs an open file to the disk; called on two threads at once. @return 0 or an error number
  using SyncFile = std::function<int(int file)>;
  static int SyncData(int file);  ///< fdatasync(2)

  /// @param log  the write-ahead log of the database; it need not exist yet
  explicit LogSync(std::filesystem::path log, SyncFile sync = SyncData)
      : log_(std::move(log)), sync_(std::move(sync)) {}
  LogSync(const LogSync&) = delete;
  LogSync& operator=(const LogSync&) = delete;

  // ---- on the thread that commits ----

  /// Adds a file to the next sync.
  void Add(UnsyncedFile file);
  /// Requests a sync, which nobody waits for. Without a function from OnRequest(), performs it.
  void Request();
  /// Sets the function that Request() calls.
  void OnRequest(std::function<void()> request) { request_ = std::move(request); }
  /// Returns the error of a requested sync, once. Later changes may still be committed.
  std::optional<Error> TakeFailure();

  // ---- on any thread, but on one at a time ----

  /// Syncs everything that was committed or added before this call.
  /// @errors kResourceExhausted if the disk is full; otherwise the failed system call, with the
  ///         file's name.
  Result<void> Run();
  /// Like Run(), but keeps the error for TakeFailure().
  void RunUnawaited();

 private:
  Result<void> SyncWritten(const std::vector<UnsyncedFile>& written) const;
  Result<void> SyncLog();
  Result<void> OpenLog();

  const std::filesystem::path log_;
  const SyncFile sync_;
  std::function<void()> request_;
  UniqueFd open_log_;  // used by Run()
  std::mutex mutex_;   // protects the next two
  std::vector<UnsyncedFile> added_;
  std::optional<Error> failure_;
};

}  // namespace benchd::store
