#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

struct pg_conn;

namespace benchd::push {

/// The version of the tables (schema.sql) that this program writes.
inline constexpr int kSchemaVersion = 2;
/// The text of schema.sql, which the build inserts.
extern const char kSchema[];

/// A connection to the PostgreSQL server that stores summaries. benchd-push uses libpq only in this
/// class. Single-threaded.
///
/// @errors of every function: kUnavailable, with libpq's message, if the connection is lost or
/// cannot be established (try again later); kPermissionDenied and kFailedPrecondition if the
/// database refuses the request.
class Postgres {
 public:
  using Row = std::vector<std::optional<std::string>>;

  /// Connects to the server. Over a network, TLS is required. If the URL does not specify sslmode,
  /// the mode is verify-full.
  /// @errors additionally kInvalidArgument if the URL is invalid or allows connections without TLS.
  static Result<Postgres> Connect(const std::string& url);

  /// Checks the version of the tables.
  /// @errors additionally kFailedPrecondition if the tables have another version or do not exist.
  Result<void> CheckSchema();
  /// Inserts either all rows or no rows. Each row has one value per column. A row that already
  /// exists is left unchanged.
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
