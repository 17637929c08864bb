#include "daemon/store/schema.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/base/try.h"
#include "core/model/labels.h"

namespace benchd::store {
namespace {

/// The tables. Deleting a session's row also deletes its rows in the other tables (ON DELETE
/// CASCADE).
///
/// - sessions.key orders sessions by submission. It is also the page token of a list.
/// - spec and snapshot are JSON (json_codec.h). The other columns repeat the fields that queries
///   search, sort by or add up.
/// - ended_at_ns and held_ns are NULL until the session ends. held_ns is the time for which the
///   session held the machine.
/// - bytes is the size of the session (pruning.h); until the session ends, the size of its row.
/// - priority is the current priority of the session; spec has the submitted one.
/// - A session that is being deleted in pieces has the state 'deleted' and a '-' before its id.
/// - events has the history of each session; seq counts its entries from 0.
/// - runs.seq counts a session's runs in order of execution, from 0, without gaps.
/// - runs.samples is packed (run_table.h); its metric numbers refer to metrics.number.
/// - metrics has each name once per session; metric_lists has each distinct Run::metrics once.
/// - logs.text is the output of children and may contain any bytes.
/// - queue_mode has exactly one row.
///
/// The columns after bytes were added in version 6. ALTER TABLE appends columns, so they follow the
/// long texts. This does not slow down queries, which read them from an index or together with the
/// texts.
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
  bytes INTEGER NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  started_at_ns INTEGER,
  held_ns INTEGER
) STRICT;

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

/// The summaries, which outlive their sessions (session_table.h). summary is JSON; the other
/// columns repeat the fields that queries search. Added in version 5; the second index is missing
/// in some files of that version.
constexpr char kSummaries[] = R"sql(
CREATE TABLE IF NOT EXISTS summaries (
  number INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  position INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  benchmark TEXT NOT NULL,
  summary TEXT NOT NULL,
  UNIQUE (session, position)
) STRICT;
CREATE INDEX IF NOT EXISTS summaries_by_benchmark ON summaries (benchmark, number, uid);
CREATE INDEX IF NOT EXISTS summaries_by_user ON summaries (uid);
)sql";

/// The labels, and the indexes by which sessions are found. Added in version 6. labels.uid repeats
/// the session's uid, so that a list can skip other users' sessions without reading their rows.
constexpr char kIndexes[] = R"sql(
CREATE TABLE labels (
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  uid INTEGER NOT NULL,
  PRIMARY KEY (name, value, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_by_session ON labels (session);

CREATE INDEX sessions_by_end ON sessions (ended_at_ns, uid, bytes, held_ns);
CREATE INDEX sessions_by_state ON sessions (state) WHERE ended_at_ns IS NOT NULL;
CREATE INDEX sessions_by_start ON sessions (uid, started_at_ns) WHERE started_at_ns IS NOT NULL;
CREATE INDEX sessions_by_submission ON sessions (submitted_at_ns, uid);
CREATE INDEX sessions_by_request ON sessions (uid, request_id) WHERE request_id <> '';
)sql";

/// The columns of version 6. Releases before 0.3.0 did not record how long a session held the
/// machine. The time since its start is used instead, but at most its max_time: during the rest,
/// benchd was not running.
constexpr char kNewColumns[] = R"sql(
ALTER TABLE sessions ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN started_at_ns INTEGER;
ALTER TABLE sessions ADD COLUMN held_ns INTEGER;
DROP INDEX sessions_by_end;
UPDATE sessions SET
  priority = coalesce(CAST(json_extract(spec, '$.priority') AS INTEGER), 0),
  started_at_ns = CAST(json_extract(snapshot, '$.started_at') AS INTEGER),
  held_ns = iif(ended_at_ns IS NULL, NULL, CAST(coalesce(
    json_extract(snapshot, '$.held'),
    min(json_extract(spec, '$.limits.max_time'),
        ended_at_ns - json_extract(snapshot, '$.started_at'))) AS INTEGER))
  WHERE json_valid(spec) AND json_valid(snapshot);
UPDATE sessions SET submitted_at_ns = 0, request_id = '' WHERE state = 'deleted';
)sql";

