#include "daemon/store/open_database.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/try.h"
#include "daemon/store/environment_files.h"
#include "daemon/store/schema.h"
#include "daemon/store/state_files.h"

namespace benchd::store {

Result<void> UseWriteAheadLog(Database& database) {
  TRY(std::string mode, database.QueryText("PRAGMA journal_mode = WAL"));
  if (mode == "wal") return {};
  return Error{ErrorCode::kFailedPrecondition,
               database.path() + ": the file system does not support a write-ahead log",
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
  for (const char* table : {"sqlite_schema", "queue_mode"}) TRY_VOID(database.CheckTable(table));
  TRY_VOID(database.QueryInteger(
      "SELECT sum(length(spec) + length(snapshot)) FROM sessions WHERE ended_at_ns IS NULL"));
  return {};
}

// Source: sqlite.org/fileformat.html, 1.3. The magic string is at offset 0, and the big-endian
// application id at offset 68.
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
  // Without this pragma, SQLite does not read a truncated file.
  static_cast<void>(database.Execute("PRAGMA writable_schema = ON"));
  Result<std::int64_t> all =
      database.QueryInteger("SELECT count(*) FROM sessions WHERE state <> 'deleted'");
  Result<std::int64_t> waiting = database.QueryInteger(
      "SELECT count(*) FROM sessions WHERE state NOT IN"
      " ('done', 'failed', 'cancelled', 'deleted')");
  if (!all || !waiting) return "all sessions";
  return fmt::format("all sessions ({} found, {} of them unfinished)", *all, *waiting);
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
  for (int number = 2; taken(suffix); ++number) suffix = fmt::format("{}.{}", mark, number);

  // If this is interrupted, LookAt() detects at the next start that files remain to be set aside.
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

/// Finds out at startup, not at the first submission, whether the database is writable and not
/// locked by another process.
Result<void> TryToWrite(Database& database) {
  TRY_VOID(Transaction::Begin(database));
  return {};
}

Result<void> Create(Database& database) {
  // Before the write-ahead log exists, so that the application id is in the file itself. Otherwise
  // a damaged file could not be recognised as ours.
  TRY_VOID(CreateSchema(database));
  TRY_VOID(UseWriteAheadLog(database));
  return Sync(std::filesystem::path(database.path()).parent_path());
}

/// Creates, checks or migrates the tables of an open database. These are all steps that can find
/// damage.
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

/// The defect of a file that must be set aside, and a phrase for its contents (DescribeLoss()).
struct Damage {
  Error error;
  std::string loss;
};

/// Opens the database into `opened`, or returns its damage; the result is empty on success.
Result<std::optional<Damage>> TryToOpen(const std::filesystem::path& file,
                                        std::chrono::milliseconds lock_wait,
                                        OpenedDatabase& opened) {
  const FileState state = LookAt(file);
  TRY_VOID(MakePrivateFile(file));
  if (state.emptied) {
    return std::optional(
        Damage{{ErrorCode::kFailedPrecondition,
                file.string() + ": the file is empty, although it contained sessions",
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
                            "; no longer available: " + damage->loss);
  TRY(std::optional<Damage> again, TryToOpen(file, lock_wait, opened));
  // The new file is damaged as well, so the disk is unusable.
  if (again) return std::move(again->error);
  return opened;
}

}  // namespace benchd::store
