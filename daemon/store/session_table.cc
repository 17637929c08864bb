#include "daemon/store/session_table.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/try.h"
#include "daemon/store/json_codec.h"

namespace benchd::store {
namespace {

constexpr char kSelectTimes[] =
    "SELECT uid, ended_at_ns, held_ns FROM sessions"
    " WHERE held_ns IS NOT NULL AND ended_at_ns >= min(?1, coalesce("
    "(SELECT ended_at_ns FROM sessions WHERE held_ns IS NOT NULL AND ended_at_ns IS NOT NULL"
    " ORDER BY ended_at_ns DESC LIMIT 1 OFFSET ?2 - 1), 0)) ORDER BY ended_at_ns";

/// The size of a session's row and its index entries, without its texts.
constexpr std::size_t kRowBytes = 512;

// Adds these sizes to those of the texts: 512 bytes for the session's row (kRowBytes), 64 for the
// other columns of a run, 32 for those of a history entry, 16 for those of a metric.
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

/// Limits a number to SQLite's largest integer.
std::uint64_t AtMost(std::uint64_t number) {
  return std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max());
}

std::optional<std::int64_t> StartOf(const SessionSnapshot& snapshot) {
  if (!snapshot.started_at) return std::nullopt;
  return CountOf(*snapshot.started_at);
}

/// Returns the value of the column held_ns; NULL unless the state is final and the session started.
std::optional<std::int64_t> TimeHeld(const SessionSnapshot& snapshot) {
  if (!IsFinal(snapshot.state) || !snapshot.held) return std::nullopt;
  return snapshot.held->count();
}

/// Returns the value of the column ended_at_ns; NULL unless the state is final.
std::optional<std::int64_t> EndOf(const SessionSnapshot& snapshot) {
  if (!IsFinal(snapshot.state)) return std::nullopt;
  return CountOf(snapshot.ended_at.value_or(snapshot.submitted_at));
}

/// Reads the columns id, request_id, spec, snapshot and priority of the current row.
Result<SessionRecord> ReadRecord(const Statement& row) {
  const std::string step = "stored session " + row.Text(0);
  Result<SessionSpec> spec = SpecFromJson(row.Text(2));
  if (!spec) return std::move(spec).error().Within(step);
  spec->priority = static_cast<std::int32_t>(row.Integer(4));
  Result<SessionSnapshot> snapshot = SnapshotFromJson(row.Text(3));
  if (!snapshot) return std::move(snapshot).error().Within(step);
  return SessionRecord{std::move(*spec), std::move(*snapshot), row.Text(1)};
}

/// Reads the columns key, id, state and uid of the current row; empty if the state is unknown.
std::optional<SessionView> ReadView(const Statement& row) {
  const std::optional<SessionState> state = ValueOf<SessionState>(row.Text(2));
  if (!state) return std::nullopt;
  return SessionView{.key = static_cast<std::uint64_t>(row.Integer(0)),
                     .id = SessionId{row.Text(1)},
                     .state = *state,
                     .uid = static_cast<std::uint32_t>(row.Integer(3))};
}

}  // namespace

Error NoSuchSession(const SessionId& id) {
  return {ErrorCode::kNotFound, "session " + id.value + ": not in the store", {}};
}

