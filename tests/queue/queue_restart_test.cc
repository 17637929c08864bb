#include <deque>
#include <optional>

#include "tests/queue/queue_fixture.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// The end of benchd, its restart, and a full disk in between.
class QueueRestartTest : public QueueFixture {
 protected:
  explicit QueueRestartTest(QueuePolicy policy = {}) : QueueFixture(policy) {}

  void Keep(const std::string& id, SessionState state, std::int32_t priority = 0,
            std::optional<Timestamp> started_at = std::nullopt) {
    SessionRecord record{SpecOf(1000, priority), {}, {}};
    record.snapshot.id = SessionId{id};
    record.snapshot.state = state;
    record.snapshot.started_at = started_at;
    record.snapshot.submitted_at = Timestamp(Nanoseconds(++kept_));
    store_.Keep(record);
  }
  std::vector<std::string> Load(Queue& queue) {
    Result<std::vector<std::string>> warnings = RunToEnd(loop_, queue.Load());
    EXPECT_TRUE(warnings) << warnings.error().message;
    return warnings ? *warnings : std::vector<std::string>{};
  }
  /// Stops benchd during that run.
  void StopInRun(int number) {
    runner_.during_run = [this, number, runs = 0]() mutable {
      if (++runs == number) queue_.Stop();
    };
  }

  const SessionId ran_{"ran"};
  int kept_ = 0;
};

TEST_F(QueueRestartTest, QueuedSessionsKeepTheirPlaceAndTheOneThatRanComesFirst) {
  Keep("waited", SessionState::kQueued);
  Keep("hurries", SessionState::kQueued, 7);
  Keep("ran", SessionState::kRunning, -1, clock_.Now());
  Keep("ended", SessionState::kDone);
  EXPECT_EQ(Load(queue_), History{});
  EXPECT_EQ(SnapshotOf(ran_).position, 1U);
  EXPECT_EQ(StateOf(ran_), SessionState::kQueued);
  EXPECT_EQ(SnapshotOf(ran_).started_at, clock_.Now());
  EXPECT_EQ(SnapshotOf({"hurries"}).position, 2U);
  EXPECT_EQ(SnapshotOf({"waited"}).position, 3U);
  EXPECT_EQ(StateOf({"ended"}), SessionState::kDone);
  EXPECT_WORDING(TextOf(store_.history(ran_)));
  EXPECT_EQ(StoredStateOf(ran_), SessionState::kRunning) << "interrupted until it runs again";
}

TEST_F(QueueRestartTest, EachInterruptedStateGoesOn) {
  Keep("a", SessionState::kPreparing, 0, clock_.Now());
  Keep("b", SessionState::kPaused, 0, clock_.Now());
  Load(queue_);
  Work();
  Settle();
  EXPECT_EQ(StateOf({"a"}), SessionState::kDone);
  EXPECT_EQ(StateOf({"b"}), SessionState::kDone);
  EXPECT_WORDING(TextOf(store_.history({"b"})));
}

TEST_F(QueueRestartTest, PauseAndDrainLast) {
  ASSERT_TRUE(SetMode({.paused = true, .draining = true}));
  Queue next{loop_.get_executor(), {runner_, store_, clock_, random_, hub_}, policy_};
  Load(next);
  EXPECT_EQ(next.Status().mode, (QueueMode{.paused = true, .draining = true}));
}

TEST_F(QueueRestartTest, TellsWhatTheStoreWarnsOf) {
  Keep("abc", SessionState::kQueued);
  store_.Execute("UPDATE sessions SET snapshot = replace(snapshot, '\"queued\"', '\"asleep\"')");
  Keep("ran", SessionState::kRunning, 0, clock_.Now());
  store_.disk().SetFull(true);
  const History warnings = Load(queue_);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_WORDING(TextOf(warnings), {{store_.file(), "DB"}});
  EXPECT_EQ(SnapshotOf(ran_).position, 1U) << "a full disk does not lose it";
}

