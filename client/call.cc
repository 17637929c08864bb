#include "client/call.h"

#include <array>
#include <cstddef>
#include <thread>

#include "client/render/text.h"

namespace benchd::client {
namespace {

// Of the contract's two: what was asked wrongly, or what the daemon refused.
ErrorCode CodeOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::OUT_OF_RANGE:
    case grpc::StatusCode::UNIMPLEMENTED:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kUnavailable;
  }
}

}  // namespace

bool IsConnectionLoss(const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return false;
  // gRPC has no other mark for it than its own texts; a daemon's answer is a sentence of ours.
  constexpr std::array kTexts = {"Socket closed",     "Connection reset", "Broken pipe", "GOAWAY",
                                 "failed to connect", "Transport closed", "Channel",     "recvmsg",
                                 "sendmsg",           "Stream removed"};
  const std::string& text = status.error_message();
  if (text.empty()) return true;
  for (const char* known : kTexts) {
    if (text.find(known) != std::string::npos) return true;
  }
  return false;
}

bool IsTooManyRequests(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
         status.error_message().starts_with("too many requests: ");
}

Error FromStatus(const grpc::Status& status) {
  if (IsConnectionLoss(status)) {
    return ConnectionError(kConnectionClosed,
                           "is it still running? sessions that it has accepted are kept");
  }
  // gRPC's own text, for a deadline of ours; the daemon's answer says what took too long.
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED &&
      (status.error_message().empty() || status.error_message() == "Deadline Exceeded")) {
    return ConnectionError("the daemon does not answer: no reply in time",
                           "its log says what it is doing");
  }
  std::string message = OneLine(status.error_message());
  if (message.empty()) {
    message =
        "the daemon refused: gRPC code " + std::to_string(static_cast<int>(status.error_code()));
  }
  return {CodeOf(status.error_code()), std::move(message), OneLine(status.error_details())};
}

bool WaitToAskAgain(const grpc::Status& status, int attempt, std::chrono::milliseconds timeout) {
  constexpr std::array kPauses = {std::chrono::milliseconds(300), std::chrono::milliseconds(1500)};
  const auto index = static_cast<std::size_t>(attempt - 1);
  if (!IsTooManyRequests(status) || index >= kPauses.size() || kPauses[index] > timeout) {
    return false;
  }
  std::this_thread::sleep_for(kPauses[index]);
  return true;
}

}  // namespace benchd::client