SessionTable::SessionTable(Database& database)
    : database_(&database),
      insert_(database,
              "INSERT INTO sessions (id, request_id, uid, state, priority, submitted_at_ns,"
              " started_at_ns, ended_at_ns, held_ns, spec, snapshot, bytes)"
              " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_label_(database, "INSERT INTO labels (name, value, session, uid) VALUES (?, ?, ?, ?)"),
      update_(database,
              "UPDATE sessions SET state = ?, submitted_at_ns = ?, started_at_ns = ?,"
              " ended_at_ns = ?, held_ns = ?, snapshot = ?,"
              " bytes = 512 + length(CAST(spec AS BLOB)) + length(CAST(request_id AS BLOB)) + ?"
              " WHERE id = ?"),
      charge_(database, kCharge),
      remove_(database, "DELETE FROM sessions WHERE id = ?"),
      set_priority_(database, "UPDATE sessions SET priority = ? WHERE id = ?"),
      select_(database,
              "SELECT id, request_id, spec, snapshot, priority FROM sessions WHERE id = ?"),
      select_unfinished_(database,
                         "SELECT id, request_id, spec, snapshot, priority, key FROM sessions"
                         " WHERE ended_at_ns IS NULL AND state <> 'deleted'"),
      select_ids_(database, "SELECT id FROM sessions WHERE ended_at_ns IS NULL"),
      select_turns_(database,
                    "SELECT uid FROM sessions WHERE started_at_ns IS NOT NULL GROUP BY uid"
                    " ORDER BY max(started_at_ns)"),
      select_times_(database, kSelectTimes),
      select_submissions_(database,
                          "SELECT uid, submitted_at_ns FROM sessions"
                          " WHERE submitted_at_ns > (SELECT max(submitted_at_ns) FROM sessions) - ?"
                          " ORDER BY submitted_at_ns"),
      find_(database,
            "SELECT key, id, state, uid FROM sessions WHERE id >= ?1 AND id < ?2"
            " AND ended_at_ns IS NOT NULL AND (?3 IS NULL OR uid = ?3 OR id = ?1) LIMIT 3"),
      find_request_(database,
                    "SELECT id FROM sessions WHERE uid = ?1 AND request_id = ?2"
                    " AND request_id <> '' ORDER BY key DESC LIMIT 1"),
      select_done_(database,
                   "SELECT id, request_id, spec, snapshot, priority FROM sessions"
                   " WHERE state = 'done' ORDER BY ended_at_ns, key") {}

Result<std::uint64_t> SessionTable::Insert(const SessionRecord& record) {
  const auto& [spec, snapshot, request_id] = record;
  const std::string spec_json = SpecToJson(spec);
  const std::string snapshot_json = SnapshotToJson(snapshot);
  Result<void> inserted =
      insert_.Run(snapshot.id.value, request_id, spec.caller.uid, NameOf(snapshot.state),
                  spec.priority, CountOf(snapshot.submitted_at), StartOf(snapshot), EndOf(snapshot),
                  TimeHeld(snapshot), spec_json, snapshot_json,
                  kRowBytes + spec_json.size() + snapshot_json.size() + request_id.size());
  if (!inserted && inserted.error().code == ErrorCode::kAlreadyExists) {
    return Error{
        ErrorCode::kAlreadyExists, "session " + snapshot.id.value + ": already exists", {}};
  }
  if (!inserted) return std::move(inserted).error();
  const std::int64_t key = database_->last_insert_key();
  for (const auto& [name, value] : spec.labels) {
    TRY_VOID(insert_label_.Run(name, value, key, spec.caller.uid));
  }
  return static_cast<std::uint64_t>(key);
}

Result<void> SessionTable::Update(const SessionSnapshot& snapshot) {
  const std::string json = SnapshotToJson(snapshot);
  Result<void> updated =
      update_.Run(NameOf(snapshot.state), CountOf(snapshot.submitted_at), StartOf(snapshot),
                  EndOf(snapshot), TimeHeld(snapshot), json, json.size(), snapshot.id.value);
  if (updated && database_->changed_rows() == 0) return NoSuchSession(snapshot.id);
  return updated;
}

Result<void> SessionTable::Charge(const SessionId& id) { return charge_.Run(id.value); }

Result<void> SessionTable::Remove(const SessionId& id) { return remove_.Run(id.value); }

Result<void> SessionTable::SetPriority(const SessionId& id, std::int32_t priority) {
  TRY_VOID(set_priority_.Run(priority, id.value));
  if (database_->changed_rows() == 0) return NoSuchSession(id);
  return {};
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

Result<std::vector<StoredSession>> SessionTable::LoadUnfinished(
    std::vector<std::string>& warnings) {
  std::vector<StoredSession> sessions;
  const auto keep = [&, this] {
    Result<SessionRecord> read = ReadRecord(select_unfinished_);
    if (read) {
      const auto key = static_cast<std::uint64_t>(select_unfinished_.Integer(5));
      sessions.push_back({key, std::move(*read)});
    } else {
      warnings.push_back(read.error().message + "; its row is left unchanged in " +
                         database_->path());
    }
  };
  TRY_VOID(select_unfinished_.Query(keep));
  // Sorted here, because SQLite would copy the long texts.
  std::sort(sessions.begin(), sessions.end(),
            [](const StoredSession& a, const StoredSession& b) { return a.key < b.key; });
  return sessions;
}

Result<std::set<SessionId>> SessionTable::Unfinished() {
  std::set<SessionId> ids;
  const auto keep = [this, &ids] { ids.insert(SessionId{select_ids_.Text(0)}); };
  TRY_VOID(select_ids_.Query(keep));
  return ids;
}

Result<std::vector<std::uint32_t>> SessionTable::LoadTurns() {
  std::vector<std::uint32_t> users;
  const auto keep = [this, &users] {
    users.push_back(static_cast<std::uint32_t>(select_turns_.Integer(0)));
  };
  TRY_VOID(select_turns_.Query(keep));
  return users;
}

Result<std::vector<MachineTime>> SessionTable::LoadTimes(Timestamp since, std::uint64_t at_least) {
  std::vector<MachineTime> times;
  const auto keep = [this, &times] {
    times.push_back({.uid = static_cast<std::uint32_t>(select_times_.Integer(0)),
                     .end = TimeOf(select_times_.Integer(1)),
                     .held = Nanoseconds(select_times_.Integer(2))});
  };
  TRY_VOID(select_times_.Query(keep, CountOf(since), at_least));
  return times;
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

std::string SelectEnded(const SessionFilter& filter) {
  const bool labelled = !filter.labels.empty();
  // CROSS JOIN makes SQLite search the labels first.
  std::string sql = labelled
                        ? "SELECT key, id, state, sessions.uid FROM labels CROSS JOIN sessions"
                          " ON key = session WHERE session < ?1 AND name = ?5 AND value = ?6"
                          " AND NOT EXISTS (SELECT 1 FROM json_each(?7) AS wanted WHERE NOT EXISTS"
                          " (SELECT 1 FROM labels AS other WHERE other.session = labels.session"
                          " AND name = json_extract(wanted.value, '$[0]')"
                          " AND value = json_extract(wanted.value, '$[1]')))"
                        : "SELECT key, id, state, uid FROM sessions"
                          " WHERE key < ?1 AND ?5 = '' AND ?6 = '' AND ?7 = ''";
  sql += " AND ended_at_ns IS NOT NULL";
  sql += filter.state ? " AND state = ?3" : " AND ?3 IS NULL";
  sql += !filter.owner ? " AND ?4 IS NULL" : labelled ? " AND labels.uid = ?4" : " AND uid = ?4";
  return sql + (labelled ? " ORDER BY session DESC LIMIT ?2" : " ORDER BY key DESC LIMIT ?2");
}

Result<std::vector<SessionView>> SessionTable::ListEnded(const SessionFilter& filter) {
  std::vector<SessionView> found;
  const std::string sql = SelectEnded(filter);
  Statement select(*database_, sql);
  const auto keep = [&found, &select] {
    if (std::optional<SessionView> view = ReadView(select)) found.push_back(*std::move(view));
  };
  std::optional<std::string_view> state;
  if (filter.state) state = NameOf(*filter.state);
  std::string name;
  std::string value;
  std::string others;
  if (!filter.labels.empty()) {
    std::tie(name, value) = *filter.labels.begin();
    others = ToJsonText(filter.labels);
  }
  TRY_VOID(select.Query(keep, AtMost(filter.before), AtMost(filter.limit), state, filter.owner,
                        name, value, others));
  return found;
}

Result<std::vector<SessionView>> SessionTable::FindEnded(const std::string& prefix,
                                                         std::optional<std::uint32_t> owner) {
  std::vector<SessionView> found;
  const auto keep = [this, &found] {
    if (std::optional<SessionView> view = ReadView(find_)) found.push_back(*std::move(view));
  };
  // Ids do not contain the byte 0xff, so this is an upper bound of all ids with the prefix.
  TRY_VOID(find_.Query(keep, prefix, prefix + '\xff', owner));
  return found;
}

Result<std::optional<SessionId>> SessionTable::OfRequest(std::uint32_t uid,
                                                         const std::string& request_id) {
  std::optional<SessionId> id;
  const auto keep = [this, &id] { id = SessionId{find_request_.Text(0)}; };
  TRY_VOID(find_request_.Query(keep, uid, request_id));
  return id;
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
    // LEFT JOIN returns one row of NULLs for a session without history.
    if (select_.IsNull(0)) return;
    entries.push_back({TimeOf(select_.Integer(0)), select_.Text(1)});
  };
  TRY_VOID(select_.Query(keep, id.value));
  if (!found) return NoSuchSession(id);
  return entries;
}

/// Builds the query from the conditions that are set, because SQLite cannot use the index
/// summaries_by_user or summaries_by_benchmark for an optional condition such as "?3 IS NULL OR uid
/// = ?3". ?1 is the number at which the previous page ended, ?2 the row limit, ?3 the user, ?4 the
/// benchmark. Unused parameters are NULL or ''.
std::string SelectFor(const SummaryQuery& query) {
  std::string sql = "SELECT number, summary FROM summaries WHERE number ";
  sql += query.oldest_first ? "> ?1" : "< ?1";
  sql += query.uid ? " AND uid = ?3" : " AND ?3 IS NULL";
  sql += query.benchmark.empty() ? " AND ?4 = ''" : " AND benchmark = ?4";
  sql += query.oldest_first ? " ORDER BY number" : " ORDER BY number DESC";
  return sql + " LIMIT ?2";
}

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
  const bool from_the_newest = !query.oldest_first && query.beyond == 0;
  const std::uint64_t beyond = AtMost(from_the_newest ? UINT64_MAX : query.beyond);
  TRY_VOID(select.Query(keep, beyond, query.limit, query.uid, query.benchmark));
  return found;
}

}  // namespace benchd::store
