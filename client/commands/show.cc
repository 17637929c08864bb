#include <iostream>
#include <utility>
#include <vector>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/present/json.h"
#include "client/present/pages.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/session/conclusion.h"
#include "client/session/session_runs.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

Result<ExitCode> RunShow(const CommandContext& context) {
  TRY(auto choice, ReadResultChoice(context.arguments));
  TRY(auto exports, ExportFiles::Prepare(context.arguments));
  TRY(auto link, DaemonLink::Open(context.link));
  TRY(auto session, NamedSession(*link, context, IsGiven(context.arguments, "log")));
  if (!exports.empty() && !HasEnded(session.state())) return NotEnded(session);
  TRY(auto runs,
      ReadRunsOf(*link, session, {.measured = exports.WantsRuns(), .columns = !context.json}));
  if (context.json) {
    std::cout << MessageLine("session", session.session(), session, Now()) << "\n";
  } else {
    const Style style = choice.StyleOfStdout();
    std::cout << RenderSession(session, runs.columns, link->UserNames(), style,
                               choice.detail == Detail::kAll);
  }
  std::cout << std::flush;
  const auto written = WriteExports(exports, session, runs.measured);
  return written ? ExitCode::kPass : OutputFailed(written.error());
}

std::vector<OptionInfo> ShowOptions() {
  std::vector<OptionInfo> options = {
      {"log", 0, "", "include the output of the runs (requires --output log)", kThisCommand},
      {"verbose", 0, "", "include the kernel's command line", kResult},
      kTimeUnit};
  const std::vector<OptionInfo> exports = ExportOptions(true);
  options.insert(options.end(), exports.begin(), exports.end());
  return options;
}

}  // namespace

Command ShowCommand() {
  return {
      .name = "show",
      .usage = "[OPTIONS] [ID]",
      .summary = "show a session (default: your newest) and how to repeat it",
      .words = Words::kSessionOrNewest,
      .run = RunShow,
      .options = ShowOptions(),
      .description =
          "Shows the request, the measurements and the settings of the machine, and the commands "
          "that repeat the session or recompute its numbers.",
      .examples = {{"Show a session together with the output of its runs:",
                    "benchctl show --log k3x9m2pq"}}};
}

}  // namespace benchd::client
