#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/base/session_id.h"
#include "core/model/history.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// What happened to the sessions. On the writer thread; no longer than its Database.
/// @errors all: kNotFound for a session that is not there; else as Database.
class HistoryTable {
 public:
  static Result<HistoryTable> Open(Database& database);

  Result<void> Add(const SessionId& id, const HistoryEntry& entry);
  /// Oldest first.
  Result<std::vector<HistoryEntry>> Load(const SessionId& id);

 private:
  explicit HistoryTable(Database& database) : database_(&database) {}

  Database* database_;
  Statement insert_;
  Statement select_;
};

}  // namespace benchd::store