/// Skips labels that are not text; no release accepted them.
constexpr char kFillLabels[] = R"sql(
INSERT OR IGNORE INTO labels (name, value, session, uid)
  SELECT json_extract(label.value, '$[0]'), json_extract(label.value, '$[1]'),
         sessions.key, sessions.uid
  FROM sessions, json_each(iif(json_valid(spec), spec, '{}'), '$.labels') AS label
  WHERE iif(label.type = 'array', json_type(label.value, '$[0]'), '') = 'text'
    AND iif(label.type = 'array', json_type(label.value, '$[1]'), '') = 'text';
)sql";

/// Release 0.2.0 accepted request ids and labels of any size. Removes those that exceed today's
/// limits: their sessions are kept, but cannot be found by them.
std::string DropWhatIsTooLong() {
  return fmt::format(
      "UPDATE sessions SET request_id = '' WHERE length(CAST(request_id AS BLOB)) > {};"
      "DELETE FROM labels WHERE session IN (SELECT session FROM labels GROUP BY session"
      " HAVING count(*) > {}"
      " OR sum(length(CAST(name AS BLOB)) + length(CAST(value AS BLOB))) > {});",
      kMaxRequestIdBytes, kMaxLabels, kMaxLabelBytes);
}

constexpr int kOldestKnown = 4;

std::string VersionMark() { return fmt::format("PRAGMA user_version = {};", kSchemaVersion); }

}  // namespace

Error OfAnotherProgram(const std::filesystem::path& file) {
  return {ErrorCode::kFailedPrecondition,
          file.string() + ": the database belongs to another program",
          "move the file away or choose another --state-dir"};
}

Result<bool> HasSchema(Database& database) {
  TRY(std::int64_t version, database.QueryInteger("PRAGMA user_version"));
  TRY(std::int64_t application, database.QueryInteger("PRAGMA application_id"));
  TRY(std::int64_t objects, database.QueryInteger("SELECT count(*) FROM sqlite_schema"));

  if (version == 0 && application == 0 && objects == 0) return false;
  if (application != kApplicationId) return OfAnotherProgram(database.path());
  if (version >= kOldestKnown && version <= kSchemaVersion) return true;
  return Error{
      ErrorCode::kFailedPrecondition,
      fmt::format("{}: written by another version of benchd (schema {}; this version uses {})",
                  database.path(), version, kSchemaVersion),
      "run that version, or choose another --state-dir"};
}

Result<void> CreateSchema(Database& database) {
  // Lets Pruning return free pages to the file system. Has an effect only before the first
  // transaction.
  TRY_VOID(database.Execute("PRAGMA auto_vacuum = INCREMENTAL"));
  TRY(Transaction transaction, Transaction::Begin(database, Durability::kPowerLoss));
  const std::string marks =
      fmt::format("{}PRAGMA application_id = {}", VersionMark(), kApplicationId);
  TRY_VOID(database.Execute(std::string(kTables) + kSummaries + kIndexes + marks));
  return transaction.Commit();
}

Result<bool> Migrate(Database& database) {
  TRY(const std::int64_t version, database.QueryInteger("PRAGMA user_version"));
  if (version == kSchemaVersion) return false;
  const auto convert = [&database]() -> Result<void> {
    TRY(Transaction transaction, Transaction::Begin(database, Durability::kPowerLoss));
    TRY_VOID(database.Execute(std::string(kSummaries) + kNewColumns + kIndexes + kFillLabels +
                              DropWhatIsTooLong() + VersionMark()));
    return transaction.Commit();
  };
  if (Result<void> converted = convert(); !converted) {
    return std::move(converted).error().Within(
        fmt::format("converting it from schema {} to {}", version, kSchemaVersion));
  }
  return version < 5;
}

}  // namespace benchd::store
