#include <unistd.h>

#include <iostream>
#include <utility>

#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/link/step_aside.h"
#include "client/present/similarity.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/table_file.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/analysis/similarity_analysis.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// Returns an empty name if the option was not given.
Result<std::string> ColumnName(const ParsedArguments& arguments, const std::string& option) {
  const std::string* name = LastValue(arguments, option);
  if (name == nullptr) return std::string();
  if (name->empty()) return UsageError("--" + option + ": missing column name");
  if (!IsSendableText(*name)) return UsageError("--" + option + " " + *name + ": not valid UTF-8");
  return *name;
}

Result<AgreementRequest> ReadAgreementOptions(const ParsedArguments& arguments) {
  AgreementRequest request;
  TRY(auto subjects, ColumnName(arguments, "subjects"));
  request.subjects = std::move(subjects);
  TRY(auto truth, ColumnName(arguments, "truth"));
  request.truth = std::move(truth);
  if (const std::string* raters = LastValue(arguments, "raters"); raters != nullptr) {
    for (std::string& name : SplitNames(*raters)) {
      if (name.empty()) {
        return UsageError("--raters " + *raters + ": empty name", "write --raters anna,ben");
      }
      if (!IsSendableText(name)) return UsageError("--raters " + *raters + ": not valid UTF-8");
      request.raters.push_back(std::move(name));
    }
  }
  return request;
}

Result<ExitCode> RunAgreement(const CommandContext& context) {
  TRY(auto request, ReadAgreementOptions(context.arguments));
  TRY(auto file, TableFile::Open(context.word));
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  TRY(auto ratings, file.ReadAll());
  const Result<AgreementReport> report = AnalyzeAgreement(ratings, request);
  if (!report) return PrintableError(report.error()).Within(file.name());
  if (context.json) {
    std::cout << AgreementJson(*report, request.truth, Now()) << "\n";
  } else {
    std::cout << RenderAgreement(*report, request.truth, StyleOf(STDOUT_FILENO));
  }
  return ExitCode::kPass;
}

}  // namespace

Command AgreementCommand() {
  return {
      .name = "agreement",
      .usage = "[OPTIONS] FILE.csv|-",
      .summary = "measure how well raters agree (Fleiss' kappa)",
      .words = Words::kFile,
      .run = RunAgreement,
      .options = {{"subjects", 0, "COLUMN", "column that names the subjects (default: none)",
                   kThisCommand},
                  {"truth", 0, "COLUMN", "compare every other column with this one", kThisCommand},
                  {"raters", 0, "A,B,...",
                   "columns of the raters (default: all but the subjects' column)", kThisCommand}},
      .description =
          "Reads CSV with a header, one row per subject and one column per rater. A rating may be "
          "any word, such as similar or dissimilar.",
      .examples = {{"How well do two methods agree with the reviewers?",
                    "benchctl agreement --subjects name --truth reviewers ratings.csv"}}};
}

}  // namespace benchd::client
