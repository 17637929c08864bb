#include <iostream>
#include <utility>

#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/present/exports.h"
#include "client/present/markdown_limit.h"
#include "client/present/words.h"
#include "client/session/session_runs.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// --json is a synonym for --format json.
Result<const ExportFormat*> ReadFormat(const CommandContext& context) {
  const std::string* name = LastValue(context.arguments, "format");
  if (name == nullptr) return FindExportFormat(context.json ? "json" : "csv");
  const ExportFormat* const format = FindExportFormat(*name);  // the parser rejects others
  if (format->name != "json" && context.json) {
    return UsageError("--format " + *name + ": conflicts with --json");
  }
  return format;
}

Result<ExitCode> RunExport(const CommandContext& context) {
  TRY(auto format, ReadFormat(context));
  const bool with_warmup = IsGiven(context.arguments, "with-warmup");
  if (with_warmup && !format->of_runs) {
    return UsageError("--with-warmup: " + std::string(format->name) + " does not contain runs",
                      "use it with --format csv or json");
  }
  TRY(auto link, DaemonLink::Open(context.link));
  TRY(auto session, NamedSession(*link, context));
  if (!format->of_runs && !HasEnded(session.state())) return NotEnded(session);
  TRY(auto runs, ReadRunsOf(*link, session, {.measured = format->of_runs, .warmup = with_warmup}));
  const std::string text = format->render(session, runs.measured);
  const auto shorten = format->shorten;
  std::cout << (shorten == nullptr ? text : shorten(text, kCommentBytes));
  return ExitCode::kPass;
}

}  // namespace

Command ExportCommand() {
  return {
      .name = "export",
      .usage = "[OPTIONS] [ID]",
      .summary = "print the runs or result of a session (default: your newest)",
      .words = Words::kSessionOrNewest,
      .run = RunExport,
      .options =
          {{"format", 0, "csv|json|markdown|junit|github|bmf",
            "csv: one row per run (the default); json: spec, result and runs; markdown: a pull "
            "request comment; junit: one test case per gate; github: for github-action-benchmark; "
            "bmf: Bencher Metric Format",
            kThisCommand},
           {"with-warmup", 0, "",
            "include warm-up runs in csv and json; their pair column is empty in csv",
            kThisCommand}},
      .description =
          "Prints the runs or the result of a session to stdout, for `benchctl analyze` and other "
          "tools.",
      .examples = {{"Save the runs of a session:", "benchctl export k3x9m2pq > runs.csv"}}};
}

}  // namespace benchd::client
