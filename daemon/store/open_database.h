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
  /// What the administrator should know: that a file was set aside. A sentence each.
  std::vector<std::string> warnings;
  bool migrated = false;  ///< it was of an older version, which kept no summaries
};

/// Opens FOLDER/benchd.db, making both where they are missing; sets a damaged one
/// aside and makes a new one (damage.h).
///
/// @errors one sentence each, and the file is left as it is: of another program or another version
///         of benchd, locked by another process for `lock_wait`, not writable, folder not writable.
Result<OpenedDatabase> OpenDatabase(const std::filesystem::path& folder,
                                    std::chrono::milliseconds lock_wait);

}  // namespace benchd::store
