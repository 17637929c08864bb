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

/// Bytes to be bound as a BLOB: text that need not be UTF-8.
struct Blob {
  std::string_view bytes;
};

class Database;

/// One statement: prepared when it is first run, then run many times with other values.
///
/// Exists so that no sqlite3_* call, return code or forgotten reset is met outside this file. Lives
/// no longer than its Database and is used on the same thread. Every failure is an Error with
/// SQLite's own words; which one, see Database.
class Statement {
 public:
  /// `sql` outlives it.
  Statement(Database& database, std::string_view sql) : database_(database), sql_(sql) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Binds `values` to the parameters in order (all of them) and runs to the end.
  template <typename... Values>
  Result<void> Run(const Values&... values) {
    return Query([] {}, values...);
  }

  /// The same, calling `on_row` at each row; where that answers a Result, an Error ends the query
  /// and is the answer.
  template <typename OnRow, typename... Values>
  Result<void> Query(OnRow on_row, const Values&... values) {
    TRY_VOID(Prepare());
    const ResetAtEnd reset{*this};
    [[maybe_unused]] int parameter = 0;  // without values it is not read
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

  /// Columns of the row at hand, from 0; inside `on_row` only.
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

/// What a commit survives once it has answered.
enum class Durability {
  kProcessDeath,  ///< kill -9: the system has it
  kPowerLoss,     ///< the disk has it, and every commit before it; takes milliseconds
};

/// One connection to one database file.
///
/// Used by one thread at a time: opened at start-up, then by the thread of its Store. The
/// write-ahead log is moved into the file by Checkpoint(), and by a commit only when it is long:
/// moving it syncs, which takes milliseconds.
/// @errors kResourceExhausted: the disk is full; kUnavailable: locked by another process;
///         kFailedPrecondition: not a database, or damaged; kPermissionDenied: not writable;
///         kAlreadyExists: a row with that key; else kInternal.
class Database {
 public:
  /// How long another process' lock is waited for.
  static constexpr std::chrono::milliseconds kLockWait{5000};

  /// Opens the file, or makes it where there is none.
  static Result<std::unique_ptr<Database>> Open(const std::filesystem::path& file,
                                                std::chrono::milliseconds lock_wait = kLockWait);
  /// The same in two steps, for who has to know what became of it: OpenUnread() does not look into
  /// the file, SetUp() is the first to do so.
  static Result<std::unique_ptr<Database>> OpenUnread(
      const std::filesystem::path& file, std::chrono::milliseconds lock_wait = kLockWait);
  Result<void> SetUp();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Runs SQL without parameters and rows: the schema and pragmas.
  Result<void> Execute(const std::string& sql);
  /// The one number that `sql` (a query without parameters) answers, such as PRAGMA user_version.
  Result<std::int64_t> QueryInteger(std::string_view sql);
  Result<std::string> QueryText(std::string_view sql);

  /// Moves the write-ahead log into the file and syncs both to the disk. A failure loses nothing:
  /// the log stays, and the next commit names what is wrong.
  /// @return whether all of it is in the file now.
  bool Checkpoint();

  /// Reads the whole file and looks whether it is one (PRAGMA quick_check).
  /// @errors kFailedPrecondition with something that is wrong.
  Result<void> Check();
  /// The same of one table, and whether its indices tell what it holds (PRAGMA integrity_check).
  Result<void> CheckTable(std::string_view table);
  /// Whether a statement of this connection has met damage. Then the log stays when the file is
  /// closed: to the next start that is an end that was not clean.
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
  // IMMEDIATE: a lock that cannot be had is met at the start, not half way.
  Statement begin_{*this, "BEGIN IMMEDIATE"};
  Statement commit_{*this, "COMMIT"};
  Statement rollback_{*this, "ROLLBACK"};
};

/// All or none: what was done since Begin() is undone unless Commit() succeeded.
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
