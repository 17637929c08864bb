#include <unistd.h>

#include <iostream>

#include "benchd/v1/machine.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/interrupts.h"
#include "client/render/json.h"
#include "client/render/machine.h"
#include "client/render/words.h"
#include "client/submission.h"
#include "client/terminal.h"

namespace benchd::client {
namespace {

template <typename Request, typename Response>
using Method = grpc::Status (v1::MachineService::Stub::*)(grpc::ClientContext*, const Request&,
                                                          Response*);

/// Asks the daemon; says who has to be waited for, unless it answers at once in any case.
template <typename Request, typename Response>
Result<Response> CallMachine(const CommandContext& context, Method<Request, Response> method,
                             const Request& request, bool waits) {
  const Interrupts interrupts;  // Ctrl-C ends this process, and with it the wish
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // During a reservation nothing is measured, so nobody has to wait.
  if (const std::string& running = (*link)->status().running(); waits && !running.empty()) {
    std::cerr << "benchctl: " << WhoHasTheMachine(**link) << ": this waits for its end\n";
  }
  return CallDaemon(**link, method, request, waits ? kQueueTimeout : kCallTimeout);
}

ExitCode PrintMachine(const v1::MachineStatus& status, bool json) {
  std::cout << (json ? MessageLine("machine", status.session(), status, Now()) + "\n"
                     : RenderMachine(status, StyleOf(STDOUT_FILENO)));
  return ExitCode::kPass;
}

}  // namespace

Result<ExitCode> RunMachineStatus(const CommandContext& context) {
  v1::GetMachineRequest request;
  request.set_profile(context.word);
  auto status = CallMachine(context, &v1::MachineService::Stub::Get, request, /*waits=*/false);
  if (!status) return std::move(status).error();
  return PrintMachine(*status, context.json);
}

Result<ExitCode> RunMachineDoctor(const CommandContext& context) {
  auto response =
      CallMachine(context, &v1::MachineService::Stub::Doctor, v1::DoctorRequest(), /*waits=*/true);
  if (!response) return std::move(response).error();
  std::cout << (context.json ? MessageLine("doctor", "", *response, Now()) + "\n"
                             : RenderDoctor(*response, StyleOf(STDOUT_FILENO)));
  return ExitCode::kPass;
}

Result<ExitCode> RunMachineApply(const CommandContext& context) {
  v1::ApplyRequest request;
  request.set_profile(context.word);
  auto status = CallMachine(context, &v1::MachineService::Stub::Apply, request, /*waits=*/true);
  if (!status) return std::move(status).error();
  return PrintMachine(*status, context.json);
}

Result<ExitCode> RunMachineRestore(const CommandContext& context) {
  auto status = CallMachine(context, &v1::MachineService::Stub::Restore, v1::RestoreRequest(),
                            /*waits=*/true);
  if (!status) return std::move(status).error();
  return PrintMachine(*status, context.json);
}

// Asking for a version starts no daemon; that none runs is an answer, unless one was named.
Result<ExitCode> RunVersion(const CommandContext& context) {
  LinkOptions options = context.link;
  options.may_start = false;
  auto link = DaemonLink::Open(options);
  if (!link && (options.host || options.socket || options.environment_socket))
    return std::move(link).error();
  const v1::QueueStatus* daemon = link ? &(*link)->status() : nullptr;
  if (context.json) {
    std::cout << VersionJson(BENCHD_VERSION, daemon, Now()) << "\n";
    return ExitCode::kPass;
  }
  std::cout << "benchctl " << BENCHD_VERSION << "\n";
  if (daemon != nullptr) {
    std::cout << "benchd " << daemon->version() << " (pid " << daemon->pid() << ")\n";
  } else {
    std::cout << "benchd: " << link.error().message << "\n";
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
