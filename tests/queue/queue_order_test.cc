#include <algorithm>
#include <chrono>

#include "tests/queue/queue_fixture.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class QueueOrderTest : public QueueFixture {
 protected:
  explicit QueueOrderTest(QueuePolicy policy = {}) : QueueFixture(policy) {}

  /// Records the order in which these begin, from now on.
  void NoteBegins(const std::vector<SessionId>& ids) {
    for (const SessionId& id : ids) {
      watches_.push_back(hub_.Subscribe(id, [this](const EventHub::Snapshot& snapshot) {
        const bool new_one = begun_.empty() || begun_.back() != snapshot->id;
        if (snapshot->state == SessionState::kPreparing && new_one) begun_.push_back(snapshot->id);
      }));
    }
  }

  std::vector<SessionId> begun_;
  std::vector<EventHub::Subscription> watches_;
};

TEST_F(QueueOrderTest, UsersTakeTurns) {
  const SessionId a1 = Submit(SpecOf(1000));
  const SessionId a2 = Submit(SpecOf(1000));
  const SessionId a3 = Submit(SpecOf(1000));
  const SessionId b1 = Submit(SpecOf(1001));
  EXPECT_EQ(SnapshotOf(b1).position, 2U);
  EXPECT_EQ(SnapshotOf(a2).position, 3U);
  NoteBegins({a1, a2, a3, b1});
  Work();
  Settle();
  EXPECT_EQ(begun_, (std::vector<SessionId>{a1, b1, a2, a3}));
}

TEST_F(QueueOrderTest, WatchersHearTheirNewPlaceAndNothingElse) {
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  std::vector<std::uint64_t> heard;
  const auto watch = hub_.Subscribe(second, [&heard](const EventHub::Snapshot& snapshot) {
    heard.push_back(snapshot->position);
  });
  Submit(SpecOf(1000));
  EXPECT_EQ(heard, (std::vector<std::uint64_t>{2})) << "once, on arrival";
  Submit(SpecOf(1000));
  EXPECT_EQ(heard.size(), 1U) << "after it";
  Submit(SpecOf(1001));
  ASSERT_TRUE(Cancel(User(1000), first));
  EXPECT_EQ(heard, (std::vector<std::uint64_t>{2, 3, 1}))
      << "the other user's comes in between; with the first cancelled, 'second' is the oldest";
}

// ---- move ----

TEST_F(QueueOrderTest, AnAdminMovesASessionForward) {
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  std::uint64_t heard = 0;
  const auto watch = hub_.Subscribe(
      first, [&heard](const EventHub::Snapshot& snapshot) { heard = snapshot->position; });
  const Result<SessionSnapshot> moved = Move(User(0, 1), second, 5);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(moved->position, 1U);
  EXPECT_EQ(heard, 2U);
  EXPECT_WORDING(store_.history(second).back());
  EXPECT_EQ(store_.Ask(&Records::Load, second)->spec.priority, 5);
  EXPECT_EQ(Get(User(0), second.value)->spec.priority, 5);
}

TEST_F(QueueOrderTest, ItsOwnerMayOnlyLowerThePriorityOfASession) {
  const SessionId first = Submit(SpecOf(1000));
  Submit(SpecOf(1000));
  const Result<SessionSnapshot> lowered = Move(User(1000), first, -3);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(lowered->position, 2U);
  EXPECT_TRUE(Move(User(1000), first, -3)) << "the same priority is not a raise";
  for (const std::int32_t priority : {-2, 0, 1}) {
    const Result<SessionSnapshot> raised = Move(User(1000), first, priority);
    ASSERT_FALSE(raised);
    EXPECT_EQ(raised.error().code, ErrorCode::kPermissionDenied);
    EXPECT_WORDING(raised.error());
  }
  EXPECT_EQ(Move(User(1001), first, -9).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Get(User(0), first.value)->spec.priority, -3);
}

TEST_F(QueueOrderTest, AMoveToWhereItIsLeavesNoLine) {
  const SessionId id = Submit(SpecOf(1000));
  EXPECT_FALSE(HasPriority(User(1000), id, -1));
  ASSERT_TRUE(Move(User(1000), id, -1));
  EXPECT_TRUE(HasPriority(User(1000), id, -1));
  const std::vector<std::string> before = store_.history(id);
  const Result<SessionSnapshot> again = Move(User(1000), id, -1);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->position, 1U);
  EXPECT_EQ(store_.history(id), before);
}

