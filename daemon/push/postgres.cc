#include "daemon/push/postgres.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::push {
namespace {

constexpr char kTimeoutSeconds[] = "20";

/// Returns libpq's message on one line.
std::string Words(const char* message) {
  std::string words = OnOneLine(message);
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

struct Options {
  std::vector<std::string> keywords;
  std::vector<std::string> values;

  const std::string* Find(std::string_view keyword) const {
    const auto found = std::find(keywords.begin(), keywords.end(), keyword);
    return found == keywords.end() ? nullptr
                                   : &values[static_cast<std::size_t>(found - keywords.begin())];
  }
  void Set(const char* keyword, const char* value) {
    keywords.emplace_back(keyword);
    values.emplace_back(value);
  }
};

Result<Options> ReadUrl(const std::string& url) {
  char* why = nullptr;
  PQconninfoOption* const parsed = PQconninfoParse(url.c_str(), &why);
  if (parsed == nullptr) {
    const std::string words = why == nullptr ? "not a valid URL" : Words(why);
    PQfreemem(why);
    return InvalidArgument("[push] url", words, "write postgresql://NAME@HOST/DATABASE");
  }
  Options options;
  for (const PQconninfoOption* one = parsed; one->keyword != nullptr; ++one) {
    if (one->val != nullptr) options.Set(one->keyword, one->val);
  }
  PQconninfoFree(parsed);
  return options;
}

/// Returns true if the host is a local socket: it is a path, and hostaddr does not specify another
/// server (libpq, "Parameter Key Words").
bool IsLocal(const Options& options) {
  const std::string* const host = options.Find("host");
  return host != nullptr && host->starts_with('/') && host->find(',') == std::string::npos &&
         options.Find("hostaddr") == nullptr;
}

Result<void> DemandTls(Options& options) {
  static constexpr std::array<std::string_view, 3> kSafe{"require", "verify-ca", "verify-full"};
  const std::string* const mode = options.Find("sslmode");
  if (mode != nullptr && std::find(kSafe.begin(), kSafe.end(), *mode) != kSafe.end()) return {};
  if (mode == nullptr || IsLocal(options)) {
    // If there are several values, libpq uses the last one. On a local socket it ignores the mode.
    // The mode still matters if the environment (PGHOSTADDR) or a service specifies another server.
    options.Set("sslmode", "verify-full");
    return {};
  }
  return InvalidArgument("[push] url", "sslmode=" + *mode + " allows connections without TLS",
                         "omit sslmode, or set it to verify-full, verify-ca or require");
}

ErrorCode CodeOf(const PGresult* result) {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view code = state == nullptr ? "" : state;
  if (code == "42501") return ErrorCode::kPermissionDenied;  // insufficient_privilege
  // SQLSTATE classes: 08 is a connection error, 53 a lack of resources, and 57 a shutdown.
  if (code.empty() || code.starts_with("08") || code.starts_with("53") || code.starts_with("57")) {
    return ErrorCode::kUnavailable;
  }
  return ErrorCode::kFailedPrecondition;
}

}  // namespace

void Postgres::Close::operator()(pg_conn* connection) const { PQfinish(connection); }

Result<Postgres> Postgres::Connect(const std::string& url) {
  TRY(Options options, ReadUrl(url));
  TRY_VOID(DemandTls(options));
  if (options.Find("connect_timeout") == nullptr) options.Set("connect_timeout", kTimeoutSeconds);
  options.Set("application_name", "benchd-push");
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const std::string& keyword : options.keywords) keywords.push_back(keyword.c_str());
  for (const std::string& value : options.values) values.push_back(value.c_str());
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  Postgres database(PQconnectdbParams(keywords.data(), values.data(), 0));
  if (PQstatus(database.connection_.get()) == CONNECTION_OK) return database;
  return Error{ErrorCode::kUnavailable,
               "database: " + Words(PQerrorMessage(database.connection_.get())),
               {}};
}

Result<std::string> Postgres::Ask(const std::string& sql, const Row& parameters) {
  std::vector<const char*> values;
  for (const auto& value : parameters) values.push_back(value ? value->c_str() : nullptr);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                   values.data(), nullptr, nullptr, 0),
      &PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    return Error{CodeOf(result.get()), "database: " + Words(PQerrorMessage(connection_.get())), {}};
  }
  return std::string(PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "");
}

Result<void> Postgres::CheckSchema() {
  constexpr const char* kHint = "as its owner, run: benchd-push --print-schema | psql DATABASE";
  TRY(std::string there, Ask("SELECT to_regclass('benchd.schema_version') IS NOT NULL"));
  if (there != "t") {
    return Error{ErrorCode::kFailedPrecondition, "database: the tables of benchd-push are missing",
                 kHint};
  }
  TRY(std::string version, Ask("SELECT max(version) FROM benchd.schema_version"));
  if (version == std::to_string(kSchemaVersion)) return {};
  return Error{
      ErrorCode::kFailedPrecondition,
      fmt::format("database: its tables have version {}, but this benchd-push writes version {}",
                  version, kSchemaVersion),
      kHint};
}

Result<void> Postgres::Insert(const std::vector<const char*>& columns,
                              const std::vector<Row>& rows) {
  std::string names;
  std::string places;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names += std::string(i == 0 ? "" : ", ") + columns[i];
    places += fmt::format("{}${}", i == 0 ? "" : ", ", i + 1);
  }
  const std::string insert =
      "INSERT INTO benchd.summaries (" + names + ") VALUES (" + places + ") ON CONFLICT DO NOTHING";
  TRY_VOID(Ask("BEGIN"));
  for (const Row& row : rows) {
    if (auto added = Ask(insert, row); !added) {
      static_cast<void>(Ask("ROLLBACK"));
      return std::move(added).error();
    }
  }
  TRY_VOID(Ask("COMMIT"));
  return {};
}

}  // namespace benchd::push
