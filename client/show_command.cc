#include <unistd.h>

#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/render/json.h"
#include "client/render/pages.h"
#include "client/render/words.h"
#include "client/terminal.h"
#include "client/users.h"

namespace benchd::client {

Outcome<ExitCode> RunShow(const CommandContext& context) {
  auto id = OneSession(context, "show");
  if (!id) return std::move(id).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  v1::GetSessionRequest request;
  request.set_session(*id);
  request.set_with_log(IsGiven(context.arguments, "log"));
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  auto session = CallDaemon(*stub, &v1::SessionService::Stub::Get, request);
  if (!session) return std::move(session).error();
  if (context.json) {
    std::cout << SessionJson(*session, Now()) << "\n";
  } else {
    std::cout << RenderSession(*session, UserName, StyleOf(STDOUT_FILENO));
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
