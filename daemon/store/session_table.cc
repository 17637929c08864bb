#include "daemon/store/session_table.h"

#include <array>
#include <optional>
#include <utility>

#include "daemon/store/outcome_json.h"
#include "daemon/store/spec_json.h"

namespace benchd::store {
namespace {

Error NoSuchSession(const SessionId& id) {
  return {ErrorCode::kNotFound, "session " + id.value + ": not in the store", {}};
}

std::optional<std::int64_t> CountOf(const std::optional<Timestamp>& time) {
  if (!time) return std::nullopt;
  return time->time_since_epoch().count();
}

/// Columns of the row at hand: id, request_id, spec, snapshot.
Result<SessionRecord> ReadRecord(const Statement& row) {
  const std::string step = "stored session " + row.Text(0);
  Result<SessionSpec> spec = SpecFromJson(row.Text(2));
  if (!spec) return std::move(spec).error().Within(step);
  Result<SessionSnapshot> snapshot = SnapshotFromJson(row.Text(3));
  if (!snapshot) return std::move(snapshot).error().Within(step);
  return SessionRecord{std::move(*spec), std::move(*snapshot), row.Text(1)};
}

}  // namespace

Result<SessionTable> SessionTable::Open(Database& database) {
  SessionTable table(database);
  const std::array<std::pair<Statement*, const char*>, 5> statements{{
      {&table.insert_,
       "INSERT INTO sessions (id, request_id, uid, state, submitted_at_ns, ended_at_ns, spec,"
       " snapshot) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
      {&table.update_,
       "UPDATE sessions SET state = ?, submitted_at_ns = ?, ended_at_ns = ?, snapshot = ?"
       " WHERE id = ?"},
      {&table.select_, "SELECT id, request_id, spec, snapshot FROM sessions WHERE id = ?"},
      {&table.select_all_,
       "SELECT id, request_id, spec, snapshot FROM sessions ORDER BY submitted_at_ns, key"},
      {&table.select_unfinished_,
       "SELECT id FROM sessions WHERE state NOT IN ('done', 'failed', 'cancelled')"},
  }};
  for (const auto& [statement, sql] : statements) {
    Result<Statement> prepared = database.Prepare(sql);
    if (!prepared) return std::move(prepared).error();
    *statement = std::move(*prepared);
  }
  return table;
}

Result<void> SessionTable::Insert(const SessionRecord& record) {
  const SessionSnapshot& snapshot = record.snapshot;
  Result<void> inserted =
      insert_.Run(snapshot.id.value, record.request_id, record.spec.caller.uid,
                  StateName(snapshot.state), snapshot.submitted_at.time_since_epoch().count(),
                  CountOf(snapshot.ended_at), SpecToJson(record.spec), SnapshotToJson(snapshot));
  if (!inserted && inserted.error().code == ErrorCode::kAlreadyExists) {
    return Error{
        ErrorCode::kAlreadyExists, "session " + snapshot.id.value + ": exists already", {}};
  }
  return inserted;
}

Result<void> SessionTable::Update(const SessionSnapshot& snapshot) {
  Result<void> updated =
      update_.Run(StateName(snapshot.state), snapshot.submitted_at.time_since_epoch().count(),
                  CountOf(snapshot.ended_at), SnapshotToJson(snapshot), snapshot.id.value);
  if (updated && database_->changed_rows() == 0) return NoSuchSession(snapshot.id);
  return updated;
}

Result<SessionRecord> SessionTable::Load(const SessionId& id) {
  std::optional<SessionRecord> record;
  const auto keep = [this, &record]() -> Result<void> {
    Result<SessionRecord> read = ReadRecord(select_);
    if (!read) return std::move(read).error();
    record = std::move(*read);
    return {};
  };
  if (Result<void> done = select_.Query(keep, id.value); !done) return std::move(done).error();
  if (!record) return NoSuchSession(id);
  return std::move(*record);
}

Result<std::vector<SessionRecord>> SessionTable::LoadAll() {
  std::vector<SessionRecord> records;
  const auto keep = [this, &records]() -> Result<void> {
    Result<SessionRecord> read = ReadRecord(select_all_);
    if (!read) return std::move(read).error();
    records.push_back(std::move(*read));
    return {};
  };
  if (Result<void> done = select_all_.Query(keep); !done) return std::move(done).error();
  return records;
}

Result<std::set<SessionId>> SessionTable::Unfinished() {
  std::set<SessionId> ids;
  const auto keep = [this, &ids] {
    ids.insert(SessionId{select_unfinished_.Text(0)});
    return Result<void>{};
  };
  if (Result<void> done = select_unfinished_.Query(keep); !done) return std::move(done).error();
  return ids;
}

}  // namespace benchd::store
