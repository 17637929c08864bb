#include "daemon/store/schema.h"

#include <string>
#include <utility>

namespace benchd::store {
namespace {

/// Version 2. The first was never released. What follows are the steps to newer versions: a new
/// database takes them all, so that it is the same as one that grew.
///
/// - spec and snapshot are JSON (spec_json.h, outcome_json.h); the columns beside them repeat what
///   is searched or sorted by. Everything of a session goes with its row (ON DELETE CASCADE).
/// - runs.seq counts a session's runs in order of execution, from 0, without gaps.
/// - runs.samples is packed (run_table.h); its numbers are metrics.number.
/// - metrics holds each name once per session; metric_lists each distinct Run::metrics once.
/// - logs.text is what children wrote: bytes of any kind.
constexpr char kVersion2[] = R"sql(
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  request_id TEXT NOT NULL,
  uid INTEGER NOT NULL,
  state TEXT NOT NULL,
  submitted_at_ns INTEGER NOT NULL,
  ended_at_ns INTEGER,
  spec TEXT NOT NULL,
  snapshot TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_submission ON sessions (submitted_at_ns, key);

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
)sql";

/// Version 3.
///
/// - events are a session's history, counted from 0 by seq.
/// - queue_mode is one row.
/// - sessions.bytes is what the session takes (pruning.h), told once it has ended; before, its row
///   alone. ended_at_ns is now empty before the end, and never after it.
/// - A session that is deleted piece by piece has state 'deleted' and a '-' before its id.
constexpr char kToVersion3[] = R"sql(
CREATE TABLE events (
  session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  what TEXT NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue_mode (
  paused INTEGER NOT NULL,
  draining INTEGER NOT NULL
) STRICT;
INSERT INTO queue_mode VALUES (0, 0);

ALTER TABLE sessions ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET
  ended_at_ns = CASE WHEN state IN ('done', 'failed', 'cancelled')
                     THEN coalesce(ended_at_ns, submitted_at_ns) END,
  bytes = length(CAST(spec AS BLOB)) + length(CAST(snapshot AS BLOB))
    + CASE WHEN state IN ('done', 'failed', 'cancelled') THEN
        (SELECT coalesce(sum(length(samples) + 64), 0) FROM runs WHERE session = sessions.key)
        + (SELECT coalesce(sum(length(text)), 0) FROM logs WHERE session = sessions.key)
      ELSE 0 END;
DROP INDEX sessions_by_submission;
CREATE INDEX sessions_by_end ON sessions (ended_at_ns, uid, bytes);

INSERT INTO events SELECT key, 0, submitted_at_ns, 'submitted by uid ' || uid FROM sessions;
INSERT INTO events SELECT key, 1, ended_at_ns, state FROM sessions WHERE ended_at_ns IS NOT NULL;
)sql";

struct Step {
  int to;
  const char* sql;
};
constexpr Step kSteps[] = {{3, kToVersion3}};

Error Unreleased(const Database& database) {
  return {ErrorCode::kFailedPrecondition,
          database.path() + ": written by a benchd from before the first release",
          "move the file away or choose another --state-dir"};
}

}  // namespace

Error OfAnotherProgram(const std::filesystem::path& file) {
  return {ErrorCode::kFailedPrecondition,
          file.string() + ": a database of another program, not benchd's",
          "move the file away or choose another --state-dir"};
}

Result<int> SchemaVersion(Database& database) {
  Result<std::int64_t> version = database.QueryInteger("PRAGMA user_version");
  if (!version) return std::move(version).error();
  Result<std::int64_t> application = database.QueryInteger("PRAGMA application_id");
  if (!application) return std::move(application).error();
  Result<std::int64_t> objects = database.QueryInteger("SELECT count(*) FROM sqlite_schema");
  if (!objects) return std::move(objects).error();

  if (*version == 0 && *application == 0 && *objects == 0) return 0;
  if (*application != kApplicationId || *version < 1) return OfAnotherProgram(database.path());
  if (*version > kSchemaVersion) {
    return Error{ErrorCode::kFailedPrecondition,
                 database.path() + ": written by a newer benchd (schema " +
                     std::to_string(*version) + ", this one knows " +
                     std::to_string(kSchemaVersion) + ")",
                 "run the newer benchd, or choose another --state-dir"};
  }
  if (*version < kOldestSchemaVersion) return Unreleased(database);
  return static_cast<int>(*version);
}

Result<void> CreateSchema(Database& database) {
  // So that space can be given back (pruning.h). To be said before the first transaction.
  if (Result<void> set = database.Execute("PRAGMA auto_vacuum = INCREMENTAL"); !set) return set;
  Result<Transaction> transaction = Transaction::Begin(database, Durability::kPowerLoss);
  if (!transaction) return std::move(transaction).error();
  const std::string mark = "PRAGMA application_id = " + std::to_string(kApplicationId);
  if (Result<void> made = database.Execute(kVersion2 + mark); !made) return made;
  if (Result<void> made = UpgradeTables(database, kOldestSchemaVersion); !made) return made;
  return transaction->Commit();
}

Result<void> UpgradeTables(Database& database, int version) {
  for (const Step& step : kSteps) {
    if (step.to <= version) continue;
    const std::string mark = "PRAGMA user_version = " + std::to_string(step.to);
    if (Result<void> done = database.Execute(step.sql + mark); !done) return done;
  }
  return {};
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
