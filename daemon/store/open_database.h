#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// A database that is ours, sound as far as was looked, and of this version.
struct OpenedDatabase {
  std::unique_ptr<Database> database;
  /// What the administrator should know: that a file was set aside, or migrated. A sentence each.
  std::vector<std::string> warnings;
};

/// Opens FOLDER/benchd.db, making both where they are missing; migrates an older one (migration.h);
/// sets a damaged one aside and makes a new one (damage.h).
///
/// @errors one sentence each, and the file is left as it is: of another program, written by a newer
///         benchd, locked by another process for `lock_wait`, not writable, folder not writable.
Result<OpenedDatabase> OpenDatabase(const std::filesystem::path& folder,
                                    std::chrono::milliseconds lock_wait);

/// Brings an older database to kSchemaVersion: first a copy of all that is in it, on the disk as
/// FILE.vVERSION.backup (0600; one that is there already is left alone and this one numbered), then
/// the change as one transaction. Whatever fails, the database is as it was.
///
/// @return the backup's name. It is kept: deleting it is the administrator's business.
/// @errors as Database, with the step that failed.
Result<std::filesystem::path> Migrate(Database& database, int version);

}  // namespace benchd::store
