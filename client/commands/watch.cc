#include <utility>
#include <vector>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/session/conclusion.h"
#include "client/session/follow.h"
#include "client/session/session_runs.h"
#include "client/terminal/interrupts.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

Result<ExitCode> RunWatch(const CommandContext& context) {
  TRY(auto choice, ReadResultChoice(context.arguments));
  TRY(auto exports, ExportFiles::Prepare(context.arguments));
  Interrupts interrupts;
  TRY(auto link, DaemonLink::Open(context.link));
  // Reads the full ID, because a prefix may become ambiguous, and the limits for the progress bar.
  TRY(auto session, NamedSession(*link, context));
  if (context.json) PrintCommits(session);
  const Following following{.progress = ProgressOf(context.json, choice),
                            .on_interrupt = OnInterrupt::kLeave};
  TRY(auto followed, FollowSession(*link, session, following, interrupts));
  return ConcludeWatch(*link, exports, followed, context.json, choice);
}

std::vector<OptionInfo> WatchOptions() {
  std::vector<OptionInfo> options = ResultOptions();
  const std::vector<OptionInfo> exports = ExportOptions(true);
  options.insert(options.end(), exports.begin(), exports.end());
  return options;
}

}  // namespace

Command WatchCommand() {
  return {.name = "watch",
          .usage = "[OPTIONS] [ID]",
          .summary = "watch a session (default: your newest) until it ends",
          .words = Words::kSessionOrNewest,
          .run = RunWatch,
          .options = WatchOptions(),
          .description =
              "Follows a session until it ends and exits as `compare` does. Ctrl-C stops watching, "
              "but the session continues.",
          .examples = {{"Reattach to a session:", "benchctl watch k3x9m2pq"}}};
}

}  // namespace benchd::client
