#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/rpc/rpc_support.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

using std::chrono::milliseconds;
using Reader = std::unique_ptr<grpc::ClientReader<v1::SessionEvent>>;

SessionSnapshot Waiting() {
  SessionSnapshot snapshot;
  snapshot.id = {"abc"};
  snapshot.position = 1;
  return snapshot;
}

/// `comparisons` determines the size of the message: about 120 bytes each.
SessionSnapshot Measured(std::uint64_t blocks, SessionState state = SessionState::kRunning,
                         int comparisons = 0) {
  SessionSnapshot snapshot;
  snapshot.id = {"abc"};
  snapshot.state = state;
  snapshot.machine = MachineReport{};
  snapshot.report = Report{};
  snapshot.report->runs = {{"main", "base", blocks}};
  Comparison comparison;
  comparison.metric = std::string(100, 'm');
  snapshot.report->comparisons.assign(static_cast<std::size_t>(comparisons), comparison);
  return snapshot;
}

std::uint64_t Runs(const v1::Update& update) { return update.runs(0).runs(); }

class WatchTest : public ::testing::Test {
 protected:
  WatchTest() {
    daemon_.loop.Run([this] {
      SessionRecord record;
      record.snapshot = Waiting();
      record.spec.seed = 42;
      daemon_.service.records["abc"] = record;
    });
  }

  Reader Watch(grpc::ClientContext& context, const std::string& session = "abc") {
    v1::WatchRequest request;
    request.set_session(session);
    return stub_->Watch(&context, request);
  }
  std::size_t Watchers() { return daemon_.hub.WatcherCount({"abc"}); }
  bool AwaitNoCalls() {
    return daemon_.loop.Await([this] { return Watchers() == 0 && daemon_.calls.count() == 0; });
  }

  StubDaemon daemon_;
  std::unique_ptr<v1::SessionService::Stub> stub_ = daemon_.Client();
};

TEST_F(WatchTest, TellsPlaceStartUpdateAndVerdictAndThenEnds) {
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  v1::SessionEvent event;
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(event.queued().position(), 1U);
  EXPECT_EQ(event.session(), "abc");

  daemon_.Publish(Measured(1));
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(event.started().seed(), 42U);
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(Runs(event.update()), 1U);
  EXPECT_EQ(event.update().state(), v1::SESSION_STATE_RUNNING);

  daemon_.Publish(Measured(2, SessionState::kDone));
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(Runs(event.verdict()), 2U);
  EXPECT_FALSE(reader->Read(&event)) << "the verdict is the last event";
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_TRUE(AwaitNoCalls());
}

