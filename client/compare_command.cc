#include <sys/random.h>

#include <array>
#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/caller_context.h"
#include "client/commands.h"
#include "client/display.h"
#include "client/follow.h"
#include "client/interrupts.h"
#include "client/render/json.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "client/spec_builder.h"
#include "client/spec_file.h"

namespace benchd::client {
namespace {

// 128 random bits: the daemon knows by it that a request is the same one again.
std::string RequestId() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id;
  for (const unsigned char byte : bytes) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 15U];
  }
  return id;
}

Outcome<SpecInput> ReadInput(const ParsedArguments& arguments, const std::string& cwd) {
  const std::string* file = LastValue(arguments, "file");
  if (file == nullptr) return InputFromCommandLine(arguments);
  if (!arguments.positionals.empty() || IsGiven(arguments, "name") ||
      IsGiven(arguments, "reference")) {
    return UsageError(
        "--file " + *file + ": the commands come from the file or from the command line, not both",
        "leave out the commands, --name and --reference");
  }
  auto input = ReadSpecFile(*file, cwd);
  if (input) input->options = Overlay(std::move(input->options), CollectSessionOptions(arguments));
  return input;
}

Outcome<v1::SessionSpec> ReadSpec(const ParsedArguments& arguments) {
  auto caller = CaptureCaller();
  if (!caller) return std::move(caller).error();
  auto input = ReadInput(arguments, caller->context.cwd);
  if (!input) return std::move(input).error();
  auto spec = BuildSpec(*input, caller->context);
  if (!spec) return spec;
  for (const std::string& name : caller->skipped) {
    std::cerr << "warning: the environment variable " << name
              << " is not UTF-8: the commands do not get it\n";
  }
  return spec;
}

// A lost connection says nothing about whether the session was accepted: the same request again, by
// its id, is the same session.
Outcome<v1::SubmitResponse> Submit(DaemonLink& link, const v1::SubmitRequest& request) {
  using Stub = v1::SessionService::StubInterface;
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallPatience);
    v1::SubmitResponse response;
    const std::unique_ptr<Stub> stub = v1::SessionService::NewStub(link.channel());
    const grpc::Status status = stub->Submit(&context, request, &response);
    if (status.ok()) return response;
    if (!IsConnectionLoss(status) || attempt == kAttempts) return FromStatus(status);
    auto reopened = link.Reopen();
    if (!reopened) return std::move(reopened).error();
  }
}

void PrintSubmitted(const v1::SubmitResponse& response, bool json) {
  if (json) {
    std::cout << SubmittedJson(response, Now()) << "\n";
    return;
  }
  std::cout << response.session() << "\n";
  std::cerr << "benchctl: session " << response.session();
  if (response.position() > 0) std::cerr << ", place " << response.position();
  if (response.has_eta_seconds())
    std::cerr << ", starts in about " << FormatRough(response.eta_seconds());
  std::cerr << "; watch it: benchctl watch " << response.session() << "\n";
}

Outcome<ExitCode> SubmitAnd(const CommandContext& context, bool detach) {
  v1::SubmitRequest request;
  auto spec = ReadSpec(context.arguments);
  if (!spec) return std::move(spec).error();
  *request.mutable_spec() = *std::move(spec);
  request.set_request_id(RequestId());
  Interrupts interrupts;
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // An interrupt from here on waits for the answer: then there is a session to cancel.
  interrupts.React({[] {}, {}});
  auto submitted = Submit(**link, request);
  if (!submitted) return std::move(submitted).error();
  // One that has failed already is followed in any case: its end is told at once.
  if (detach && !submitted->failed()) {
    PrintSubmitted(*submitted, context.json);
    return ExitCode::kPass;
  }
  const auto display =
      MakeDisplay(ChooseDisplay(context.json), submitted->session(), request.spec().limits());
  auto followed =
      FollowSession(**link, submitted->session(), *display, interrupts, OnInterrupt::kCancel);
  if (!followed) return std::move(followed).error();
  return ReportEnd(*followed, context.json);
}

}  // namespace

Outcome<ExitCode> RunCompare(const CommandContext& context) {
  return SubmitAnd(context, IsGiven(context.arguments, "detach"));
}

Outcome<ExitCode> RunSubmit(const CommandContext& context) {
  return SubmitAnd(context, /*detach=*/true);
}

}  // namespace benchd::client
