#include <iostream>

#include "client/caller_context.h"
#include "client/commands.h"
#include "client/display.h"
#include "client/follow.h"
#include "client/git/git_arms.h"
#include "client/interrupts.h"
#include "client/render/json.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "client/spec_file.h"
#include "client/submission.h"

namespace benchd::client {
namespace {

Outcome<SpecInput> ReadInput(const ParsedArguments& arguments, const std::string& cwd) {
  const std::string* file = LastValue(arguments, "file");
  if (file == nullptr) return InputFromCommandLine(arguments);
  if (!arguments.positionals.empty() || IsGiven(arguments, "name") ||
      IsGiven(arguments, "reference")) {
    return UsageError(
        "--file " + *file + ": the commands come from the file or from the command line, not both",
        "leave out the commands, --name and --reference");
  }
  auto input = ReadSpecFile(*file, cwd);
  if (input) input->options = Overlay(std::move(input->options), CollectSessionOptions(arguments));
  return input;
}

Outcome<v1::SessionSpec> ReadCompareSpec(const ParsedArguments& arguments, bool silent) {
  auto caller = CaptureCaller();
  if (!caller) return std::move(caller).error();
  auto input = ReadInput(arguments, caller->context.cwd);
  if (!input) return std::move(input).error();
  auto commits = WantsCommits(*input);
  if (!commits) return std::move(commits).error();
  if (*commits) {
    auto filled = FillInCommits(&*input, &caller->context, silent);
    if (!filled) return std::move(filled).error();
  }
  return BuildCallersSpec(*input, *caller);
}

void PrintSubmitted(const v1::SubmitResponse& response, const v1::SessionSpec& arms, bool json) {
  if (json) {
    std::cout << SubmittedJson(response, arms, Now()) << "\n";
    return;
  }
  std::cout << response.session() << "\n";
  std::cerr << "benchctl: session " << response.session();
  if (response.position() > 0) std::cerr << ", place " << response.position();
  if (response.has_eta_seconds())
    std::cerr << ", starts in about " << FormatRough(response.eta_seconds());
  std::cerr << "; watch it: benchctl watch " << response.session() << "\n";
}

// The arms alone: their names and commits belong to what is told, and nothing else of the spec.
v1::SessionSpec ArmsOf(const v1::SessionSpec& spec) {
  v1::SessionSpec arms;
  *arms.mutable_benchmarks() = spec.benchmarks();
  return arms;
}

Outcome<ExitCode> SubmitAnd(const CommandContext& context, bool detach) {
  const bool bisect = IsGiven(context.arguments, "bisect");
  if (bisect && detach) {
    return UsageError("--bisect: with --detach nobody waits for the verdict",
                      "leave one of the two out");
  }
  auto spec = ReadCompareSpec(context.arguments, context.json);
  if (!spec) return std::move(spec).error();
  const v1::Limits limits = spec->limits();
  const v1::SessionSpec arms = ArmsOf(*spec);
  Interrupts interrupts(bisect ? ExitCode::kBisectStop : ExitCode::kInterrupted);
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // An interrupt from here on waits for the answer: then there is a session to cancel.
  interrupts.React({[] {}, {}});
  auto submitted = SubmitSession(**link, *std::move(spec));
  if (!submitted) return std::move(submitted).error();
  // One that has failed already is followed in any case: its end is told at once.
  if (detach && !submitted->failed()) {
    PrintSubmitted(*submitted, arms, context.json);
    return ExitCode::kPass;
  }
  if ((*link)->status().has_reserved_by()) {
    std::cerr << "benchctl: " << WhoHasTheMachine((*link)->status()) << ": the session waits\n";
  }
  if (context.json) PrintCommits(submitted->session(), arms);
  const auto display = MakeDisplay(ChooseDisplay(context.json), submitted->session(), limits);
  auto followed =
      FollowSession(**link, submitted->session(), *display, interrupts, OnInterrupt::kCancel);
  if (!followed) return std::move(followed).error();
  *followed->session.mutable_spec() = arms;
  return ReportEnd(*followed, context.json);
}

}  // namespace

Outcome<ExitCode> RunCompare(const CommandContext& context) {
  return SubmitAnd(context, IsGiven(context.arguments, "detach"));
}

Outcome<ExitCode> RunSubmit(const CommandContext& context) {
  return SubmitAnd(context, /*detach=*/true);
}

}  // namespace benchd::client
