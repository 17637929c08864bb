#include "daemon/store/schema.h"

#include <string>
#include <utility>

namespace benchd::store {
namespace {

/// PRAGMA application_id: "bnch", so that another program's database is known as such.
constexpr std::int64_t kApplicationId = 0x626e6368;

/// Version 2. The first was never released.
///
/// - spec and snapshot are JSON (spec_json.h, outcome_json.h); the columns beside them repeat what
///   is searched or sorted by. Everything of a session goes with its row (ON DELETE CASCADE).
/// - runs.seq counts a session's runs in order of execution, from 0, without gaps.
/// - runs.samples is packed (sample_codec.h); its numbers are metrics.number.
/// - metrics holds each name once per session; metric_lists each distinct Run::metrics once.
/// - logs.text is what children wrote: bytes of any kind.
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

Error NotOurs(const Database& database) {
  return {ErrorCode::kFailedPrecondition,
          database.path() + ": a database of another program, not benchd's",
          "move the file away or choose another --state-dir"};
}

Error Unreleased(const Database& database) {
  return {ErrorCode::kFailedPrecondition,
          database.path() + ": written by a benchd from before the first release",
          "move the file away or choose another --state-dir"};
}

Result<void> CreateTables(Database& database) {
  Result<Transaction> transaction = Transaction::Begin(database);
  if (!transaction) return std::move(transaction).error();
  const std::string marks = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                            "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  if (Result<void> made = database.Execute(kTables + marks); !made) return made;
  return transaction->Commit();
}

Result<void> UseWriteAheadLog(Database& database) {
  Result<std::string> mode = database.QueryText("PRAGMA journal_mode = WAL");
  if (!mode) return std::move(mode).error();
  if (*mode == "wal") return {};
  return Error{ErrorCode::kFailedPrecondition,
               database.path() + ": the file system cannot hold a write-ahead log",
               "choose a --state-dir on a local file system"};
}

}  // namespace

Result<void> PrepareSchema(Database& database) {
  Result<std::int64_t> version = database.QueryInteger("PRAGMA user_version");
  if (!version) return std::move(version).error();
  Result<std::int64_t> application = database.QueryInteger("PRAGMA application_id");
  if (!application) return std::move(application).error();
  Result<std::int64_t> objects = database.QueryInteger("SELECT count(*) FROM sqlite_schema");
  if (!objects) return std::move(objects).error();

  const bool empty = *version == 0 && *application == 0 && *objects == 0;
  if (!empty && *application != kApplicationId) return NotOurs(database);
  if (*version > kSchemaVersion) {
    return Error{ErrorCode::kFailedPrecondition,
                 database.path() + ": written by a newer benchd (schema " +
                     std::to_string(*version) + ", this one knows " +
                     std::to_string(kSchemaVersion) + ")",
                 "run the newer benchd, or choose another --state-dir"};
  }
  if (!empty && *version < 1) return NotOurs(database);
  if (!empty && *version < kSchemaVersion) return Unreleased(database);
  if (Result<void> logged = UseWriteAheadLog(database); !logged) return logged;
  return empty ? CreateTables(database) : Result<void>{};
}

}  // namespace benchd::store
