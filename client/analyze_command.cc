#include <grpcpp/client_context.h>
#include <unistd.h>

#include <iostream>

#include "benchd/v1/analysis.grpc.pb.h"
#include "client/column_option.h"
#include "client/commands.h"
#include "client/follow.h"
#include "client/interrupts.h"
#include "client/quantity.h"
#include "client/render/analysis_json.h"
#include "client/render/analysis_report.h"
#include "client/render/words.h"
#include "client/session_options.h"
#include "client/spec_builder.h"
#include "client/status_error.h"
#include "client/table_file.h"
#include "client/terminal.h"
#include "client/upload.h"

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

Outcome<void> AddReference(const std::string& name, const std::string& origin,
                           v1::AnalyzeOptions* options) {
  if (name.empty()) return UsageError(origin + ": a name is empty", "write --references v1,v2");
  if (!IsSendableText(name)) return UsageError(origin + ": it is not UTF-8");
  options->add_references(name);
  return {};
}

// --base takes a name whole, --references a list.
Outcome<void> AddReferences(const ParsedArguments& arguments, v1::AnalyzeOptions* options) {
  if (IsGiven(arguments, "base") && IsGiven(arguments, "references")) {
    return UsageError("--references: --base says the same already", "give one of the two");
  }
  for (const GivenOption& given : arguments.options) {
    if (given.name != "base" && given.name != "references") continue;
    const std::string origin = "--" + given.name + " " + given.value;
    std::size_t begin = 0;
    std::size_t end = 0;
    do {
      end = given.name == "base" ? std::string::npos : given.value.find(',', begin);
      auto added = AddReference(given.value.substr(begin, end - begin), origin, options);
      if (!added) return added;
      begin = end + 1;
    } while (end != std::string::npos);
  }
  return {};
}

Outcome<void> AddColumns(const ParsedArguments& arguments, v1::AnalyzeOptions* options) {
  for (const GivenOption& given : arguments.options) {
    if (given.name != "column") continue;
    const std::string origin = "--column " + given.value;
    if (!IsSendableText(given.value)) return UsageError(origin + ": it is not UTF-8");
    auto column = ParseColumn(given.value);
    if (!column) return std::move(column).error().Within(origin);
    for (const v1::Column& other : options->columns()) {
      if (other.metric() == column->metric()) {
        return UsageError(origin + ": the column is described already",
                          "write all that is to say in one: NAME:lower,unit=ms");
      }
    }
    *options->add_columns() = *std::move(column);
  }
  return {};
}

Outcome<void> SetShown(const ParsedArguments& arguments, v1::AnalyzeOptions* options) {
  if (const std::string* interval = LastValue(arguments, "interval"); interval != nullptr) {
    if (*interval != "classic") {
      return UsageError("--interval " + *interval + ": unknown value", "write classic");
    }
    options->set_classic_interval(true);
  }
  if (const std::string* stars = LastValue(arguments, "stars"); stars != nullptr) {
    if (*stars != "welch" && *stars != "mmtests") {
      return UsageError("--stars " + *stars + ": unknown value", "write welch or mmtests");
    }
    options->set_summaries(true);
    options->set_mmtests_stars(*stars == "mmtests");
  }
  options->set_histograms(IsGiven(arguments, "histogram"));
  return {};
}

Outcome<v1::AnalyzeOptions> ReadAnalyzeOptions(const ParsedArguments& arguments) {
  v1::AnalyzeOptions options;
  auto spec = BuildTableSpec(CollectSessionOptions(arguments));
  if (!spec) return std::move(spec).error();
  *options.mutable_spec() = *std::move(spec);
  for (Outcome<void> step : {AddReferences(arguments, &options), AddColumns(arguments, &options),
                             SetShown(arguments, &options)}) {
    if (!step) return std::move(step).error();
  }
  return options;
}

// What stands in the table is told by its place, after the name of the file.
ClientError TableError(const grpc::Status& status, const std::string& file) {
  ClientError error = FromStatus(status);
  return error.message.starts_with("line ") ? std::move(error).Within(file) : error;
}

Outcome<v1::AnalyzeResponse> AskAnalysis(DaemonLink& link, const v1::AnalyzeOptions& options,
                                         TableFile& file) {
  grpc::ClientContext context;
  v1::AnalyzeResponse response;
  const auto stub = v1::AnalysisService::NewStub(link.channel());
  const auto writer = stub->Analyze(&context, &response);
  v1::AnalyzeRequest request;
  *request.mutable_options() = options;
  auto status = Upload(std::move(request), file, context, *writer);
  if (!status) return std::move(status).error();
  if (!status->ok()) return TableError(*status, file.name());
  return response;
}

ExitCode PrintAnalysis(const v1::AnalyzeResponse& response, bool mmtests_stars, bool json) {
  if (json) {
    std::cout << AnalysisJson(response, Now()) << "\n";
  } else {
    std::cout << RenderAnalysis(response, mmtests_stars, StyleOf(STDOUT_FILENO));
  }
  if (response.verdict().verdict() != v1::VERDICT_UNSPECIFIED) return ExitFor(response.verdict());
  std::cout << std::flush;
  std::cerr << "benchctl: no metric gates: add --metric NAME:lower or NAME:higher\n";
  return ExitCode::kPass;
}

}  // namespace

Outcome<ExitCode> RunAnalyze(const CommandContext& context) {
  auto path = MeasurementFile(context.arguments);
  if (!path) return std::move(path).error();
  auto options = ReadAnalyzeOptions(context.arguments);
  if (!options) return std::move(options).error();
  auto file = TableFile::Open(*path);
  if (!file) return std::move(file).error();
  const Interrupts interrupts;  // Ctrl-C ends this process, and with it the analysis
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  if (const std::string& running = (*link)->status().running(); !running.empty()) {
    std::cerr << "benchctl: session " << running << " runs: the analysis waits for its end\n";
  }
  auto response = AskAnalysis(**link, *options, *file);
  if (!response) return std::move(response).error();
  return PrintAnalysis(*response, options->mmtests_stars(), context.json);
}

}  // namespace benchd::client
