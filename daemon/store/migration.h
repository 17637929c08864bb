#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// Brings an older database to kSchemaVersion: first a copy of all that is in it, on the disk as
/// FILE.vVERSION.backup (0600; one that is there already is left alone and this one numbered), then
/// the change as one transaction. Whatever fails, the database is as it was.
///
/// @return the backup's name. It is kept: deleting it is the administrator's business.
/// @errors as Database, with the step that failed.
Result<std::filesystem::path> Migrate(Database& database, int version);

}  // namespace benchd::store
