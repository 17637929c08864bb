#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/quantity.h"
#include "client/render/json.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

Outcome<v1::MoveRequest> ReadMoveRequest(const CommandContext& context) {
  auto id = OneSession(context, "move");
  if (!id) return std::move(id).error();
  const std::string* word = LastValue(context.arguments, "priority");
  if (word == nullptr) {
    return UsageError("move: no priority: --priority is missing",
                      "write benchctl move " + *id + " --priority N");
  }
  auto priority = ParseInteger(*word);
  if (!priority) return std::move(priority).error().Within("--priority " + *word);
  v1::MoveRequest request;
  request.set_session(*id);
  request.set_priority(*priority);
  return request;
}

}  // namespace

Outcome<ExitCode> RunMove(const CommandContext& context) {
  auto request = ReadMoveRequest(context);
  if (!request) return std::move(request).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  auto response = CallDaemon(*stub, &v1::SessionService::Stub::Move, *request);
  if (!response) return std::move(response).error();
  if (context.json) {
    std::cout << MoveJson(*request, *response, Now()) << "\n";
  } else {
    std::cout << request->session() << ": priority " << request->priority() << ", place "
              << response->position() << "\n";
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
