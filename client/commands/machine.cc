#include <grpcpp/client_context.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <optional>
#include <utility>

#include "benchd/v1/machine.grpc.pb.h"
#include "client/app/command.h"
#include "client/commands/admins.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/present/json.h"
#include "client/present/pages.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/session/submission.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

Result<double> ReadReservation(const ParsedArguments& arguments) {
  const std::string* text = LastValue(arguments, "for");
  if (text == nullptr) {
    return UsageError("machine reserve: missing --for", "write benchctl machine reserve --for 10m");
  }
  auto seconds = ParseDuration(*text);
  if (!seconds) return std::move(seconds).error().Within("--for " + *text);
  return seconds;
}

/// Prints the progress of a reservation: JSON lines, or sentences and a clock on a terminal.
class ReservationPrinter {
 public:
  ReservationPrinter(bool json, double seconds, std::string before_us)
      : json_(json), seconds_(seconds), before_us_(std::move(before_us)) {
    if (!json && CanRedraw(STDERR_FILENO)) screen_.emplace(STDERR_FILENO);
  }

  void Print(const v1::ReserveResponse& response) {
    if (json_) {
      std::cout << MessageLine("reserve", "", response, Now()) + "\n" << std::flush;
    } else if (!response.held()) {
      if (!before_us_.empty()) {
        PrintToStderr(before_us_ + ": waiting for the machine");
      }
    } else if (!held_) {
      std::cout << "the machine is yours for " + FormatRough(seconds_) + "; Ctrl-C releases it\n"
                << std::flush;
    }
    held_ = response.held();
    if (held_ && screen_) {
      screen_->Draw({FormatClock(std::ceil(response.remaining_seconds())) + " left"},
                    StyleOf(STDERR_FILENO).width);
    }
  }

  void End(const std::string& sentence) {
    screen_.reset();
    if (!json_) PrintToStderr(sentence);
  }

  bool held() const { return held_; }

 private:
  const bool json_;
  const double seconds_;
  const std::string before_us_;
  std::optional<LiveScreen> screen_;
  bool held_ = false;
};

Result<ExitCode> RunMachineReserve(const CommandContext& context) {
  TRY(auto seconds, ReadReservation(context.arguments));
  Interrupts interrupts;
  TRY(auto link, DaemonLink::Open(context.link));
  grpc::ClientContext call;
  interrupts.React({[&call] { call.TryCancel(); }, {}});
  v1::ReserveRequest request;
  request.set_seconds(seconds);
  const auto reader = v1::MachineService::NewStub(link->channel())->Reserve(&call, request);
  ReservationPrinter printer(context.json, seconds, WhoHasTheMachine(*link));
  for (v1::ReserveResponse response; reader->Read(&response);) {
    printer.Print(response);
    if (!std::cout) call.TryCancel();  // the reader of stdout has exited
  }
  const grpc::Status status = reader->Finish();
  interrupts.Defer();
  if (!std::cout) return ExitCode::kOutput;
  if (interrupts.interrupted()) {
    printer.End(printer.held() ? "released the machine" : "no longer waiting");
    return printer.held() ? ExitCode::kPass : ExitCode::kInterrupted;
  }
  if (!status.ok()) return FromStatus(status);
  printer.End("the reservation has ended; sessions run again");
  return ExitCode::kPass;
}

template <typename Request, typename Response>
using Method = grpc::Status (v1::MachineService::Stub::*)(grpc::ClientContext*, const Request&,
                                                          Response*);

/// Calls the daemon. If the call may have to wait, first prints whose session it waits for.
template <typename Request, typename Response>
Result<Response> CallMachine(const CommandContext& context, Method<Request, Response> method,
                             const Request& request, bool waits) {
  const Interrupts interrupts;  // Ctrl-C ends this process and withdraws the request
  TRY(auto link, DaemonLink::Open(context.link));
  // Nothing is measured during a reservation, so the call does not wait then.
  if (const std::string& running = link->status().running(); waits && !running.empty()) {
    std::cerr << "benchctl: " << WhoHasTheMachine(*link) << ": waiting for it to end\n";
  }
  return CallDaemon(*link, method, request, waits ? kQueueTimeout : kCallTimeout);
}

