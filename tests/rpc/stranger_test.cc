#include <grpcpp/create_channel_posix.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/history.grpc.pb.h"
#include "benchd/v1/machine.grpc.pb.h"
#include "benchd/v1/queue.grpc.pb.h"
#include "tests/rpc/whole_daemon.h"

namespace benchd::rpc {
namespace {

constexpr std::uint32_t kStranger = 61234;

/// Every call by a user who is neither the owner of the sessions nor an admin. The owner is the
/// user who runs this test.
class StrangerTest : public ::testing::Test, protected WholeDaemon {
 protected:
  using Sessions = v1::SessionService::Stub;

  StrangerTest() : channel_of_stranger_(ConnectAsStranger()) {}

  /// A connection of the stranger, registered as the listener registers those that it accepts.
  std::shared_ptr<grpc::Channel> ConnectAsStranger() {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    loop_.Run([this, theirs = fds[0]] {
      Caller caller;
      caller.uid = caller.gid = kStranger;
      caller.pid = 4711;
      caller.limits = {{0, 1, 1}};
      Result<UniqueFd> numbered = peers_.Register(UniqueFd(theirs), std::move(caller));
      ASSERT_TRUE(numbered) << numbered.error().message;
      server_->Adopt(numbered->Release());
    });
    return grpc::CreateInsecureChannelFromFd("stranger", fds[1]);
  }

  template <typename Request>
  static Request About(const std::string& session) {
    Request request;
    request.set_session(session);
    return request;
  }
  static void SetDeadline(grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  }

  /// Makes a call that is to be refused, so that its response is empty.
  template <typename Stub, typename Request, typename Response>
  static grpc::Status Call(Stub& stub,
                           grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                        Response*),
                           const Request& request) {
    grpc::ClientContext context;
    SetDeadline(context);
    Response response;
    grpc::Status status = (stub.*method)(&context, request, &response);
    EXPECT_EQ(response.ByteSizeLong(), 0U) << response.DebugString();
    return status;
  }
  /// Likewise for a call whose response is a stream.
  template <typename Stub, typename Request, typename Response>
  static grpc::Status Call(Stub& stub,
                           std::unique_ptr<grpc::ClientReader<Response>> (Stub::*method)(
                               grpc::ClientContext*, const Request&),
                           const Request& request) {
    grpc::ClientContext context;
    SetDeadline(context);
    const auto reader = (stub.*method)(&context, request);
    Response response;
    EXPECT_FALSE(reader->Read(&response)) << response.DebugString();
    return reader->Finish();
  }

  /// Expects that every call about a session is refused with that code and without the session's
  /// commands.
  void ExpectAllRefused(const std::string& session, grpc::StatusCode code) {
    auto get = About<v1::GetSessionRequest>(session);
    get.set_with_log(true);
    auto move = About<v1::MoveRequest>(session);
    move.set_priority(-1);
    const std::vector<std::pair<std::string, grpc::Status>> answers{
        {"Get", Call(stranger_, &Sessions::Get, get)},
        {"Cancel", Call(stranger_, &Sessions::Cancel, About<v1::CancelRequest>(session))},
        {"Move", Call(stranger_, &Sessions::Move, move)},
        {"Watch", Call(stranger_, &Sessions::Watch, About<v1::WatchRequest>(session))},
        {"ListSamples",
         Call(stranger_, &Sessions::ListSamples, About<v1::ListSamplesRequest>(session))},
        {"GetBundle", Call(stranger_, &Sessions::GetBundle, About<v1::GetBundleRequest>(session))}};
    for (const auto& [method, status] : answers) {
      EXPECT_EQ(status.error_code(), code) << method << ": " << status.error_message();
      EXPECT_EQ(status.error_message().find("--fast"), std::string::npos) << method;
      EXPECT_EQ(status.error_details().find("--fast"), std::string::npos) << method;
    }
  }

  v1::ListSessionsResponse List(const v1::ListSessionsRequest& request) {
    grpc::ClientContext context;
    SetDeadline(context);
    v1::ListSessionsResponse response;
    EXPECT_TRUE(stranger_.List(&context, request, &response).ok());
    return response;
  }

  void WorkUntilIdle() {
    Work();
    ASSERT_TRUE(loop_.Await([this] { return queue_->Idle(); }));
  }

