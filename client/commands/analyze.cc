#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/link/step_aside.h"
#include "client/present/analysis.h"
#include "client/present/csv.h"
#include "client/present/exports.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/adapter_file.h"
#include "client/request/quantity.h"
#include "client/request/table_file.h"
#include "client/request/table_options.h"
#include "client/session/follow.h"
#include "client/terminal/interrupts.h"
#include "core/analysis/table_analysis.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// Adds the name of the file to errors in the table, which start with a line number.
Error TableError(const Error& error, const std::string& file) {
  Error told = PrintableError(error);
  return told.message.starts_with("line ") ? std::move(told).Within(file) : told;
}

// Returns a hint for a table without a gate. A metric without a direction needs one. A metric with
// a direction must be named, with an absolute margin if its values have no relative change.
std::string HowToGate(const v1::Update& report) {
  const auto& all = report.comparisons();
  const auto unknown = std::ranges::find(all, v1::BETTER_UNSPECIFIED, &v1::Comparison::better);
  if (unknown != all.end()) {
    const std::string option = "--metric " + ShellQuoted(Printable(unknown->metric()));
    return "choose a direction: " + option + ":lower or " + option + ":higher";
  }
  if (all.empty()) return "there is no metric to compare";
  const std::string option = "--metric " + ShellQuoted(Printable(all[0].metric()));
  const bool has_ratio = all[0].has_change();
  return "choose a gate: " + option +
         (has_ratio ? "" : ":+ABS, where ABS is the smallest difference that counts");
}

ExitCode PrintAnalysis(const Analysis& analysis, bool mmtests_stars, bool json,
                       const ResultChoice& choice) {
  if (json) {
    std::cout << AnalysisJson(analysis, Now()) << "\n";
  } else {
    std::cout << RenderAnalysis(analysis, mmtests_stars, choice.detail, choice.StyleOfStdout());
  }
  if (analysis.has_gates) return ExitFor(analysis.verdict);
  std::cout << std::flush;
  std::cerr << "benchctl: no gate, so no verdict: " << HowToGate(analysis.verdict) << "\n";
  return ExitCode::kUndecided;
}

// Exports the analysis as a finished session, without the fields that only a real session has.
Result<void> WriteAnalysis(const ExportFiles& files, const Analysis& analysis,
                           const std::string& csv) {
  v1::Session session;
  session.set_state(v1::SESSION_STATE_DONE);
  *session.mutable_report() = analysis.verdict;
  return files.Write([&](const ExportFormat& format) {
    if (format.name == "csv") return csv;
    if (format.name == "json") return AnalysisJson(analysis, Now()) + "\n";
    return format.render(session, {});
  });
}

Result<void> CheckTableFiles(const std::vector<std::string>& files, bool parse) {
  static constexpr char kUsage[] =
      "write benchctl analyze FILE.csv, or - for stdin; "
      "for results of a harness, write benchctl analyze --parse FORMAT OLD NEW";
  if (files.empty()) return UsageError("analyze: missing file", kUsage);
  for (const std::string& file : files) {
    if (file.empty()) return UsageError("analyze: empty file name", kUsage);
  }
  if (std::ranges::count(files, "-") > 1)
    return UsageError("-: stdin can be read only once", kUsage);
  if (files.size() > 1 && !parse)
    return UsageError(files[1] + ": only one table is allowed", kUsage);
  return {};
}

// Returns the names given with --name; files with the same name belong to one arm. The defaults are
// the names of the files, or their paths if two names are equal. A number is appended to the path
// of a file that is given again.
Result<std::vector<std::string>> ArmNames(const ParsedArguments& arguments,
                                          const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const GivenOption& given : arguments.options) {
    if (given.name != "name") continue;
    if (given.value.empty() || !IsSendableText(given.value)) {
      return UsageError("--name " + given.value + ": not a valid name");
    }
    names.push_back(given.value);
  }
  if (!names.empty() && names.size() != files.size()) {
    return UsageError(
        "--name: " + Counted(names.size(), "name") + " for " + Counted(files.size(), "file"),
        "give one name per file, in order: -n NAME");
  }
  if (!names.empty()) return names;
  for (const std::string& file : files) {
    names.push_back(Utf8Lossy(std::filesystem::path(file).stem().string()));
  }
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return names;
  names.clear();
  std::map<std::string, std::size_t> times;
  for (const std::string& file : files) {
    const std::size_t time = ++times[file];
    names.push_back(time > 1 ? fmt::format("{}-{}", Utf8Lossy(file), time) : Utf8Lossy(file));
  }
  return names;
}

