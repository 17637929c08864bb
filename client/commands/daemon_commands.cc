#include <grpcpp/client_context.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "benchd/v1/machine.grpc.pb.h"
#include "benchd/v1/queue.grpc.pb.h"
#include "benchd/v1/session.grpc.pb.h"
#include "client/commands/command_options.h"
#include "client/commands/commands.h"
#include "client/link/daemon_link.h"
#include "client/pool/pool.h"
#include "client/present/json.h"
#include "client/present/pages.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/session/submission.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"

namespace benchd::client {
namespace {

/// What a glance takes in; the rest comes with --all.
constexpr std::uint32_t kNewest = 20;

Result<v1::ListSessionsRequest> ReadListRequest(const ParsedArguments& arguments) {
  v1::ListSessionsRequest request;
  request.set_all(IsGiven(arguments, "all"));
  if (const std::string* word = LastValue(arguments, "state"); word != nullptr) {
    request.set_state(StateFromWord(*word));
    if (HasEnded(request.state())) request.set_all(true);
  }
  for (const GivenOption& option : arguments.options) {
    if (option.name != "label") continue;
    auto label = ParseAssignment(option.value);
    if (!label) return std::move(label).error().Within("--label " + option.value);
    (*request.mutable_labels())[label->first] = label->second;
  }
  return request;
}

struct Listed {
  std::vector<v1::Session> sessions;
  bool more = false;  ///< than these
};

/// The newest sessions, or every one, page after page.
Result<Listed> ListSessions(DaemonLink& link, v1::ListSessionsRequest request, bool every) {
  if (!every) request.set_page_size(kNewest);
  Listed listed;
  do {
    auto page = CallDaemon(link, &v1::SessionService::Stub::List, request);
    if (!page) return std::move(page).error();
    std::move(page->mutable_sessions()->begin(), page->mutable_sessions()->end(),
              std::back_inserter(listed.sessions));
    request.set_page_token(page->next_page_token());
    // Large ones may fill a page before there are twenty.
    listed.more = !request.page_token().empty();
    if (!every) request.set_page_size(kNewest - static_cast<std::uint32_t>(listed.sessions.size()));
  } while (listed.more && (every || listed.sessions.size() < kNewest));
  return listed;
}

Result<ExitCode> RunList(const CommandContext& context) {
  auto request = ReadListRequest(context.arguments);
  if (!request) return std::move(request).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  auto listed = ListSessions(**link, *request, IsGiven(context.arguments, "all"));
  if (!listed) return std::move(listed).error();
  const google::protobuf::Timestamp now = Now();
  if (context.json) {
    for (const v1::Session& session : listed->sessions)
      std::cout << MessageLine("session", session.session(), session, now) << "\n";
  } else if (listed->sessions.empty()) {
    std::cerr << (request->all() ? "no sessions\n"
                                 : "no sessions; list --all shows finished ones too\n");
  } else {
    std::cout << RenderList(listed->sessions, (*link)->UserNames(), now, StyleOf(STDOUT_FILENO));
  }
  if (listed->more) {
    std::cerr << "showing the newest " << listed->sessions.size() << "; list --all shows all\n";
  }
  return ExitCode::kPass;
}

template <typename Request>
using Change = grpc::Status (v1::QueueService::Stub::*)(grpc::ClientContext*, const Request&,
                                                        v1::QueueStatus*);

template <typename Request>
Result<ExitCode> ChangeQueue(const CommandContext& context, Change<Request> change) {
  auto status = CallDaemon(context.link, change, Request());
  if (!status) return std::move(status).error();
  std::cout << (context.json ? MessageLine("queue", "", *status, Now()) + "\n"
                             : RenderQueue(*status));
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

Result<v1::MoveRequest> ReadMoveRequest(const CommandContext& context) {
  const std::string* word = LastValue(context.arguments, "priority");
  if (word == nullptr) {
    return UsageError("move: missing --priority",
                      "write benchctl move " + context.word + " --priority N");
  }
  auto priority = ParseInteger(*word);
  if (!priority) return std::move(priority).error().Within("--priority " + *word);
  v1::MoveRequest request;
  request.set_session(context.word);
  request.set_priority(*priority);
  return request;
}

Result<ExitCode> RunMove(const CommandContext& context) {
  auto request = ReadMoveRequest(context);
  if (!request) return std::move(request).error();
  auto response = CallDaemon(context.link, &v1::SessionService::Stub::Move, *request);
  if (!response) return std::move(response).error();
  if (context.json) {
    std::cout << MoveJson(*request, *response, Now()) << "\n";
  } else {
    std::cout << response->session() << ": priority " << request->priority() << ", place "
              << response->position() << "\n";
  }
  return ExitCode::kPass;
}

Result<ExitCode> RunCancel(const CommandContext& context) {
  if (IsPool(context.word)) return CancelPool(context);
  v1::CancelRequest request;
  request.set_session(context.word);
  auto response = CallDaemon(context.link, &v1::SessionService::Stub::Cancel, request);
  if (!response) return std::move(response).error();
  if (context.json) {
    std::cout << CancelJson(response->session(), response->state(), Now()) << "\n";
    return ExitCode::kPass;
  }
  const bool already = response->already_ended();
  std::cout << response->session() << ": ";
  if (response->state() == v1::SESSION_STATE_CANCELLED) {
    std::cout << (already ? "already cancelled\n" : "cancelled\n");
  } else if (HasEnded(response->state())) {
    std::cout << "already finished: " << Word(response->state()) << "\n";
  } else {
    std::cout << "will be cancelled after its cleanup\n";
  }
  return ExitCode::kPass;
}

Result<double> ReadReservation(const ParsedArguments& arguments) {
  const std::string* text = LastValue(arguments, "for");
  if (text == nullptr) {
    return UsageError("machine reserve: missing --for", "write benchctl machine reserve --for 10m");
  }
  auto seconds = ParseDuration(*text);
  if (!seconds) return std::move(seconds).error().Within("--for " + *text);
  return seconds;
}

/// Tells how a reservation goes: JSON lines, or sentences and on a terminal a clock.
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
  auto seconds = ReadReservation(context.arguments);
  if (!seconds) return std::move(seconds).error();
  Interrupts interrupts;
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  grpc::ClientContext call;
  interrupts.React({[&call] { call.TryCancel(); }, {}});
  v1::ReserveRequest request;
  request.set_seconds(*seconds);
  const auto reader = v1::MachineService::NewStub((*link)->channel())->Reserve(&call, request);
  ReservationPrinter printer(context.json, *seconds, WhoHasTheMachine(**link));
  for (v1::ReserveResponse response; reader->Read(&response);) {
    printer.Print(response);
    if (!std::cout) call.TryCancel();  // who waits for it will not hear of it
  }
  const grpc::Status status = reader->Finish();
  interrupts.React({[] {}, {}});
  if (!std::cout) return ExitCode::kOutput;
  if (interrupts.interrupted()) {
    printer.End(printer.held() ? "the machine is released" : "no longer waiting");
    return printer.held() ? ExitCode::kPass : ExitCode::kInterrupted;
  }
  if (!status.ok()) return FromStatus(status);
  printer.End("the reservation is over: sessions run again");
  return ExitCode::kPass;
}

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

/// The same of what answers with how the machine stands, which is printed.
template <typename Request>
Result<ExitCode> ShowMachine(const CommandContext& context,
                             Method<Request, v1::MachineStatus> method, const Request& request,
                             bool waits) {
  auto status = CallMachine(context, method, request, waits);
  if (!status) return std::move(status).error();
  std::cout << (context.json ? MessageLine("machine", status->session(), *status, Now()) + "\n"
                             : RenderMachine(*status, StyleOf(STDOUT_FILENO)));
  return ExitCode::kPass;
}

Result<ExitCode> RunMachineStatus(const CommandContext& context) {
  v1::GetMachineRequest request;
  request.set_profile(context.word);
  return ShowMachine(context, &v1::MachineService::Stub::Get, request, /*waits=*/false);
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
  return ShowMachine(context, &v1::MachineService::Stub::Apply, request, /*waits=*/true);
}

Result<ExitCode> RunMachineRestore(const CommandContext& context) {
  return ShowMachine(context, &v1::MachineService::Stub::Restore, v1::RestoreRequest(),
                     /*waits=*/true);
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

}  // namespace

Command ListCommand() {
  return {
      .name = "list",
      .usage = "[OPTIONS]",
      .summary = "list sessions",
      .run = RunList,
      .options =
          {{"all", 'a', "", "finished sessions too, and not just the newest 20", kThisCommand},
           {.name = "state",
            .value = "STATE",
            .help =
                "only sessions in this state: queued, preparing, running, paused, done, failed or "
                "cancelled",
            .group = kThisCommand,
            .choices = "queued|preparing|running|paused|done|failed|cancelled"},
           Repeatable(
               {"label", 0, "K=V", "only sessions with this label; repeatable", kThisCommand})},
      .description =
          "Lists queued and running sessions, the newest first. Of other users' sessions only the "
          "ID, the user and the state are shown.",
      .examples = {
          {"What was compared on this branch?", "benchctl list --all --label branch=main"},
          {"The IDs of failed sessions, for a script:", "benchctl list --state failed --json"}}};
}

Command CancelCommand() {
  return {
      .name = "cancel",
      .usage = "[OPTIONS] ID",
      .summary = "cancel a queued or running session",
      .words = Words::kSession,
      .run = RunCancel,
      .description =
          "Cancels a session. One that is running stops at once; its cleanup commands still run. "
          "You may cancel your own sessions, admins may cancel any. Of `compare --pool slurm`, "
          "name the folder: it is scancel of all its tasks.",
      .examples = {
          {"Cancel a session by the beginning of its ID:", "benchctl cancel k3x9"},
          {"Cancel a comparison on Slurm's machines:", "benchctl cancel benchd-pool-k3Xw2a"}}};
}

Command MoveCommand() {
  return {.name = "move",
          .usage = "ID --priority N [OPTIONS]",
          .summary = "change the priority of a queued session",
          .words = Words::kSession,
          .run = RunMove,
          .options = {{"priority", 0, "N", "higher priorities run first; only admins may raise it",
                       kThisCommand}},
          .description =
              "Sets the priority of a queued session. Sessions with a higher priority run first; "
              "everyone may lower the priority of their own.",
          .examples = {{"Let everybody else go first:", "benchctl move k3x9m2pq --priority -1"}}};
}

Command PauseCommand() {
  return {.name = "pause",
          .usage = "[OPTIONS]",
          .summary = "start no further session after the running one (admins only)",
          .run = RunPause,
          .description = kAdmins,
          .examples = {{"Keep the machine free after the present session:", "benchctl pause"}}};
}

Command ResumeCommand() {
  return {.name = "resume",
          .usage = "[OPTIONS]",
          .summary = "undo pause and drain (admins only)",
          .run = RunResume,
          .description = kAdmins,
          .examples = {{"Let the queue go on:", "benchctl resume"}}};
}

Command DrainCommand() {
  return {.name = "drain",
          .usage = "[OPTIONS]",
          .summary = "pause and refuse new sessions (admins only)",
          .run = RunDrain,
          .description = kAdmins,
          .examples = {{"Empty the queue before maintenance:", "benchctl drain"}}};
}

Command MachineStatusCommand() {
  return {
      .name = "machine status",
      .usage = "[OPTIONS] [PROFILE]",
      .summary = "show each machine setting: wanted, actual, held, and why not",
      .words = Words::kProfile,
      .run = RunMachineStatus,
      .description =
          "Shows the settings of the machine that the profile PROFILE asks for (default: default).",
      .examples = {
          {"What would the profile `strict` hold here?", "benchctl machine status strict"}}};
}

Command MachineDoctorCommand() {
  return {.name = "machine doctor",
          .usage = "[OPTIONS]",
          .summary = "list what makes measurements noisy, worst first",
          .run = RunMachineDoctor,
          .description =
              "Observes the machine for a moment and lists what disturbs measurements, each with a "
              "remedy.",
          .examples = {{"Why are the results noisy?", "benchctl machine doctor"}}};
}

Command MachineApplyCommand() {
  return {.name = "machine apply",
          .usage = "[OPTIONS] [PROFILE]",
          .summary = "apply a profile's settings until restored (admins only)",
          .words = Words::kProfile,
          .run = RunMachineApply,
          .description = kAdmins,
          .examples = {{"Hold the settings of a profile beyond sessions:",
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
      .summary = "reserve the machine for yourself; sessions wait",
      .run = RunMachineReserve,
      .options = {{"for", 0, "D", "for how long once it is yours, such as 10m; at most an hour",
                   kThisCommand}},
      .description =
          "Waits for its turn, then holds the machine until the time is over or Ctrl-C gives it "
          "back. Sessions wait meanwhile.",
      .examples = {{"Half an hour for work by hand:", "benchctl machine reserve --for 30m"}}};
}

Command VersionCommand() {
  return {.name = "version",
          .usage = "[OPTIONS]",
          .summary = "print the versions of benchctl and of the daemon",
          .run = RunVersion,
          .description = "Starts no daemon.",
          .examples = {{"Which versions are these?", "benchctl version"}}};
}

}  // namespace benchd::client
