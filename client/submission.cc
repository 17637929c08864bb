#include "client/submission.h"

#include <grpcpp/client_context.h>
#include <sys/random.h>

#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <utility>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/render/text.h"
#include "client/spec_builder.h"
#include "client/status_error.h"
#include "client/users.h"

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

}  // namespace

Outcome<v1::SessionSpec> BuildCallersSpec(const SpecInput& input, const CapturedContext& caller) {
  auto spec = BuildSpec(input, caller.context);
  if (!spec) return spec;
  if (auto there = CheckPlaces(*spec); !there) return std::move(there).error();
  for (const std::string& name : caller.skipped) {
    std::cerr << "warning: the environment variable " << name
              << " is not UTF-8: the commands do not get it\n";
  }
  return spec;
}

// A lost connection says nothing about whether the session was accepted: the same request again, by
// its id, is the same session.
Outcome<v1::SubmitResponse> SubmitSession(DaemonLink& link, v1::SessionSpec spec) {
  v1::SubmitRequest request;
  *request.mutable_spec() = std::move(spec);
  request.set_request_id(RequestId());
  using Stub = v1::SessionService::StubInterface;
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallPatience);
    v1::SubmitResponse response;
    const std::unique_ptr<Stub> stub = v1::SessionService::NewStub(link.channel());
    const grpc::Status status = stub->Submit(&context, request, &response);
    if (status.ok()) return response;
    if (WaitToAskAgain(status, attempt)) continue;
    if (!IsConnectionLoss(status) || attempt == kAttempts) return FromStatus(status);
    auto reopened = link.Reopen();
    if (!reopened) return std::move(reopened).error();
  }
}

std::string WhoHasTheMachine(const v1::QueueStatus& status) {
  if (!status.running().empty()) return "session " + Printable(status.running()) + " runs";
  if (status.has_reserved_by()) {
    return Printable(UserName(status.reserved_by())) + " has the machine reserved";
  }
  return "";
}

}  // namespace benchd::client
