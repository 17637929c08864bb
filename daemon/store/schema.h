#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// The version of the tables; kept in the file as PRAGMA user_version.
inline constexpr int kSchemaVersion = 5;
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

/// Makes this version's tables of an older one's; does nothing where they are there.
/// @return whether they were made: what they summarise is then to be filled in.
Result<bool> Migrate(Database& database);

/// What HasSchema() answers to another program's.
Error OfAnotherProgram(const std::filesystem::path& file);

/// @errors kFailedPrecondition: the file system cannot hold a write-ahead log.
Result<void> UseWriteAheadLog(Database& database);

}  // namespace benchd::store
