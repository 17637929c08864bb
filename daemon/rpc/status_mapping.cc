#include "daemon/rpc/status_mapping.h"

#include <string>

#include "core/base/text.h"

namespace benchd::rpc {
namespace {

// Percent-encoding may triple a message, and base64 adds a third to a hint. Together they stay
// below 8 KiB.
constexpr std::size_t kMaxMessageBytes = 1500;
constexpr std::size_t kMaxHintBytes = 1000;

grpc::StatusCode ToStatusCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case ErrorCode::kNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case ErrorCode::kAlreadyExists:
      return grpc::StatusCode::ALREADY_EXISTS;
    case ErrorCode::kPermissionDenied:
      return grpc::StatusCode::PERMISSION_DENIED;
    case ErrorCode::kFailedPrecondition:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case ErrorCode::kResourceExhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case ErrorCode::kUnavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case ErrorCode::kCancelled:
      return grpc::StatusCode::CANCELLED;
    case ErrorCode::kDeadlineExceeded:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case ErrorCode::kUnimplemented:
      return grpc::StatusCode::UNIMPLEMENTED;
    case ErrorCode::kInternal:
      return grpc::StatusCode::INTERNAL;
  }
  return grpc::StatusCode::INTERNAL;
}

std::string Cut(const std::string& text, std::size_t limit) {
  const std::string clean = Utf8Lossy(text);
  if (clean.size() <= limit) return clean;
  return std::string(Utf8Prefix(clean, limit)) + "...";
}

}  // namespace

grpc::Status ToStatus(const Error& error) {
  return grpc::Status(ToStatusCode(error.code), Cut(error.message, kMaxMessageBytes),
                      Cut(error.hint, kMaxHintBytes));
}

grpc::Status ToStatus(const Result<void>& result) {
  return result ? grpc::Status::OK : ToStatus(result.error());
}

}  // namespace benchd::rpc
