#include "daemon/store/open_database.h"

#include <array>
#include <ctime>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/try.h"
#include "daemon/store/state_files.h"

namespace benchd::store {
namespace {

/// A session is a row with all that goes with it (ON DELETE CASCADE).
///
/// - spec and snapshot are JSON (json_codec.h); the columns beside them repeat what
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

/// It came later and changes nothing for who does not know it: no version of its own.
constexpr char kSummariesByUser[] =
    "CREATE INDEX IF NOT EXISTS summaries_by_user ON summaries (uid);";

constexpr int kOldestKnown = 4;

std::string VersionMark() { return "PRAGMA user_version = " + std::to_string(kSchemaVersion); }

}  // namespace

Error OfAnotherProgram(const std::filesystem::path& file) {
  return {ErrorCode::kFailedPrecondition,
          file.string() + ": a database of another program, not benchd's",
          "move the file away or choose another --state-dir"};
}

Result<bool> HasSchema(Database& database) {
  TRY(std::int64_t version, database.QueryInteger("PRAGMA user_version"));
  TRY(std::int64_t application, database.QueryInteger("PRAGMA application_id"));
  TRY(std::int64_t objects, database.QueryInteger("SELECT count(*) FROM sqlite_schema"));

  if (version == 0 && application == 0 && objects == 0) return false;
  if (application != kApplicationId) return OfAnotherProgram(database.path());
  if (version >= kOldestKnown && version <= kSchemaVersion) return true;
  return Error{ErrorCode::kFailedPrecondition,
               database.path() + ": written by another version of benchd (schema " +
                   std::to_string(version) + ", this one has " + std::to_string(kSchemaVersion) +
                   ")",
               "run that version, or choose another --state-dir"};
}

Result<void> CreateSchema(Database& database) {
  // So that space can be given back (pruning.h). To be said before the first transaction.
  TRY_VOID(database.Execute("PRAGMA auto_vacuum = INCREMENTAL"));
  TRY(Transaction transaction, Transaction::Begin(database, Durability::kPowerLoss));
  const std::string marks =
      "PRAGMA application_id = " + std::to_string(kApplicationId) + "; " + VersionMark();
  TRY_VOID(database.Execute(std::string(kTables) + kSummaries + kSummariesByUser + marks));
  return transaction.Commit();
}

Result<bool> Migrate(Database& database) {
  TRY(std::int64_t version, database.QueryInteger("PRAGMA user_version"));
  if (version == kSchemaVersion) {
    TRY_VOID(database.Execute(kSummariesByUser));
    return false;
  }
  TRY(Transaction transaction, Transaction::Begin(database, Durability::kPowerLoss));
  TRY_VOID(database.Execute(std::string(kSummaries) + kSummariesByUser + VersionMark()));
  TRY_VOID(transaction.Commit());
  return true;
}

Result<void> UseWriteAheadLog(Database& database) {
  TRY(std::string mode, database.QueryText("PRAGMA journal_mode = WAL"));
  if (mode == "wal") return {};
  return Error{ErrorCode::kFailedPrecondition,
               database.path() + ": the file system cannot hold a write-ahead log",
               "choose a --state-dir on a local file system"};
}

namespace {

std::filesystem::path Beside(const std::filesystem::path& file, const char* suffix) {
  return file.string() + suffix;
}

std::uintmax_t SizeOf(const std::filesystem::path& file) {
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(file, missing);
  return missing ? 0 : size;
}

bool HasEntries(const std::filesystem::path& folder) {
  std::error_code missing;
  const std::filesystem::directory_iterator first(folder, missing);
  return !missing && first != std::filesystem::directory_iterator();
}

std::string NameOfNow() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), "%Y%m%dT%H%M%SZ", &utc);
  return {buffer.data(), length};
}

}  // namespace

FileState LookAt(const std::filesystem::path& file) {
  FileState state{.bytes = SizeOf(file), .unclean = Exists(Beside(file, "-wal"))};
  state.emptied =
      state.bytes == 0 && (state.unclean || HasEntries(EnvironmentFolder(file.parent_path())));
  return state;
}

void ReadAhead(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> piece(std::size_t{1} << 20);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size()))) {
  }
}

Result<void> CheckFile(Database& database, bool all) {
  if (all) {
    Result<void> sound = database.Check();
    return sound ? database.CheckTable("sessions") : sound;
  }
  for (const char* table : {"sqlite_schema", "sessions", "events", "queue_mode"}) {
    TRY_VOID(database.CheckTable(table));
  }
  return {};
}

// sqlite.org/fileformat.html, 1.3: the magic at 0, the application id at 68, most significant
// first.
bool IsOfAnotherProgram(const std::filesystem::path& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, 100> header{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(header.data(), header.size())) return false;
  if (std::string_view(header.data(), kMagic.size()) != kMagic) return false;
  std::int64_t application = 0;
  for (std::size_t i = 68; i < 72; ++i) {
    application = application << 8 | static_cast<unsigned char>(header[i]);
  }
  return application != kApplicationId;
}