TEST_F(QueueOrderTest, AHistoryDoesNotGrowWithoutEndByMoves) {
  const SessionId id = Submit(SpecOf(1000));
  for (int priority = -1; priority > -100; --priority) {
    ASSERT_TRUE(Move(User(1000), id, priority)) << priority;
  }
  EXPECT_EQ(store_.history(id).size(), kMaxHistoryLines);
  const Result<SessionSnapshot> refused = Move(User(1000), id, -100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(refused.error(), {{id.value, "ID"}});
  EXPECT_EQ(Get(User(0), id.value)->spec.priority, -99);
  EXPECT_TRUE(Cancel(User(1000), id)) << "its end is logged all the same";
  EXPECT_EQ(store_.history(id).size(), kMaxHistoryLines + 1);
}

TEST_F(QueueOrderTest, WhatCannotBeStoredIsNotMoved) {
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  store_.disk().SetFull(true);
  const Result<SessionSnapshot> moved = Move(User(0), second, 5);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(moved.error(), {{store_.file(), "DB"}});
  store_.disk().SetFull(false);
  EXPECT_EQ(SnapshotOf(second).position, 2U);
}

TEST_F(QueueOrderTest, WhatNoLongerWaitsIsNotMoved) {
  const SessionId id = Submit(SpecOf(1000));
  Work();
  Settle();
  EXPECT_EQ(Move(User(0), id, 5).error().code, ErrorCode::kFailedPrecondition);
}

// ---- pause and drain ----

TEST_F(QueueOrderTest, StartsNothingWhilePausedAndTakesNothingWhileDraining) {
  ASSERT_TRUE(SetMode({.paused = true}));
  EXPECT_EQ(store_.mode(), (QueueMode{.paused = true}));
  const SessionId id = Submit(SpecOf(1000));
  Work();
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kQueued);
  ASSERT_TRUE(SetMode({.paused = true, .draining = true}));
  EXPECT_EQ(Refused(SpecOf(1000)).code, ErrorCode::kFailedPrecondition);
  const Result<QueueStatus> resumed = SetMode({});
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->mode, QueueMode{});
  EXPECT_EQ(store_.mode(), QueueMode{});
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kDone);
}

