#include "daemon/store/session_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/base/try.h"
#include "core/model/labels.h"
#include "daemon/store/json_codec.h"

namespace benchd::store {
namespace {

// SQLite reads two members of a text ten times as fast as SpecFromJson() and SnapshotFromJson()
// read all of it, and nothing of it stays in memory.
constexpr char kSelectHeads[] =
    "SELECT id, request_id, uid, state, iif(sound, json_extract(snapshot, '$.started_at'), NULL),"
    " ended_at_ns, iif(sound, json_extract(spec, '$.limits.max_time'), NULL),"
    " iif(sound, json_extract(spec, '$.labels'), NULL),"
    " iif(sound, json_extract(snapshot, '$.held'), NULL)"
    " FROM (SELECT *, ended_at_ns IS NOT NULL AND json_valid(spec) AND json_valid(snapshot)"
    " AS sound FROM sessions) WHERE state <> 'deleted' ORDER BY key";

/// What a session's row takes beside its texts.
constexpr std::size_t kRowBytes = 512;

// Beside the texts: 512 for the row (kRowBytes) and its places in the indices, 64 for a run's other
// columns, 32 for a line of history's, 16 for a metric's.
constexpr char kCharge[] =
    "UPDATE sessions SET bytes = 512 + length(CAST(spec AS BLOB)) + length(CAST(snapshot AS BLOB))"
    " + length(CAST(request_id AS BLOB))"
    " + (SELECT coalesce(sum(length(samples) + 64), 0) FROM runs WHERE session = sessions.key)"
    " + (SELECT coalesce(sum(length(text)), 0) FROM logs WHERE session = sessions.key)"
    " + (SELECT coalesce(sum(length(CAST(what AS BLOB)) + 32), 0) FROM events"
    " WHERE session = sessions.key)"
    " + (SELECT coalesce(sum(length(CAST(name AS BLOB)) + length(CAST(inner_benchmark AS BLOB))"
    " + 16), 0) FROM metrics WHERE session = sessions.key)"
    " + (SELECT coalesce(sum(length(CAST(metrics AS BLOB))), 0) FROM metric_lists"
    " WHERE session = sessions.key)"
    " WHERE id = ?";

std::int64_t CountOf(Timestamp time) { return time.time_since_epoch().count(); }
Timestamp TimeOf(std::int64_t count) { return Timestamp(Nanoseconds(count)); }

/// The column ended_at_ns: there once the state is final, and only then.
std::optional<std::int64_t> EndOf(const SessionSnapshot& snapshot) {
  if (!IsFinal(snapshot.state)) return std::nullopt;
  return CountOf(snapshot.ended_at.value_or(snapshot.submitted_at));
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

Error NoSuchSession(const SessionId& id) {
  return {ErrorCode::kNotFound, "session " + id.value + ": not in the store", {}};
}

SessionTable::SessionTable(Database& database)
    : database_(&database),
      insert_(
          database,
          "INSERT INTO sessions (id, request_id, uid, state, submitted_at_ns, ended_at_ns, spec,"
          " snapshot, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      update_(database,
              "UPDATE sessions SET state = ?, submitted_at_ns = ?, ended_at_ns = ?, snapshot = ?,"
              " bytes = 512 + length(CAST(spec AS BLOB)) + length(CAST(request_id AS BLOB)) + ?"
              " WHERE id = ?"),
      charge_(database, kCharge),
      shorten_request_ids_(database,
                           "UPDATE sessions SET request_id = ''"
                           " WHERE length(CAST(request_id AS BLOB)) > ?"),
      update_spec_(database, "UPDATE sessions SET spec = ? WHERE id = ?"),
      select_(database, "SELECT id, request_id, spec, snapshot FROM sessions WHERE id = ?"),
      select_heads_(database, kSelectHeads),
      select_submissions_(database,
                          "SELECT uid, submitted_at_ns FROM sessions WHERE state <> 'deleted'"
                          " AND submitted_at_ns > (SELECT max(submitted_at_ns) FROM sessions) - ?"
                          " ORDER BY submitted_at_ns"),
      select_done_(database,
                   "SELECT id, request_id, spec, snapshot FROM sessions WHERE state = 'done'"
                   " ORDER BY ended_at_ns, key"),
      select_unfinished_(database, "SELECT id FROM sessions WHERE ended_at_ns IS NULL") {}

Result<void> SessionTable::Insert(const SessionRecord& record) {
  const SessionSnapshot& snapshot = record.snapshot;
  const std::string spec_json = SpecToJson(record.spec);
  const std::string snapshot_json = SnapshotToJson(snapshot);
  Result<void> inserted = insert_.Run(
      snapshot.id.value, record.request_id, record.spec.caller.uid, NameOf(snapshot.state),
      CountOf(snapshot.submitted_at), EndOf(snapshot), spec_json, snapshot_json,
      kRowBytes + spec_json.size() + snapshot_json.size() + record.request_id.size());
  if (!inserted && inserted.error().code == ErrorCode::kAlreadyExists) {
    return Error{
        ErrorCode::kAlreadyExists, "session " + snapshot.id.value + ": exists already", {}};
  }
  return inserted;
}

Result<void> SessionTable::Update(const SessionSnapshot& snapshot) {
  const std::string json = SnapshotToJson(snapshot);
  Result<void> updated = update_.Run(NameOf(snapshot.state), CountOf(snapshot.submitted_at),
                                     EndOf(snapshot), json, json.size(), snapshot.id.value);
  if (updated && database_->changed_rows() == 0) return NoSuchSession(snapshot.id);
  return updated;
}

Result<void> SessionTable::Charge(const SessionId& id) { return charge_.Run(id.value); }

Result<void> SessionTable::ShortenRequestIds() {
  return shorten_request_ids_.Run(kMaxRequestIdBytes);
}

Result<void> SessionTable::SetPriority(const SessionId& id, std::int32_t priority) {
  TRY(SessionRecord record, Load(id));
  record.spec.priority = priority;
  return update_spec_.Run(SpecToJson(record.spec), id.value);
}

Result<SessionRecord> SessionTable::Load(const SessionId& id) {
  std::optional<SessionRecord> record;
  const auto keep = [this, &record]() -> Result<void> {
    TRY(SessionRecord read, ReadRecord(select_));
    record = std::move(read);
    return {};
  };
  TRY_VOID(select_.Query(keep, id.value));
  if (!record) return NoSuchSession(id);
  return std::move(*record);
}

Result<std::vector<StoredSession>> SessionTable::LoadAll(std::vector<std::string>& warnings) {
  std::vector<StoredSession> sessions;
  const auto keep = [&, this] {
    Result<StoredSession> read = ReadRow();
    if (read) {
      sessions.push_back(std::move(*read));
    } else {
      warnings.push_back(read.error().message + "; left as it is in " + database_->path());
    }
  };
  TRY_VOID(select_heads_.Query(keep));
  return sessions;
}

Result<std::vector<std::pair<std::uint32_t, Timestamp>>> SessionTable::LoadSubmissions() {
  constexpr Nanoseconds kDay = std::chrono::hours(24);
  std::vector<std::pair<std::uint32_t, Timestamp>> submissions;
  const auto keep = [this, &submissions] {
    submissions.emplace_back(static_cast<std::uint32_t>(select_submissions_.Integer(0)),
                             TimeOf(select_submissions_.Integer(1)));
  };
  TRY_VOID(select_submissions_.Query(keep, kDay.count()));
  return submissions;
}

Result<void> SessionTable::ForEachDone(
    const std::function<Result<void>(const SessionRecord&)>& take) {
  const auto read = [this, &take]() -> Result<void> {
    const Result<SessionRecord> record = ReadRecord(select_done_);
    return record ? take(*record) : Result<void>();
  };
  return select_done_.Query(read);
}

/// The row at hand of select_heads_. One that has not ended is read whole, and so is one whose JSON
/// is none: that says what is wrong.
Result<StoredSession> SessionTable::ReadRow() {
  const std::optional<SessionState> state = ValueOf<SessionState>(select_heads_.Text(3));
  if (state && IsFinal(*state) && !select_heads_.IsNull(6)) {
    TRY(SessionHead head, ReadHead(*state));
    return StoredSession{std::move(head), std::nullopt};
  }
  TRY(SessionRecord record, Load(SessionId{select_heads_.Text(0)}));
  SessionHead head = HeadOf(record);
  return StoredSession{std::move(head), std::move(record)};
}

Result<SessionHead> SessionTable::ReadHead(SessionState state) {
  const Statement& row = select_heads_;
  SessionHead head{.id = SessionId{row.Text(0)},
                   .request_id = row.Text(1),
                   .uid = static_cast<std::uint32_t>(row.Integer(2)),
                   .state = state,
                   .max_time = Nanoseconds(row.Integer(6))};
  if (!row.IsNull(4)) head.started_at = TimeOf(row.Integer(4));
  if (!row.IsNull(5)) head.ended_at = TimeOf(row.Integer(5));
  if (!row.IsNull(8)) head.held = Nanoseconds(row.Integer(8));
  if (row.IsNull(7) || row.Text(7) == "[]") return head;
  auto labels = FromJsonText<std::map<std::string, std::string>>(row.Text(7), "labels");
  if (!labels) return std::move(labels).error().Within("stored session " + head.id.value);
  // What is found by more than may be submitted would take memory for good.
  if (AreFewLabels(*labels)) head.labels = std::move(*labels);
  return head;
}

Result<std::set<SessionId>> SessionTable::Unfinished() {
  std::set<SessionId> ids;
  const auto keep = [this, &ids] { ids.insert(SessionId{select_unfinished_.Text(0)}); };
  TRY_VOID(select_unfinished_.Query(keep));
  return ids;
}

HistoryTable::HistoryTable(Database& database)
    : database_(&database),
      insert_(database,
              "INSERT INTO events (session, seq, at_ns, what) SELECT key,"
              " (SELECT coalesce(max(seq) + 1, 0) FROM events WHERE session = key), ?, ?"
              " FROM sessions WHERE id = ?"),
      count_(database,
             "SELECT coalesce(max(seq) + 1, 0) FROM events"
             " WHERE session = (SELECT key FROM sessions WHERE id = ?)"),
      select_(database,
              "SELECT at_ns, what FROM sessions LEFT JOIN events ON events.session = sessions.key"
              " WHERE id = ? ORDER BY seq") {}

Result<void> HistoryTable::Add(const SessionId& id, const HistoryEntry& entry) {
  Result<void> added = insert_.Run(CountOf(entry.at), entry.what, id.value);
  if (added && database_->changed_rows() == 0) return NoSuchSession(id);
  return added;
}

Result<std::uint64_t> HistoryTable::Count(const SessionId& id) {
  std::uint64_t lines = 0;
  const auto keep = [this, &lines] { lines = static_cast<std::uint64_t>(count_.Integer(0)); };
  TRY_VOID(count_.Query(keep, id.value));
  return lines;
}

Result<std::vector<HistoryEntry>> HistoryTable::Load(const SessionId& id) {
  std::vector<HistoryEntry> entries;
  bool found = false;
  const auto keep = [&, this] {
    found = true;
    // The one row of a session without any.
    if (select_.IsNull(0)) return;
    entries.push_back({TimeOf(select_.Integer(0)), select_.Text(1)});
  };
  TRY_VOID(select_.Query(keep, id.value));
  if (!found) return NoSuchSession(id);
  return entries;
}

namespace {

/// In the order of the table, of summaries_by_user or of summaries_by_benchmark: SQLite takes an
/// index where a column is compared, and none where it may be. ?1 is the number beyond which, ?2
/// how many, ?3 the user and ?4 the benchmark; those that are not asked for are NULL and ''.
std::string SelectFor(const SummaryQuery& query) {
  std::string sql = "SELECT number, summary FROM summaries WHERE number ";
  sql += query.oldest_first ? "> ?1" : "< ?1";
  sql += query.uid ? " AND uid = ?3" : " AND ?3 IS NULL";
  sql += query.benchmark.empty() ? " AND ?4 = ''" : " AND benchmark = ?4";
  sql += query.oldest_first ? " ORDER BY number" : " ORDER BY number DESC";
  return sql + " LIMIT ?2";
}

}  // namespace

SummaryTable::SummaryTable(Database& database)
    : database_(&database),
      insert_(database,
              "INSERT INTO summaries (session, position, uid, benchmark, summary)"
              " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      delete_oldest_(database,
                     "DELETE FROM summaries WHERE uid = ?1 AND number <="
                     " (SELECT number FROM summaries WHERE uid = ?1"
                     " ORDER BY number DESC LIMIT 1 OFFSET ?2)") {}

Result<void> SummaryTable::Add(const SessionRecord& record) {
  for (const GateSummary& summary : SummariesOf(record)) {
    Result<void> added = insert_.Run(summary.session.value, summary.position, summary.uid,
                                     summary.benchmark, SummaryToJson(summary));
    if (!added) return added;
  }
  return {};
}

Result<void> SummaryTable::KeepNewest(std::uint32_t uid, std::uint64_t most) {
  return delete_oldest_.Run(uid, most);
}

Result<std::vector<GateSummary>> SummaryTable::List(const SummaryQuery& query) {
  std::vector<GateSummary> found;
  const std::string sql = SelectFor(query);
  Statement select(*database_, sql);
  const auto keep = [&found, &select] {
    Result<GateSummary> summary = SummaryFromJson(select.Text(1));
    if (!summary) return;
    summary->number = static_cast<std::uint64_t>(select.Integer(0));
    found.push_back(std::move(*summary));
  };
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t beyond =
      !query.oldest_first && query.beyond == 0 ? kLargest : std::min(query.beyond, kLargest);
  TRY_VOID(select.Query(keep, beyond, query.limit, query.uid, query.benchmark));
  return found;
}

}  // namespace benchd::store
