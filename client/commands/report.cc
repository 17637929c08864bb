#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/link/step_aside.h"
#include "client/report/metric_picture.h"
#include "client/report/page.h"
#include "client/report/report_source.h"
#include "client/request/table_file.h"
#include "client/request/table_options.h"
#include "client/session/session_export.h"
#include "client/session/session_runs.h"
#include "client/terminal/interrupts.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// Returns whether the argument is a file. IDs contain neither a dot nor a slash.
bool IsFile(const std::string& word) {
  return word == "-" || word.find_first_of("./") != std::string::npos;
}

Result<void> CheckWords(const ParsedArguments& arguments) {
  const std::vector<std::string>& words = arguments.positionals;
  for (const std::string& word : words) {
    if (word.empty()) return UsageError("report: empty file name or session ID");
  }
  if (std::ranges::count(words, "-") > 1) return UsageError("-: stdin can be read only once");
  if (std::ranges::any_of(words, IsFile)) return {};
  for (const OptionInfo& option : AnalyzeOptions()) {
    if (IsGiven(arguments, option.name)) {
      return UsageError("--" + std::string(option.name) + ": applies only to tables",
                        "use it with a table: benchctl report FILE.csv");
    }
  }
  return {};
}

Result<PageFile> PrepareOutput(const CommandContext& context) {
  if (!IsGiven(context.arguments, "output") && !context.json && isatty(STDOUT_FILENO) == 1) {
    return UsageError("report: missing output file", "write -o FILE.html, or -o - for stdout");
  }
  return PageFile::Prepare(context);
}

Result<ReportSource> ReadFile(const std::string& path, const benchd::TableOptions& options) {
  TRY(auto file, TableFile::Open(path));
  TRY(auto text, file.ReadAll());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    auto read = ReadSessionExport(text, ExportedRuns::kRead);
    if (!read) return PrintableError(read.error()).Within(file.name());
    ReportSource source = SourceOfSession(std::move(read->session), read->runs);
    if (source.on_machine) source.on_machine->source = file.name();
    return source;
  }
  auto source = SourceOfTable(file.name(), text, options);
  if (!source) return PrintableError(source.error()).Within(file.name());
  return source;
}

Result<ReportSource> ReadSession(DaemonLink& link, std::string id) {
  if (id.empty()) {
    TRY(auto newest, NewestSession(link));
    id = std::move(newest);
  }
  TRY(auto session, GetSession(link, id));
  if (!session.has_ended_at()) {
    return UsageError("report: session " + session.session() + " has not ended: no result yet",
                      "wait for it: benchctl watch " + session.session());
  }
  v1::ListSamplesRequest request;
  request.set_session(session.session());
  request.set_with_warmup(true);
  request.set_with_metrics(true);
  request.set_with_stacks(session.spec().has_profile());
  std::vector<v1::Run> runs;
  auto read = ReadRuns(link, request, [&runs](v1::Run&& run) { runs.push_back(std::move(run)); });
  if (!read) return std::move(read).error();
  return SourceOfSession(std::move(session), runs);
}

Result<std::vector<ReportSource>> ReadSources(const CommandContext& context,
                                              const benchd::TableOptions& options) {
  std::vector<std::string> words = context.arguments.positionals;
  if (words.empty()) words.emplace_back();  // the newest session
  std::unique_ptr<DaemonLink> link;
  std::vector<ReportSource> sources;
  for (const std::string& word : words) {
    if (!IsFile(word) && link == nullptr) {
      TRY(auto opened, DaemonLink::Open(context.link));
      link = std::move(opened);
    }
    TRY(auto source, IsFile(word) ? ReadFile(word, options) : ReadSession(*link, word));
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<std::string> Render(const CommandContext& context,
                           const std::vector<ReportSource>& sources) {
  const std::string* const metric = LastValue(context.arguments, "svg");
  if (metric == nullptr) return RenderReportPage(sources);
  if (sources.size() != 1) {
    return UsageError("--svg " + *metric + ": a picture shows only one session or file");
  }
  auto picture = RenderMetricPicture(sources.front(), *metric);
  if (!picture) return std::move(picture).error().Within("--svg");
  return picture;
}

Result<ExitCode> RunReport(const CommandContext& context) {
  TRY_VOID(CheckWords(context.arguments));
  TRY(auto options, ReadTableOptions(context.arguments));
  TRY(auto file, PrepareOutput(context));
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  TRY(const auto sources, ReadSources(context, options));
  TRY(const auto text, Render(context, sources));
  std::vector<std::string> names;
  for (const ReportSource& source : sources) names.push_back(source.name);
  const auto written = file.Write(text, names);
  return written ? ExitCode::kPass : OutputFailed(written.error());
}

// The table options are those of `analyze`.
std::vector<OptionInfo> ReportOptionInfos() {
  static constexpr std::array<std::string_view, 6> kNotOfPages = {"parse", "name",      "interval",
                                                                  "stars", "histogram", "label"};
  std::vector<OptionInfo> options = {
      {"output", 'o', "FILE", "write the page to FILE (- for stdout)", kThisCommand},
      {"svg", 0, "METRIC", "write an SVG picture of METRIC instead of a page", kThisCommand}};
  for (const OptionInfo& option : AnalyzeOptions()) {
    const bool shown = option.group == kResult || option.group == kExports;
    const bool other = std::ranges::find(kNotOfPages, option.name) != kNotOfPages.end();
    if (!shown && !other) options.push_back(option);
  }
  return options;
}

}  // namespace

Command ReportCommand() {
  return {
      .name = "report",
      .usage = "[OPTIONS] [ID|FILE]...",
      .summary = "write an HTML report on sessions (default: newest) or tables",
      .words = Words::kOwn,
      .run = RunReport,
      .options = ReportOptionInfos(),
      .description =
          "Writes one HTML page that works without network access or scripts. It shows the "
          "verdict, every comparison with its margin, the runs of both arms, the machine, and how "
          "to repeat the session.\n"
          "An argument with a dot or a slash is a file: JSON from `export --format json`, or a "
          "table for `analyze`, to which the table options below apply. Files need no daemon. "
          "Several arguments become sections of one page.",
      .examples = {{"Write a page about your newest session:", "benchctl report -o report.html"},
                   {"Put two sessions on one page, one of them from a file:",
                    "benchctl report k3x9m2pq other.json -o report.html"},
                   {"Draw a picture for a pull request:",
                    "benchctl report k3x9m2pq --svg wall_time -o wall_time.svg"}}};
}

}  // namespace benchd::client
