#include <iostream>

#include "benchd/v1/queue.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/render/json.h"
#include "client/render/pages.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

template <typename Request>
using Change = grpc::Status (v1::QueueService::Stub::*)(grpc::ClientContext*, const Request&,
                                                        v1::QueueStatus*);

template <typename Request>
Outcome<ExitCode> ChangeQueue(const CommandContext& context, std::string_view command,
                              Change<Request> change) {
  auto wanted = NoWords(context, command);
  if (!wanted) return std::move(wanted).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  const auto stub = v1::QueueService::NewStub((*link)->channel());
  auto status = CallDaemon(*stub, change, Request());
  if (!status) return std::move(status).error();
  std::cout << (context.json ? QueueJson(*status, Now()) + "\n" : RenderQueue(*status));
  return ExitCode::kPass;
}

}  // namespace

Outcome<ExitCode> RunPause(const CommandContext& context) {
  return ChangeQueue<v1::PauseRequest>(context, "pause", &v1::QueueService::Stub::Pause);
}

Outcome<ExitCode> RunResume(const CommandContext& context) {
  return ChangeQueue<v1::ResumeRequest>(context, "resume", &v1::QueueService::Stub::Resume);
}

Outcome<ExitCode> RunDrain(const CommandContext& context) {
  return ChangeQueue<v1::DrainRequest>(context, "drain", &v1::QueueService::Stub::Drain);
}

}  // namespace benchd::client
