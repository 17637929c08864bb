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
/// The SQL itself, which the build makes of that file.
extern const char kSchema[];

/// One connection to the PostgreSQL that takes summaries.
///
/// Exists so that libpq is met in one file. One thread. @errors of every call: kUnavailable, in
/// libpq's words, where the connection is gone or cannot be made (try again later);
/// kPermissionDenied and kFailedPrecondition where the database refuses.
class Postgres {
 public:
  using Row = std::vector<std::optional<std::string>>;

  /// Over a network only with TLS and a server that is who it says: where the URL leaves sslmode
  /// out it is verify-full.
  /// @errors also kInvalidArgument for a URL that is none, or asks for less than TLS.
  static Result<Postgres> Connect(const std::string& url);

  /// @errors also kFailedPrecondition: the tables are of another version, or there are none.
  Result<void> CheckSchema();
  /// Each row has a text for each of `columns`; one that is there already is left alone. All or
  /// none.
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