std::string DescribeLoss(Database& database) {
  // Without it SQLite does not look into a file that is shorter than it should be.
  static_cast<void>(database.Execute("PRAGMA writable_schema = ON"));
  Result<std::int64_t> all =
      database.QueryInteger("SELECT count(*) FROM sessions WHERE state <> 'deleted'");
  Result<std::int64_t> waiting = database.QueryInteger(
      "SELECT count(*) FROM sessions WHERE state NOT IN"
      " ('done', 'failed', 'cancelled', 'deleted')");
  if (!all || !waiting) return "all sessions";
  return "all sessions (" + std::to_string(*all) + " can be counted, " + std::to_string(*waiting) +
         " of them not ended)";
}

Result<std::filesystem::path> SetAside(const std::filesystem::path& file) {
  const std::string mark = ".damaged-" + NameOfNow();
  const std::filesystem::path folder = EnvironmentFolder(file.parent_path());
  const auto taken = [&](const std::string& suffix) {
    return Exists(Beside(file, suffix.c_str())) || Exists(Beside(folder, suffix.c_str())) ||
           Exists(Beside(file, (suffix + "-wal").c_str())) ||
           Exists(Beside(file, (suffix + "-shm").c_str()));
  };
  std::string suffix = mark;
  for (int number = 2; taken(suffix); ++number) suffix = mark + "." + std::to_string(number);

  // Whatever interrupts this, LookAt() finds at the next start that there is more to be set aside.
  const std::filesystem::path aside = Beside(file, suffix.c_str());
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> renamings{
      {file, aside},
      {Beside(file, "-wal"), Beside(aside, "-wal")},
      {Beside(file, "-shm"), Beside(aside, "-shm")}};
  if (HasEntries(folder)) renamings.emplace_back(folder, Beside(folder, suffix.c_str()));
  for (const auto& [from, to] : renamings) {
    if (!Exists(from)) continue;
    TRY_VOID(Rename(from, to));
  }
  TRY_VOID(Sync(file.parent_path()));
  return aside;
}

namespace {

/// Whether somebody else writes, and whether we may: learned now and not at the first submission.
Result<void> TryToWrite(Database& database) {
  TRY_VOID(Transaction::Begin(database));
  return {};
}

Result<void> Create(Database& database) {
  // Before there is a log: our mark belongs into the file itself, or it is not known to be ours
  // once it is damaged.
  TRY_VOID(CreateSchema(database));
  TRY_VOID(UseWriteAheadLog(database));
  return Sync(std::filesystem::path(database.path()).parent_path());
}

/// Everything that can meet damage.
Result<void> MakeUsable(Database& database, const FileState& state, bool& migrated) {
  TRY_VOID(database.SetUp());
  TRY(bool made, HasSchema(database));
  if (!made) return Create(database);
  TRY_VOID(TryToWrite(database));
  TRY_VOID(CheckFile(database, state.to_be_read_whole()));
  TRY(bool raised, Migrate(database));
  migrated = raised;
  return UseWriteAheadLog(database);
}

/// What is wrong with a file that has to be set aside, and what is lost with it.
struct Damage {
  Error error;
  std::string loss;
};

/// Nothing when the database is usable.
Result<std::optional<Damage>> TryToOpen(const std::filesystem::path& file,
                                        std::chrono::milliseconds lock_wait,
                                        OpenedDatabase& opened) {
  const FileState state = LookAt(file);
  TRY_VOID(MakePrivateFile(file));
  if (state.emptied) {
    return std::optional(Damage{{ErrorCode::kFailedPrecondition,
                                 file.string() + ": empty, although sessions were kept in it",
                                 {}},
                                "all sessions"});
  }
  if (state.to_be_read_whole()) ReadAhead(file);
  TRY(std::unique_ptr<Database> database, Database::OpenUnread(file, lock_wait));
  Result<void> usable = MakeUsable(*database, state, opened.migrated);
  if (usable) {
    opened.database = std::move(database);
    return std::optional<Damage>();
  }
  if (!database->found_damage()) return std::move(usable).error();
  Damage damage{std::move(usable).error(), DescribeLoss(*database)};
  database.reset();
  if (IsOfAnotherProgram(file)) return OfAnotherProgram(file);
  return std::optional(std::move(damage));
}

}  // namespace

Result<OpenedDatabase> OpenDatabase(const std::filesystem::path& folder,
                                    std::chrono::milliseconds lock_wait) {
  TRY_VOID(MakeFolder(folder));
  const std::filesystem::path file = folder / "benchd.db";
  OpenedDatabase opened;
  TRY(const std::optional<Damage> damage, TryToOpen(file, lock_wait, opened));
  if (!damage) return opened;
  Result<std::filesystem::path> aside = SetAside(file);
  if (!aside) return std::move(aside).error().Within("setting a damaged database aside");
  opened.warnings.push_back(damage->error.message + "; set aside as " + aside->string() +
                            "; lost to benchd: " + damage->loss);
  TRY(std::optional<Damage> again, TryToOpen(file, lock_wait, opened));
  // A disk that damages what has just been written: nothing to go on with.
  if (again) return std::move(again->error);
  return opened;
}

}  // namespace benchd::store
