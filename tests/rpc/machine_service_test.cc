#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "benchd/v1/machine.grpc.pb.h"
#include "benchd/v1/queue.grpc.pb.h"
#include "tests/rpc/whole_daemon.h"

namespace benchd::rpc {
namespace {

using Asked = std::vector<std::string>;

class MachineServiceTest : public ::testing::Test, protected WholeDaemon {
 protected:
  std::unique_ptr<v1::MachineService::Stub> stub_ = v1::MachineService::NewStub(channel_);

  v1::QueueStatus QueueNow() {
    grpc::ClientContext context;
    v1::QueueStatus status;
    EXPECT_TRUE(
        v1::QueueService::NewStub(channel_)->Get(&context, v1::GetQueueRequest(), &status).ok());
    return status;
  }
  /// Requests the machine and disconnects while waiting; false if the server did not notice.
  bool ApplyAndLeave() {
    const auto calls_so_far = [this] { return calls_.total(); };
    const std::uint64_t before = loop_.Run(calls_so_far);
    grpc::ClientContext context;
    const v1::ApplyRequest request;
    v1::MachineStatus status;
    std::promise<grpc::StatusCode> ended;
    stub_->async()->Apply(&context, &request, &status, [&ended](const grpc::Status& answer) {
      ended.set_value(answer.error_code());
    });
    const bool waits = loop_.Await([&] { return calls_so_far() > before; });
    context.TryCancel();
    return ended.get_future().get() == grpc::StatusCode::CANCELLED && waits;
  }
  static v1::ReserveRequest For(double seconds) {
    v1::ReserveRequest request;
    request.set_seconds(seconds);
    return request;
  }
};

TEST_F(MachineServiceTest, TellsHowTheMachineStands) {
  runner_.status = MachineStatus{.profile = "quiet", .notes = {"irqbalance runs"}};
  Work();
  grpc::ClientContext context;
  v1::GetMachineRequest request;
  request.set_profile("quiet");
  v1::MachineStatus status;
  ASSERT_TRUE(stub_->Get(&context, request, &status).ok());
  EXPECT_EQ(status.profile(), "quiet");
  EXPECT_EQ(status.notes(0), "irqbalance runs");
  EXPECT_EQ(status.session(), "");
  EXPECT_EQ(loop_.Run([this] { return runner_.asked; }), (Asked{"describe quiet"}));
}

TEST_F(MachineServiceTest, NamesTheNoiseSourcesInTheirOrder) {
  runner_.sources = std::vector<NoiseSource>{{"steal", "a", "b", 0.5}, {"turbo", "c", "d", {}}};
  Work();
  grpc::ClientContext context;
  v1::DoctorResponse response;
  ASSERT_TRUE(stub_->Doctor(&context, v1::DoctorRequest(), &response).ok());
  ASSERT_EQ(response.sources_size(), 2);
  EXPECT_EQ(response.sources(0).name(), "steal");
  EXPECT_EQ(response.sources(1).name(), "turbo");
}

TEST_F(MachineServiceTest, AppliesAndRestoresForAdmins) {
  Work();
  v1::ApplyRequest request;
  request.set_profile("quiet");
  v1::MachineStatus status;
  grpc::ClientContext applying;
  const grpc::Status applied = stub_->Apply(&applying, request, &status);
  grpc::ClientContext restoring;
  const grpc::Status restored = stub_->Restore(&restoring, v1::RestoreRequest(), &status);
  const Asked asked = loop_.Run([this] { return runner_.asked; });
  if (::getuid() != 0) {
    EXPECT_EQ(applied.error_code(), grpc::StatusCode::PERMISSION_DENIED);
    EXPECT_EQ(restored.error_code(), grpc::StatusCode::PERMISSION_DENIED);
    EXPECT_TRUE(asked.empty());
    return;
  }
  EXPECT_TRUE(applied.ok()) << applied.error_message();
  EXPECT_TRUE(restored.ok()) << restored.error_message();
  EXPECT_EQ(asked, (Asked{"apply quiet", "restore"}));
}

TEST_F(MachineServiceTest, WhatTheRunnerRefusesIsTold) {
  runner_.check = Error{ErrorCode::kInvalidArgument, "machine-profile: unknown profile 'x'",
                        "there is 'default'"};
  grpc::ClientContext context;
  v1::GetMachineRequest request;
  request.set_profile("x");
  v1::MachineStatus status;
  const grpc::Status refused = stub_->Get(&context, request, &status);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused.error_message(), "machine-profile: unknown profile 'x'");
  EXPECT_EQ(refused.error_details(), "there is 'default'");
}

TEST_F(MachineServiceTest, AReservationIsHeldForItsTimeAndEndsByItself) {
  grpc::ClientContext context;
  const auto reader = stub_->Reserve(&context, For(0.5));
  v1::ReserveResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_FALSE(response.held());
  EXPECT_FALSE(QueueNow().has_reserved_by());
  Work();
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_TRUE(response.held());
  EXPECT_GT(response.remaining_seconds(), 0);
  EXPECT_LE(response.remaining_seconds(), 0.5);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_TRUE(response.held());
  EXPECT_EQ(response.remaining_seconds(), 0);
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_FALSE(QueueNow().has_reserved_by());
}

TEST_F(MachineServiceTest, ASessionWaitsUntilTheClientOfAReservationGoes) {
  Work();
  grpc::ClientContext context;
  const auto reader = stub_->Reserve(&context, For(3600));
  v1::ReserveResponse response;
  do {
    ASSERT_TRUE(reader->Read(&response));
  } while (!response.held());
  EXPECT_EQ(QueueNow().reserved_by(), ::getuid());
  const std::string id = Submit();
  EXPECT_EQ(QueueNow().queued(), 1U);
  EXPECT_EQ(QueueNow().running(), "");
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(loop_.Await([this] { return queue_->Idle(); })) << "the session has run";
  EXPECT_FALSE(QueueNow().has_reserved_by());
}

TEST_F(MachineServiceTest, AReservationMakesSenseOrIsRefused) {
  for (const double seconds : {0.0, -5.0, 3601.0}) {
    grpc::ClientContext context;
    v1::ReserveResponse response;
    const auto reader = stub_->Reserve(&context, For(seconds));
    EXPECT_FALSE(reader->Read(&response));
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT) << seconds;
  }
}

