#include <asio/post.hpp>
#include <optional>

#include "tests/queue/queue_fixture.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// Cancellation at every stage of a session.
class QueueCancelTest : public QueueFixture {
 protected:
  /// Requests the cancellation at once and waits for the answer later.
  void StartCancel(const SessionId& id, std::uint32_t uid = 1000, std::int32_t pid = 5) {
    Start(queue_.Cancel(User(uid, pid), id.value), &cancelled_);
  }

  std::optional<Result<SessionSnapshot>> cancelled_;
};

TEST_F(QueueCancelTest, WhileItIsSubmittedNobodyKnowsIt) {
  std::optional<Result<SessionSnapshot>> submitted;
  Start(queue_.Submit(SpecOf(1000), "request"), &submitted);
  StartCancel(MakeSessionId(1));  // the first id of the counting source
  Settle();
  ASSERT_TRUE(cancelled_ && !*cancelled_);
  EXPECT_EQ(cancelled_->error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(submitted && *submitted);
  EXPECT_EQ(StateOf((*submitted)->id), SessionState::kQueued);
}

TEST_F(QueueCancelTest, WhileItWaits) {
  const SessionId id = Submit(SpecOf(1000));
  const Result<SessionSnapshot> cancelled = Cancel(User(1000, 5), id);
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  EXPECT_EQ(cancelled->state, SessionState::kCancelled);
  EXPECT_EQ(cancelled->cancelled_by, "uid 1000");
  EXPECT_EQ(cancelled->position, 0U);
  EXPECT_WORDING(TextOf(store_.history(id)));
  EXPECT_EQ(StoredStateOf(id), SessionState::kCancelled);
  EXPECT_TRUE(queue_.Idle());
}

TEST_F(QueueCancelTest, TwiceAtOnceIsOneEnd) {
  const SessionId id = Submit(SpecOf(1000));
  std::optional<Result<SessionSnapshot>> second;
  StartCancel(id);
  Start(queue_.Cancel(User(0, 6), id.value), &second);
  Settle();
  ASSERT_TRUE(cancelled_ && *cancelled_ && second && *second);
  EXPECT_EQ((*second)->state, SessionState::kCancelled);
  EXPECT_EQ((*second)->cancelled_by, "uid 1000");
  EXPECT_EQ(store_.history(id).size(), 2U);
}

TEST_F(QueueCancelTest, WhileItWaitsAndTheDiskIsFullItStaysWhereItWas) {
  const SessionId id = Submit(SpecOf(1000));
  const SessionId next = Submit(SpecOf(1000));
  store_.disk().SetFull(true);
  const Result<SessionSnapshot> cancelled = Cancel(User(1000), id);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(cancelled.error(), {{store_.file(), "DB"}});
  EXPECT_EQ(SnapshotOf(id).position, 1U);
  EXPECT_EQ(SnapshotOf(next).position, 2U);
}

TEST_F(QueueCancelTest, WhileItsRecordIsRead) {
  const SessionId id = Submit(SpecOf(1000));
  Work();
  // Requested in the turn after the worker begins to read.
  asio::post(loop_, [&] {
    ASSERT_EQ(queue_.Status().running, id);
    ASSERT_EQ(StateOf(id), SessionState::kQueued);
    StartCancel(id);
  });
  Settle();
  ASSERT_TRUE(cancelled_ && *cancelled_);
  EXPECT_EQ((*cancelled_)->state, SessionState::kCancelled);
  EXPECT_TRUE(runner_.orders().empty());
}

TEST_F(QueueCancelTest, WhileItPrepares) {
  const SessionId id = Submit(SpecOf(1000));
  bool asked = false;
  const auto watch = hub_.Subscribe(id, [&](const EventHub::Snapshot& snapshot) {
    if (snapshot->state != SessionState::kPreparing || std::exchange(asked, true)) return;
    asio::co_spawn(loop_, KeepResult(queue_.Cancel(User(1000, 5), id.value), &cancelled_), Rethrow);
    // Its children are handed over only after other work had a turn.
    loop_.poll();
  });
  Work();
  Settle();
  ASSERT_TRUE(cancelled_ && *cancelled_);
  EXPECT_EQ((*cancelled_)->state, SessionState::kCancelled);
  EXPECT_TRUE(runner_.orders().empty());
  EXPECT_EQ(runner_.released, runner_.acquired);
  EXPECT_WORDING(TextOf(store_.history(id)));
}

TEST_F(QueueCancelTest, WhileItRunsAndTheNextRuns) {
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  bool asked = false;
  runner_.during_run = [&] {
    if (std::exchange(asked, true)) return;
    StartCancel(first);
    loop_.poll();
  };
  Work();
  Settle();
  ASSERT_TRUE(cancelled_ && *cancelled_);
  EXPECT_EQ((*cancelled_)->state, SessionState::kCancelled);
  EXPECT_EQ(StateOf(second), SessionState::kDone);
  EXPECT_WORDING(TextOf(store_.history(first)));
}

TEST_F(QueueCancelTest, WhileItIsPausedByAFullDisk) {
  const SessionId id = Submit(SpecOf(1000));
  int runs = 0;
  runner_.during_run = [&] {
    if (++runs == 2) store_.disk().SetFull(true);
  };
  clock_.during_wait = [&] {
    EXPECT_FALSE(cancelled_) << "a client would learn of an end that is not stored";
    EXPECT_EQ(StateOf(id), SessionState::kPaused);
    if (clock_.waits() == 2) StartCancel(id);
    if (clock_.waits() == 5) store_.disk().SetFull(false);  // the end must be stored, too
  };
  Work();
  Settle();
  ASSERT_TRUE(cancelled_ && *cancelled_) << clock_.waits();
  EXPECT_EQ((*cancelled_)->state, SessionState::kCancelled);
  EXPECT_EQ(StoredStateOf(id), SessionState::kCancelled);
}

TEST_F(QueueCancelTest, WhileTheVerdictWaitsForDiskSpaceKeepsTheVerdict) {
  const SessionId id = Submit(SpecOf(1000));
  runner_.during_release = [this] { store_.disk().SetFull(true); };
  clock_.during_wait = [&] {
    if (clock_.waits() == 1) StartCancel(id);
    EXPECT_FALSE(cancelled_);
    if (clock_.waits() == 3) store_.disk().SetFull(false);
  };
  Work();
  Settle();
  ASSERT_TRUE(cancelled_ && *cancelled_);
  EXPECT_EQ((*cancelled_)->state, SessionState::kDone);
  EXPECT_EQ(StoredStateOf(id), SessionState::kDone);
}

TEST_F(QueueCancelTest, AfterItsEndChangesNothing) {
  const SessionId id = Submit(SpecOf(1000));
  Work();
  Settle();
  const History before = store_.history(id);
  EXPECT_WORDING(before.back());
  const Result<SessionSnapshot> cancelled = Cancel(User(1000), id);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->state, SessionState::kDone);
  EXPECT_EQ(store_.history(id), before);
}

