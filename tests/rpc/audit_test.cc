#include "daemon/rpc/audit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "benchd/v1/machine.grpc.pb.h"
#include "benchd/v1/queue.grpc.pb.h"
#include "core/base/result.h"
#include "tests/rpc/whole_daemon.h"

namespace benchd::rpc {
namespace {

using Lines = std::vector<std::string>;

class AuditTest : public ::testing::Test {
 protected:
  Lines lines_;
  const Audit audit_{[this](const std::string& line) { lines_.push_back(line); }};
  const Caller caller_{.uid = 1000, .gid = 100, .groups = {}, .pid = 123};
};

TEST_F(AuditTest, ALineHasTheDocumentedForm) {
  audit_.Note(caller_, "submit", "k3x9m2pq", Result<int>(1));
  audit_.NoteOk(caller_, "reserve-end");
  EXPECT_EQ(lines_, (Lines{"audit: uid=1000 pid=123 action=submit session=k3x9m2pq result=ok",
                           "audit: uid=1000 pid=123 action=reserve-end session=- result=ok"}));
}

TEST_F(AuditTest, ARefusalSaysWhichKindItWasAndNotWhy) {
  const auto result_of = [this](ErrorCode code) {
    audit_.Note(caller_, "move", "k3", Result<void>(Error{code, "a client's text", "another"}));
    return lines_.back().substr(lines_.back().find("result="));
  };
  EXPECT_EQ(result_of(ErrorCode::kPermissionDenied), "result=denied");
  EXPECT_EQ(result_of(ErrorCode::kNotFound), "result=not_found");
  EXPECT_EQ(result_of(ErrorCode::kFailedPrecondition), "result=failed_precondition");
}

TEST_F(AuditTest, WhatIsNoIdNeverEntersALine) {
  for (const char* made_up : {"a b", "x\nuid=0", "result=ok", "k3x9m2pq9", "K3", "\xff", "-"}) {
    audit_.Note(caller_, "cancel", made_up, Result<void>());
    EXPECT_EQ(lines_.back(), "audit: uid=1000 pid=123 action=cancel session=? result=ok");
  }
}

/// The audit lines of a whole daemon, without this process's uid and pid, which are in all of them.
class DaemonAuditTest : public ::testing::Test, protected WholeDaemon {
 protected:
  static std::string Own(const std::string& rest) {
    return "audit: uid=" + std::to_string(::getuid()) + " pid=" + std::to_string(::getpid()) +
           " action=" + rest;
  }
  Lines Audited() {
    return loop_.Run([this] { return audit_lines_; });
  }
};

TEST_F(DaemonAuditTest, EveryChangeOfASessionHasItsLine) {
  const std::string id = Submit();
  // The second time nothing changes, so nothing is logged.
  for (int time = 0; time < 2; ++time) {
    v1::MoveRequest request;
    request.set_session(id.substr(0, 7));
    request.set_priority(-1);
    v1::MoveResponse response;
    grpc::ClientContext context;
    ASSERT_TRUE(sessions_->Move(&context, request, &response).ok());
  }
  for (const std::string& session : {id, std::string("none\nsuch")}) {
    v1::CancelRequest request;
    request.set_session(session);
    v1::CancelResponse response;
    grpc::ClientContext context;
    sessions_->Cancel(&context, request, &response);
  }
  EXPECT_EQ(Audited(), (Lines{Own("submit session=" + id + " result=ok"),
                              Own("move session=" + id + " result=ok"),
                              Own("cancel session=" + id + " result=ok"),
                              Own("cancel session=? result=not_found")}));
}

TEST_F(DaemonAuditTest, ARefusedSubmissionHasALineAndNoTextOfTheClients) {
  v1::SubmitRequest request = Request();
  (*request.mutable_spec()->mutable_labels())["x\naudit: uid=0"] = "y";
  request.mutable_spec()->set_method(static_cast<v1::Method>(77));
  v1::SubmitResponse response;
  grpc::ClientContext context;
  EXPECT_FALSE(sessions_->Submit(&context, request, &response).ok());
  EXPECT_EQ(Audited(), Lines{Own("submit session=- result=invalid_argument")});
}

TEST_F(DaemonAuditTest, EveryChangeOfTheQueueAndTheMachineHasItsLine) {
  Work();
  const auto queue = v1::QueueService::NewStub(channel_);
  const auto machine = v1::MachineService::NewStub(channel_);
  v1::QueueStatus status;
  v1::MachineStatus machine_status;
  grpc::ClientContext contexts[6];
  queue->Pause(&contexts[0], v1::PauseRequest(), &status);
  queue->Drain(&contexts[1], v1::DrainRequest(), &status);
  queue->Resume(&contexts[2], v1::ResumeRequest(), &status);
  queue->Get(&contexts[3], v1::GetQueueRequest(), &status);  // changes nothing: no line
  machine->Apply(&contexts[4], v1::ApplyRequest(), &machine_status);
  machine->Restore(&contexts[5], v1::RestoreRequest(), &machine_status);
  const std::string result = ::getuid() == 0 ? " session=- result=ok" : " session=- result=denied";
  EXPECT_EQ(Audited(), (Lines{Own("pause" + result), Own("drain" + result), Own("resume" + result),
                              Own("apply" + result), Own("restore" + result)}));
}

TEST_F(DaemonAuditTest, AReservationHasALineWhenItBeginsAndWhenItEnds) {
  Work();
  const auto machine = v1::MachineService::NewStub(channel_);
  v1::ReserveRequest request;
  v1::ReserveResponse response;
  grpc::ClientContext refused;
  machine->Reserve(&refused, request)->Finish();
  request.set_seconds(0.01);
  grpc::ClientContext context;
  const auto reader = machine->Reserve(&context, request);
  while (reader->Read(&response)) {
  }
  ASSERT_TRUE(reader->Finish().ok());
  EXPECT_EQ(Audited(), (Lines{Own("reserve session=- result=invalid_argument"),
                              Own("reserve-begin session=- result=ok"),
                              Own("reserve-end session=- result=ok")}));
}

}  // namespace
}  // namespace benchd::rpc
