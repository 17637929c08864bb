#include "daemon/store/database.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstdlib>

#include "core/base/try.h"

namespace benchd::store {
namespace {

/// The log length at which a commit checkpoints: 32 MiB of 4 KiB pages, which is a few thousand
/// blocks of a session.
constexpr int kLongLogPages = 8192;

bool IsDiskFull(int errno_value) { return errno_value == ENOSPC || errno_value == EDQUOT; }

/// The option that is set when damage is found. It makes SQLite keep the log on close, and also
/// records the damage in the connection.
constexpr int kDamageMark = SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;

Error Damaged(sqlite3* handle, const std::string& file, const std::string& words) {
  if (handle != nullptr) sqlite3_db_config(handle, kDamageMark, 1, nullptr);
  return {ErrorCode::kFailedPrecondition, file + ": the database is damaged (" + words + ")",
          "restart benchd: it checks the file and sets it aside if necessary"};
}

/// Converts SQLite's error to a message for users, with the file, the cause and the remedy.
Error DatabaseError(sqlite3* handle, const std::string& file, int status) {
  const std::string words = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(status);
  const int system_errno = handle != nullptr ? sqlite3_system_errno(handle) : 0;
  const int primary = status & 0xff;
  const bool io = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN;
  // SQLite does not report an errno if the log's index cannot grow, which means a full disk.
  if (primary == SQLITE_FULL || status == SQLITE_IOERR_SHMSIZE ||
      (io && IsDiskFull(system_errno))) {
    return {ErrorCode::kResourceExhausted, file + ": the disk is full",
            "make room on the file system of " + file};
  }
  switch (primary) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kUnavailable, file + ": locked by another process",
              "stop the program that has it open"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Damaged(handle, file, words);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::kPermissionDenied, file + ": cannot be written (" + words + ")",
              "give the file and its folder to the user that benchd runs as"};
    case SQLITE_CANTOPEN:
      if (system_errno != 0) return SystemError(file, system_errno);
      break;
    case SQLITE_IOERR:
      if (system_errno != 0) return SystemError(file + ": " + words, system_errno);
      break;
    case SQLITE_CONSTRAINT:
      if (status == SQLITE_CONSTRAINT_UNIQUE || status == SQLITE_CONSTRAINT_PRIMARYKEY) {
        return {ErrorCode::kAlreadyExists, file + ": " + words, {}};
      }
      break;
    default:
      break;
  }
  return {ErrorCode::kInternal, file + ": " + words, {}};
}

}  // namespace

Statement::~Statement() { sqlite3_finalize(handle_); }

int Statement::Bind(int parameter, double value) {
  return sqlite3_bind_double(handle_, parameter, value);
}

