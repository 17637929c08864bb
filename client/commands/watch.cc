#include <utility>
#include <vector>

#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/commands/commands.h"
#include "client/link/daemon_link.h"
#include "client/session/conclusion.h"
#include "client/session/follow.h"
#include "client/session/session_runs.h"
#include "client/terminal/interrupts.h"

namespace benchd::client {
namespace {

Result<ExitCode> RunWatch(const CommandContext& context) {
  auto choice = ReadResultChoice(context.arguments);
  if (!choice) return std::move(choice).error();
  auto exports = ExportFiles::Prepare(context.arguments);
  if (!exports) return std::move(exports).error();
  Interrupts interrupts;
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // Its whole id, since a prefix may stop being unique, and its limits for the progress bar.
  auto session = NamedSession(**link, context);
  if (!session) return std::move(session).error();
  if (context.json) PrintCommits(*session);
  const Following following{.progress = ProgressOf(context.json, *choice),
                            .on_interrupt = OnInterrupt::kLeave};
  auto followed = FollowSession(**link, *session, following, interrupts);
  if (!followed) return std::move(followed).error();
  return ConcludeWatch(**link, *exports, *followed, context.json, *choice);
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
          .summary = "watch a session (or your newest) to its end",
          .words = Words::kSessionOrNewest,
          .run = RunWatch,
          .options = WatchOptions(),
          .description =
              "Follows a session until it ends and exits as `compare` does. Ctrl-C stops watching; "
              "the session goes on.",
          .examples = {{"Reattach to a session:", "benchctl watch k3x9m2pq"}}};
}

}  // namespace benchd::client
