#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/display.h"
#include "client/follow.h"
#include "client/interrupts.h"

namespace benchd::client {

Outcome<ExitCode> RunWatch(const CommandContext& context) {
  auto id = OneSession(context, "watch");
  if (!id) return std::move(id).error();
  Interrupts interrupts;
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // Its whole id, since a prefix may stop being unique, and its limits for the progress bar.
  v1::GetSessionRequest request;
  request.set_session(*id);
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  auto session = CallDaemon(*stub, &v1::SessionService::Stub::Get, request);
  if (!session) return std::move(session).error();
  if (context.json) PrintCommits(session->session(), session->spec());
  const auto display =
      MakeDisplay(ChooseDisplay(context.json), session->session(), session->spec().limits());
  auto followed =
      FollowSession(**link, session->session(), *display, interrupts, OnInterrupt::kLeave);
  if (!followed) return std::move(followed).error();
  *followed->session.mutable_spec() = session->spec();
  return ReportEnd(*followed, context.json);
}

}  // namespace benchd::client
