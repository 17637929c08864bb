#include "daemon/rpc/status_mapping.h"

#include <gtest/gtest.h>

#include <string>

namespace benchd::rpc {
namespace {

struct Pair {
  ErrorCode error;
  grpc::StatusCode status;
};

// gRPC's own names of the same codes (grpc/status.h).
constexpr Pair kPairs[] = {
    {ErrorCode::kInvalidArgument, grpc::StatusCode::INVALID_ARGUMENT},
    {ErrorCode::kNotFound, grpc::StatusCode::NOT_FOUND},
    {ErrorCode::kAlreadyExists, grpc::StatusCode::ALREADY_EXISTS},
    {ErrorCode::kPermissionDenied, grpc::StatusCode::PERMISSION_DENIED},
    {ErrorCode::kFailedPrecondition, grpc::StatusCode::FAILED_PRECONDITION},
    {ErrorCode::kResourceExhausted, grpc::StatusCode::RESOURCE_EXHAUSTED},
    {ErrorCode::kUnavailable, grpc::StatusCode::UNAVAILABLE},
    {ErrorCode::kCancelled, grpc::StatusCode::CANCELLED},
    {ErrorCode::kDeadlineExceeded, grpc::StatusCode::DEADLINE_EXCEEDED},
    {ErrorCode::kUnimplemented, grpc::StatusCode::UNIMPLEMENTED},
    {ErrorCode::kInternal, grpc::StatusCode::INTERNAL},
};

TEST(StatusMappingTest, EveryErrorCodeHasTheStatusOfTheSameName) {
  for (const Pair& pair : kPairs) {
    const grpc::Status status = ToStatus(Error{pair.error, "margin: is not above 0", "write 2%"});
    EXPECT_EQ(status.error_code(), pair.status);
    EXPECT_EQ(status.error_message(), "margin: is not above 0");
    EXPECT_EQ(status.error_details(), "write 2%");
  }
}

TEST(StatusMappingTest, ASuccessIsOk) { EXPECT_TRUE(ToStatus(Result<void>()).ok()); }

TEST(StatusMappingTest, AMessageThatDoesNotFitIntoAHeaderIsCutBetweenTwoCharacters) {
  std::string snowmen;
  for (int i = 0; i < 1000; ++i) snowmen += "\u2603";  // three bytes each
  const grpc::Status status = ToStatus(Error{ErrorCode::kInternal, snowmen, snowmen});
  // status_mapping.h guarantees 1500 and 1000 bytes; 999 is the end of the last whole character.
  EXPECT_EQ(status.error_message(), snowmen.substr(0, 1500) + "...");
  EXPECT_EQ(status.error_details(), snowmen.substr(0, 999) + "...");
}

TEST(StatusMappingTest, BytesThatAreNoTextBecomeText) {
  EXPECT_EQ(ToStatus(Error{ErrorCode::kInternal, "a\xFFz", {}}).error_message(), "a\uFFFDz");
}

}  // namespace
}  // namespace benchd::rpc
