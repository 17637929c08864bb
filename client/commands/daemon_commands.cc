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
#include "client/commands/commands.h"
#include "client/link/daemon_link.h"
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

}  // namespace

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

namespace {

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

}  // namespace

Result<ExitCode> RunPause(const CommandContext& context) {
  return ChangeQueue<v1::PauseRequest>(context, &v1::QueueService::Stub::Pause);
}

Result<ExitCode> RunResume(const CommandContext& context) {
  return ChangeQueue<v1::ResumeRequest>(context, &v1::QueueService::Stub::Resume);
}

Result<ExitCode> RunDrain(const CommandContext& context) {
  return ChangeQueue<v1::DrainRequest>(context, &v1::QueueService::Stub::Drain);
}

namespace {

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

}  // namespace

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

}  // namespace

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

}  // namespace

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

}  // namespace benchd::client
