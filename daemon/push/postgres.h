#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

struct pg_conn;

namespace benchd::push {

/// The version of schema.sql that this program writes.
inline constexpr int kSchemaVersion = 2;
/// The text of schema.sql, inserted by the build.
extern const char kSchema[];

/// A connection to the PostgreSQL server that stores summaries.
///
/// Keeps libpq in one file. Single-threaded. @errors of every call: kUnavailable, in libpq's words,
/// if the connection is lost or cannot be made (try again later); kPermissionDenied and
/// kFailedPrecondition if the database refuses.
class Postgres {
 public:
  using Row = std::vector<std::optional<std::string>>;

  /// Requires TLS over a network. Without sslmode in the URL, the mode is verify-full.
  /// @errors also kInvalidArgument for an invalid URL, or one that allows connections without TLS.
  static Result<Postgres> Connect(const std::string& url);

  /// @errors also kFailedPrecondition: the tables have another version, or do not exist.
  Result<void> CheckSchema();
  /// Inserts all rows or none. Each row has one text per column; a row that exists already is left
  /// unchanged.
  Result<void> Insert(const std::vector<const char*>& columns, const std::vector<Row>& rows);

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  explicit Postgres(pg_conn* connection) : connection_(connection) {}
  Result<std::string> Ask(const std::string& sql, const Row& parameters = {});

  std::unique_ptr<pg_conn, Close> connection_;
};

}  // namespace benchd::push
