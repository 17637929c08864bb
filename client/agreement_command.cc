#include <unistd.h>

#include <iostream>
#include <utility>

#include "client/commands.h"
#include "client/core_error.h"
#include "client/interrupts.h"
#include "client/quantity.h"
#include "client/render/similarity.h"
#include "client/render/words.h"
#include "client/step_aside.h"
#include "client/table_file.h"
#include "client/terminal.h"
#include "core/analysis/agreement_analysis.h"

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

Outcome<AgreementRequest> ReadAgreementOptions(const ParsedArguments& arguments) {
  AgreementRequest request;
  auto subjects = ColumnName(arguments, "subjects");
  if (!subjects) return std::move(subjects).error();
  request.subjects = *std::move(subjects);
  auto truth = ColumnName(arguments, "truth");
  if (!truth) return std::move(truth).error();
  request.truth = *std::move(truth);
  if (const std::string* raters = LastValue(arguments, "raters"); raters != nullptr) {
    for (std::string& name : SplitNames(*raters)) {
      if (name.empty()) {
        return UsageError("--raters " + *raters + ": a name is empty", "write --raters anna,ben");
      }
      if (!IsSendableText(name)) return UsageError("--raters " + *raters + ": it is not UTF-8");
      request.raters.push_back(std::move(name));
    }
  }
  return request;
}

}  // namespace

Outcome<ExitCode> RunAgreement(const CommandContext& context) {
  auto path = RatingsFile(context.arguments.positionals);
  if (!path) return std::move(path).error();
  auto request = ReadAgreementOptions(context.arguments);
  if (!request) return std::move(request).error();
  auto file = TableFile::Open(*path);
  if (!file) return std::move(file).error();
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  auto ratings = file->ReadAll();
  if (!ratings) return std::move(ratings).error();
  const Result<AgreementReport> report = AnalyzeAgreement(*ratings, *request);
  if (!report) return FromError(report.error()).Within(file->name());
  if (context.json) {
    std::cout << AgreementJson(*report, request->truth, Now()) << "\n";
  } else {
    std::cout << RenderAgreement(*report, request->truth, StyleOf(STDOUT_FILENO));
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