// SQLITE_STATIC is safe, because Query() ends before the caller's values do.
int Statement::Bind(int parameter, std::string_view text) {
  // SQLite would bind a null pointer as NULL.
  const char* const data = text.data() != nullptr ? text.data() : "";
  return sqlite3_bind_text64(handle_, parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

int Statement::Bind(int parameter, Blob blob) {
  const char* const data = blob.bytes.data() != nullptr ? blob.bytes.data() : "";
  return sqlite3_bind_blob64(handle_, parameter, data, blob.bytes.size(), SQLITE_STATIC);
}

int Statement::BindInteger(int parameter, std::int64_t value) {
  return sqlite3_bind_int64(handle_, parameter, value);
}

int Statement::BindNull(int parameter) { return sqlite3_bind_null(handle_, parameter); }

Result<void> Statement::Prepare() {
  if (handle_ != nullptr) return {};
  const int status =
      sqlite3_prepare_v3(database_.handle_, sql_.data(), static_cast<int>(sql_.size()),
                         SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (status != SQLITE_OK) return Failed(status);
  return {};
}

Result<bool> Statement::Step() {
  const int status = sqlite3_step(handle_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return Failed(status);
}

void Statement::Reset() { sqlite3_reset(handle_); }

Error Statement::Failed(int status) const {
  return DatabaseError(database_.handle_, database_.path_, status);
}

std::int64_t Statement::Integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::Real(int column) const { return sqlite3_column_double(handle_, column); }

std::string Statement::Text(int column) const {
  const void* const data = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& file,
                                                 std::chrono::milliseconds lock_wait) {
  Result<std::unique_ptr<Database>> database = OpenUnread(file, lock_wait);
  if (!database) return database;
  TRY_VOID((*database)->SetUp());
  return database;
}

Result<std::unique_ptr<Database>> Database::OpenUnread(const std::filesystem::path& file,
                                                       std::chrono::milliseconds lock_wait) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int status = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  std::unique_ptr<Database> database(new Database(handle, file.string()));
  if (status != SQLITE_OK) return DatabaseError(handle, file.string(), status);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(lock_wait.count()));
  sqlite3_wal_hook(handle, &Database::OnCommit, database.get());
  return database;
}

Result<void> Database::SetUp() {
  // By default, Debian's SQLite overwrites deleted content, so that deleting writes as much as it
  // deletes. FAST avoids that: the file is private, and secrets are not in it
  // (environment_files.h).
  for (const char* pragma :
       {"PRAGMA foreign_keys = ON", "PRAGMA synchronous = NORMAL", "PRAGMA secure_delete = FAST"}) {
    TRY_VOID(Execute(pragma));
  }
  return {};
}

/// SQLite closes the connection after its last statement is finalized.
Database::~Database() { sqlite3_close_v2(handle_); }

Result<void> Database::Execute(const std::string& sql) {
  const int status = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return DatabaseError(handle_, path_, status);
  return {};
}

Result<std::int64_t> Database::QueryInteger(std::string_view sql) {
  TRY(std::string text, QueryText(sql));
  return static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10));
}

Result<std::string> Database::QueryText(std::string_view sql) {
  Statement statement(*this, sql);
  std::string text;
  const auto keep = [&text, &statement] { text = statement.Text(0); };
  TRY_VOID(statement.Query(keep));
  return text;
}

/// Called after each commit. Limits the log, as SQLite's own hook does.
int Database::OnCommit(void* database, sqlite3* /*handle*/, const char* /*name*/, int pages) {
  auto& self = *static_cast<Database*>(database);
  self.pages_in_log_ = pages;
  if (pages >= kLongLogPages) self.Checkpoint();
  return SQLITE_OK;
}

bool Database::Checkpoint() {
  int in_log = 0;
  int moved = 0;
  const int status =
      sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, &in_log, &moved);
  const bool complete = status == SQLITE_OK && moved == in_log;
  if (complete) pages_in_log_ = 0;
  return complete;
}

// The argument 1 stops the check after the first error.
Result<void> Database::Check() { return Ask("PRAGMA quick_check(1)"); }

Result<void> Database::CheckTable(std::string_view table) {
  return Ask("PRAGMA integrity_check(" + std::string(table) + ")");
}

Result<void> Database::Ask(const std::string& check) {
  TRY(std::string answer, QueryText(check));
  if (answer == "ok") return {};
  // The first line is "*** in database main ***", the last line the defect.
  const std::size_t line = answer.rfind('\n');
  return Damaged(handle_, path_, line == std::string::npos ? answer : answer.substr(line + 1));
}

bool Database::found_damage() const {
  int found = 0;
  sqlite3_db_config(handle_, kDamageMark, -1, &found);
  return found != 0;
}

Result<void> Database::SetDurability(Durability durability) {
  if (durability == durability_) return {};
  const bool to_disk = durability == Durability::kPowerLoss;
  Result<void> set = Execute(to_disk ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (set) durability_ = durability;
  return set;
}

std::int64_t Database::last_insert_key() const { return sqlite3_last_insert_rowid(handle_); }

std::int64_t Database::changed_rows() const { return sqlite3_changes64(handle_); }

Result<Transaction> Transaction::Begin(Database& database, Durability durability) {
  TRY_VOID(database.SetDurability(durability));
  TRY_VOID(database.begin_.Run());
  return Transaction(database);
}

Transaction::~Transaction() {
  // After an error such as a full disk, SQLite may already have rolled back.
  if (database_ == nullptr || sqlite3_get_autocommit(database_->handle_) != 0) return;
  static_cast<void>(database_->rollback_.Run());
}

Result<void> Transaction::Commit() {
  Result<void> committed = database_->commit_.Run();
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace benchd::store
