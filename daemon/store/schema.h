#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"
#include "daemon/store/database.h"

/// The tables of the store, and the migration of the tables of older releases.
namespace benchd::store {

/// The version of the tables, stored in the file as PRAGMA user_version.
inline constexpr int kSchemaVersion = 6;
/// PRAGMA application_id: "bnch". It distinguishes benchd's databases from other programs'.
inline constexpr std::int64_t kApplicationId = 0x626e6368;

/// Returns true if the database has our tables, of this version or one that Migrate() supports, and
/// false if it is empty. Changes nothing.
///
/// @errors kFailedPrecondition if the database belongs to another program or to an unsupported
///         version of benchd; otherwise those of Database.
Result<bool> HasSchema(Database& database);

/// Creates the tables in an empty database.
Result<void> CreateSchema(Database& database);

/// Converts the tables of an older version to this one, in one transaction: if it fails or the
/// process ends, the file still has the older version. Does nothing if the tables are current.
/// Takes a few seconds per 10,000 sessions, and as much disk space as their rows.
/// @return whether the table of summaries was created, which the caller must then fill.
Result<bool> Migrate(Database& database);

/// Returns the error of HasSchema() for another program's database.
Error OfAnotherProgram(const std::filesystem::path& file);

}  // namespace benchd::store
