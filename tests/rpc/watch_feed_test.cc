#include <gtest/gtest.h>

#include "daemon/rpc/watch_reactor.h"

namespace benchd::rpc {
namespace {

using std::chrono::milliseconds;
using Kind = WatchFeed::Kind;
using Occasion = WatchFeed::Occasion;

WatchFeed::Snapshot State(SessionState state) {
  SessionSnapshot snapshot;
  snapshot.state = state;
  return std::make_shared<const SessionSnapshot>(snapshot);
}

WatchFeed::Snapshot WaitingFeed(std::uint64_t position) {
  SessionSnapshot snapshot;
  snapshot.position = position;
  return std::make_shared<const SessionSnapshot>(snapshot);
}

WatchFeed::Snapshot MeasuredFeed(std::uint64_t blocks,
                                 SessionState state = SessionState::kRunning) {
  SessionSnapshot snapshot;
  snapshot.state = state;
  snapshot.machine = MachineReport{};
  snapshot.report = Report{};
  snapshot.report->runs = {{"main", "base", blocks}};
  return std::make_shared<const SessionSnapshot>(snapshot);
}

class WatchFeedTest : public ::testing::Test {
 protected:
  std::optional<Kind> Next(Occasion occasion = Occasion::kPublication) {
    const auto event = feed_.Next(now_, occasion);
    if (!event) return std::nullopt;
    last_ = event->snapshot;
    return event->kind;
  }
  std::uint64_t last_runs() const { return last_->report->runs.front().runs; }

  WatchFeed feed_;
  SteadyTime now_{};
  WatchFeed::Snapshot last_;
};

TEST_F(WatchFeedTest, SaysNothingBeforeItKnowsAnything) { EXPECT_EQ(Next(), std::nullopt); }

TEST_F(WatchFeedTest, AQueuedSessionTellsItsPlaceAndThenOnlyChanges) {
  feed_.Offer(WaitingFeed(2));
  EXPECT_EQ(Next(), Kind::kQueued);
  feed_.Offer(WaitingFeed(2));
  EXPECT_EQ(Next(), std::nullopt);
  feed_.Offer(WaitingFeed(1));
  EXPECT_EQ(Next(), Kind::kQueued);
}

TEST_F(WatchFeedTest, APauseIsToldAlsoBeforeTheFirstReport) {
  feed_.Offer(State(SessionState::kRunning));
  EXPECT_EQ(Next(), Kind::kQueued) << "the first snapshot must produce an event";
  feed_.Offer(State(SessionState::kPaused));
  EXPECT_EQ(Next(), Kind::kUpdate);
  feed_.Offer(State(SessionState::kRunning));
  EXPECT_EQ(Next(), Kind::kUpdate) << "it resumes";
  feed_.Offer(State(SessionState::kRunning));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(WatchFeedTest, AWatcherOfAPreparingSessionIsAnsweredAtOnce) {
  feed_.Offer(State(SessionState::kPreparing));
  EXPECT_EQ(Next(), Kind::kQueued);
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(WatchFeedTest, PreparingIsNoNewsForSomebodyWhoSawTheQueue) {
  feed_.Offer(WaitingFeed(1));
  EXPECT_EQ(Next(), Kind::kQueued);
  feed_.Offer(State(SessionState::kPreparing));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(WatchFeedTest, StartedComesOnceAndBeforeTheFirstUpdate) {
  feed_.Offer(MeasuredFeed(1));
  EXPECT_EQ(Next(), Kind::kStarted);
  EXPECT_EQ(Next(Occasion::kWriteDone), Kind::kUpdate);
  EXPECT_EQ(Next(Occasion::kWriteDone), std::nullopt);
  now_ += milliseconds(60);
  feed_.Offer(MeasuredFeed(2));
  EXPECT_EQ(Next(), Kind::kUpdate);
}

TEST_F(WatchFeedTest, ASecondUpdateWithinFiftyMillisecondsWaitsAndTheNewestGoesOut) {
  feed_.Offer(MeasuredFeed(1));
  EXPECT_EQ(Next(), Kind::kStarted);
  EXPECT_EQ(Next(), Kind::kUpdate);
  now_ += milliseconds(49);
  feed_.Offer(MeasuredFeed(2));
  EXPECT_EQ(Next(), std::nullopt);
  now_ += milliseconds(1);
  feed_.Offer(MeasuredFeed(3));
  EXPECT_EQ(Next(), Kind::kUpdate);
  EXPECT_EQ(last_runs(), 3U);
}

TEST_F(WatchFeedTest, AFinishedWriteSendsNoUpdateOfItsOwn) {
  feed_.Offer(MeasuredFeed(1));
  EXPECT_EQ(Next(), Kind::kStarted);
  EXPECT_EQ(Next(), Kind::kUpdate);
  now_ += milliseconds(500);
  feed_.Offer(MeasuredFeed(2));
  EXPECT_EQ(Next(Occasion::kWriteDone), std::nullopt) << "a child may be running";
  EXPECT_EQ(Next(Occasion::kPublication), Kind::kUpdate);
}

TEST_F(WatchFeedTest, AChangeOfStateDoesNotWait) {
  feed_.Offer(MeasuredFeed(1));
  EXPECT_EQ(Next(), Kind::kStarted);
  EXPECT_EQ(Next(), Kind::kUpdate);
  feed_.Offer(MeasuredFeed(1, SessionState::kPaused));
  EXPECT_EQ(Next(Occasion::kWriteDone), Kind::kUpdate);
}

TEST_F(WatchFeedTest, TheVerdictIsNeitherDelayedNorDroppedAndIsTheLast) {
  feed_.Offer(MeasuredFeed(1));
  EXPECT_EQ(Next(), Kind::kStarted);
  EXPECT_EQ(Next(), Kind::kUpdate);
  feed_.Offer(MeasuredFeed(2));
  EXPECT_EQ(Next(), std::nullopt);
  feed_.Offer(MeasuredFeed(3, SessionState::kDone));
  EXPECT_EQ(Next(Occasion::kWriteDone), Kind::kVerdict);
  EXPECT_EQ(last_runs(), 3U);
  now_ += milliseconds(500);
  EXPECT_EQ(Next(), std::nullopt);
  feed_.Offer(MeasuredFeed(4));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(WatchFeedTest, AWatcherOfAnEndedSessionHearsHowItStartedAndHowItEnded) {
  feed_.Offer(MeasuredFeed(9, SessionState::kDone));
  EXPECT_EQ(Next(), Kind::kStarted);
  EXPECT_EQ(Next(Occasion::kWriteDone), Kind::kVerdict);
}

TEST_F(WatchFeedTest, FailedAndCancelledAreFinalToo) {
  WatchFeed failed;
  failed.Offer(State(SessionState::kFailed));
  EXPECT_EQ(failed.Next(now_, Occasion::kPublication)->kind, Kind::kFailed);
  EXPECT_FALSE(failed.Next(now_, Occasion::kPublication));
  WatchFeed cancelled;
  cancelled.Offer(State(SessionState::kCancelled));
  EXPECT_EQ(cancelled.Next(now_, Occasion::kPublication)->kind, Kind::kCancelled);
  EXPECT_FALSE(cancelled.Next(now_, Occasion::kPublication));
}

}  // namespace
}  // namespace benchd::rpc
