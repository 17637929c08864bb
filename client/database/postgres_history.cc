#include "client/database/postgres_history.h"

#include <dlfcn.h>
#include <libpq-fe.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "client/app/exit_code.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

/// The functions of libpq that this file uses. libpq is loaded at run time instead of linked, so
/// that benchctl does not depend on it.
struct Libpq {
  decltype(&PQconnectdb) connectdb = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQexecParams) exec_params = nullptr;
  decltype(&PQclear) clear = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQresultErrorField) result_error_field = nullptr;
  decltype(&PQntuples) ntuples = nullptr;
  decltype(&PQgetisnull) getisnull = nullptr;
  decltype(&PQgetvalue) getvalue = nullptr;
};

template <typename Function>
bool FindFunction(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

/// Loads libpq, which stays loaded until the program ends.
///
/// @errors (exit 2) libpq is not installed, or lacks one of the functions.
Result<Libpq> LoadLibpq() {
  // The ABI version has not changed since PostgreSQL 8.2.
  void* const library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  Libpq pq;
  const bool complete = library != nullptr && FindFunction(library, "PQconnectdb", pq.connectdb) &&
                        FindFunction(library, "PQfinish", pq.finish) &&
                        FindFunction(library, "PQstatus", pq.status) &&
                        FindFunction(library, "PQerrorMessage", pq.error_message) &&
                        FindFunction(library, "PQexecParams", pq.exec_params) &&
                        FindFunction(library, "PQclear", pq.clear) &&
                        FindFunction(library, "PQresultStatus", pq.result_status) &&
                        FindFunction(library, "PQresultErrorField", pq.result_error_field) &&
                        FindFunction(library, "PQntuples", pq.ntuples) &&
                        FindFunction(library, "PQgetisnull", pq.getisnull) &&
                        FindFunction(library, "PQgetvalue", pq.getvalue);
  if (complete) return pq;
  const char* const why = dlerror();
  return UsageError("--database: " + OnOneLine(why == nullptr ? "libpq.so.5" : why),
                    "install libpq: sudo apt install libpq5");
}

// The columns are in the order in which ReadSummary() reads them.
constexpr char kSelect[] =
    "SELECT session, position, to_char(ended_at AT TIME ZONE 'UTC', "
    "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
    " benchmark, series, metric, unit, better, reference, candidate, reference_commit,"
    " candidate_commit, candidate_description, n_reference, n_candidate, mean_reference,"
    " mean_candidate, change, change_lo, change_hi, verdict, machine, hardware, kernel, settings,"
    " command FROM benchd.summaries WHERE $1 = '' OR benchmark = $1"
    " ORDER BY ended_at DESC LIMIT $2::bigint";

/// Reads the columns of a row in order.
class DatabaseRow {
 public:
  DatabaseRow(const Libpq& pq, const PGresult* result, int row)
      : pq_(pq), result_(result), row_(row) {}

  std::optional<std::string> Optional() {
    const int column = column_++;
    if (pq_.getisnull(result_, row_, column) != 0) return std::nullopt;
    return std::string(pq_.getvalue(result_, row_, column));
  }
  std::string Text() { return Optional().value_or(""); }
  template <typename T>
  std::optional<T> Number() {
    const std::string text = Text();
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, value);
    if (text.empty() || failed != std::errc{} || stopped != end) return std::nullopt;
    return value;
  }

 private:
  const Libpq& pq_;
  const PGresult* result_;
  int row_;
  int column_ = 0;
};

GateSummary ReadSummary(DatabaseRow columns) {
  GateSummary summary;
  summary.session.value = columns.Text();
  summary.position = columns.Number<std::uint32_t>().value_or(0);
  summary.ended_at = ParseRfc3339(columns.Text()).value_or(Timestamp{});
  summary.benchmark = columns.Text();
  summary.series = columns.Text();
  summary.metric = columns.Text();
  summary.unit = columns.Text();
  summary.better = benchd::ValueOf<Better>(columns.Text());
  summary.reference = columns.Text();
  summary.candidate = columns.Text();
  if (auto id = columns.Optional()) summary.reference_commit = Commit{*id, ""};
  if (auto id = columns.Optional()) summary.candidate_commit = Commit{*id, ""};
  const std::string description = columns.Text();
  if (summary.candidate_commit) summary.candidate_commit->description = description;
  summary.n_reference = columns.Number<std::uint64_t>().value_or(0);
  summary.n_candidate = columns.Number<std::uint64_t>().value_or(0);
  summary.mean_reference = columns.Number<double>();
  summary.mean_candidate = columns.Number<double>();
  const auto change = columns.Number<double>();
  const auto lo = columns.Number<double>();
  const auto hi = columns.Number<double>();
  if (change) summary.change = Effect{*change, lo, hi};
  summary.verdict = benchd::ValueOf<Verdict>(columns.Text()).value_or(Verdict::kUndecided);
  summary.machine = columns.Text();
  const std::string hardware = columns.Text();
  if (!hardware.empty()) summary.machine += ": " + hardware;
  summary.kernel = columns.Text();
  summary.settings = columns.Text();
  summary.command = columns.Text();
  return summary;
}

Error DatabaseError(const char* words, std::string hint = "") {
  std::string message = OnOneLine(words);
  while (message.ends_with(' ')) message.pop_back();
  return ConnectionError("--database: " + message, std::move(hint));
}

}  // namespace

Result<std::vector<GateSummary>> ReadFromDatabase(const std::string& url,
                                                  const SummaryQuery& query) {
  TRY(const Libpq pq, LoadLibpq());
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(pq.connectdb(url.c_str()),
                                                                pq.finish);
  if (pq.status(connection.get()) != CONNECTION_OK) {
    return DatabaseError(pq.error_message(connection.get()));
  }
  const std::string limit = std::to_string(query.limit);
  const std::array<const char*, 2> values{query.benchmark.c_str(), limit.c_str()};
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      pq.exec_params(connection.get(), kSelect, 2, nullptr, values.data(), nullptr, nullptr, 0),
      pq.clear);
  if (pq.result_status(result.get()) != PGRES_TUPLES_OK) {
    const char* const state = pq.result_error_field(result.get(), PG_DIAG_SQLSTATE);
    const bool denied = state != nullptr && std::strcmp(state, "42501") == 0;
    return DatabaseError(pq.error_message(connection.get()),
                         denied ? "ask for membership in the role benchd_reader" : "");
  }
  std::vector<GateSummary> summaries;
  for (int row = 0; row < pq.ntuples(result.get()); ++row) {
    summaries.push_back(ReadSummary(DatabaseRow(pq, result.get(), row)));
  }
  return summaries;
}

}  // namespace benchd::client
