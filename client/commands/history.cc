
#include "client/present/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/history.grpc.pb.h"
#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/commands/history_site.h"
#include "client/git/process.h"
#include "client/link/daemon_link.h"
#include "client/present/words.h"
#include "client/report/page.h"
#include "client/request/quantity.h"
#include "client/session/exported_summaries.h"
#include "core/analysis/history.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

Result<std::vector<GateSummary>> FromProto(const v1::ListSummariesResponse& page) {
  std::vector<GateSummary> summaries;
  for (const v1::Summary& proto : page.summaries()) {
    auto summary = convert::FromProto(proto);
    if (!summary) return std::move(summary).error().Within("history");
    summaries.push_back(std::move(*summary));
  }
  return summaries;
}

/// Reads the summaries that benchd-push sent to PostgreSQL, newest first, with the program
/// benchctl-database in the same directory.
///
/// @param url  a URL of libpq: postgresql://HOST/DATABASE
/// @errors (exit 2) the program or libpq is not installed; (exit 5) the database cannot be reached
///         or refuses the query, with its own message.
Result<std::vector<GateSummary>> ReadFromDatabase(const std::string& url,
                                                  const SummaryQuery& query) {
  const auto program = ProgramBeside("benchctl-database");
  if (!program) {
    return UsageError("--database: benchctl-database is not installed beside benchctl",
                      "install libpq-dev and build benchctl again");
  }
  TRY(const auto end,
      RunProcess({.words = {*program, url, query.benchmark, std::to_string(query.limit)}}));
  if (end.code != 0) {
    std::istringstream lines(end.err);
    std::string message;
    std::string hint;
    std::getline(lines, message);
    std::getline(lines, hint);
    if (end.code == static_cast<int>(ExitCode::kUsage)) return UsageError(message, hint);
    return ConnectionError(
        message.empty() ? fmt::format("{}: exit code {}", *program, end.code) : message, hint);
  }
  v1::ListSummariesResponse response;
  if (!response.ParseFromString(end.out)) {
    return ConnectionError(*program + ": invalid output");
  }
  return FromProto(response);
}

/// Reads the summaries of a folder of exports, newest first, and reports the files without any.
Result<std::vector<GateSummary>> ReadFromExports(const std::string& folder,
                                                 const SummaryQuery& query) {
  TRY(auto read, ReadExportedSummaries(folder, query.benchmark));
  for (const std::string& file : read.left_out) {
    std::cerr << "warning: " << file << "; left out\n";
  }
  std::ranges::stable_sort(read.summaries, std::greater(), &GateSummary::ended_at);
  read.summaries.resize(std::min<std::uint64_t>(read.summaries.size(), query.limit));
  return std::move(read.summaries);
}

constexpr std::uint64_t kUsualEntries = 200;
constexpr std::uint32_t kPage = 500;
/// The limit for a site, which has all entries of all benchmarks.
constexpr std::uint64_t kMostOfSite = 2'000'000;

struct HistoryRequest {
  SummaryQuery query;
  bool everybodys = false;
  std::string metric;  ///< empty: all metrics
  ChangePointSearch search;
};

