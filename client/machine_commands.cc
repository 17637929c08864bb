#include <unistd.h>

#include <iostream>

#include "benchd/v1/machine.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/follow.h"
#include "client/interrupts.h"
#include "client/quantity.h"
#include "client/render/calibration.h"
#include "client/render/json.h"
#include "client/render/machine.h"
#include "client/render/warnings.h"
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

namespace {

/// About 10 ms of one CPU, and nothing but computing: no file, no memory to speak of.
constexpr char kCountingShell[] = "sh -c 'i=0; while [ $i -lt 12000 ]; do i=$((i+1)); done'";
/// No interval gets that narrow: the session goes on until its time is over.
constexpr double kUnreachableWidth = 1e-12;
constexpr double kDefaultSeconds = 60;

Result<double> ReadMaxTime(const ParsedArguments& arguments) {
  const std::string* text = LastValue(arguments, "for");
  if (text == nullptr) return kDefaultSeconds;
  auto seconds = ParseDuration(*text);
  if (!seconds) return std::move(seconds).error().Within("--for " + *text);
  return seconds;
}

/// The same command twice, timed in both ways.
Result<v1::SessionSpec> ReadCalibrationSpec(const CommandContext& context,
                                            std::unique_ptr<DaemonLink>* link) {
  const ParsedArguments& arguments = context.arguments;
  auto seconds = ReadMaxTime(arguments);
  if (!seconds) return std::move(seconds).error();
  const std::vector<std::string>& words = arguments.positionals;
  if (words.size() > 1) {
    return UsageError(words[1] + ": one command at a time",
                      "a command is one string: benchctl calibrate 'sleep 0.01'");
  }
  auto caller = CaptureCaller(context.link, link);
  if (!caller) return std::move(caller).error();
  const std::string command = words.empty() ? kCountingShell : words.front();
  SpecInput input;
  input.options = CollectSessionOptions(arguments);
  input.options["metric"] = {{"wall_time", "wall_time"}, {"cpu_time", "cpu_time"}};
  input.arms = {{.name = "first", .role = "reference", .command = command, .origin = "COMMAND"},
                {.name = "second", .role = "candidate", .command = command, .origin = "COMMAND"}};
  input.benchmarks.push_back({});
  auto spec = BuildCallersSpec(input, *caller, *link != nullptr);
  if (!spec) return spec;
  spec->mutable_rule()->set_precision_width(kUnreachableWidth);
  spec->mutable_limits()->set_max_time_seconds(*seconds);
  return spec;
}

void PrintCalibration(const v1::Session& session, bool json) {
  const Calibration calibration = CalibrationOf(session.report());
  const Style style = StyleOf(STDOUT_FILENO);
  std::cout << (json ? CalibrationJson(calibration, session.session(), Now()) + "\n"
                     : RenderCalibration(calibration, style) +
                           RenderWarnings(session.report(), WarningsShown::kAll, style));
}

}  // namespace

Result<ExitCode> RunCalibrate(const CommandContext& context) {
  Interrupts interrupts;
  std::unique_ptr<DaemonLink> link;
  auto spec = ReadCalibrationSpec(context, &link);
  if (!spec) return std::move(spec).error();
  v1::Session session;
  *session.mutable_spec()->mutable_limits() = spec->limits();
  auto open = OpenOnce(context.link, &link);
  if (!open) return std::move(open).error();
  interrupts.React({[] {}, {}});
  auto submitted = SubmitSession(*link, *std::move(spec));
  if (!submitted) return std::move(submitted).error();
  session.set_session(submitted->session());
  const Following following{.progress = context.json ? Progress::kJson : Progress::kTold,
                            .may_detach = false};
  auto followed = FollowSession(*link, session, following, interrupts);
  if (!followed) return std::move(followed).error();
  const bool measured =
      followed->session.state() == v1::SESSION_STATE_DONE && !followed->interrupted;
  if (!measured) return ReportEnd(*followed, context.json);
  PrintCalibration(followed->session, context.json);
  return ExitCode::kPass;
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