TEST_F(QueueOrderTest, AModeThatCannotBeStoredIsNotSet) {
  store_.disk().SetFull(true);
  const Result<QueueStatus> paused = SetMode({.paused = true});
  ASSERT_FALSE(paused);
  EXPECT_EQ(paused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(paused.error(), {{store_.file(), "DB"}});
  EXPECT_FALSE(queue_.Status().mode.paused);
}

TEST_F(QueueOrderTest, LetsOnlyAdminsPauseDrainAndResume) {
  const QueueMode modes[] = {{}, {.paused = true}, {.draining = true}};
  for (const QueueMode& present : modes) {
    ASSERT_TRUE(SetMode(present));
    for (const QueueMode& wanted : modes) {
      const Result<QueueStatus> refused = SetMode(wanted, 1000);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
      EXPECT_EQ(store_.mode(), present);
    }
  }
}

// ---- expected start times ----

TEST_F(QueueOrderTest, TellsWhenASessionWillStart) {
  SessionSpec spec = SpecOf(1000);
  spec.limits.max_time = minutes(2);
  EXPECT_EQ(SubmitFully(spec).eta, seconds(0));
  EXPECT_EQ(SubmitFully(spec).eta, minutes(2)) << "nothing is known, so its limit counts";
  Work();
  Settle();
  // 4 blocks and one warm-up block of two runs of 10 ms each.
  ASSERT_TRUE(SetMode({.paused = true}));
  const SessionSnapshot paused = SubmitFully(spec);
  EXPECT_EQ(paused.eta, std::nullopt) << "the length of the pause is unknown";
  std::optional<Nanoseconds> heard;
  const SessionId second = Submit(spec);
  const auto watch = hub_.Subscribe(second, [&heard](const EventHub::Snapshot& snapshot) {
    if (!heard) heard = snapshot->eta;
  });
  ASSERT_TRUE(SetMode({}));
  EXPECT_EQ(heard, milliseconds(100));
}

TEST_F(QueueOrderTest, ExpectsTheRestOfTheSessionThatRuns) {
  Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  std::optional<Nanoseconds> first_run;
  runner_.during_run = [&] {
    if (first_run) return;
    clock_.Advance(minutes(1));
    first_run = SnapshotOf(second).eta;
  };
  Work();
  Settle();
  EXPECT_EQ(first_run, minutes(9)) << "at most 10 minutes, one of which has passed";
}

TEST_F(QueueOrderTest, ASessionThatRunsTooLongIsExpectedToEndNow) {
  Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  std::optional<Nanoseconds> first_run;
  runner_.during_run = [&] {
    if (first_run) return;
    clock_.Advance(minutes(20));
    first_run = SnapshotOf(second).eta;
  };
  Work();
  Settle();
  EXPECT_EQ(first_run, seconds(0)) << "at most 10 minutes";
}

TEST_F(QueueOrderTest, ExpectsWhatTheReportOfTheSessionThatRunsExpects) {
  SessionSpec spec = SpecOf(1000);
  spec.limits.runs = 20;
  const SessionId first = Submit(spec);
  const SessionId second = Submit(spec);
  int reports = 0;
  runner_.during_run = [&] {
    clock_.Advance(seconds(2));  // so that one is due at each block
    const std::optional<Report> report = SnapshotOf(first).report;
    if (IsFinal(StateOf(first)) || !report || !report->eta) return;
    ++reports;
    EXPECT_EQ(SnapshotOf(second).eta, report->eta);
  };
  Work();
  Settle();
  EXPECT_GT(reports, 0);
}

TEST_F(QueueOrderTest, ExpectsNothingWhileSomebodyHasTheMachine) {
  const SessionId id = Submit(SpecOf(1000));
  queue_.SetReserved(1001);
  EXPECT_EQ(SnapshotOf(id).eta, std::nullopt);
  queue_.SetReserved(std::nullopt);
  EXPECT_EQ(SnapshotOf(id).eta, seconds(0));
}

// ---- limits ----

class QueueLimitsTest : public QueueOrderTest {
 protected:
  QueueLimitsTest()
      : QueueOrderTest({.access = {.admin_gid = 50},
                        .limits = {.queued = 2, .running_a_day = milliseconds(150)},
                        .keep = {}}) {}
  /// For a session that fits into a day's limit.
  SessionSpec SpecOf(std::uint32_t uid) {
    SessionSpec spec = QueueOrderTest::SpecOf(uid);
    spec.limits.max_time = milliseconds(150);
    return spec;
  }
};

TEST_F(QueueLimitsTest, RefusesMoreSessionsThanAUserMayHaveWaiting) {
  Submit(SpecOf(1000));
  Submit(SpecOf(1000));
  const Error error = Refused(SpecOf(1000));
  EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(error);
  Submit(SpecOf(1001));
  SessionSpec admins = SpecOf(1000);
  admins.caller.groups = {50};
  Submit(admins);
}

TEST_F(QueueLimitsTest, CountsSubmissionsThatAreOnTheirWay) {
  std::optional<Result<SessionSnapshot>> answers[4];
  for (auto& answer : answers) Start(queue_.Submit(SpecOf(1000), {}), &answer);
  Settle();
  const auto taken = std::count_if(std::begin(answers), std::end(answers),
                                   [](const auto& answer) { return answer && *answer; });
  EXPECT_EQ(taken, 2);
}

TEST_F(QueueLimitsTest, ARepeatedRequestIsNoMore) {
  const SessionId once = Submit(SpecOf(1000), "request");
  Submit(SpecOf(1000));
  EXPECT_EQ(Submit(SpecOf(1000), "request"), once);
}

TEST_F(QueueLimitsTest, WhoHasHadTheMachineForLongIsPassedOverUntilTheDayIsOver) {
  Work();
  // Each takes 100 ms on the fake clock: after two of them 150 ms are exceeded.
  Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  Settle();
  ASSERT_EQ(StateOf(second), SessionState::kDone);
  const SessionSnapshot third = SubmitFully(SpecOf(1000));
  Settle();
  EXPECT_EQ(StateOf(third.id), SessionState::kQueued);
  // 24 h after the first 50 ms; 200 ms have passed.
  EXPECT_EQ(third.eta, hours(24) - milliseconds(150) + Nanoseconds(1));
  // It has no time to begin before the answer.
  const auto other = RunToEnd(loop_, queue_.Submit(SpecOf(1001), {}, nullptr, false));
  EXPECT_EQ(SnapshotOf(third.id).position, 2U);
  Settle();
  EXPECT_EQ(StateOf(other->id), SessionState::kDone) << "another user's";
  SessionSpec admins = SpecOf(1002);
  admins.caller.groups = {50};
  Submit(admins);
  Settle();
  EXPECT_EQ(StateOf(third.id), SessionState::kQueued);

  // The worker sets its timer to the last millisecond; nothing else wakes it then.
  clock_.Advance(*SnapshotOf(third.id).eta - milliseconds(1));
  ASSERT_TRUE(SetMode({}));
  Settle();
  EXPECT_EQ(StateOf(third.id), SessionState::kQueued);
  clock_.Advance(milliseconds(1));
  std::optional<SessionState> ended;
  const auto watch = hub_.Subscribe(third.id, [&ended](const EventHub::Snapshot& snapshot) {
    if (IsFinal(snapshot->state)) ended = snapshot->state;
  });
  loop_.restart();
  while (!ended && loop_.run_one_for(seconds(10)) > 0) {
  }
  EXPECT_EQ(ended, SessionState::kDone);
}

TEST_F(QueueLimitsTest, WhatASessionDoesBeforeItMeasuresCountsAsWell) {
  SessionSpec spec = SpecOf(1000);
  spec.limits.max_time = milliseconds(1);
  spec.schedule.warmup = 20;
  Work();
  const SessionId first = Submit(spec);
  const SessionId second = Submit(spec);
  Settle();
  EXPECT_EQ(StateOf(first), SessionState::kDone);
  EXPECT_EQ(StateOf(second), SessionState::kQueued) << "the day is used up";

  Queue next{loop_.get_executor(), {runner_, store_, clock_, random_, hub_}, policy_};
  ASSERT_TRUE(RunToEnd(loop_, next.Load()));
  asio::co_spawn(loop_, next.Work(), Rethrow);
  Settle();
  EXPECT_EQ(StoredStateOf(second), SessionState::kQueued) << "also after a restart";
  next.Stop();
  Settle();
}

TEST_F(QueueLimitsTest, RefusesASessionThatADayHasNoRoomForButNotAnAdmins) {
  SessionSpec spec = SpecOf(1000);
  spec.limits.max_time = milliseconds(151);
  const Error refused = Refused(spec);
  EXPECT_EQ(refused.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused);
  spec.caller.groups = {50};
  Submit(spec);
}

TEST_F(QueueLimitsTest, CountsReservationsAsTimeWithTheMachine) {
  EXPECT_TRUE(queue_.CheckMayReserve(User(1000), milliseconds(150)));
  queue_.SetReserved(1000);
  clock_.Advance(milliseconds(100));
  queue_.SetReserved(std::nullopt);
  const Result<void> refused = queue_.CheckMayReserve(User(1000), milliseconds(100));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(queue_.CheckMayReserve(User(1000), milliseconds(50)));
  EXPECT_TRUE(queue_.CheckMayReserve(User(0), hours(1)));
  queue_.SetReserved(1000);
  clock_.Advance(milliseconds(50));
  queue_.SetReserved(std::nullopt);
  Work();
  const SessionId id = Submit(SpecOf(1000));
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kQueued) << "the day is used up";
}