TEST_F(QueueRestartTest, AStoppedSessionIsInterruptedAndGoesOn) {
  const SessionId id = Submit(SpecOf(1000));
  const SessionId waits = Submit(SpecOf(1000));
  StopInRun(5);
  Work();
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kRunning);
  EXPECT_EQ(StoredStateOf(id), SessionState::kRunning);
  EXPECT_EQ(StateOf(waits), SessionState::kQueued);
  const History stopped = store_.history(id);
  EXPECT_WORDING(TextOf(stopped));
  EXPECT_FALSE(queue_.Status().running);

  runner_.during_run = {};
  Queue next{loop_.get_executor(), {runner_, store_, clock_, random_, hub_}, policy_};
  Load(next);
  EXPECT_EQ(store_.history(id), stopped) << "it was already reported";
  asio::co_spawn(loop_, next.Work(), Rethrow);
  Settle();
  EXPECT_EQ(StoredStateOf(id), SessionState::kDone);
  EXPECT_EQ(StoredStateOf(waits), SessionState::kDone);
  next.Stop();
  Settle();
}

TEST_F(QueueRestartTest, ASessionWhoseRecordIsReadWhenBenchdStopsStaysQueued) {
  const SessionId id = Submit(SpecOf(1000));
  Work();
  loop_.restart();
  while (!queue_.Status().running && loop_.run_one() > 0) {
  }
  queue_.Stop();
  Settle();
  EXPECT_EQ(StoredStateOf(id), SessionState::kQueued);
  EXPECT_WORDING(TextOf(store_.history(id)));
}

TEST_F(QueueRestartTest, ASessionThatCannotBeReadFails) {
  Keep("a", SessionState::kQueued);
  Load(queue_);
  store_.Execute("DELETE FROM sessions");  // without the queue's knowledge
  EventHub::Snapshot last;
  const auto watch = hub_.Subscribe({"a"}, [&last](const auto& snapshot) { last = snapshot; });
  Work();
  Settle();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->state, SessionState::kFailed);
  EXPECT_WORDING(last->failure->error);
  EXPECT_EQ(Get(User(1000), "a").error().code, ErrorCode::kNotFound);
}

// ---- storage ----

TEST_F(QueueRestartTest, TheEnvironmentIsReadWhenASessionStartsAndIsNotInMemory) {
  SessionSpec spec = SpecOf(1000);
  spec.environment["SECRET"] = "x";
  spec.benchmarks[0].arms[0].env["TOKEN"] = "y";
  const SessionId id = Submit(spec);
  const Result<SessionRecord> kept = Get(User(1000), id.value);
  EXPECT_TRUE(kept->spec.environment.empty());
  EXPECT_EQ(kept->spec.benchmarks[0].arms[0].env.at("TOKEN"), "");
  Work();
  Settle();
  ASSERT_FALSE(runner_.children().empty());
  EXPECT_EQ(runner_.children()[0].env.at("SECRET"), "x");
  EXPECT_EQ(runner_.children()[0].env.at("TOKEN"), "y");
}

TEST_F(QueueRestartTest, ShowsNamesOfTheEnvironmentTheHistoryAndTheNewestState) {
  SessionSpec spec = SpecOf(1000);
  spec.environment["SECRET"] = "x";
  spec.benchmarks[0].arms[0].env["TOKEN"] = "y";
  const SessionId id = Submit(spec);
  const Result<SessionDetails> details = RunToEnd(loop_, queue_.Show(User(1000), id.value));
  ASSERT_TRUE(details) << details.error().message;
  EXPECT_EQ(details->record.spec.environment.at("SECRET"), "");
  EXPECT_EQ(details->record.spec.benchmarks[0].arms[0].env.at("TOKEN"), "");
  EXPECT_EQ(details->record.snapshot.position, 1U);
  ASSERT_EQ(details->history.size(), 1U);
  EXPECT_EQ(details->history[0].at, clock_.Now());
  EXPECT_WORDING(details->history[0].what);
  EXPECT_EQ(RunToEnd(loop_, queue_.Show(User(1001), id.value)).error().code,
            ErrorCode::kPermissionDenied);
}

