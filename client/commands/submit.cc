#include "client/commands/command_options.h"
#include "client/commands/commands.h"
#include "client/commands/compare.h"

namespace benchd::client {
namespace {

Result<ExitCode> RunSubmit(const CommandContext& context) {
  return SubmitAnd(context, /*detach=*/true);
}

}  // namespace

Command SubmitCommand() {
  return {.name = "submit",
          .usage = "[OPTIONS] BASE CANDIDATE...",
          .summary = "the same without watching: compare --detach",
          .words = Words::kOwn,
          .run = RunSubmit,
          .options = CompareOptions(false),
          .description =
              "Puts a session into the queue, prints its ID and exits without waiting for the "
              "verdict. It takes the options of `compare`.",
          .examples = {{"Compare later what is built now, and say what it was:",
                        "benchctl submit --label branch=main ./old ./new"}}};
}

}  // namespace benchd::client
