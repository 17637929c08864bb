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

/// Bytes to bind as a BLOB: text that may not be UTF-8.
struct Blob {
  std::string_view bytes;
};

class Database;

/// One statement: prepared at its first run, then run repeatedly with other values.
///
/// Keeps sqlite3_* calls, return codes and forgotten resets inside this file. Must not outlive its
/// Database and is used on the same thread. Every failure is an Error with SQLite's message; for
/// its code see Database.
class Statement {
 public:
  /// `sql` must outlive this object.
  Statement(Database& database, std::string_view sql) : database_(database), sql_(sql) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Binds `values` to all parameters in order and runs to the end.
  template <typename... Values>
  Result<void> Run(const Values&... values) {
    return Query([] {}, values...);
  }

  /// The same, with a call of `on_row` for each row. If it returns a Result, an Error ends the
  /// query and is returned.
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

  /// Columns of the current row, from 0; inside `on_row` only.
  std::int64_t Integer(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;  ///< also of a BLOB
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

/// The failures that a commit survives once it has returned.
enum class Durability {
  kProcessDeath,  ///< kill -9: the operating system has the data
  kPowerLoss,     ///< the disk has it and every earlier commit; takes milliseconds
};

/// One connection to one database file.
///
/// Used by one thread at a time: opened at start-up, then used by the thread of its Store.
/// Checkpoint() moves the write-ahead log into the file. A commit does so only if the log is long,
/// because the sync takes milliseconds.
/// @errors kResourceExhausted: the disk is full; kUnavailable: locked by another process;
///         kFailedPrecondition: not a database, or damaged; kPermissionDenied: not writable;
///         kAlreadyExists: a row with that key; else kInternal.
class Database {
 public:
  /// How long to wait for another process' lock.
  static constexpr std::chrono::milliseconds kLockWait{5000};

  /// Opens the file, or creates it.
  static Result<std::unique_ptr<Database>> Open(const std::filesystem::path& file,
                                                std::chrono::milliseconds lock_wait = kLockWait);
  /// The same in two steps, for callers that need to know which one failed: OpenUnread() does not
  /// read the file, SetUp() is the first to do so.
  static Result<std::unique_ptr<Database>> OpenUnread(
      const std::filesystem::path& file, std::chrono::milliseconds lock_wait = kLockWait);
  Result<void> SetUp();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Runs SQL without parameters and rows: the schema and pragmas.
  Result<void> Execute(const std::string& sql);
  /// The number that `sql` (a query without parameters) returns, such as PRAGMA user_version.
  Result<std::int64_t> QueryInteger(std::string_view sql);
  Result<std::string> QueryText(std::string_view sql);

  /// Moves the write-ahead log into the file and syncs both to the disk. A failure loses no data:
  /// the log stays, and the next commit reports the error.
  /// @return whether the file now contains all of the log.
  bool Checkpoint();

  /// Reads and checks the whole file (PRAGMA quick_check).
  /// @errors kFailedPrecondition with one defect.
  Result<void> Check();
  /// The same for one table, including whether its indices match its content (PRAGMA
  /// integrity_check).
  Result<void> CheckTable(std::string_view table);
  /// Whether a statement of this connection has found damage. The log then stays when the file is
  /// closed, so the next start treats this end as unclean.
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

  sqlite3* handle_;
  std::string path_;
  Durability durability_ = Durability::kProcessDeath;
  // IMMEDIATE: a missing lock fails at the start instead of half way.
  Statement begin_{*this, "BEGIN IMMEDIATE"};
  Statement commit_{*this, "COMMIT"};
  Statement rollback_{*this, "ROLLBACK"};
};

/// All or nothing: unless Commit() succeeds, all changes since Begin() are undone.
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