TEST_F(QueueRestartTest, ShowsWhatRunsAsItIsNow) {
  const SessionId id = Submit(SpecOf(1000));
  std::optional<Result<SessionDetails>> details;
  int runs = 0;
  runner_.during_run = [&] {
    if (++runs != 3) return;
    Start(queue_.Show(User(1000), id.value), &details);
    loop_.poll();
  };
  Work();
  Settle();
  ASSERT_TRUE(details && *details);
  EXPECT_EQ((*details)->record.snapshot.state, SessionState::kRunning);
}

TEST_F(QueueRestartTest, ShowsTheEndOfASessionThatEndsMeanwhile) {
  const SessionId id = Submit(SpecOf(1000));
  Work();
  std::deque<std::optional<Result<SessionDetails>>> shown;
  loop_.restart();
  while (!HasEnded(User(1000), id)) {
    Start(queue_.Show(User(1000), id.value), &shown.emplace_back());
    if (loop_.run_one() == 0) break;
  }
  Settle();
  ASSERT_GT(shown.size(), 4U);
  const std::string end = store_.history(id).back();
  for (const auto& details : shown) {
    ASSERT_TRUE(details && *details);
    const bool ended = (*details)->history.back().what == end;
    EXPECT_EQ((*details)->record.snapshot.state == SessionState::kDone, ended);
  }
  EXPECT_EQ((*shown.back())->record.snapshot.state, SessionState::kDone);
}

TEST_F(QueueRestartTest, ASessionWithoutItsProgramTellsItInItsHistory) {
  runner_.programs.emplace("base-program", Error{ErrorCode::kNotFound, "not found", {}});
  const SessionId id = Submit(SpecOf(1000));
  EXPECT_WORDING(TextOf(store_.history(id)));
}

// ---- a full disk ----

TEST_F(QueueRestartTest, AVerdictWaitsForDiskSpaceAndTheNextSessionForTheVerdict) {
  const SessionId id = Submit(SpecOf(1000));
  const SessionId next = Submit(SpecOf(1000));
  runner_.during_release = [this] { store_.disk().SetFull(true); };
  std::vector<SessionState> seen;
  const auto watch = hub_.Subscribe(
      id, [&seen](const EventHub::Snapshot& snapshot) { seen.push_back(snapshot->state); });
  clock_.during_wait = [&] {
    const SessionSnapshot paused = SnapshotOf(id);
    EXPECT_EQ(paused.state, SessionState::kPaused);
    EXPECT_EQ(paused.ended_at, std::nullopt);
    ASSERT_TRUE(paused.report && !paused.report->warnings.empty());
    EXPECT_EQ(paused.report->warnings.back().code, "disk_full");
    EXPECT_WORDING(paused.report->warnings.back().message, {{store_.file(), "DB"}});
    EXPECT_EQ(StateOf(next), SessionState::kQueued);
    EXPECT_EQ(SnapshotOf(next).eta, std::nullopt) << "the time until there is space is unknown";
    if (clock_.waits() < 3) return;
    store_.disk().SetFull(false);
    runner_.during_release = {};
  };
  Work();
  Settle();
  EXPECT_EQ(clock_.waits(), 3);
  EXPECT_EQ(StateOf(id), SessionState::kDone);
  EXPECT_EQ(StoredStateOf(id), SessionState::kDone);
  EXPECT_EQ(seen.back(), SessionState::kDone);
  EXPECT_WORDING(TextOf(store_.history(id)));
  const SessionSnapshot done = SnapshotOf(id);
  for (const Warning& warning : done.report->warnings) {
    EXPECT_NE(warning.code, "disk_full");
  }
  EXPECT_EQ(StateOf(next), SessionState::kDone);
}

TEST_F(QueueRestartTest, StopEndsTheWaitForDiskSpaceAndTheSessionResumesLater) {
  const SessionId id = Submit(SpecOf(1000));
  runner_.during_release = [this] { store_.disk().SetFull(true); };
  clock_.during_wait = [this] { queue_.Stop(); };
  Work();
  Settle();
  EXPECT_EQ(clock_.waits(), 1);
  EXPECT_EQ(StateOf(id), SessionState::kPaused);
  EXPECT_EQ(StoredStateOf(id), SessionState::kRunning);
  EXPECT_FALSE(queue_.Status().running);
}

