#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>

#include "benchd/v1/session.grpc.pb.h"
#include "client/link/daemon_link.h"
#include "client/session/follow.h"
#include "core/base/file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

using grpc::StatusCode;

TEST(StatusErrorTest, WhatWasAskedWronglyIsUsage) {
  for (const StatusCode code :
       {StatusCode::INVALID_ARGUMENT, StatusCode::NOT_FOUND, StatusCode::ALREADY_EXISTS,
        StatusCode::OUT_OF_RANGE, StatusCode::UNIMPLEMENTED}) {
    EXPECT_EQ(FromStatus({code, "x: y", "z"}), (Error{ErrorCode::kInvalidArgument, "x: y", "z"}))
        << code;
  }
}

TEST(StatusErrorTest, EverythingElseIsARefusal) {
  for (const StatusCode code :
       {StatusCode::PERMISSION_DENIED, StatusCode::UNAVAILABLE, StatusCode::FAILED_PRECONDITION,
        StatusCode::RESOURCE_EXHAUSTED, StatusCode::UNAUTHENTICATED, StatusCode::INTERNAL}) {
    EXPECT_EQ(FromStatus({code, "x: y", ""}), (Error{ErrorCode::kUnavailable, "x: y", ""})) << code;
  }
}

TEST(StatusErrorTest, ALostConnectionGetsASentenceOfItsOwn) {
  const Error error = FromStatus({StatusCode::UNAVAILABLE, "Socket closed"});
  EXPECT_EQ(ExitFor(error), ExitCode::kRefused);
  EXPECT_WORDING(error);
  EXPECT_TRUE(IsConnectionLoss({StatusCode::UNAVAILABLE, ""}));
  EXPECT_FALSE(IsConnectionLoss({StatusCode::UNAVAILABLE, "draining: nothing is accepted"}));
  EXPECT_FALSE(IsConnectionLoss({StatusCode::INTERNAL, "Socket closed"}));
}

TEST(StatusErrorTest, ADaemonThatSaysWhatTookTooLongIsToldFromOneThatIsSilent) {
  const grpc::Status answer(StatusCode::DEADLINE_EXCEEDED, "base: it took over 20 s", "why");
  EXPECT_EQ(FromStatus(answer), (Error{ErrorCode::kUnavailable, "base: it took over 20 s", "why"}));

  // Accepts connections but never reads from them.
  const TempFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder / "silent";
  std::memcpy(address.sun_path, path.data(), path.size());
  const UniqueFd silent(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(silent.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(silent.get(), 1), 0);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  v1::CancelResponse response;
  const auto channel = grpc::CreateChannel("unix:" + path, grpc::InsecureChannelCredentials());
  const grpc::Status status =
      v1::SessionService::NewStub(channel)->Cancel(&context, v1::CancelRequest(), &response);
  ASSERT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(FromStatus(status).code, ErrorCode::kUnavailable);
  EXPECT_WORDING(FromStatus(status));
}

TEST(StatusErrorTest, AnErrorIsOneLine) {
  EXPECT_EQ(FromStatus({StatusCode::INTERNAL, "a\nb\x1b[2J"}).message, "a; b?[2J");
}

TEST(ExitCodeTest, FollowsTheSessionsEnd) {
  v1::Session session;
  session.set_state(v1::SESSION_STATE_FAILED);
  EXPECT_EQ(static_cast<int>(ExitFor(session)), 4);
  session.mutable_failed()->set_refused(true);
  EXPECT_EQ(static_cast<int>(ExitFor(session)), 5) << "strict isolation cannot be had";
  session.set_state(v1::SESSION_STATE_CANCELLED);
  EXPECT_EQ(static_cast<int>(ExitFor(session)), 6);
  session.set_state(v1::SESSION_STATE_DONE);
  session.mutable_report()->set_verdict(v1::VERDICT_PASS);
  EXPECT_EQ(static_cast<int>(ExitFor(session)), 0);
  session.mutable_report()->set_verdict(v1::VERDICT_REGRESSION);
  EXPECT_EQ(static_cast<int>(ExitFor(session)), 1);
  session.mutable_report()->set_verdict(v1::VERDICT_UNDECIDED);
  EXPECT_EQ(static_cast<int>(ExitFor(session)), 3);
}

}  // namespace
}  // namespace benchd::client
