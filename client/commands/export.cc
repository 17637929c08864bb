#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/present/exports.h"
#include "client/present/markdown_limit.h"
#include "client/present/words.h"
#include "client/session/session_runs.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr std::string_view kDefaultFormat = "csv";

std::string FormatHelp() {
  return Join(ExportFormats(), "; ", [](const ExportFormat& format) {
    return std::string(format.name) + ": " + std::string(format.summary) +
           (format.name == kDefaultFormat ? " (the default)" : "");
  });
}

std::vector<std::string_view> FormatsOfRuns() {
  std::vector<std::string_view> names;
  for (const ExportFormat& format : ExportFormats()) {
    if (format.of_runs) names.push_back(format.name);
  }
  return names;
}

// --json is a synonym for --format json.
Result<const ExportFormat*> ReadFormat(const CommandContext& context) {
  const std::string* name = LastValue(context.arguments, "format");
  if (name == nullptr) return FindExportFormat(context.json ? "json" : kDefaultFormat);
  const ExportFormat* const format = FindExportFormat(*name);  // the parser rejects others
  if (format->name != "json" && context.json) {
    return UsageError("--format " + *name + ": conflicts with --json");
  }
  return format;
}

Result<void> CheckSampled(const v1::Session& session) {
  if (session.spec().has_profile()) return {};
  return UsageError("export: session " + session.session() + " was not sampled: it has no stacks",
                    "sample its arms: benchctl explain " + session.session());
}

Result<ExitCode> RunExport(const CommandContext& context) {
  TRY(auto format, ReadFormat(context));
  const bool with_warmup = IsGiven(context.arguments, "with-warmup");
  if (with_warmup && !format->of_runs) {
    return UsageError("--with-warmup: " + std::string(format->name) + " does not contain runs",
                      "use it with --format " + JoinWithOr(FormatsOfRuns()));
  }
  TRY(auto link, DaemonLink::Open(context.link));
  TRY(auto session, NamedSession(*link, context));
  if (!format->of_runs && !HasEnded(session.state())) return NotEnded(session);
  if (format->of_stacks) {
    TRY_VOID(CheckSampled(session));
  }
  TRY(auto runs, ReadRunsOf(*link, session,
                            {.measured = format->of_runs || format->of_stacks,
                             .warmup = with_warmup,
                             .stacks = format->of_stacks}));
  const std::string text = format->render(session, runs.measured);
  const auto shorten = format->shorten;
  std::cout << (shorten == nullptr ? text : shorten(text, kCommentBytes));
  return ExitCode::kPass;
}

}  // namespace

Command ExportCommand() {
  // The options have views of these texts.
  static const std::string kNames = Join(ExportFormats(), "|", &ExportFormat::name);
  static const std::string kHelp = FormatHelp();
  static const std::string kWarmupHelp = "include warm-up runs in " +
                                         Join(FormatsOfRuns(), ", ", std::identity(), " and ") +
                                         "; their pair column is empty in csv";
  return {
      .name = "export",
      .usage = "[OPTIONS] [ID]",
      .summary = "print the runs or result of a session (default: your newest)",
      .words = Words::kSessionOrNewest,
      .run = RunExport,
      .options = {{"format", 0, kNames, kHelp, kThisCommand},
                  {"with-warmup", 0, "", kWarmupHelp, kThisCommand}},
      .description =
          "Prints the runs or the result of a session to stdout, for `benchctl analyze` and other "
          "tools.",
      .examples = {{"Save the runs of a session:", "benchctl export k3x9m2pq > runs.csv"}}};
}

}  // namespace benchd::client
