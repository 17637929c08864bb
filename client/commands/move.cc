#include <iostream>
#include <utility>

#include "benchd/v1/session.grpc.pb.h"
#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/present/json.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

Result<v1::MoveRequest> ReadMoveRequest(const CommandContext& context) {
  const std::string* word = LastValue(context.arguments, "priority");
  if (word == nullptr) {
    return UsageError("move: missing --priority",
                      "write benchctl move " + context.word + " --priority N");
  }
  auto priority = ParseInteger(*word);
  if (!priority) return std::move(priority).error().Within("--priority " + *word);
  v1::MoveRequest request;
  request.set_session(context.word);
  request.set_priority(*priority);
  return request;
}

Result<ExitCode> RunMove(const CommandContext& context) {
  TRY(auto request, ReadMoveRequest(context));
  TRY(auto response, CallDaemon(context.link, &v1::SessionService::Stub::Move, request));
  if (context.json) {
    std::cout << MoveJson(request, response, Now()) << "\n";
  } else {
    std::cout << response.session() << ": priority " << request.priority() << ", place "
              << response.position() << "\n";
  }
  return ExitCode::kPass;
}

}  // namespace

Command MoveCommand() {
  return {
      .name = "move",
      .usage = "ID --priority N [OPTIONS]",
      .summary = "change the priority of a queued session",
      .words = Words::kSession,
      .run = RunMove,
      .options = {{"priority", 0, "N", "new priority; only admins may raise it", kThisCommand}},
      .description =
          "Sets the priority of a queued session. Sessions with a higher priority run first. "
          "You may lower the priority of your own sessions; admins may change any.",
      .examples = {{"Let all other sessions run first:", "benchctl move k3x9m2pq --priority -1"}}};
}

}  // namespace benchd::client
