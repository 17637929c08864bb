#include <unistd.h>

#include <iostream>

#include "benchd/v1/machine.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/interrupts.h"
#include "client/quantity.h"
#include "client/render/machine.h"
#include "client/render/words.h"
#include "client/submission.h"
#include "client/terminal.h"

namespace benchd::client {
namespace {

/// The profile that a command is about; empty = the daemon's choice.
Outcome<std::string> OneProfile(const CommandContext& context, const std::string& command) {
  const std::vector<std::string>& words = context.arguments.positionals;
  const std::string usage = "write benchctl " + command + " [PROFILE]";
  if (words.size() > 1) return UsageError(words[1] + ": one profile at a time", usage);
  if (words.empty()) return std::string();
  if (words.front().empty()) return UsageError(command + ": the profile's name is empty", usage);
  if (!IsSendableText(words.front())) return UsageError(command + ": the name is not UTF-8", usage);
  return words.front();
}

template <typename Request, typename Response>
using Method = grpc::Status (v1::MachineService::Stub::*)(grpc::ClientContext*, const Request&,
                                                          Response*);

/// Asks the daemon; says who has to be waited for, unless it answers at once in any case.
template <typename Request, typename Response>
Outcome<Response> CallMachine(const CommandContext& context, Method<Request, Response> method,
                              const Request& request, bool waits) {
  const Interrupts interrupts;  // Ctrl-C ends this process, and with it the wish
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // During a reservation nothing is measured, so nobody has to wait.
  if (const std::string& running = (*link)->status().running(); waits && !running.empty()) {
    std::cerr << "benchctl: " << WhoHasTheMachine((*link)->status())
              << ": this waits for its end\n";
  }
  const auto stub = v1::MachineService::NewStub((*link)->channel());
  return CallDaemon(*stub, method, request, waits ? kQueuePatience : kCallPatience);
}

ExitCode PrintMachine(const v1::MachineStatus& status, bool json) {
  std::cout << (json ? MachineJson(status, Now()) + "\n"
                     : RenderMachine(status, StyleOf(STDOUT_FILENO)));
  return ExitCode::kPass;
}

}  // namespace

Outcome<ExitCode> RunMachineStatus(const CommandContext& context) {
  auto profile = OneProfile(context, "machine status");
  if (!profile) return std::move(profile).error();
  v1::GetMachineRequest request;
  request.set_profile(*profile);
  auto status = CallMachine(context, &v1::MachineService::Stub::Get, request, /*waits=*/false);
  if (!status) return std::move(status).error();
  return PrintMachine(*status, context.json);
}

Outcome<ExitCode> RunMachineDoctor(const CommandContext& context) {
  auto wanted = NoWords(context, "machine doctor");
  if (!wanted) return std::move(wanted).error();
  auto response =
      CallMachine(context, &v1::MachineService::Stub::Doctor, v1::DoctorRequest(), /*waits=*/true);
  if (!response) return std::move(response).error();
  std::cout << (context.json ? DoctorJson(*response, Now()) + "\n"
                             : RenderDoctor(*response, StyleOf(STDOUT_FILENO)));
  return ExitCode::kPass;
}

Outcome<ExitCode> RunMachineApply(const CommandContext& context) {
  auto profile = OneProfile(context, "machine apply");
  if (!profile) return std::move(profile).error();
  v1::ApplyRequest request;
  request.set_profile(*profile);
  auto status = CallMachine(context, &v1::MachineService::Stub::Apply, request, /*waits=*/true);
  if (!status) return std::move(status).error();
  return PrintMachine(*status, context.json);
}

Outcome<ExitCode> RunMachineRestore(const CommandContext& context) {
  auto wanted = NoWords(context, "machine restore");
  if (!wanted) return std::move(wanted).error();
  auto status = CallMachine(context, &v1::MachineService::Stub::Restore, v1::RestoreRequest(),
                            /*waits=*/true);
  if (!status) return std::move(status).error();
  return PrintMachine(*status, context.json);
}

}  // namespace benchd::client
