#include "daemon/store/session_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "daemon/store/json_codec.h"

namespace benchd::store {
namespace {

// SQLite reads two members of a text ten times as fast as SpecFromJson() and SnapshotFromJson()
// read all of it, and nothing of it stays in memory.
constexpr char kSelectHeads[] =
    "SELECT id, request_id, uid, state, iif(sound, json_extract(snapshot, '$.started_at'), NULL),"
    " ended_at_ns, iif(sound, json_extract(spec, '$.limits.max_time'), NULL),"
    " iif(sound, json_extract(spec, '$.labels'), NULL)"
    " FROM (SELECT *, ended_at_ns IS NOT NULL AND json_valid(spec) AND json_valid(snapshot)"
    " AS sound FROM sessions) WHERE state <> 'deleted' ORDER BY key";

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
              " bytes = length(CAST(spec AS BLOB)) + ? WHERE id = ?"),
      // 64: a run's other columns.
      add_size_(database,
                "UPDATE sessions SET bytes = bytes"
                " + (SELECT coalesce(sum(length(samples) + 64), 0) FROM runs WHERE session = "
                "sessions.key)"
                " + (SELECT coalesce(sum(length(text)), 0) FROM logs WHERE session = sessions.key)"
                " WHERE id = ?"),
      update_spec_(database, "UPDATE sessions SET spec = ? WHERE id = ?"),
      select_(database, "SELECT id, request_id, spec, snapshot FROM sessions WHERE id = ?"),
      select_heads_(database, kSelectHeads),
      select_done_(database,
                   "SELECT id, request_id, spec, snapshot FROM sessions WHERE state = 'done'"
                   " ORDER BY ended_at_ns, key"),
      select_unfinished_(database, "SELECT id FROM sessions WHERE ended_at_ns IS NULL") {}

Result<void> SessionTable::Insert(const SessionRecord& record) {
  const SessionSnapshot& snapshot = record.snapshot;
  const std::string spec_json = SpecToJson(record.spec);
  const std::string snapshot_json = SnapshotToJson(snapshot);
  Result<void> inserted =
      insert_.Run(snapshot.id.value, record.request_id, record.spec.caller.uid,
                  NameOf(snapshot.state), CountOf(snapshot.submitted_at), EndOf(snapshot),
                  spec_json, snapshot_json, spec_json.size() + snapshot_json.size());
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
  if (updated && IsFinal(snapshot.state)) return add_size_.Run(snapshot.id.value);
  return updated;
}

Result<void> SessionTable::SetPriority(const SessionId& id, std::int32_t priority) {
  Result<SessionRecord> record = Load(id);
  if (!record) return std::move(record).error();
  record->spec.priority = priority;
  return update_spec_.Run(SpecToJson(record->spec), id.value);
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
  if (Result<void> done = select_heads_.Query(keep); !done) return std::move(done).error();
  return sessions;
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
    Result<SessionHead> head = ReadHead(*state);
    if (!head) return std::move(head).error();
    return StoredSession{std::move(*head), std::nullopt};
  }
  Result<SessionRecord> record = Load(SessionId{select_heads_.Text(0)});
  if (!record) return std::move(record).error();
  SessionHead head = HeadOf(*record);
  return StoredSession{std::move(head), std::move(*record)};
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
  if (row.IsNull(7) || row.Text(7) == "[]") return head;
  auto labels = FromJsonText<std::map<std::string, std::string>>(row.Text(7), "labels");
  if (!labels) return std::move(labels).error().Within("stored session " + head.id.value);
  head.labels = std::move(*labels);
  return head;
}

Result<std::set<SessionId>> SessionTable::Unfinished() {
  std::set<SessionId> ids;
  const auto keep = [this, &ids] { ids.insert(SessionId{select_unfinished_.Text(0)}); };
  if (Result<void> done = select_unfinished_.Query(keep); !done) return std::move(done).error();
  return ids;
}

HistoryTable::HistoryTable(Database& database)
    : database_(&database),
      insert_(database,
              "INSERT INTO events (session, seq, at_ns, what) SELECT key,"
              " (SELECT coalesce(max(seq) + 1, 0) FROM events WHERE session = key), ?, ?"
              " FROM sessions WHERE id = ?"),
      select_(database,
              "SELECT at_ns, what FROM sessions LEFT JOIN events ON events.session = sessions.key"
              " WHERE id = ? ORDER BY seq") {}

Result<void> HistoryTable::Add(const SessionId& id, const HistoryEntry& entry) {
  Result<void> added = insert_.Run(CountOf(entry.at), entry.what, id.value);
  if (added && database_->changed_rows() == 0) return NoSuchSession(id);
  return added;
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
  if (Result<void> done = select_.Query(keep, id.value); !done) return std::move(done).error();
  if (!found) return NoSuchSession(id);
  return entries;
}

namespace {

// In the order of the table or of summaries_by_benchmark, of one user or (without ?1) of all.
constexpr char kNewest[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number < ?2"
    " ORDER BY number DESC LIMIT ?3";
constexpr char kNewestOfBenchmark[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number < ?2"
    " AND benchmark = ?4 ORDER BY number DESC LIMIT ?3";
constexpr char kOldest[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number > ?2"
    " ORDER BY number LIMIT ?3";
constexpr char kOldestOfBenchmark[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number > ?2"
    " AND benchmark = ?4 ORDER BY number LIMIT ?3";

}  // namespace

SummaryTable::SummaryTable(Database& database)
    : insert_(database,
              "INSERT INTO summaries (session, position, uid, benchmark, summary)"
              " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      newest_(database, kNewest),
      newest_of_benchmark_(database, kNewestOfBenchmark),
      oldest_(database, kOldest),
      oldest_of_benchmark_(database, kOldestOfBenchmark) {}

Result<void> SummaryTable::Add(const SessionRecord& record) {
  for (const GateSummary& summary : SummariesOf(record)) {
    Result<void> added = insert_.Run(summary.session.value, summary.position, summary.uid,
                                     summary.benchmark, SummaryToJson(summary));
    if (!added) return added;
  }
  return {};
}

Result<std::vector<GateSummary>> SummaryTable::List(const SummaryQuery& query) {
  std::vector<GateSummary> found;
  const bool one = !query.benchmark.empty();
  Statement& select = query.oldest_first ? (one ? oldest_of_benchmark_ : oldest_)
                                         : (one ? newest_of_benchmark_ : newest_);
  const auto keep = [&found, &select] {
    Result<GateSummary> summary = SummaryFromJson(select.Text(1));
    if (!summary) return;
    summary->number = static_cast<std::uint64_t>(select.Integer(0));
    found.push_back(std::move(*summary));
  };
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t beyond =
      !query.oldest_first && query.beyond == 0 ? kLargest : std::min(query.beyond, kLargest);
  Result<void> done = one ? select.Query(keep, query.uid, beyond, query.limit, query.benchmark)
                          : select.Query(keep, query.uid, beyond, query.limit);
  if (!done) return std::move(done).error();
  return found;
}

}  // namespace benchd::store