TEST_F(MachineServiceTest, ASecondReservationOfOneUserIsRefused) {
  grpc::ClientContext context;
  const auto reader = stub_->Reserve(&context, For(60));
  v1::ReserveResponse response;
  ASSERT_TRUE(reader->Read(&response));
  grpc::ClientContext again;
  const auto refused = stub_->Reserve(&again, For(60));
  EXPECT_FALSE(refused->Read(&response));
  EXPECT_EQ(refused->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  context.TryCancel();
  reader->Finish();
}

TEST_F(MachineServiceTest, ADaemonThatStopsEndsReservationsAndWhoWaits) {
  grpc::ClientContext context;
  const auto reader = stub_->Reserve(&context, For(60));
  v1::ReserveResponse response;
  ASSERT_TRUE(reader->Read(&response));
  loop_.Run([this] { calls_.Close(); });
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(MachineServiceTest, NothingIsAppliedForAClientThatHasGone) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  // gRPC notifies the server later than the client. If many clients have disconnected, each before
  // an answer on the same connection, the server knows of the first ones.
  constexpr std::size_t kClients = 20;
  for (std::size_t i = 0; i < kClients; ++i) {
    ASSERT_TRUE(ApplyAndLeave());
    QueueNow();
  }
  Work();
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 0; }));
  EXPECT_LT(loop_.Run([this] { return runner_.asked.size(); }), kClients);
}

}  // namespace
}  // namespace benchd::rpc