TEST_F(QueueRestartTest, AVerdictThatCannotBeStoredIsAFailureThatIs) {
  const SessionId id = Submit(SpecOf(1000));
  store_.RefuseStates("'done'");
  Work();
  Settle();
  ASSERT_EQ(StateOf(id), SessionState::kFailed);
  EXPECT_WORDING(SnapshotOf(id).failure->error, {{store_.file(), "DB"}});
  EXPECT_EQ(StoredStateOf(id), SessionState::kFailed);
}

TEST_F(QueueRestartTest, AnEndThatCannotBeStoredIsNotReported) {
  const SessionId id = Submit(SpecOf(1000));
  store_.RefuseStates("'done', 'failed', 'cancelled'");
  bool told = false;
  const auto watch = hub_.Subscribe(
      id, [&told](const EventHub::Snapshot& snapshot) { told = told || IsFinal(snapshot->state); });
  clock_.during_wait = [this] {
    if (clock_.waits() == 3) queue_.Stop();
  };
  Work();
  Settle();
  EXPECT_FALSE(told);
  EXPECT_EQ(StateOf(id), SessionState::kPaused);
  ASSERT_TRUE(SnapshotOf(id).report && !SnapshotOf(id).report->warnings.empty());
  EXPECT_EQ(SnapshotOf(id).report->warnings.back().code, "not_stored");
  EXPECT_EQ(StoredStateOf(id), SessionState::kPaused) << "resumes at the next start";
}

TEST_F(QueueRestartTest, SubmitTellsThatBenchdStops) {
  queue_.Stop();
  const Error refused = Refused(SpecOf(1000));
  EXPECT_EQ(refused.code, ErrorCode::kUnavailable);
  EXPECT_WORDING(refused);
}

// ---- deletion ----

class QueuePruneTest : public QueueRestartTest {
 protected:
  QueuePruneTest()
      : QueueRestartTest({.access = {}, .limits = {}, .keep = {.age = std::chrono::hours(1)}}) {}
};

TEST_F(QueuePruneTest, DeletesAtTheStartUntilNobodyIsLeft) {
  for (const char* id : {"oldest", "older", "old"}) Keep(id, SessionState::kDone);
  Load(queue_);
  // Each takes longer than the limit of a call.
  store_.Execute(
      "CREATE TRIGGER slow BEFORE DELETE ON sessions BEGIN WITH RECURSIVE counted(x) AS"
      " (SELECT 1 UNION ALL SELECT x + 1 FROM counted WHERE x < 500000)"
      " SELECT max(x) FROM counted; END");
  Work();
  Settle();
  EXPECT_EQ(store_.ids(), History{"old"}) << "which ended last";
  EXPECT_EQ(Get(User(0), "oldest").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Get(User(0), "older").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(List(User(0), {.all = true}).size(), 1U);
}

TEST_F(QueuePruneTest, DeletesBetweenSessionsAndForgetsTheRequests) {
  const SessionId first = Submit(SpecOf(1000), "request");
  Work();
  Settle();
  clock_.Advance(std::chrono::hours(2));
  const SessionId second = Submit(SpecOf(1000));
  const SessionId third = Submit(SpecOf(1000));
  History during_runs;
  runner_.during_run = [&] {
    if (StateOf(second) == SessionState::kRunning) during_runs = store_.ids();
  };
  History when_next;
  const auto watch = hub_.Subscribe(third, [&](const EventHub::Snapshot& snapshot) {
    if (snapshot->state == SessionState::kPreparing) when_next = store_.ids();
  });
  Settle();
  EXPECT_EQ(during_runs, (History{first.value, second.value, third.value}))
      << "never while a session runs";
  EXPECT_EQ(when_next, (History{second.value, third.value}));
  EXPECT_NE(Submit(SpecOf(1000), "request"), first);
}

TEST_F(QueueRestartTest, WithoutAPolicyNothingIsDeleted) {
  Keep("older", SessionState::kDone);
  Keep("old", SessionState::kDone);
  Load(queue_);
  const SessionId id = Submit(SpecOf(1000));
  Work();
  Settle();
  EXPECT_EQ(store_.ids(), (History{"older", "old", id.value}));
}

}  // namespace
}  // namespace benchd
