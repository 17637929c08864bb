#include <unistd.h>

#include <iostream>

#include "client/commands.h"
#include "client/core_error.h"
#include "client/follow.h"
#include "client/interrupts.h"
#include "client/render/analysis_json.h"
#include "client/render/analysis_report.h"
#include "client/render/words.h"
#include "client/step_aside.h"
#include "client/table_file.h"
#include "client/table_options.h"
#include "client/terminal.h"
#include "core/analysis/table_analysis.h"

namespace benchd::client {
namespace {

Outcome<std::string> MeasurementFile(const ParsedArguments& arguments) {
  const std::vector<std::string>& words = arguments.positionals;
  static constexpr char kUsage[] = "write benchctl analyze FILE.csv, or - for stdin";
  if (words.empty() || words.front().empty()) {
    return UsageError("analyze: no table: a file is missing", kUsage);
  }
  if (words.size() > 1) return UsageError(words[1] + ": one table at a time", kUsage);
  return words.front();
}

// What stands in the table is told by its place, after the name of the file.
ClientError TableError(const Error& error, const std::string& file) {
  ClientError told = FromError(error);
  return told.message.starts_with("line ") ? std::move(told).Within(file) : told;
}

ExitCode PrintAnalysis(const Analysis& analysis, bool mmtests_stars, bool json) {
  if (json) {
    std::cout << AnalysisJson(analysis, Now()) << "\n";
  } else {
    std::cout << RenderAnalysis(analysis, mmtests_stars, StyleOf(STDOUT_FILENO));
  }
  if (analysis.verdict.verdict() != v1::VERDICT_UNSPECIFIED) return ExitFor(analysis.verdict);
  std::cout << std::flush;
  std::cerr << "benchctl: no metric gates: add --metric NAME:lower or NAME:higher\n";
  return ExitCode::kPass;
}

}  // namespace

Outcome<ExitCode> RunAnalyze(const CommandContext& context) {
  auto path = MeasurementFile(context.arguments);
  if (!path) return std::move(path).error();
  auto options = ReadTableOptions(context.arguments);
  if (!options) return std::move(options).error();
  auto file = TableFile::Open(*path);
  if (!file) return std::move(file).error();
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  Result<TableReport> report = AnalyzeTable(*file, *options);
  if (!report) return TableError(report.error(), file->name());
  return PrintAnalysis(AnalysisOf(std::move(report).value()), options->mmtests_stars, context.json);
}

}  // namespace benchd::client
