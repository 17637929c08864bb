#include "client/history_database.h"

#ifdef BENCHD_LIBPQ
#include <libpq-fe.h>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "core/base/text.h"
#include "core/base/time.h"
#endif

namespace benchd::client {

#ifdef BENCHD_LIBPQ

namespace {

// In the order in which Read() takes them.
constexpr char kSelect[] =
    "SELECT session, position, to_char(ended_at AT TIME ZONE 'UTC', "
    "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
    " benchmark, series, metric, unit, better, reference, candidate, reference_commit,"
    " candidate_commit, candidate_description, n_reference, n_candidate, mean_reference,"
    " mean_candidate, change, change_lo, change_hi, verdict, machine, hardware, kernel, settings,"
    " command FROM benchd.summaries WHERE $1 = '' OR benchmark = $1"
    " ORDER BY ended_at DESC LIMIT $2::bigint";

/// The columns of a row one after the other.
class Columns {
 public:
  Columns(const PGresult* result, int row) : result_(result), row_(row) {}

  std::optional<std::string> Optional() {
    const int column = column_++;
    if (PQgetisnull(result_, row_, column) != 0) return std::nullopt;
    return std::string(PQgetvalue(result_, row_, column));
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
  const PGresult* result_;
  int row_;
  int column_ = 0;
};

GateSummary Read(Columns columns) {
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

Error Refused(const char* words, std::string hint = "") {
  std::string message = OnOneLine(words);
  while (message.ends_with(' ')) message.pop_back();
  return ConnectionError("--database: " + message, std::move(hint));
}

}  // namespace

Result<std::vector<GateSummary>> ReadFromDatabase(const std::string& url,
                                                  const SummaryQuery& query) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()),
                                                                &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return Refused(PQerrorMessage(connection.get()));
  }
  const std::string limit = std::to_string(query.limit);
  const std::array<const char*, 2> values{query.benchmark.c_str(), limit.c_str()};
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      PQexecParams(connection.get(), kSelect, 2, nullptr, values.data(), nullptr, nullptr, 0),
      &PQclear);
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) {
    const char* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    const bool denied = state != nullptr && std::strcmp(state, "42501") == 0;
    return Refused(PQerrorMessage(connection.get()),
                   denied ? "readers are members of the role benchd_reader" : "");
  }
  std::vector<GateSummary> summaries;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    summaries.push_back(Read(Columns(result.get(), row)));
  }
  return summaries;
}

#else

Result<std::vector<GateSummary>> ReadFromDatabase(const std::string& /*url*/,
                                                  const SummaryQuery& /*query*/) {
  return UsageError("--database: this benchctl was built without libpq",
                    "install libpq-dev and build it again");
}

#endif

}  // namespace benchd::client
