#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/arguments.h"
#include "client/commands/command_options.h"
#include "client/present/text.h"
#include "client/request/quantity.h"
#include "client/request/spec_input.h"
#include "client/request/table_options.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sections.h"

namespace benchd::fuzz {
namespace {

void CheckUsageError(const Error& error) {
  // Checks the message that benchctl prints.
  CheckMessage(client::OneLine(error.message));
  FUZZ_CHECK(client::ExitFor(error) == client::ExitCode::kUsage);
}

/// The wire format can carry the submission, and each benchmark has something to compare.
void CheckSubmittedSpec(const v1::SessionSpec& spec) {
  FUZZ_CHECK(spec.benchmarks_size() > 0);
  for (const auto& benchmark : spec.benchmarks()) {
    FUZZ_CHECK(benchmark.arms_size() > 1);
    for (const auto& arm : benchmark.arms()) {
      FUZZ_CHECK(!arm.name().empty() && !arm.command().empty() && arm.cwd().starts_with('/'));
      FUZZ_CHECK(client::IsSendableText(arm.name()) && client::IsSendableText(arm.command()));
    }
  }
  std::string sent;
  FUZZ_CHECK(spec.SerializeToString(&sent));
  v1::SessionSpec received;
  FUZZ_CHECK(received.ParseFromString(sent));  // rejects strings that are not UTF-8
}

/// Runs `compare` up to the point where it needs a daemon.
void CheckCompare(const client::ParsedArguments& arguments) {
  const auto input = client::InputFromCommandLine(arguments);
  if (!input) return CheckUsageError(input.error());
  const auto spec = client::BuildSpec(*input, {"/cwd", {{"PATH", "/bin"}}});
  if (!spec) return CheckUsageError(spec.error());
  CheckSubmittedSpec(*spec);
}

/// Runs `analyze` up to the same point.
void CheckAnalyze(const client::ParsedArguments& arguments) {
  const auto options = client::ReadTableOptions(arguments);
  if (!options) CheckUsageError(options.error());
}

std::optional<client::ParsedArguments> Parsed(const std::vector<std::string>& words,
                                              std::vector<client::OptionInfo> options) {
  const auto arguments = client::ParseArguments(words, client::WithEveryOption(std::move(options)));
  if (arguments) return *arguments;
  CheckUsageError(arguments.error());
  return std::nullopt;
}

}  // namespace

void FuzzClientWords(std::string_view input) {
  const std::vector<std::string> words = WordsOf(input);
  if (const auto compare = Parsed(words, client::CompareOptions(true))) CheckCompare(*compare);
  if (const auto analyze = Parsed(words, client::AnalyzeOptions())) CheckAnalyze(*analyze);
  Parsed(words, client::SimilarityOptions());
  Parsed(words, client::CalibrateOptions());
  Parsed(words, client::WorktreeOptions());
}

}  // namespace benchd::fuzz
