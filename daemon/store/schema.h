#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"
#include "daemon/store/database.h"

/// The tables of the store, and how those of older releases become these.
namespace benchd::store {

/// The version of the tables; kept in the file as PRAGMA user_version.
inline constexpr int kSchemaVersion = 6;
/// PRAGMA application_id: "bnch", so that another program's database is known as such.
inline constexpr std::int64_t kApplicationId = 0x626e6368;

/// Whether the database has our tables, be it of a version that Migrate() knows; false: it is
/// empty. Changes nothing.
///
/// @errors kFailedPrecondition: it is another program's, or another version's of benchd; else as
///         Database.
Result<bool> HasSchema(Database& database);

/// Makes the tables in an empty database.
Result<void> CreateSchema(Database& database);

/// Makes this version's tables of an older one's, in one transaction: if it fails or the process
/// ends, the file still has the older version. Does nothing where they are there. It takes
/// seconds per 10,000 sessions, and as much of the disk as their rows.
/// @return whether the table of summaries was made, which is then to be filled in.
Result<bool> Migrate(Database& database);

/// What HasSchema() answers to another program's.
Error OfAnotherProgram(const std::filesystem::path& file);

}  // namespace benchd::store