Result<std::vector<HarnessFile>> ReadHarnessFiles(const ParsedArguments& arguments) {
  const std::vector<std::string>& paths = arguments.positionals;
  TRY(auto names, ArmNames(arguments, paths));
  std::vector<HarnessFile> files;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    TRY(auto file, TableFile::Open(paths[i]));
    TRY(auto text, file.ReadAll(kParseBytes));
    files.push_back({file.name(), names[i], std::move(text)});
  }
  return files;
}

// @param csv  receives the values as a table if --export-csv is given
Result<TableReport> AnalyzeHarness(const ParsedArguments& arguments, const std::string& parse,
                                   const benchd::TableOptions& options, std::string* csv) {
  TRY(const ParseChoice choice, ReadParseChoice(parse));
  TRY(auto files, ReadHarnessFiles(arguments));
  auto report = AnalyzeHarnessFiles(choice.format, files, options, choice.adapter);
  if (!report) return PrintableError(report.error());
  if (IsGiven(arguments, "export-csv")) {
    const auto table = ReadHarnessTable(choice.format, files, choice.adapter);
    if (table) *csv = TableToCsv(*table);
  }
  return report;
}

// Returns whether the text is JSON. A table starts with the name of a column instead.
bool IsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

Error NotATable(const std::string& name) {
  return {ErrorCode::kInvalidArgument, name + ": is JSON, not a table of comma-separated values",
          "for results of a harness, write benchctl analyze --parse FORMAT OLD NEW"};
}

Result<TableReport> AnalyzeCsvFile(const std::string& path, const benchd::TableOptions& options) {
  TRY(auto file, TableFile::Open(path));
  bool begun = false;
  const auto read = [&]() -> Result<std::string_view> {
    auto piece = file.Read();
    if (piece && !std::exchange(begun, true) && IsJson(*piece)) return NotATable(file.name());
    return piece;
  };
  auto report = AnalyzeTable(read, options);
  if (!report) return TableError(report.error(), file.name());
  return report;
}

Result<ExitCode> RunAnalyze(const CommandContext& context) {
  TRY(auto options, ReadTableOptions(context.arguments));
  TRY(auto choice, ReadResultChoice(context.arguments));
  const std::string* format = LastValue(context.arguments, "parse");
  const std::vector<std::string>& files = context.arguments.positionals;
  TRY_VOID(CheckTableFiles(files, format != nullptr));
  if (format == nullptr && IsGiven(context.arguments, "name")) {
    return UsageError("--name: a table contains the names of its arms", "use it with --parse");
  }
  if (format == nullptr && IsGiven(context.arguments, "export-csv")) {
    return UsageError("--export-csv: " + files.front() + " is already a table",
                      "use it with --parse");
  }
  TRY(auto exports, ExportFiles::Prepare(context.arguments));
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  std::string csv;
  TRY(TableReport report, format != nullptr
                              ? AnalyzeHarness(context.arguments, *format, options, &csv)
                              : AnalyzeCsvFile(files.front(), options));
  Analysis analysis = AnalysisOf(std::move(report));
  analysis.wrong_shares = WrongSharesOf(options.spec);
  const ExitCode code = PrintAnalysis(analysis, options.mmtests_stars, context.json, choice);
  std::cout << std::flush;
  const auto written = WriteAnalysis(exports, analysis, csv);
  return written ? code : OutputFailed(written.error());
}

}  // namespace

Command AnalyzeCommand() {
  return {
      .name = "analyze",
      .usage = "[OPTIONS] FILE...|-",
      .summary = "analyze exported runs or other measurements",
      .words = Words::kOwn,
      .run = RunAnalyze,
      .options = AnalyzeOptions(),
      .description =
          "Computes the same statistics as `compare` from a table, without a daemon.\n"
          "A table is CSV with a header. The first column names the arm. Every other column is a "
          "metric, except `role`, `benchmark`, `pair`, `order`, `started_at` and `exit_code`. "
          "Rows are analyzed in the order of the file.\n"
          "With --parse, the files are results of a benchmark harness, with the base first. Their "
          "runs were not interleaved, so they are analyzed with a single look.",
      .examples = {
          {"Analyze the runs of a session:", "benchctl export k3x9m2pq | benchctl analyze -"},
          {"Analyze latencies measured elsewhere, where lower is better:",
           "benchctl analyze --base v1 --metric latency:lower latency.csv"},
          {"Compare two results of hyperfine:",
           "benchctl analyze --parse hyperfine old.json new.json"}}};
}

}  // namespace benchd::client
