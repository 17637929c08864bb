#pragma once

#include <sqlite3.h>

#include <atomic>

namespace benchd {

/// Intercepts SQLite's access to the disk: counts syncs, simulates a disk that is full or fails,
/// and ends the process in the middle of its work.
///
/// Replaces SQLite's default as long as it lives. Files that are opened meanwhile use it and must
/// be closed before it is destroyed. A second one replaces the first. The setters may be called
/// while another thread uses a file.
class FaultVfs {
 public:
  FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  /// Number of syncs of the log.
  int log_syncs() const { return log_syncs_; }
  /// Number of syncs of other files, which move the log into the database.
  int file_syncs() const { return file_syncs_; }
  /// From now on the log cannot be written and no other file can grow: a full disk on which even
  /// overwriting fails, as if each write needed new blocks.
  void SetFull(bool full) { full_ = full; }
  /// From now on each write returns this SQLite code; SQLITE_OK: no longer.
  void Fail(int code) { code_ = code; }
  /// Ends the process before the `operation`-th write, sync or truncation from now on, counted from
  /// 1. Syncs have no effect then, because the system survives.
  void DieAt(int operation) {
    mortal_ = true;
    left_to_live_ = operation;
  }

  static constexpr int kDied = 99;  ///< exit code of that end

 private:
  struct File;
  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                  int* out_flags);
  static int LastError(sqlite3_vfs* vfs, int size, char* text);
  static FaultVfs& Of(sqlite3_file* file);
  static int Write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset);
  static int Truncate(sqlite3_file* file, sqlite3_int64 size);
  static int Sync(sqlite3_file* file, int flags);
  static const sqlite3_io_methods* Methods();
  void CountDown();

  sqlite3_vfs* real_;
  sqlite3_vfs own_;
  std::atomic<int> log_syncs_ = 0;
  std::atomic<int> file_syncs_ = 0;
  std::atomic<bool> full_ = false;
  std::atomic<int> code_ = SQLITE_OK;
  std::atomic<bool> mortal_ = false;
  std::atomic<int> left_to_live_ = 0;
};

}  // namespace benchd
