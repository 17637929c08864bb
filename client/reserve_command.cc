#include <grpcpp/client_context.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <optional>

#include "benchd/v1/machine.grpc.pb.h"
#include "client/commands.h"
#include "client/interrupts.h"
#include "client/live_screen.h"
#include "client/quantity.h"
#include "client/render/machine.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "client/status_error.h"
#include "client/submission.h"
#include "client/terminal.h"

namespace benchd::client {
namespace {

Outcome<double> ReadReservation(const ParsedArguments& arguments) {
  const std::string* text = LastValue(arguments, "for");
  if (text == nullptr) {
    return UsageError("machine reserve: for how long is missing",
                      "write benchctl machine reserve --for 10m");
  }
  auto seconds = ParseDuration(*text);
  if (!seconds) return std::move(seconds).error().Within("--for " + *text);
  return seconds;
}

/// Tells how a reservation goes: JSON lines, or sentences and on a terminal a clock.
class Teller {
 public:
  Teller(bool json, double seconds, std::string before_us)
      : json_(json), seconds_(seconds), before_us_(std::move(before_us)) {
    if (!json && CanRedraw(STDERR_FILENO)) screen_.emplace(STDERR_FILENO);
  }

  void Tell(const v1::ReserveResponse& response) {
    if (json_) {
      std::cout << ReserveJson(response, Now()) + "\n" << std::flush;
    } else if (!response.held()) {
      if (!before_us_.empty()) {
        WriteAll(STDERR_FILENO, "benchctl: " + before_us_ + ": waiting for the machine\n");
      }
    } else if (!held_) {
      std::cout << "the machine is yours for " + FormatRough(seconds_) + "; Ctrl-C gives it back\n"
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
    if (!json_) WriteAll(STDERR_FILENO, "benchctl: " + sentence + "\n");
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

Outcome<ExitCode> RunMachineReserve(const CommandContext& context) {
  auto wanted = NoWords(context, "machine reserve");
  if (!wanted) return std::move(wanted).error();
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
  Teller teller(context.json, *seconds, WhoHasTheMachine((*link)->status()));
  for (v1::ReserveResponse response; reader->Read(&response);) teller.Tell(response);
  const grpc::Status status = reader->Finish();
  interrupts.React({[] {}, {}});
  if (interrupts.interrupted()) {
    teller.End(teller.held() ? "the machine is given back" : "not waiting any more");
    return teller.held() ? ExitCode::kPass : ExitCode::kInterrupted;
  }
  if (!status.ok()) return FromStatus(status);
  teller.End("the time is over: sessions run again");
  return ExitCode::kPass;
}

}  // namespace benchd::client
