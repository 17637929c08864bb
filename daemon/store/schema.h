#pragma once

#include "daemon/base/result.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// The version of the tables below; kept in the file as PRAGMA user_version.
inline constexpr int kSchemaVersion = 2;

/// Makes the tables in an empty database, and checks that a used one is ours and of this version.
///
/// @errors kFailedPrecondition: written by a newer benchd or before there was a release, by another
///         program, or on a file system
///         that cannot hold a write-ahead log; else as Database. A refused file is left untouched.
Result<void> PrepareSchema(Database& database);

}  // namespace benchd::store
