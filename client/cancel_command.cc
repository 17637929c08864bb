#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/render/json.h"
#include "client/render/words.h"

namespace benchd::client {

Outcome<ExitCode> RunCancel(const CommandContext& context) {
  auto id = OneSession(context, "cancel");
  if (!id) return std::move(id).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  v1::CancelRequest request;
  request.set_session(*id);
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  auto response = CallDaemon(*stub, &v1::SessionService::Stub::Cancel, request);
  if (!response) return std::move(response).error();
  if (context.json) {
    std::cout << CancelJson(*id, response->state(), Now()) << "\n";
  } else if (response->state() == v1::SESSION_STATE_CANCELLED) {
    std::cout << *id << ": cancelled\n";
  } else if (response->state() == v1::SESSION_STATE_DONE ||
             response->state() == v1::SESSION_STATE_FAILED) {
    std::cout << *id << ": it had ended already: " << Word(response->state()) << "\n";
  } else {
    std::cout << *id << ": will be cancelled once its cleanup has run\n";
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
