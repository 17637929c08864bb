#include "client/app/command.h"
#include "client/app/dispatch.h"

namespace benchd::client {
namespace {

Result<ExitCode> RunHelp(const CommandContext& context) {
  return PrintHelpOf(context.arguments.positionals);
}

}  // namespace

Command HelpCommand() {
  return {.name = "help",
          .usage = "[COMMAND]",
          .summary = "show the help of benchctl or of a command",
          .words = Words::kOwn,
          .run = RunHelp,
          .description = "`benchctl COMMAND --help` shows the same text.",
          .examples = {{"Show the options of a command:", "benchctl help compare"},
                       {"Show the commands of a group:", "benchctl help machine"}}};
}

}  // namespace benchd::client
