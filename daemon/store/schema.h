#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// The version of the tables; kept in the file as PRAGMA user_version.
inline constexpr int kSchemaVersion = 3;
/// The oldest that can still be brought to that (migration.h).
inline constexpr int kOldestSchemaVersion = 2;
/// PRAGMA application_id: "bnch", so that another program's database is known as such.
inline constexpr std::int64_t kApplicationId = 0x626e6368;

/// The version of a database of ours; 0 for an empty one.
///
/// @errors kFailedPrecondition: written by a newer benchd, before there was a release, or by
/// another
///         program; else as Database. Changes nothing.
Result<int> SchemaVersion(Database& database);

/// Makes the tables in an empty database.
Result<void> CreateSchema(Database& database);

/// What SchemaVersion() answers then.
Error OfAnotherProgram(const std::filesystem::path& file);

/// Brings the tables from `version` to kSchemaVersion, inside the caller's transaction.
Result<void> UpgradeTables(Database& database, int version);

/// @errors kFailedPrecondition: the file system cannot hold a write-ahead log.
Result<void> UseWriteAheadLog(Database& database);

}  // namespace benchd::store
