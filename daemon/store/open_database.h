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

/// Switches the database to a write-ahead log.
/// @errors kFailedPrecondition if the file system does not support it.
Result<void> UseWriteAheadLog(Database& database);

/// The state of a database file before it is opened.
struct FileState {
  std::uintmax_t bytes = 0;
  /// The write-ahead log still exists, so the last process that used the database did not close it.
  bool unclean = false;
  /// The file is empty or missing, although other files show that benchd used this folder.
  bool emptied = false;
  /// Whether CheckFile() must check the whole file.
  bool to_be_read_whole() const { return unclean || bytes <= kAlwaysChecked; }

  /// Files of at most 256 MiB are always checked; reading one takes two seconds at most.
  static constexpr std::uintmax_t kAlwaysChecked = std::uintmax_t{256} << 20;
};

/// Determines the state of a database file without opening it.
FileState LookAt(const std::filesystem::path& file);

/// Checks the database for damage: the whole file if `all` is true, otherwise only the data that
/// benchd reads at startup.
///
/// The whole file is checked after an unclean end, and whenever it is small. Damage to the runs or
/// ended sessions of a large file is found when they are read; the next start then checks the whole
/// file. A gibibyte takes about a second if it is in the page cache, otherwise four or five.
/// @errors kFailedPrecondition with the defect; otherwise those of Database.
Result<void> CheckFile(Database& database, bool all);

/// Reads the file sequentially into the page cache. CheckFile() alone takes four times as long on a
/// hard disk, because it does not read sequentially. Call before SQLite opens the file: closing it
/// here would release SQLite's locks.
void ReadAhead(const std::filesystem::path& file);

/// Returns true if the file has the header of an SQLite database whose application id is not
/// benchd's. Call after the database was closed; see ReadAhead().
bool IsOfAnotherProgram(const std::filesystem::path& file);

/// Returns a phrase for the contents of a damaged database, with counts if they can still be read:
/// "all sessions (12 found, 3 of them unfinished)".
std::string DescribeLoss(Database& database);

/// Renames a damaged database, its log and index, and the folder with the environment values of its
/// sessions. The new names contain the time: FILE.damaged-20260301T120000Z. Does not overwrite or
/// delete anything. Call after the database was closed.
/// @return the file's new name.
Result<std::filesystem::path> SetAside(const std::filesystem::path& file);

/// A database of benchd's current schema version that passed CheckFile().
struct OpenedDatabase {
  std::unique_ptr<Database> database;
  /// Sentences for the administrator, such as that a damaged file was set aside.
  std::vector<std::string> warnings;
  bool migrated = false;  ///< the database was converted from a version without summaries
};

/// Opens FOLDER/benchd.db, and creates the folder and the file if they are missing. Sets a damaged
/// file aside (SetAside()) and creates a new one.
///
/// @errors if the database belongs to another program or another version of benchd, if another
///         process locks it for `lock_wait`, or if the file or folder is not writable. The file is
///         then unchanged.
Result<OpenedDatabase> OpenDatabase(const std::filesystem::path& folder,
                                    std::chrono::milliseconds lock_wait);

}  // namespace benchd::store
