
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/history.grpc.pb.h"
#include "client/commands.h"
#include "client/daemon_link.h"
#include "client/output.h"
#include "client/quantity.h"
#include "client/render/history.h"
#include "client/render/words.h"
#include "client/report/page.h"
#include "core/analysis/history.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "proto/convert/convert.h"

#ifdef BENCHD_LIBPQ
#include <dlfcn.h>
#include <libpq-fe.h>
#endif

namespace benchd::client {
namespace {

#ifdef BENCHD_LIBPQ

/// What is needed of libpq. It is loaded here and not linked: benchctl is started for every
/// comparison, and libpq brings twenty libraries (TLS, Kerberos, LDAP) that no other command needs.
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

/// It stays loaded until the program ends.
/// @errors (exit 2) it is not there, or is another library.
Result<Libpq> LoadLibpq() {
  // The version of the interface, which has been the same since PostgreSQL 8.2.
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

// In the order in which ReadSummary() takes them.
constexpr char kSelect[] =
    "SELECT session, position, to_char(ended_at AT TIME ZONE 'UTC', "
    "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
    " benchmark, series, metric, unit, better, reference, candidate, reference_commit,"
    " candidate_commit, candidate_description, n_reference, n_candidate, mean_reference,"
    " mean_candidate, change, change_lo, change_hi, verdict, machine, hardware, kernel, settings,"
    " command FROM benchd.summaries WHERE $1 = '' OR benchmark = $1"
    " ORDER BY ended_at DESC LIMIT $2::bigint";

/// The columns of a row one after the other.
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

/// Summaries that benchd-push sent to PostgreSQL, newest first; GateSummary::machine begins with
/// the role that sent it.
///
/// @param url  of libpq: postgresql://HOST/DATABASE
/// @errors (exit 2) benchctl was built without it, or libpq is not installed; (exit 5) the database
///         cannot be reached or refuses, in its words.
Result<std::vector<GateSummary>> ReadFromDatabase(const std::string& url,
                                                  const SummaryQuery& query) {
  const Result<Libpq> pq = LoadLibpq();
  if (!pq) return pq.error();
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(pq->connectdb(url.c_str()),
                                                                pq->finish);
  if (pq->status(connection.get()) != CONNECTION_OK) {
    return DatabaseError(pq->error_message(connection.get()));
  }
  const std::string limit = std::to_string(query.limit);
  const std::array<const char*, 2> values{query.benchmark.c_str(), limit.c_str()};
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      pq->exec_params(connection.get(), kSelect, 2, nullptr, values.data(), nullptr, nullptr, 0),
      pq->clear);
  if (pq->result_status(result.get()) != PGRES_TUPLES_OK) {
    const char* const state = pq->result_error_field(result.get(), PG_DIAG_SQLSTATE);
    const bool denied = state != nullptr && std::strcmp(state, "42501") == 0;
    return DatabaseError(pq->error_message(connection.get()),
                         denied ? "readers are members of the role benchd_reader" : "");
  }
  std::vector<GateSummary> summaries;
  for (int row = 0; row < pq->ntuples(result.get()); ++row) {
    summaries.push_back(ReadSummary(DatabaseRow(*pq, result.get(), row)));
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

constexpr std::uint64_t kUsualEntries = 200;
constexpr std::uint32_t kPage = 500;

struct HistoryRequest {
  SummaryQuery query;
  bool everybodys = false;
  std::string metric;  ///< empty = all
  ChangePointSearch search;
};

Result<HistoryRequest> ReadRequest(const CommandContext& context) {
  const ParsedArguments& arguments = context.arguments;
  HistoryRequest request;
  request.query.benchmark = context.word;
  request.query.limit = context.word.empty() ? kLongestSeries : kUsualEntries;
  request.everybodys = IsGiven(arguments, "all");
  if (const std::string* metric = LastValue(arguments, "metric")) request.metric = *metric;
  if (const std::string* drawn = LastValue(arguments, "svg")) {
    if (!request.metric.empty()) {
      return UsageError("--svg " + *drawn + ": it names the metric itself", "leave --metric out");
    }
    request.metric = *drawn;
  }
  if (const std::string* last = LastValue(arguments, "last")) {
    auto count = ParseCount(*last);
    if (!count) return std::move(count).error().Within("--last " + *last);
    if (*count == 0 || *count > kLongestSeries) {
      return UsageError("--last " + *last + ": must be between 1 and " +
                        std::to_string(kLongestSeries));
    }
    request.query.limit = *count;
  }
  if (const std::string* alpha = LastValue(arguments, "alpha")) {
    auto level = ParseProbability(*alpha, "--alpha 1%");
    if (!level) return std::move(level).error().Within("--alpha " + *alpha);
    request.search.alpha = *level;
    // So that p-values can be a tenth of it.
    while (request.search.alpha * request.search.permutations < 9.5 &&
           request.search.permutations < 99'999) {
      request.search.permutations = request.search.permutations * 10 + 9;
    }
  }
  if (const std::string* seed = LastValue(arguments, "seed")) {
    auto number = ParseCount(*seed);
    if (!number) return std::move(number).error().Within("--seed " + *seed);
    request.search.seed = *number;
  }
  return request;
}

Result<std::vector<GateSummary>> ReadFromDaemon(const CommandContext& context,
                                                const HistoryRequest& request) {
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  v1::ListSummariesRequest page_request;
  page_request.set_benchmark(request.query.benchmark);
  page_request.set_all(request.everybodys);
  std::vector<GateSummary> summaries;
  while (summaries.size() < request.query.limit) {
    const std::uint64_t missing = request.query.limit - summaries.size();
    page_request.set_page_size(static_cast<std::uint32_t>(std::min<std::uint64_t>(missing, kPage)));
    auto page = CallDaemon(**link, &v1::HistoryService::Stub::ListSummaries, page_request);
    if (!page) return std::move(page).error();
    for (const v1::Summary& proto : page->summaries()) {
      auto summary = convert::FromProto(proto);
      if (!summary) return std::move(summary).error().Within("history");
      summaries.push_back(std::move(*summary));
    }
    page_request.set_page_token(page->next_page_token());
    if (page_request.page_token().empty()) break;
  }
  return summaries;
}

Result<std::vector<GateSummary>> Read(const CommandContext& context,
                                      const HistoryRequest& request) {
  const std::string* const database = LastValue(context.arguments, "database");
  return database != nullptr ? ReadFromDatabase(*database, request.query)
                             : ReadFromDaemon(context, request);
}

/// Each of the texts once, in order: "a, b and 3 more".
std::string FirstOf(const std::vector<std::string>& texts) {
  constexpr std::size_t kMostTexts = 5;
  std::vector<std::string> unique;
  for (const std::string& text : texts) {
    if (std::ranges::find(unique, text) == unique.end()) unique.push_back(text);
  }
  const std::size_t shown = std::min(kMostTexts, unique.size());
  std::string list = Join(std::span(unique).first(shown), ", ");
  if (unique.size() > shown) list += " and " + std::to_string(unique.size() - shown) + " more";
  return list;
}

constexpr char kNoneYet[] = "no history yet: it begins with the first verdict";

Error NothingFound(const std::string& wanted, const std::vector<GateSummary>& all) {
  const std::string what = "history: no benchmark or command contains " + Quoted(wanted);
  if (all.empty()) return UsageError(what, "there is " + std::string(kNoneYet));
  std::vector<std::string> names;
  for (const GateSummary& one : all) names.push_back(SeriesName(one));
  return UsageError(what, "there is a history of: " + FirstOf(names));
}

/// The entries of the benchmark that is called so; where none is, those whose benchmark or command
/// contains the word: of a comparison without a name people remember the command.
///
/// @errors (exit 2) there is nothing of that word, or of --metric; the hint names what there is.
Result<std::vector<GateSummary>> ReadWanted(const CommandContext& context,
                                            const HistoryRequest& request) {
  auto summaries = Read(context, request);
  if (!summaries) return summaries;
  const std::string& wanted = request.query.benchmark;
  if (summaries->empty() && !wanted.empty()) {
    HistoryRequest everything = request;
    everything.query.benchmark.clear();
    everything.query.limit = kLongestSeries;
    auto all = Read(context, everything);
    if (!all) return all;
    for (const GateSummary& one : *all) {
      const bool found = one.benchmark.find(wanted) != std::string::npos ||
                         one.command.find(wanted) != std::string::npos;
      if (found && summaries->size() < request.query.limit) summaries->push_back(one);
    }
    if (summaries->empty()) return NothingFound(wanted, *all);
  }
  if (request.metric.empty() || summaries->empty()) return summaries;
  std::vector<std::string> metrics;
  for (const GateSummary& one : *summaries) metrics.push_back(Printable(one.metric));
  std::erase_if(*summaries, [&](const GateSummary& s) { return s.metric != request.metric; });
  if (!summaries->empty()) return summaries;
  return UsageError("history: no history of the metric " + Quoted(request.metric),
                    "there is one of: " + FirstOf(metrics));
}

std::vector<std::string> TitlesOf(const std::vector<HistorySeries>& history) {
  std::vector<std::string> titles;
  for (const HistorySeries& series : history) titles.push_back(SeriesTitle(series));
  return titles;
}

/// As a page, or as the picture that --svg asks for.
Result<std::string> Draw(const CommandContext& context, const HistoryRequest& request,
                         const std::vector<HistorySeries>& history) {
  const bool picture = IsGiven(context.arguments, "svg");
  if (history.empty()) {
    return UsageError((picture ? "--svg" : "-o") + std::string(": nothing to draw: ") + kNoneYet);
  }
  if (!picture) return RenderHistoryPage(history, context.word, request.search);
  if (history.size() == 1) return RenderHistoryPicture(history.front());
  return UsageError("--svg " + request.metric + ": " + std::to_string(history.size()) +
                        " series have it, and one picture is of one",
                    "name its benchmark: benchctl history BENCHMARK; or -o FILE.html for all");
}

}  // namespace

Result<ExitCode> RunHistory(const CommandContext& context) {
  auto choice = ReadResultChoice(context.arguments);
  if (!choice) return std::move(choice).error();
  auto request = ReadRequest(context);
  if (!request) return std::move(request).error();
  std::optional<PageFile> page;
  if (IsGiven(context.arguments, "output") || IsGiven(context.arguments, "svg")) {
    auto prepared = PageFile::Prepare(context);
    if (!prepared) return std::move(prepared).error();
    page = *std::move(prepared);
  }
  auto summaries = ReadWanted(context, *request);
  if (!summaries) return std::move(summaries).error();
  auto history = MakeHistory(*std::move(summaries), request->search);
  if (!history) return std::move(history).error();
  const google::protobuf::Timestamp now = Now();
  if (page) {
    const auto text = Draw(context, *request, *history);
    if (!text) return text.error();
    const auto written = page->Write(*text, TitlesOf(*history));
    if (!written) return OutputFailed(written.error());
  } else if (context.json) {
    for (const std::string& line : HistoryJson(*history, request->search, now)) {
      std::cout << line << "\n";
    }
  } else if (history->empty()) {
    std::cerr << kNoneYet << "\n";
  } else if (context.word.empty()) {
    std::cout << RenderHistoryList(*history, now, choice->StyleOfStdout());
  } else {
    std::cout << RenderHistory(*history, request->search, now, choice->StyleOfStdout());
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
