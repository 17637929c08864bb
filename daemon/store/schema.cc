#include "daemon/store/schema.h"

#include <string>
#include <utility>

namespace benchd::store {
namespace {

/// A session is a row with all that goes with it (ON DELETE CASCADE).
///
/// - spec and snapshot are JSON (model_json.h); the columns beside them repeat what
///   is searched, sorted by or summed. ended_at_ns is empty before the end, and never after it;
///   bytes is what the session takes (pruning.h), before its end the row alone.
/// - A session that is deleted piece by piece has state 'deleted' and a '-' before its id.
/// - events are a session's history, counted from 0 by seq.
/// - runs.seq counts a session's runs in order of execution, from 0, without gaps.
/// - runs.samples is packed (run_table.h); its numbers are metrics.number.
/// - metrics holds each name once per session; metric_lists each distinct Run::metrics once.
/// - logs.text is what children wrote: bytes of any kind.
/// - queue_mode is one row.
constexpr char kTables[] = R"sql(
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  request_id TEXT NOT NULL,
  uid INTEGER NOT NULL,
  state TEXT NOT NULL,
  submitted_at_ns INTEGER NOT NULL,
  ended_at_ns INTEGER,
  spec TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_end ON sessions (ended_at_ns, uid, bytes);

CREATE TABLE events (
  session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  what TEXT NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_lists (
  key INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  metrics TEXT NOT NULL,
  UNIQUE (session, metrics)
) STRICT;

CREATE TABLE runs (
  session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  benchmark INTEGER NOT NULL,
  phase TEXT NOT NULL,
  block INTEGER NOT NULL,
  position INTEGER NOT NULL,
  arm INTEGER NOT NULL,
  started_at_ns INTEGER NOT NULL,
  exit_code INTEGER NOT NULL,
  exit_signal INTEGER NOT NULL,
  timed_out INTEGER NOT NULL,
  disturbances INTEGER NOT NULL,
  metric_list INTEGER REFERENCES metric_lists (key),
  samples BLOB NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_metric_list ON runs (metric_list) WHERE metric_list IS NOT NULL;

CREATE TABLE metrics (
  session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  inner_benchmark TEXT NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE logs (
  key INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  text BLOB NOT NULL
) STRICT;
CREATE INDEX logs_by_session ON logs (session);

CREATE TABLE queue_mode (
  paused INTEGER NOT NULL,
  draining INTEGER NOT NULL
) STRICT;
INSERT INTO queue_mode VALUES (0, 0);
)sql";

/// What outlives a session (session_table.h): summary is JSON, the columns beside it repeat what is
/// searched. Since version 5.
constexpr char kSummaries[] = R"sql(
CREATE TABLE summaries (
  number INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  position INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  benchmark TEXT NOT NULL,
  summary TEXT NOT NULL,
  UNIQUE (session, position)
) STRICT;
CREATE INDEX summaries_by_benchmark ON summaries (benchmark, number, uid);
)sql";

constexpr int kOldestKnown = 4;

std::string VersionMark() { return "PRAGMA user_version = " + std::to_string(kSchemaVersion); }

}  // namespace

Error OfAnotherProgram(const std::filesystem::path& file) {
  return {ErrorCode::kFailedPrecondition,
          file.string() + ": a database of another program, not benchd's",
          "move the file away or choose another --state-dir"};
}

Result<bool> HasSchema(Database& database) {
  Result<std::int64_t> version = database.QueryInteger("PRAGMA user_version");
  if (!version) return std::move(version).error();
  Result<std::int64_t> application = database.QueryInteger("PRAGMA application_id");
  if (!application) return std::move(application).error();
  Result<std::int64_t> objects = database.QueryInteger("SELECT count(*) FROM sqlite_schema");
  if (!objects) return std::move(objects).error();

  if (*version == 0 && *application == 0 && *objects == 0) return false;
  if (*application != kApplicationId) return OfAnotherProgram(database.path());
  if (*version >= kOldestKnown && *version <= kSchemaVersion) return true;
  return Error{ErrorCode::kFailedPrecondition,
               database.path() + ": written by another version of benchd (schema " +
                   std::to_string(*version) + ", this one has " + std::to_string(kSchemaVersion) +
                   ")",
               "run that version, or choose another --state-dir"};
}

Result<void> CreateSchema(Database& database) {
  // So that space can be given back (pruning.h). To be said before the first transaction.
  if (Result<void> set = database.Execute("PRAGMA auto_vacuum = INCREMENTAL"); !set) return set;
  Result<Transaction> transaction = Transaction::Begin(database, Durability::kPowerLoss);
  if (!transaction) return std::move(transaction).error();
  const std::string marks =
      "PRAGMA application_id = " + std::to_string(kApplicationId) + "; " + VersionMark();
  if (Result<void> made = database.Execute(std::string(kTables) + kSummaries + marks); !made) {
    return made;
  }
  return transaction->Commit();
}

Result<bool> Migrate(Database& database) {
  Result<std::int64_t> version = database.QueryInteger("PRAGMA user_version");
  if (!version) return std::move(version).error();
  if (*version == kSchemaVersion) return false;
  Result<Transaction> transaction = Transaction::Begin(database, Durability::kPowerLoss);
  if (!transaction) return std::move(transaction).error();
  if (Result<void> made = database.Execute(kSummaries + VersionMark()); !made) {
    return std::move(made).error();
  }
  if (Result<void> done = transaction->Commit(); !done) return std::move(done).error();
  return true;
}

Result<void> UseWriteAheadLog(Database& database) {
  Result<std::string> mode = database.QueryText("PRAGMA journal_mode = WAL");
  if (!mode) return std::move(mode).error();
  if (*mode == "wal") return {};
  return Error{ErrorCode::kFailedPrecondition,
               database.path() + ": the file system cannot hold a write-ahead log",
               "choose a --state-dir on a local file system"};
}

}  // namespace benchd::store
