#include <grpcpp/client_context.h>

#include <iostream>
#include <utility>

#include "benchd/v1/queue.grpc.pb.h"
#include "client/app/command.h"
#include "client/commands/admins.h"
#include "client/link/daemon_link.h"
#include "client/present/json.h"
#include "client/present/pages.h"
#include "client/present/words.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

template <typename Request>
using Change = grpc::Status (v1::QueueService::Stub::*)(grpc::ClientContext*, const Request&,
                                                        v1::QueueStatus*);

template <typename Request>
Result<ExitCode> ChangeQueue(const CommandContext& context, Change<Request> change) {
  TRY(auto status, CallDaemon(context.link, change, Request()));
  std::cout << (context.json ? MessageLine("queue", "", status, Now()) + "\n"
                             : RenderQueue(status));
  return ExitCode::kPass;
}

Result<ExitCode> RunPause(const CommandContext& context) {
  return ChangeQueue<v1::PauseRequest>(context, &v1::QueueService::Stub::Pause);
}

Result<ExitCode> RunResume(const CommandContext& context) {
  return ChangeQueue<v1::ResumeRequest>(context, &v1::QueueService::Stub::Resume);
}

Result<ExitCode> RunDrain(const CommandContext& context) {
  return ChangeQueue<v1::DrainRequest>(context, &v1::QueueService::Stub::Drain);
}

}  // namespace

Command QueuePauseCommand() {
  return {.name = "pause",
          .usage = "[OPTIONS]",
          .summary = "pause the queue after the running session (admins only)",
          .run = RunPause,
          .description = kAdmins,
          .examples = {{"Keep the machine free after the current session:", "benchctl pause"}}};
}

Command QueueResumeCommand() {
  return {.name = "resume",
          .usage = "[OPTIONS]",
          .summary = "undo pause and drain (admins only)",
          .run = RunResume,
          .description = kAdmins,
          .examples = {{"Resume the queue:", "benchctl resume"}}};
}

Command QueueDrainCommand() {
  return {.name = "drain",
          .usage = "[OPTIONS]",
          .summary = "pause the queue and refuse new sessions (admins only)",
          .run = RunDrain,
          .description = kAdmins,
          .examples = {{"Empty the queue before maintenance:", "benchctl drain"}}};
}

}  // namespace benchd::client
