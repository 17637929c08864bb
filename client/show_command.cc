#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/parsed_metrics.h"
#include "client/render/json.h"
#include "client/render/pages.h"
#include "client/render/words.h"
#include "client/terminal.h"
#include "client/users.h"

namespace benchd::client {
namespace {

// Only a harness' metrics need to be described, and only in a session that has ended do they stay
// as they are.
Outcome<std::vector<TableColumn>> ReadColumns(v1::SessionService::Stub& stub,
                                              const v1::Session& session) {
  const bool parses = std::ranges::any_of(session.spec().benchmarks(), [](const auto& benchmark) {
    return !benchmark.parse().empty();
  });
  ParsedMetrics metrics;
  if (!parses || !session.has_ended_at()) return metrics.columns();
  v1::ListSamplesRequest request;
  request.set_session(session.session());
  request.set_with_warmup(true);
  request.set_with_metrics(true);
  grpc::ClientContext context;
  const auto reader = stub.ListSamples(&context, request);
  for (v1::ListSamplesResponse chunk; reader->Read(&chunk);) {
    for (const v1::Run& run : chunk.runs()) metrics.Learn(run);
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return FromStatus(status);
  return metrics.columns();
}

}  // namespace

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
    return ExitCode::kPass;
  }
  auto columns = ReadColumns(*stub, *session);
  if (!columns) return std::move(columns).error();
  std::cout << RenderSession(*session, *columns, UserName, StyleOf(STDOUT_FILENO));
  return ExitCode::kPass;
}

}  // namespace benchd::client
