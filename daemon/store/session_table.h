#pragma once

#include <set>
#include <string>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/base/session_id.h"
#include "daemon/model/session.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// The sessions themselves: one row each, spec and snapshot as JSON.
///
/// Writes what it is given: leaving out environment values is the caller's business
/// (environment_files.h). On the writer thread; no longer than its Database.
class SessionTable {
 public:
  static Result<SessionTable> Open(Database& database);

  /// @errors kAlreadyExists for an id that is taken.
  Result<void> Insert(const SessionRecord& record);
  /// @errors kNotFound.
  Result<void> Update(const SessionSnapshot& snapshot);
  /// @errors kNotFound.
  Result<SessionRecord> Load(const SessionId& id);
  /// Oldest submission first; of the same moment, first inserted first.
  Result<std::vector<SessionRecord>> LoadAll();
  /// The sessions whose state is not final.
  Result<std::set<SessionId>> Unfinished();

 private:
  explicit SessionTable(Database& database) : database_(&database) {}

  Database* database_;
  Statement insert_;
  Statement update_;
  Statement select_;
  Statement select_all_;
  Statement select_unfinished_;
};

}  // namespace benchd::store