Result<HistoryRequest> ReadRequest(const CommandContext& context) {
  const ParsedArguments& arguments = context.arguments;
  HistoryRequest request;
  request.query.benchmark = context.word;
  request.query.limit = context.word.empty() ? kLongestSeries : kUsualEntries;
  if (IsGiven(arguments, "site")) request.query.limit = kMostOfSite;
  request.everybodys = IsGiven(arguments, "all");
  for (const char* const url : {"commit-url", "site-url"}) {
    if (!IsGiven(arguments, url) || IsGiven(arguments, "site")) continue;
    return UsageError(std::string("--") + url + ": needs --site");
  }
  if (IsGiven(arguments, "exports") && IsGiven(arguments, "database")) {
    return UsageError("--exports: conflicts with --database");
  }
  if (const std::string* metric = LastValue(arguments, "metric")) request.metric = *metric;
  if (const std::string* drawn = LastValue(arguments, "svg")) {
    if (!request.metric.empty()) {
      return UsageError("--svg " + *drawn + ": conflicts with --metric", "omit --metric");
    }
    request.metric = *drawn;
  }
  if (const std::string* last = LastValue(arguments, "last")) {
    auto count = ParseCount(*last);
    if (!count) return std::move(count).error().Within("--last " + *last);
    if (*count == 0 || *count > kLongestSeries) {
      return UsageError(fmt::format("--last {}: must be between 1 and {}", *last, kLongestSeries));
    }
    request.query.limit = *count;
  }
  if (const std::string* alpha = LastValue(arguments, "alpha")) {
    auto level = ParseProbability(*alpha, "--alpha 1%");
    if (!level) return std::move(level).error().Within("--alpha " + *alpha);
    request.search.alpha = *level;
    // The smallest p-value must be at most a tenth of alpha.
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
  TRY(auto link, DaemonLink::Open(context.link));
  v1::ListSummariesRequest page_request;
  page_request.set_benchmark(request.query.benchmark);
  page_request.set_all(request.everybodys);
  std::vector<GateSummary> summaries;
  while (summaries.size() < request.query.limit) {
    const std::uint64_t missing = request.query.limit - summaries.size();
    page_request.set_page_size(static_cast<std::uint32_t>(std::min<std::uint64_t>(missing, kPage)));
    TRY(auto page, CallDaemon(*link, &v1::HistoryService::Stub::ListSummaries, page_request));
    auto read = FromProto(page);
    if (!read) return read;
    std::ranges::move(*read, std::back_inserter(summaries));
    page_request.set_page_token(page.next_page_token());
    if (page_request.page_token().empty()) break;
  }
  return summaries;
}

Result<std::vector<GateSummary>> Read(const CommandContext& context,
                                      const HistoryRequest& request) {
  const std::string* const database = LastValue(context.arguments, "database");
  if (const std::string* exports = LastValue(context.arguments, "exports")) {
    return ReadFromExports(*exports, request.query);
  }
  return database != nullptr ? ReadFromDatabase(*database, request.query)
                             : ReadFromDaemon(context, request);
}

/// Returns the distinct texts in order, such as "a, b and 3 more".
std::string FirstOf(const std::vector<std::string>& texts) {
  constexpr std::size_t kMostTexts = 5;
  std::vector<std::string> unique;
  for (const std::string& text : texts) {
    if (std::ranges::find(unique, text) == unique.end()) unique.push_back(text);
  }
  const std::size_t shown = std::min(kMostTexts, unique.size());
  std::string list = Join(std::span(unique).first(shown), ", ");
  if (unique.size() > shown) list += fmt::format(" and {} more", unique.size() - shown);
  return list;
}

constexpr char kNoneYet[] = "no history yet: it begins with the first verdict";

Error NothingFound(const std::string& wanted, const std::vector<GateSummary>& all) {
  const std::string what = "history: no benchmark or command contains " + Quoted(wanted);
  if (all.empty()) return UsageError(what, "there is " + std::string(kNoneYet));
  std::vector<std::string> names;
  for (const GateSummary& one : all) names.push_back(SeriesName(one));
  return UsageError(what, "available: " + FirstOf(names));
}

/// Returns the entries of the benchmark with the given name. If there are none, returns the entries
/// whose benchmark or command contains the word, because users remember the command of a comparison
/// without a name.
///
/// @errors (exit 2) nothing matches the word or --metric; the hint lists what is available.
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
  return UsageError("history: no entries for the metric " + Quoted(request.metric),
                    "available: " + FirstOf(metrics));
}

std::vector<std::string> TitlesOf(const std::vector<HistorySeries>& history) {
  std::vector<std::string> titles;
  for (const HistorySeries& series : history) titles.push_back(SeriesTitle(series));
  return titles;
}

/// Renders a page, or the picture of --svg.
Result<std::string> Draw(const CommandContext& context, const HistoryRequest& request,
                         const std::vector<HistorySeries>& history) {
  const bool picture = IsGiven(context.arguments, "svg");
  if (history.empty()) {
    return UsageError((picture ? "--svg" : "-o") + std::string(": nothing to draw: ") + kNoneYet);
  }
  if (!picture) return RenderHistoryPage(history, context.word, request.search);
  if (history.size() == 1) return RenderHistoryPicture(history.front());
  return UsageError(
      fmt::format("--svg {}: {} series have this metric, but a picture shows one", request.metric,
                  history.size()),
      "name the benchmark: benchctl history BENCHMARK; or show all with -o FILE.html");
}

