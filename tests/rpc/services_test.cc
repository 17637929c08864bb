#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/queue.grpc.pb.h"
#include "tests/rpc/whole_daemon.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

class ServicesTest : public ::testing::Test, protected WholeDaemon {
 protected:
  v1::Session Get(const std::string& id, bool with_log = false) {
    grpc::ClientContext context;
    v1::GetSessionRequest request;
    request.set_session(id);
    request.set_with_log(with_log);
    v1::Session session;
    const grpc::Status status = sessions_->Get(&context, request, &session);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return session;
  }

  /// Calls a method by its name with bytes that were not checked by a protobuf library.
  grpc::Status CallRaw(const std::string& method, const std::string& bytes) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    const grpc::Slice slice(bytes);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer response;
    grpc::Status status;
    std::promise<void> done;
    stub.UnaryCall(&context, method, grpc::StubOptions(), &request, &response,
                   [&status, &done](grpc::Status answer) {
                     status = std::move(answer);
                     done.set_value();
                   });
    done.get_future().wait();
    return status;
  }
};

TEST_F(ServicesTest, ASubmittedSessionIsWatchedToItsVerdict) {
  const std::string id = Submit();
  grpc::ClientContext context;
  v1::WatchRequest request;
  request.set_session(id.substr(0, 4));
  const auto reader = sessions_->Watch(&context, request);
  v1::SessionEvent event;
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(event.session(), id);
  EXPECT_EQ(event.queued().position(), 1U);
  Work();
  std::vector<v1::SessionEvent::EventCase> cases;
  while (reader->Read(&event)) cases.push_back(event.event_case());
  EXPECT_TRUE(reader->Finish().ok());
  ASSERT_GE(cases.size(), 2U);
  EXPECT_EQ(cases.front(), v1::SessionEvent::kStarted);
  ASSERT_EQ(cases.back(), v1::SessionEvent::kVerdict) << event.DebugString();
  EXPECT_EQ(event.verdict().verdict(), v1::VERDICT_REGRESSION);
  EXPECT_EQ(event.verdict().comparisons(0).metric(), "wall_time");

  const v1::Session session = Get(id);
  EXPECT_EQ(session.state(), v1::SESSION_STATE_DONE);
  EXPECT_EQ(session.uid(), ::getuid());
  EXPECT_EQ(session.report().verdict(), v1::VERDICT_REGRESSION);
  EXPECT_EQ(session.environment_names(0), "TOKEN");
  EXPECT_EQ(session.SerializeAsString().find("secret"), std::string::npos);
  EXPECT_TRUE(session.has_ended_at());
}

TEST_F(ServicesTest, TheSeedIsDrawnWhenNobodyGivesOneAndKeptWhenSomebodyDoes) {
  // fake::RandomSource returns 1, 2, 3: the first number is the seed, the second the id.
  EXPECT_EQ(Get(Submit()).spec().seed(), 1U);
  v1::SubmitRequest request = Request();
  request.mutable_spec()->set_seed(0);
  const v1::Session session = Get(Submit(request));
  EXPECT_TRUE(session.spec().has_seed());
  EXPECT_EQ(session.spec().seed(), 0U);
}

TEST_F(ServicesTest, TheSameRequestIdIsTheSameSession) {
  v1::SubmitRequest request = Request();
  request.set_request_id("r1");
  const std::string id = Submit(request);
  EXPECT_EQ(Submit(request), id);
  request.set_request_id("r2");
  EXPECT_NE(Submit(request), id);
}