  const std::shared_ptr<grpc::Channel> channel_of_stranger_;
  Sessions stranger_{channel_of_stranger_};
};

TEST_F(StrangerTest, IsRefusedEveryCallAboutASessionThatWaitsOrHasEnded) {
  const std::string id = Submit();
  // A prefix does not even reveal that the session exists.
  const std::string prefix = id.substr(0, 7);
  ExpectAllRefused(id, grpc::StatusCode::PERMISSION_DENIED);
  ExpectAllRefused(prefix, grpc::StatusCode::NOT_FOUND);
  v1::Session session;
  grpc::ClientContext context;
  ASSERT_TRUE(sessions_->Get(&context, About<v1::GetSessionRequest>(id), &session).ok());
  EXPECT_EQ(session.state(), v1::SESSION_STATE_QUEUED);
  EXPECT_EQ(session.spec().priority(), 0);
  WorkUntilIdle();
  ExpectAllRefused(id, grpc::StatusCode::PERMISSION_DENIED);
  ExpectAllRefused(prefix, grpc::StatusCode::NOT_FOUND);
}

TEST_F(StrangerTest, SeesOnlyIdUserAndStateInAList) {
  v1::SubmitRequest submit = Request();
  (*submit.mutable_spec()->mutable_labels())["secret"] = "plan";
  const std::string id = Submit(submit);
  v1::ListSessionsRequest all;
  all.set_all(true);
  v1::ListSessionsRequest labelled = all;
  (*labelled.mutable_labels())["secret"] = "plan";
  v1::Session expected;
  expected.set_session(id);
  expected.set_uid(::getuid());
  for (const v1::SessionState state : {v1::SESSION_STATE_QUEUED, v1::SESSION_STATE_DONE}) {
    expected.set_state(state);
    const v1::ListSessionsResponse response = List(all);
    ASSERT_EQ(response.sessions_size(), 1);
    EXPECT_EQ(response.sessions(0).SerializeAsString(), expected.SerializeAsString())
        << response.DebugString();
    EXPECT_EQ(List(labelled).sessions_size(), 0);
    if (state == v1::SESSION_STATE_QUEUED) WorkUntilIdle();
  }
}

TEST_F(StrangerTest, MayNotDoWhatIsForAdmins) {
  Work();
  using Queues = v1::QueueService::Stub;
  using Machines = v1::MachineService::Stub;
  Queues queue(channel_of_stranger_);
  Machines machine(channel_of_stranger_);
  v1::HistoryService::Stub history(channel_of_stranger_);
  v1::ListSummariesRequest everybodys;
  everybodys.set_all(true);
  const std::vector<std::pair<std::string, grpc::Status>> answers{
      {"Pause", Call(queue, &Queues::Pause, v1::PauseRequest())},
      {"Drain", Call(queue, &Queues::Drain, v1::DrainRequest())},
      {"Resume", Call(queue, &Queues::Resume, v1::ResumeRequest())},
      {"Apply", Call(machine, &Machines::Apply, v1::ApplyRequest())},
      {"Restore", Call(machine, &Machines::Restore, v1::RestoreRequest())},
      {"ListSummaries", Call(history, &v1::HistoryService::Stub::ListSummaries, everybodys)}};
  for (const auto& [method, status] : answers) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED) << method;
  }
  EXPECT_EQ(loop_.Run([this] { return store_.mode(); }), QueueMode{});
  EXPECT_TRUE(loop_.Run([this] { return runner_.asked; }).empty());
}

TEST_F(StrangerTest, LeavesALineInTheLogForEachAttemptAtAChange) {
  const std::string id = Submit();
  loop_.Run([this] { audit_lines_.clear(); });
  ExpectAllRefused(id, grpc::StatusCode::PERMISSION_DENIED);
  v1::QueueService::Stub queue(channel_of_stranger_);
  Call(queue, &v1::QueueService::Stub::Pause, v1::PauseRequest());
  const std::string caller = "audit: uid=" + std::to_string(kStranger) + " pid=4711 action=";
  const std::vector<std::string> expected{caller + "cancel session=" + id + " result=denied",
                                          caller + "move session=" + id + " result=denied",
                                          caller + "pause session=- result=denied"};
  EXPECT_EQ(loop_.Run([this] { return audit_lines_; }), expected);
}

}  // namespace
}  // namespace benchd::rpc
