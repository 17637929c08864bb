#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/history.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/history_database.h"
#include "client/page_file.h"
#include "client/quantity.h"
#include "client/render/history.h"
#include "client/render/words.h"
#include "client/report/history_page.h"
#include "client/result_options.h"
#include "core/analysis/history.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

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

std::string NothingFound(const CommandContext& context) {
  if (context.word.empty()) return "no history yet: it begins with the first verdict";
  return "no history of " + Quoted(context.word) +
         "; benchctl history lists the benchmarks that have one";
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
    return UsageError((picture ? "--svg" : "-o") + std::string(": nothing to draw: ") +
                      NothingFound(context));
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
  const std::string* const database = LastValue(context.arguments, "database");
  auto summaries = database != nullptr ? ReadFromDatabase(*database, request->query)
                                       : ReadFromDaemon(context, *request);
  if (!summaries) return std::move(summaries).error();
  if (!request->metric.empty()) {
    std::erase_if(*summaries, [&](const GateSummary& s) { return s.metric != request->metric; });
  }
  auto history = MakeHistory(*std::move(summaries), request->search);
  if (!history) return std::move(history).error();
  const google::protobuf::Timestamp now = Now();
  if (page) {
    const auto text = Draw(context, *request, *history);
    if (!text) return text.error();
    if (auto written = page->Write(*text, TitlesOf(*history)); !written) {
      return std::move(written).error();
    }
  } else if (context.json) {
    for (const std::string& line : HistoryJson(*history, request->search, now)) {
      std::cout << line << "\n";
    }
  } else if (history->empty()) {
    std::cerr << NothingFound(context) << "\n";
  } else if (context.word.empty()) {
    std::cout << RenderHistoryList(*history, now, choice->StyleOfStdout());
  } else {
    std::cout << RenderHistory(*history, request->search, now, choice->StyleOfStdout());
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