TEST_F(ServicesTest, ABadRequestIsASentenceWithItsField) {
  v1::SubmitRequest request = Request();
  request.mutable_spec()->set_method(static_cast<v1::Method>(77));
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const grpc::Status status = sessions_->Submit(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(status.error_message().starts_with("method: ")) << status.error_message();
  EXPECT_WORDING(status);
}

TEST_F(ServicesTest, ListsAndCancels) {
  const std::string first = Submit();
  const std::string second = Submit();
  v1::CancelRequest cancel;
  cancel.set_session(second);
  v1::CancelResponse cancelled;
  grpc::ClientContext cancelling;
  ASSERT_TRUE(sessions_->Cancel(&cancelling, cancel, &cancelled).ok());
  EXPECT_EQ(cancelled.state(), v1::SESSION_STATE_CANCELLED);
  EXPECT_EQ(Get(second).cancelled().by(), "uid " + std::to_string(::getuid()));

  for (const auto& [all, expected] : {std::pair{false, 1}, {true, 2}}) {
    grpc::ClientContext context;
    v1::ListSessionsRequest request;
    request.set_all(all);
    v1::ListSessionsResponse response;
    ASSERT_TRUE(sessions_->List(&context, request, &response).ok());
    ASSERT_EQ(response.sessions_size(), expected);
    EXPECT_EQ(response.sessions(expected - 1).session(), first) << "the newest first";
    EXPECT_EQ(response.next_page_token(), "");
  }
}

TEST_F(ServicesTest, AListComesInPagesThatHoldEachSessionOnce) {
  std::vector<std::string> newest_first;
  for (int i = 0; i < 5; ++i) newest_first.insert(newest_first.begin(), Submit());
  v1::ListSessionsRequest request;
  request.set_page_size(2);
  std::vector<std::string> listed;
  std::vector<int> sizes;
  do {
    grpc::ClientContext context;
    v1::ListSessionsResponse page;
    ASSERT_TRUE(sessions_->List(&context, request, &page).ok());
    sizes.push_back(page.sessions_size());
    for (const v1::Session& session : page.sessions()) listed.push_back(session.session());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && sizes.size() < 10);
  EXPECT_EQ(listed, newest_first);
  EXPECT_EQ(sizes, (std::vector{2, 2, 1}));
}

TEST_F(ServicesTest, APageOfLargeSessionsIsAMiBNotAllThatWereAskedFor) {
  v1::SubmitRequest large = Request();
  // 240 kB of listed data each: the fifth session exceeds one MiB.
  v1::Benchmark* benchmark = large.mutable_spec()->mutable_benchmarks(0);
  benchmark->mutable_arms(0)->set_command("old " + std::string(120'000, 'x'));
  benchmark->mutable_arms(1)->set_command("new " + std::string(120'000, 'x'));
  for (int i = 0; i < 7; ++i) Submit(large);
  grpc::ClientContext context;
  v1::ListSessionsRequest request;
  request.set_page_size(100);
  v1::ListSessionsResponse page;
  ASSERT_TRUE(sessions_->List(&context, request, &page).ok());
  EXPECT_EQ(page.sessions_size(), 5);
  EXPECT_NE(page.next_page_token(), "");
}

TEST_F(ServicesTest, AnEndedSessionThatCannotBeReadIsListedAllTheSame) {
  const std::string first = Submit();
  const std::string second = Submit();
  Work();
  ASSERT_TRUE(loop_.Await([this] { return queue_->Idle(); }));
  loop_.Run([this, &first] {
    store_.Execute(
        "UPDATE sessions SET snapshot = replace(snapshot, '\"done\"', '\"asleep\"')"
        " WHERE id = '" +
        first + "'");
    return 0;
  });
  grpc::ClientContext context;
  v1::ListSessionsRequest request;
  request.set_all(true);
  v1::ListSessionsResponse list;
  ASSERT_TRUE(sessions_->List(&context, request, &list).ok());
  ASSERT_EQ(list.sessions_size(), 2);
  EXPECT_EQ(list.sessions(0).session(), second);
  EXPECT_TRUE(list.sessions(0).has_report());
  EXPECT_EQ(list.sessions(1).session(), first);
  EXPECT_EQ(list.sessions(1).state(), v1::SESSION_STATE_DONE);
  EXPECT_FALSE(list.sessions(1).has_report());
  grpc::ClientContext watching;
  v1::WatchRequest watch;
  watch.set_session(first);
  v1::SessionEvent event;
  const auto reader = sessions_->Watch(&watching, watch);
  EXPECT_FALSE(reader->Read(&event));
  EXPECT_WORDING(reader->Finish(), {{first, "ID"}});
}

TEST_F(ServicesTest, AMovedSessionHasAnotherPlace) {
  const std::string first = Submit();
  const std::string second = Submit();
  v1::MoveRequest request;
  request.set_session(first);
  request.set_priority(-1);
  v1::MoveResponse response;
  grpc::ClientContext context;
  const grpc::Status moved = sessions_->Move(&context, request, &response);
  ASSERT_TRUE(moved.ok()) << moved.error_message();
  EXPECT_EQ(response.position(), 2U);
  EXPECT_EQ(Get(first).spec().priority(), -1);
  EXPECT_EQ(Get(second).queued().position(), 1U);

  request.set_session("zzz");
  grpc::ClientContext unknown;
  EXPECT_EQ(sessions_->Move(&unknown, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServicesTest, ASessionTellsItsHistoryToWhoAsksForItAlone) {
  const std::string id = Submit();
  const v1::Session session = Get(id);
  ASSERT_EQ(session.history_size(), 1);
  EXPECT_WORDING(session.history(0).what(), {{"uid " + std::to_string(::getuid()), "uid UID"},
                                             {"pid " + std::to_string(::getpid()), "pid PID"}});
  // fake::Clock starts on the second day of the epoch.
  EXPECT_EQ(session.history(0).time().seconds(), 24 * 3600);
  v1::ListSessionsResponse list;
  grpc::ClientContext context;
  ASSERT_TRUE(sessions_->List(&context, v1::ListSessionsRequest(), &list).ok());
  EXPECT_EQ(list.sessions(0).history_size(), 0);
  Work();
  ASSERT_TRUE(loop_.Await([this] { return queue_->Idle(); }));
  EXPECT_GT(Get(id).history_size(), 1);
}

TEST_F(ServicesTest, TheLogComesOnlyWhenAskedFor) {
  const std::string id = Submit();
  loop_.Run([this, &id] {
    ASSERT_TRUE(store_.Ask(&Records::Append, SessionId{id}, std::vector<benchd::Run>(), "line\n"));
  });
  EXPECT_EQ(Get(id).log(), "");
  EXPECT_EQ(Get(id, true).log(), "line\n");
}

TEST_F(ServicesTest, TheQueueIsPausedDrainedResumedAndTellsWhoItIs) {
  const auto stub = v1::QueueService::NewStub(channel_);
  v1::QueueStatus status;
  grpc::ClientContext get;
  ASSERT_TRUE(stub->Get(&get, v1::GetQueueRequest(), &status).ok());
  EXPECT_EQ(status.version(), "1.2.3");
  EXPECT_EQ(status.pid(), 4711);
  EXPECT_EQ(status.housekeeping_cpus_size(), 2);
  EXPECT_FALSE(status.paused());
  grpc::ClientContext admin;
  const grpc::Status paused = stub->Pause(&admin, v1::PauseRequest(), &status);
  if (::getuid() != 0) {
    EXPECT_EQ(paused.error_code(), grpc::StatusCode::PERMISSION_DENIED);
    return;
  }
  EXPECT_TRUE(status.paused());
  EXPECT_FALSE(status.draining());
  grpc::ClientContext drain;
  ASSERT_TRUE(stub->Drain(&drain, v1::DrainRequest(), &status).ok());
  EXPECT_TRUE(status.draining());
  grpc::ClientContext refused;
  v1::SubmitResponse response;
  EXPECT_EQ(sessions_->Submit(&refused, Request(), &response).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
  grpc::ClientContext resume;
  ASSERT_TRUE(stub->Resume(&resume, v1::ResumeRequest(), &status).ok());
  EXPECT_FALSE(status.draining());
  EXPECT_FALSE(status.paused());
}

TEST_F(ServicesTest, AWatchOfTheQueueTellsEachChangeAndEndsWithItsReader) {
  const auto stub = v1::QueueService::NewStub(channel_);
  grpc::ClientContext context;
  const auto reader = stub->Watch(&context, v1::WatchQueueRequest());
  v1::QueueStatus status;
  ASSERT_TRUE(reader->Read(&status));
  EXPECT_EQ(status.version(), "1.2.3");
  EXPECT_EQ(status.queued(), 0U);
  for (std::uint64_t queued = 1; queued <= 2; ++queued) {
    const std::uint64_t before = status.changes();
    Submit();
    while (status.queued() < queued && reader->Read(&status)) continue;
    EXPECT_EQ(status.queued(), queued);
    EXPECT_GT(status.changes(), before);
  }
  Work();
  while ((status.queued() > 0 || !status.running().empty()) && reader->Read(&status)) continue;
  EXPECT_EQ(status.queued(), 0U);
  EXPECT_EQ(status.running(), "");
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(ServicesTest, MalformedProtobufIsRefusedAndHarmsNobody) {
  for (const std::string& bytes :
       {std::string("\xFF\xFF\xFF\xFF"), std::string("\x0A\x7F"), std::string(1000, '\x08')}) {
    const grpc::Status status = CallRaw("/benchd.v1.SessionService/Submit", bytes);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.error_code(), grpc::StatusCode::UNAVAILABLE) << status.error_message();
  }
  EXPECT_FALSE(Submit().empty());
}

TEST_F(ServicesTest, AnOversizedRequestIsRefusedAndHarmsNobody) {
  const std::string huge(std::size_t{2} << 20U, 'x');
  EXPECT_EQ(CallRaw("/benchd.v1.SessionService/Submit", huge).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_FALSE(Submit().empty());
}

TEST_F(ServicesTest, AMethodNobodyKnowsIsUnimplemented) {
  EXPECT_EQ(CallRaw("/benchd.v1.SessionService/Explode", "").error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

// The wire form of grpc.health.v1.HealthCheckResponse{status = SERVING}: field 1, varint 1.
TEST_F(ServicesTest, TheStandardHealthServiceSaysServing) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  const grpc::ByteBuffer request;
  grpc::Slice empty;
  grpc::ByteBuffer nothing(&empty, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &nothing, &response,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  const grpc::Status status = done.get_future().get();
  ASSERT_TRUE(status.ok()) << status.error_message();
  grpc::Slice bytes;
  ASSERT_TRUE(response.DumpToSingleSlice(&bytes).ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.begin()), bytes.size()),
            std::string("\x08\x01"));
}

// grpc.reflection.v1alpha.ServerReflectionRequest{list_services = "*"}: field 7, length 1.
TEST_F(ServicesTest, ReflectionListsTheServices) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  const auto step = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  call->StartCall(nullptr);
  ASSERT_TRUE(step());
  const grpc::Slice slice(std::string("\x3A\x01*"));
  call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  ASSERT_TRUE(step());
  grpc::ByteBuffer response;
  call->Read(&response, nullptr);
  ASSERT_TRUE(step());
  grpc::Slice bytes;
  ASSERT_TRUE(response.DumpToSingleSlice(&bytes).ok());
  const std::string text(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  for (const char* name :
       {"benchd.v1.SessionService", "benchd.v1.QueueService", "benchd.v1.MachineService"}) {
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
  context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  step();
  queue.Shutdown();
  while (step()) {
  }
}

}  // namespace
}  // namespace benchd::rpc
