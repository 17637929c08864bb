#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/result.h"
#include "core/base/try.h"

struct sqlite3;
struct sqlite3_stmt;

namespace benchd::store {

/// Bytes to bind as a BLOB, such as text that may not be UTF-8.
struct Blob {
  std::string_view bytes;
};

class Database;

/// A prepared statement. It is prepared at its first run and can then be run repeatedly with other
/// values.
///
/// Callers need not handle sqlite3_* calls, return codes and resets. Must not outlive its Database,
/// and must be used on the same thread. Every failure is an Error with SQLite's message; Database
/// lists the codes.
class Statement {
 public:
  /// `sql` must outlive this object.
  Statement(Database& database, std::string_view sql) : database_(database), sql_(sql) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Binds `values` to the parameters in order and runs the statement to its end.
  template <typename... Values>
  Result<void> Run(const Values&... values) {
    return Query([] {}, values...);
  }

  /// Runs the statement like Run() and calls `on_row` for each row. If `on_row` returns an Error,
  /// the query ends and returns it.
  template <typename OnRow, typename... Values>
  Result<void> Query(OnRow on_row, const Values&... values) {
    TRY_VOID(Prepare());
    const ResetAtEnd reset{*this};
    [[maybe_unused]] int parameter = 0;  // unused without values
    int status = 0;
    ((status = status != 0 ? status : Bind(++parameter, values)), ...);
    if (status != 0) return Failed(status);
    for (;;) {
      TRY(bool row, Step());
      if (!row) return {};
      if constexpr (std::is_void_v<decltype(on_row())>) {
        on_row();
      } else if (Result<void> handled = on_row(); !handled) {
        return handled;
      }
    }
  }

  // The columns of the current row, counted from 0. Call only inside `on_row`.
  std::int64_t Integer(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;  ///< also for a BLOB
  bool IsNull(int column) const;

 private:
  struct ResetAtEnd {
    Statement& statement;
    ~ResetAtEnd() { statement.Reset(); }
  };

  template <std::integral T>
  int Bind(int parameter, T value) {
    return BindInteger(parameter, static_cast<std::int64_t>(value));
  }
  template <typename T>
  int Bind(int parameter, const std::optional<T>& value) {
    return value ? Bind(parameter, *value) : BindNull(parameter);
  }
  int Bind(int parameter, double value);
  int Bind(int parameter, std::string_view text);
  int Bind(int parameter, Blob blob);
  int BindInteger(int parameter, std::int64_t value);
  int BindNull(int parameter);

  Result<void> Prepare();
  Result<bool> Step();
  void Reset();
  Error Failed(int status) const;

  Database& database_;
  const std::string_view sql_;
  sqlite3_stmt* handle_ = nullptr;
};

/// The failures that a commit survives after it has returned.
enum class Durability {
  kProcessDeath,  ///< kill -9; the operating system has the data
  kPowerLoss,     ///< the disk has the data and all earlier commits; takes milliseconds
};

/// A connection to a database file.
///
/// Used by one thread at a time: opened at startup, then used by the thread of its Store.
/// Checkpoint() moves the write-ahead log into the file. A commit does so only if the log is long,
/// because the sync takes milliseconds.
/// @errors kResourceExhausted if the disk is full; kUnavailable if another process locks the file;
///         kFailedPrecondition if the file is damaged or not a database; kPermissionDenied if it is
///         not writable; kAlreadyExists if a row with that key exists; otherwise kInternal.
class Database {
 public:
  /// The time to wait for another process's lock.
  static constexpr std::chrono::milliseconds kLockWait{5000};

  /// Opens the file; creates it if it does not exist.
  static Result<std::unique_ptr<Database>> Open(const std::filesystem::path& file,
                                                std::chrono::milliseconds lock_wait = kLockWait);
  /// OpenUnread() and SetUp() are the two steps of Open(), for callers that need to know which one
  /// failed. OpenUnread() does not read the file; SetUp() does.
  static Result<std::unique_ptr<Database>> OpenUnread(
      const std::filesystem::path& file, std::chrono::milliseconds lock_wait = kLockWait);
  Result<void> SetUp();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Runs SQL without parameters and ignores its rows; for the schema and pragmas.
  Result<void> Execute(const std::string& sql);
  /// Runs a query without parameters, such as PRAGMA user_version, and returns its number.
  Result<std::int64_t> QueryInteger(std::string_view sql);
  /// Runs a query without parameters and returns its text.
  Result<std::string> QueryText(std::string_view sql);

  /// Moves the write-ahead log into the file and syncs both to the disk. A failure does not lose
  /// data: the log is kept, and the next commit reports the error. The next commit begins the log
  /// anew and syncs its header, which waits for the disk.
  /// @return whether the whole log is now in the file.
  bool Checkpoint();
  /// Returns the number of pages that commits have written to the log since it began.
  int pages_in_log() const { return pages_in_log_; }

  /// Reads and checks the whole file (PRAGMA quick_check).
  /// @errors kFailedPrecondition with the first defect.
  Result<void> Check();
  /// Checks one table, and that its indexes match its content (PRAGMA integrity_check).
  Result<void> CheckTable(std::string_view table);
  /// Whether a statement of this connection has found damage. The log is then kept when the file is
  /// closed, so the next start detects an unclean end.
  bool found_damage() const;

  std::int64_t last_insert_key() const;
  std::int64_t changed_rows() const;
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  friend class Transaction;
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  Result<void> Ask(const std::string& check);
  Result<void> SetDurability(Durability durability);

  static int OnCommit(void* database, sqlite3* handle, const char* name, int pages);

  sqlite3* handle_;
  std::string path_;
  int pages_in_log_ = 0;
  Durability durability_ = Durability::kProcessDeath;
  // IMMEDIATE takes the write lock at once, so a transaction does not fail halfway for lack of it.
  Statement begin_{*this, "BEGIN IMMEDIATE"};
  Statement commit_{*this, "COMMIT"};
  Statement rollback_{*this, "ROLLBACK"};
};

/// A transaction. Unless Commit() succeeds, the destructor undoes all changes since Begin().
class Transaction {
 public:
  static Result<Transaction> Begin(Database& database,
                                   Durability durability = Durability::kProcessDeath);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  Result<void> Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace benchd::store
