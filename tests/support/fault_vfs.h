#pragma once

#include <sqlite3.h>

#include <atomic>

namespace benchd {

/// SQLite's own way to the disk, watched: counts syncs, plays a disk that is full or fails, and
/// ends the process in the middle of its work.
///
/// Stands before SQLite's default as long as it lives: files that are opened meanwhile go through
/// it and have to be closed before it. One that is made while there is another stands before that.
/// The setters may be called while another thread works on a file.
class FaultVfs {
 public:
  FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  /// How often the log was put onto the disk.
  int log_syncs() const { return log_syncs_; }
  /// How often another file was: the log is moved into the database then.
  int file_syncs() const { return file_syncs_; }
  /// From now on the log takes nothing, and no other file can grow: a full disk that does not even
  /// let a log be written over, as where each write needs new blocks.
  void SetFull(bool full) { full_ = full; }
  /// From now on each write is answered with that code of SQLite's; SQLITE_OK: no longer.
  void Fail(int code) { code_ = code; }
  /// The process is gone at the `operation`-th write, sync or truncation from now on, counted from
  /// 1, before it happens. Syncs are only counted then: the system survives.
  void DieAt(int operation) {
    mortal_ = true;
    left_to_live_ = operation;
  }

  static constexpr int kDied = 99;  ///< exit code of such an end

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