TEST_F(WatchTest, ASlowReaderGetsAFewStatesAndTheVerdict) {
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  ASSERT_TRUE(daemon_.loop.Await([this] { return Watchers() == 1; }));
  constexpr int kStates = 2000;
  constexpr int kComparisons = 1000;  // makes every message larger than the stream's window
  for (int i = 1; i <= kStates; ++i) {
    daemon_.loop.Run([this] { daemon_.clock.Advance(milliseconds(51)); });
    daemon_.Publish(Measured(static_cast<std::uint64_t>(i), SessionState::kRunning, kComparisons));
  }
  daemon_.Publish(Measured(kStates, SessionState::kDone));

  int received = 0;
  std::uint64_t last_runs = 0;
  bool verdict = false;
  v1::SessionEvent event;
  while (reader->Read(&event)) {
    EXPECT_FALSE(verdict) << "nothing comes after the verdict";
    ++received;
    verdict = event.has_verdict();
    if (!event.has_update()) continue;
    EXPECT_GT(Runs(event.update()), last_runs);
    last_runs = Runs(event.update());
  }
  EXPECT_TRUE(verdict);
  EXPECT_EQ(Runs(event.verdict()), static_cast<std::uint64_t>(kStates));
  // gRPC's windows hold at most a few MiB at both ends, far less than 2000 states of 120 KiB.
  EXPECT_LT(received, 100);
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(WatchTest, AClientThatGoesAwayLeavesNothingBehind) {
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  v1::SessionEvent event;
  ASSERT_TRUE(reader->Read(&event));
  context.TryCancel();
  EXPECT_TRUE(AwaitNoCalls());
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(WatchTest, AClientThatGoesAwayWithoutReadingLeavesNothingBehind) {
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  ASSERT_TRUE(daemon_.loop.Await([this] { return Watchers() == 1; }));
  for (std::uint64_t i = 1; i <= 100; ++i) {
    daemon_.loop.Run([this] { daemon_.clock.Advance(milliseconds(51)); });
    daemon_.Publish(Measured(i, SessionState::kRunning, 5000));
  }
  context.TryCancel();
  EXPECT_TRUE(AwaitNoCalls());
}

TEST_F(WatchTest, AStoppingDaemonEndsTheStreamByName) {
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  v1::SessionEvent event;
  ASSERT_TRUE(reader->Read(&event));
  daemon_.loop.Run([this] { daemon_.calls.Close(); });
  EXPECT_FALSE(reader->Read(&event));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_WORDING(status);
}

TEST_F(WatchTest, AnUnknownSessionIsASentenceAndAHint) {
  grpc::ClientContext context;
  const Reader reader = Watch(context, "nope");
  v1::SessionEvent event;
  EXPECT_FALSE(reader->Read(&event));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no session matches 'nope'");
  EXPECT_EQ(status.error_details(), "`benchctl list` shows yours");
}

TEST_F(WatchTest, AnErrorThatIsLongerThanAHeaderStillArrives) {
  std::string name;
  for (int i = 0; i < 50'000; ++i) name += "\u2603";
  grpc::ClientContext context;
  const Reader reader = Watch(context, name);
  v1::SessionEvent event;
  EXPECT_FALSE(reader->Read(&event));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND) << status.error_message();
  EXPECT_EQ(status.error_details(), "`benchctl list` shows yours");
}

TEST_F(WatchTest, FailuresAndCancellationsArriveWhole) {
  SessionSnapshot failed = Waiting();
  failed.state = SessionState::kFailed;
  failed.failure = Failure{Error{ErrorCode::kDeadlineExceeded, "candidate: timed out", "a hint"},
                           FailedRun{"main", "candidate", 3, RunPhase::kMeasured, {}, 9, "tail"}};
  daemon_.Publish(failed);
  v1::SessionEvent event;
  grpc::ClientContext first;
  Reader reader = Watch(first);
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(event.failed().error(), "candidate: timed out");
  EXPECT_EQ(event.failed().run().signal(), 9);
  EXPECT_FALSE(event.failed().run().has_exit_code());

  SessionSnapshot cancelled = Waiting();
  cancelled.state = SessionState::kCancelled;
  cancelled.cancelled_by = "uid 7";
  daemon_.Publish(cancelled);
  grpc::ClientContext second;
  reader = Watch(second);
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(event.cancelled().by(), "uid 7");
  EXPECT_FALSE(reader->Read(&event));
}

TEST_F(WatchTest, ClientsThatComeAndGoAtAnyMomentNeverHangTheServer) {
  const unsigned seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    grpc::ClientContext context;
    const Reader reader = Watch(context);
    v1::SessionEvent event;
    for (auto i = random() % 3; i > 0; --i) {
      daemon_.loop.Run([this] { daemon_.clock.Advance(milliseconds(51)); });
      daemon_.Publish(Measured(static_cast<std::uint64_t>(round), SessionState::kRunning, 10));
    }
    if (random() % 2 == 0) reader->Read(&event);
    if (random() % 4 == 0) daemon_.Publish(Measured(1, SessionState::kDone));
    context.TryCancel();
    if (random() % 2 == 0) reader->Finish();
  }
  EXPECT_TRUE(AwaitNoCalls());
}

}  // namespace
}  // namespace benchd::rpc
