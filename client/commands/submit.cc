#include "client/app/command.h"
#include "client/commands/command_options.h"
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
          .summary = "submit a comparison without watching it (compare --detach)",
          .words = Words::kOwn,
          .run = RunSubmit,
          .options = CompareOptions(false),
          .description =
              "Adds a session to the queue, prints its ID and exits without waiting for the "
              "verdict. The options are those of `compare`.",
          .examples = {{"Queue a comparison and label it with the branch:",
                        "benchctl submit --label branch=main ./old ./new"}}};
}

}  // namespace benchd::client
