#include <grpcpp/client_context.h>
#include <unistd.h>

#include <iostream>

#include "benchd/v1/analysis.grpc.pb.h"
#include "client/commands.h"
#include "client/interrupts.h"
#include "client/quantity.h"
#include "client/render/similarity.h"
#include "client/render/words.h"
#include "client/status_error.h"
#include "client/table_file.h"
#include "client/terminal.h"
#include "client/upload.h"

namespace benchd::client {
namespace {

Outcome<std::string> RatingsFile(const std::vector<std::string>& words) {
  static constexpr char kUsage[] = "write benchctl agreement FILE.csv, or - for stdin";
  if (words.empty() || words.front().empty()) {
    return UsageError("agreement: no ratings: a file is missing", kUsage);
  }
  if (words.size() > 1) return UsageError(words[1] + ": one table at a time", kUsage);
  return words.front();
}

// Empty where the option is not given.
Outcome<std::string> ColumnName(const ParsedArguments& arguments, const std::string& option) {
  const std::string* name = LastValue(arguments, option);
  if (name == nullptr) return std::string();
  if (name->empty()) return UsageError("--" + option + ": the name of a column is missing");
  if (!IsSendableText(*name)) return UsageError("--" + option + " " + *name + ": it is not UTF-8");
  return *name;
}

Outcome<v1::AgreementOptions> ReadAgreementOptions(const ParsedArguments& arguments) {
  v1::AgreementOptions options;
  auto subjects = ColumnName(arguments, "subjects");
  if (!subjects) return std::move(subjects).error();
  options.set_subjects(*std::move(subjects));
  auto truth = ColumnName(arguments, "truth");
  if (!truth) return std::move(truth).error();
  options.set_truth(*std::move(truth));
  if (const std::string* raters = LastValue(arguments, "raters"); raters != nullptr) {
    std::size_t begin = 0;
    std::size_t end = 0;
    do {
      end = raters->find(',', begin);
      const std::string name = raters->substr(begin, end - begin);
      if (name.empty()) {
        return UsageError("--raters " + *raters + ": a name is empty", "write --raters anna,ben");
      }
      if (!IsSendableText(name)) return UsageError("--raters " + *raters + ": it is not UTF-8");
      options.add_raters(name);
      begin = end + 1;
    } while (end != std::string::npos);
  }
  return options;
}

Outcome<v1::AgreementResponse> AskAgreement(DaemonLink& link, const v1::AgreementOptions& options,
                                            TableFile& file) {
  grpc::ClientContext context;
  v1::AgreementResponse response;
  const auto stub = v1::AnalysisService::NewStub(link.channel());
  const auto writer = stub->Agreement(&context, &response);
  v1::AgreementRequest request;
  *request.mutable_options() = options;
  auto status = Upload(std::move(request), file, context, *writer);
  if (!status) return std::move(status).error();
  if (!status->ok()) return FromStatus(*status).Within(file.name());
  return response;
}

}  // namespace

Outcome<ExitCode> RunAgreement(const CommandContext& context) {
  auto path = RatingsFile(context.arguments.positionals);
  if (!path) return std::move(path).error();
  auto options = ReadAgreementOptions(context.arguments);
  if (!options) return std::move(options).error();
  auto file = TableFile::Open(*path);
  if (!file) return std::move(file).error();
  const Interrupts interrupts;  // Ctrl-C ends this process
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  if (const std::string& running = (*link)->status().running(); !running.empty()) {
    std::cerr << "benchctl: session " << running << " runs: the answer waits for its end\n";
  }
  auto response = AskAgreement(**link, *options, *file);
  if (!response) return std::move(response).error();
  if (context.json) {
    std::cout << AgreementJson(*response, Now()) << "\n";
  } else {
    std::cout << RenderAgreement(*response, StyleOf(STDOUT_FILENO));
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