TEST_F(QueueCancelTest, WhatIsBeingCancelledWhenBenchdStopsEndsCancelled) {
  const SessionId id = Submit(SpecOf(1000));
  bool asked = false;
  runner_.during_run = [&] {
    if (std::exchange(asked, true)) return;
    StartCancel(id);
    loop_.poll();
    queue_.Stop();
  };
  Work();
  Settle();
  ASSERT_TRUE(cancelled_ && *cancelled_);
  EXPECT_EQ(StoredStateOf(id), SessionState::kCancelled);
}

TEST_F(QueueCancelTest, WhileItIsCleanedUpAfterIsAnsweredWhenBenchdStops) {
  SessionSpec spec = SpecOf(1000);
  spec.benchmarks[0].hooks.cleanup = {"cleanup", {"cleanup"}};
  const SessionId id = Submit(std::move(spec));
  runner_.during_run = [&] {
    if (runner_.ran().back().argv.front() != "cleanup") return;
    StartCancel(id);
    loop_.poll();
    queue_.Stop();
  };
  Work();
  Settle();
  EXPECT_FALSE(queue_.Status().running);
  ASSERT_TRUE(cancelled_) << "otherwise its call keeps benchd from ending";
  ASSERT_TRUE(*cancelled_) << cancelled_->error().message;
  EXPECT_EQ((*cancelled_)->cancelled_by, "uid 1000");
  EXPECT_EQ(StoredStateOf(id), SessionState::kRunning) << "the next start cleans up, then ends it";
}

}  // namespace
}  // namespace benchd