Result<ExitCode> RunHistory(const CommandContext& context) {
  TRY(auto choice, ReadResultChoice(context.arguments));
  TRY(auto request, ReadRequest(context));
  std::optional<PageFile> page;
  if (IsGiven(context.arguments, "output") || IsGiven(context.arguments, "svg")) {
    TRY(auto prepared, PageFile::Prepare(context));
    page = std::move(prepared);
  }
  std::optional<HistorySite> site;
  if (IsGiven(context.arguments, "site")) {
    TRY(auto prepared, HistorySite::Prepare(context, request.search));
    site = std::move(prepared);
  }
  TRY(auto summaries, ReadWanted(context, request));
  if (site) return site->Write(context, std::move(summaries));
  TRY(auto history, MakeHistory(std::move(summaries), request.search));
  const google::protobuf::Timestamp now = Now();
  if (page) {
    TRY(const auto text, Draw(context, request, history));
    const auto written = page->Write(text, TitlesOf(history));
    if (!written) return OutputFailed(written.error());
  } else if (context.json) {
    for (const std::string& line : HistoryJson(history, request.search, now)) {
      std::cout << line << "\n";
    }
  } else if (history.empty()) {
    std::cerr << kNoneYet << "\n";
  } else if (context.word.empty()) {
    std::cout << RenderHistoryList(history, now, choice.StyleOfStdout());
  } else {
    std::cout << RenderHistory(history, request.search, now, choice.StyleOfStdout());
  }
  return ExitCode::kPass;
}

std::vector<OptionInfo> HistoryOptions() {
  std::vector<OptionInfo> options = {
      {"metric", 0, "NAME", "show only this metric", kThisCommand},
      {"last", 0, "N", "show the newest N entries (default: 200 with BENCHMARK)", kThisCommand},
      {"all", 'a', "", "include the sessions of all users (admins only)", kThisCommand},
      {"alpha", 0, "A", "probability of reporting a step in a series without one (default: 1%)",
       kThisCommand},
      {"seed", 0, "N", "seed of the permutations (default: 1)", kThisCommand},
      {"database", 0, "URL",
       "read from the database of benchd-push, such as postgresql://HOST/DATABASE", kThisCommand},
      {"exports", 0, "DIR", "read from the files *.json in DIR, made by export --format json",
       kThisCommand},
      {"output", 'o', "FILE", "write an HTML page with pictures to FILE (- for stdout)",
       kThisCommand},
      {"svg", 0, "METRIC", "write an SVG picture of METRIC instead of a page", kThisCommand}};
  std::ranges::move(SiteOptionInfos(), std::back_inserter(options));
  options.push_back(kTimeUnit);
  return options;
}

}  // namespace

Command HistoryCommand() {
  return {
      .name = "history",
      .usage = "[OPTIONS] [BENCHMARK]",
      .summary = "show the verdicts of a benchmark and when it changed",
      .words = Words::kBenchmark,
      .run = RunHistory,
      .options = HistoryOptions(),
      .description =
          "Without BENCHMARK, lists the benchmarks of your sessions, each with the number of its "
          "verdicts, the newest verdict, and the newest step in its values. With BENCHMARK, shows "
          "its verdicts, oldest first, and the steps at which the values changed permanently.\n"
          "Verdicts are kept longer than their sessions. Sessions without a suite belong to the "
          "benchmark `main`, in which each command has its own history.\n"
          "With --site, writes static pages that need no server: an index of the benchmarks, a "
          "page and a badge for each, and a feed of the newest regressions and steps (feed.json). "
          "Only files whose content changed are written.\n"
          "Steps are found by E-divisive means, only among entries that were measured on the same "
          "machine with the same kernel and settings. A line marks each change of the machine, "
          "the kernel or the settings.",
      .examples = {{"When did the parser become slower?", "benchctl history parse"},
                   {"Print all steps in the last 500 verdicts, for a script:",
                    "benchctl history parse --last 500 --json"},
                   {"Write an HTML page:", "benchctl history parse -o history.html"},
                   {"Write a site with all benchmarks, from a folder of exports:",
                    "benchctl history --exports results --site public"},
                   {"Show the entries of several machines from a database:",
                    "benchctl history parse --database postgresql://db.example.com/bench"}}};
}

}  // namespace benchd::client
