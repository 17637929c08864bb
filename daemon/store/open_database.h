#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// @errors kFailedPrecondition: the file system cannot hold a write-ahead log.
Result<void> UseWriteAheadLog(Database& database);

/// How a database file was found, before anything opens it.
struct FileState {
  std::uintmax_t bytes = 0;
  /// A log lies beside it: whoever had it open last did not close it.
  bool unclean = false;
  /// Empty or gone, although benchd has kept something here.
  bool emptied = false;
  /// See CheckFile().
  bool to_be_read_whole() const { return unclean || bytes <= kAlwaysChecked; }

  /// 256 MiB: read within a second or two at the worst.
  static constexpr std::uintmax_t kAlwaysChecked = std::uintmax_t{256} << 20;
};

FileState LookAt(const std::filesystem::path& file);

/// Looks for damage: in `all` of the file, or in what benchd reads at its start. The whole is read
/// if its last end was not clean, and always while it is small; what is wrong with the runs and the
/// ended sessions of a large one is met when they are read, and has all of it checked at the next
/// start.
/// A gibibyte takes about a second when the system has it in memory, else four or five.
/// @errors kFailedPrecondition with what is wrong; else as Database.
Result<void> CheckFile(Database& database, bool all);

/// Reads the file from one end to the other, so that CheckFile() finds it in memory: its own order
/// of reading takes four times as long on a disk. To be called before anything opens the file:
/// closing it here would give up SQLite's locks.
void ReadAhead(const std::filesystem::path& file);

/// Whether the file is a sound-looking database with the mark of another program, or without one.
/// To be called after it was closed, see ReadAhead().
bool IsOfAnotherProgram(const std::filesystem::path& file);

/// What goes with a damaged database, as a phrase, with what can still be counted in it: "all
/// sessions (12 can be counted, 3 of them not ended)".
std::string DescribeLoss(Database& database);

/// Gives the file, its log and index, and the folder of environment values (which belong to its
/// sessions) names that tell of the damage and the time: FILE.damaged-20260301T120000Z. Nothing is
/// overwritten or deleted. To be called after the file was closed.
/// @return the file's new name.
Result<std::filesystem::path> SetAside(const std::filesystem::path& file);

/// A database that is ours, sound as far as was looked, and of this version.
struct OpenedDatabase {
  std::unique_ptr<Database> database;
  /// What the administrator should know: that a file was set aside. A sentence each.
  std::vector<std::string> warnings;
  bool migrated = false;  ///< it was of an older version, which kept no summaries
};

/// Opens FOLDER/benchd.db, making both where they are missing; sets a damaged one
/// aside and makes a new one (SetAside()).
///
/// @errors one sentence each, and the file is left as it is: of another program or another version
///         of benchd, locked by another process for `lock_wait`, not writable, folder not writable.
Result<OpenedDatabase> OpenDatabase(const std::filesystem::path& folder,
                                    std::chrono::milliseconds lock_wait);

}  // namespace benchd::store