/// The number of submissions per user; failed and cancelled sessions count as well.
class QueueSubmissionsTest : public QueueOrderTest {
 protected:
  QueueSubmissionsTest() : QueueOrderTest({.limits = {.submissions_a_day = 3}}) {}
};

TEST_F(QueueSubmissionsTest, BoundsTheSubmissionsOfADayWhateverBecomesOfThemAlsoAfterARestart) {
  ASSERT_TRUE(Cancel(User(1000), Submit(SpecOf(1000), "r1")));
  ASSERT_TRUE(Cancel(User(1000), Submit(SpecOf(1000))));
  Submit(SpecOf(1000));
  const Error refused = Refused(SpecOf(1000));
  EXPECT_EQ(refused.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused);
  EXPECT_TRUE(SubmitFully(SpecOf(1000), "r1").ended_at) << "a repeated request does not count";
  Queue next(loop_.get_executor(), {runner_, store_, clock_, random_, hub_}, policy_);
  ASSERT_TRUE(RunToEnd(loop_, next.Load()));
  EXPECT_FALSE(RunToEnd(loop_, next.Submit(SpecOf(1000), {})));
  clock_.Advance(hours(24));
  EXPECT_TRUE(RunToEnd(loop_, next.Submit(SpecOf(1000), {})));
  next.Stop();
}

TEST_F(QueueSubmissionsTest, RefusesALongRequestId) {
  const auto refused = RunToEnd(loop_, queue_.Submit(SpecOf(1000), std::string(65, 'r')));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace benchd
