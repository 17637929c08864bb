#include "client/status_error.h"

#include <gtest/gtest.h>

#include "client/follow.h"

namespace benchd::client {
namespace {

using grpc::StatusCode;

TEST(StatusErrorTest, WhatWasAskedWronglyIsUsage) {
  for (const StatusCode code :
       {StatusCode::INVALID_ARGUMENT, StatusCode::NOT_FOUND, StatusCode::ALREADY_EXISTS,
        StatusCode::OUT_OF_RANGE, StatusCode::UNIMPLEMENTED}) {
    EXPECT_EQ(FromStatus({code, "x: y", "z"}), (ClientError{ExitCode::kUsage, "x: y", "z"}))
        << code;
  }
}

TEST(StatusErrorTest, EverythingElseIsARefusal) {
  for (const StatusCode code :
       {StatusCode::PERMISSION_DENIED, StatusCode::UNAVAILABLE, StatusCode::FAILED_PRECONDITION,
        StatusCode::RESOURCE_EXHAUSTED, StatusCode::UNAUTHENTICATED, StatusCode::INTERNAL}) {
    EXPECT_EQ(FromStatus({code, "x: y", ""}), (ClientError{ExitCode::kRefused, "x: y", ""}))
        << code;
  }
}

TEST(StatusErrorTest, ALostConnectionGetsASentenceOfItsOwn) {
  const ClientError error = FromStatus({StatusCode::UNAVAILABLE, "Socket closed"});
  EXPECT_EQ(error.exit, ExitCode::kRefused);
  EXPECT_EQ(error.message, "the daemon went away: the connection is closed");
  EXPECT_TRUE(IsConnectionLoss({StatusCode::UNAVAILABLE, ""}));
  EXPECT_FALSE(IsConnectionLoss({StatusCode::UNAVAILABLE, "draining: nothing is accepted"}));
  EXPECT_FALSE(IsConnectionLoss({StatusCode::INTERNAL, "Socket closed"}));
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
