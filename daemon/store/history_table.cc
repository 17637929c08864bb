#include "daemon/store/history_table.h"

#include <utility>

#include "daemon/store/session_table.h"

namespace benchd::store {

Result<HistoryTable> HistoryTable::Open(Database& database) {
  HistoryTable table(database);
  const std::pair<Statement*, const char*> statements[] = {
      {&table.insert_,
       "INSERT INTO events (session, seq, at_ns, what) SELECT key,"
       " (SELECT coalesce(max(seq) + 1, 0) FROM events WHERE session = key), ?, ?"
       " FROM sessions WHERE id = ?"},
      {&table.select_,
       "SELECT at_ns, what FROM sessions LEFT JOIN events ON events.session = sessions.key"
       " WHERE id = ? ORDER BY seq"},
  };
  for (const auto& [statement, sql] : statements) {
    Result<Statement> prepared = database.Prepare(sql);
    if (!prepared) return std::move(prepared).error();
    *statement = std::move(*prepared);
  }
  return table;
}

Result<void> HistoryTable::Add(const SessionId& id, const HistoryEntry& entry) {
  Result<void> added = insert_.Run(entry.at.time_since_epoch().count(), entry.what, id.value);
  if (added && database_->changed_rows() == 0) return NoSuchSession(id);
  return added;
}

Result<std::vector<HistoryEntry>> HistoryTable::Load(const SessionId& id) {
  std::vector<HistoryEntry> entries;
  bool found = false;
  const auto keep = [&, this] {
    found = true;
    // The one row of a session without any.
    if (select_.IsNull(0)) return Result<void>{};
    entries.push_back({Timestamp(Nanoseconds(select_.Integer(0))), select_.Text(1)});
    return Result<void>{};
  };
  if (Result<void> done = select_.Query(keep, id.value); !done) return std::move(done).error();
  if (!found) return NoSuchSession(id);
  return entries;
}

}  // namespace benchd::store