/// Calls a method that returns the status of the machine, and prints the status.
template <typename Request>
Result<ExitCode> ShowMachine(const CommandContext& context,
                             Method<Request, v1::MachineStatus> method, const Request& request,
                             bool waits) {
  TRY(auto status, CallMachine(context, method, request, waits));
  std::cout << (context.json ? MessageLine("machine", status.session(), status, Now()) + "\n"
                             : RenderMachine(status, StyleOf(STDOUT_FILENO)));
  return ExitCode::kPass;
}

Result<ExitCode> RunMachineStatus(const CommandContext& context) {
  v1::GetMachineRequest request;
  request.set_profile(context.word);
  return ShowMachine(context, &v1::MachineService::Stub::Get, request, /*waits=*/false);
}

Result<ExitCode> RunMachineDoctor(const CommandContext& context) {
  TRY(auto response,
      CallMachine(context, &v1::MachineService::Stub::Doctor, v1::DoctorRequest(), /*waits=*/true));
  std::cout << (context.json ? MessageLine("doctor", "", response, Now()) + "\n"
                             : RenderDoctor(response, StyleOf(STDOUT_FILENO)));
  return ExitCode::kPass;
}

Result<ExitCode> RunMachineApply(const CommandContext& context) {
  v1::ApplyRequest request;
  request.set_profile(context.word);
  return ShowMachine(context, &v1::MachineService::Stub::Apply, request, /*waits=*/true);
}

Result<ExitCode> RunMachineRestore(const CommandContext& context) {
  return ShowMachine(context, &v1::MachineService::Stub::Restore, v1::RestoreRequest(),
                     /*waits=*/true);
}

}  // namespace

Command MachineStatusCommand() {
  return {.name = "machine status",
          .usage = "[OPTIONS] [PROFILE]",
          .summary = "show the wanted and actual value of each machine setting",
          .words = Words::kProfile,
          .run = RunMachineStatus,
          .description =
              "Shows each setting of PROFILE (default: \"default\"), its actual value, and whether "
              "it is held or why it cannot be held.",
          .examples = {{"Which settings of the profile `strict` would be held on this machine?",
                        "benchctl machine status strict"}}};
}

Command MachineDoctorCommand() {
  return {.name = "machine doctor",
          .usage = "[OPTIONS]",
          .summary = "list the sources of measurement noise, worst first",
          .run = RunMachineDoctor,
          .description =
              "Observes the machine for a moment and lists everything that disturbs measurements, "
              "each with a remedy.",
          .examples = {{"Why are the results noisy?", "benchctl machine doctor"}}};
}

Command MachineApplyCommand() {
  return {.name = "machine apply",
          .usage = "[OPTIONS] [PROFILE]",
          .summary = "apply a profile's settings until restored (admins only)",
          .words = Words::kProfile,
          .run = RunMachineApply,
          .description = kAdmins,
          .examples = {{"Hold the settings of a profile until `machine restore`:",
                        "benchctl machine apply strict"}}};
}

Command MachineRestoreCommand() {
  return {.name = "machine restore",
          .usage = "[OPTIONS]",
          .summary = "restore all machine settings (admins only)",
          .run = RunMachineRestore,
          .description = kAdmins,
          .examples = {{"Undo `machine apply`:", "benchctl machine restore"}}};
}

Command MachineReserveCommand() {
  return {
      .name = "machine reserve",
      .usage = "--for D [OPTIONS]",
      .summary = "reserve the machine for yourself while sessions wait",
      .run = RunMachineReserve,
      .options = {{"for", 0, "D", "duration of the reservation, such as 10m; at most one hour",
                   kThisCommand}},
      .description =
          "Waits for its turn, then holds the machine until the time is up or you press Ctrl-C. "
          "Sessions wait until then.",
      .examples = {
          {"Use the machine yourself for half an hour:", "benchctl machine reserve --for 30m"}}};
}

}  // namespace benchd::client
