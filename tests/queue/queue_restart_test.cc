#include <optional>

#include "tests/queue/queue_fixture.h"

namespace benchd {
namespace {

/// The end of benchd, its start, and a full disk in between.
class QueueRestartTest : public QueueFixture {
 protected:
  explicit QueueRestartTest(QueuePolicy policy = {}) : QueueFixture(std::move(policy)) {}

  void Keep(const std::string& id, SessionState state, std::int32_t priority = 0,
            std::optional<Timestamp> started_at = std::nullopt) {
    SessionRecord record{SpecOf(1000, priority), {}, {}};
    record.snapshot.id = SessionId{id};
    record.snapshot.state = state;
    record.snapshot.started_at = started_at;
    ASSERT_TRUE(RunToEnd(loop_, store_.Insert(record, {{}, "submitted"})));
  }
  std::vector<std::string> Load(Queue& queue) {
    Result<std::vector<std::string>> complaints = RunToEnd(loop_, queue.Load());
    EXPECT_TRUE(complaints) << complaints.error().message;
    return complaints ? *complaints : std::vector<std::string>{};
  }
  /// Stops benchd in that run.
  void StopInRun(int number) {
    launcher_.during_run = [this, number, runs = 0]() mutable {
      if (++runs == number) queue_.Stop();
    };
  }

  const SessionId ran_{"ran"};
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
  EXPECT_EQ(store_.history(ran_), (History{"submitted", "interrupted: benchd ended while it ran"}));
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
  EXPECT_EQ(store_.history({"b"}), (History{"submitted", "interrupted: benchd ended while it ran",
                                            "preparing", "running", "done: pass"}));
}

TEST_F(QueueRestartTest, PauseAndDrainLast) {
  ASSERT_TRUE(SetMode({.paused = true, .draining = true}));
  Queue next{
      loop_.get_executor(), {launcher_, machine_, store_, store_, clock_, random_, hub_}, policy_};
  Load(next);
  EXPECT_EQ(next.Status().mode, (QueueMode{.paused = true, .draining = true}));
}

TEST_F(QueueRestartTest, TellsWhatTheArchiveComplainsOf) {
  store_.complaints = {"session 'abc': cannot be read"};
  Keep("ran", SessionState::kRunning, 0, clock_.Now());
  store_.refuse = [](const SessionSnapshot&) { return DiskFull(); };
  EXPECT_EQ(Load(queue_),
            (History{"session 'abc': cannot be read", "session ran: database: the disk is full"}));
  EXPECT_EQ(SnapshotOf(ran_).position, 1U) << "a full disk is no reason to lose it";
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
  const History stopped{"submitted by uid 1000 (pid 123)", "preparing", "running",
                        "interrupted: benchd was stopped"};
  EXPECT_EQ(store_.history(id), stopped);
  EXPECT_FALSE(queue_.Status().running);

  launcher_.during_run = {};
  Queue next{
      loop_.get_executor(), {launcher_, machine_, store_, store_, clock_, random_, hub_}, policy_};
  Load(next);
  EXPECT_EQ(store_.history(id), stopped) << "it was told already";
  asio::co_spawn(loop_, next.Work(), Rethrow);
  Settle();
  EXPECT_EQ(StoredStateOf(id), SessionState::kDone);
  EXPECT_EQ(StoredStateOf(waits), SessionState::kDone);
  next.Stop();
  Settle();
}

TEST_F(QueueRestartTest, ASessionWhoseRecordIsReadWhenBenchdStopsStaysQueued) {
  const SessionId id = Submit(SpecOf(1000));
  store_.slow = true;
  Work();
  loop_.restart();
  while (!queue_.Status().running && loop_.run_one() > 0) {
  }
  queue_.Stop();
  Settle();
  EXPECT_EQ(StoredStateOf(id), SessionState::kQueued);
  EXPECT_EQ(store_.history(id), (History{"submitted by uid 1000 (pid 123)"}));
}

TEST_F(QueueRestartTest, ASessionThatCannotBeReadFails) {
  Keep("a", SessionState::kQueued);
  Load(queue_);
  store_.to_prune = {{SessionId{"a"}}};  // gone from the store, behind the queue's back
  ASSERT_TRUE(RunToEnd(loop_, store_.Prune({}, {})));
  Work();
  Settle();
  const SessionSnapshot snapshot = SnapshotOf({"a"});
  EXPECT_EQ(snapshot.state, SessionState::kFailed);
  EXPECT_EQ(snapshot.failure->error.message, "reading the session: session: none");
}

// ---- what is kept where ----

TEST_F(QueueRestartTest, TheEnvironmentIsReadWhenASessionStartsAndIsNotInMemory) {
  SessionSpec spec = SpecOf(1000);
  spec.environment["SECRET"] = "x";
  spec.benchmarks[0].arms[0].env["TOKEN"] = "y";
  const SessionId id = Submit(spec);
  const Result<SessionRecord> kept = queue_.Get(User(1000), id.value);
  EXPECT_TRUE(kept->spec.environment.empty());
  EXPECT_EQ(kept->spec.benchmarks[0].arms[0].env.at("TOKEN"), "");
  Work();
  Settle();
  ASSERT_FALSE(launcher_.children().empty());
  EXPECT_EQ(launcher_.children()[0].env.at("SECRET"), "x");
  EXPECT_EQ(launcher_.children()[0].env.at("TOKEN"), "y");
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
  EXPECT_EQ(details->history[0], (HistoryEntry{clock_.Now(), "submitted by uid 1000 (pid 123)"}));
  EXPECT_EQ(RunToEnd(loop_, queue_.Show(User(1001), id.value)).error().code,
            ErrorCode::kPermissionDenied);
}

TEST_F(QueueRestartTest, ShowsWhatRunsAsItIsNow) {
  const SessionId id = Submit(SpecOf(1000));
  std::optional<Result<SessionDetails>> details;
  int runs = 0;
  launcher_.during_run = [&] {
    if (++runs != 3) return;
    Start(queue_.Show(User(1000), id.value), &details);
    loop_.poll();
  };
  Work();
  Settle();
  ASSERT_TRUE(details && *details);
  EXPECT_EQ((*details)->record.snapshot.state, SessionState::kRunning);
}

TEST_F(QueueRestartTest, ASessionWithoutItsProgramTellsItInItsHistory) {
  launcher_.programs.emplace("base-program", Error{ErrorCode::kNotFound, "not found", {}});
  const SessionId id = Submit(SpecOf(1000));
  EXPECT_EQ(store_.history(id), (History{"submitted by uid 1000 (pid 123)",
                                         "failed: base, warm-up block 0: not found"}));
}

// ---- a full disk ----

TEST_F(QueueRestartTest, AVerdictWaitsForRoomOnTheDiskAndTheNextSessionForIt) {
  const SessionId id = Submit(SpecOf(1000));
  const SessionId next = Submit(SpecOf(1000));
  bool full = true;
  store_.refuse = [&full](const SessionSnapshot& snapshot) -> std::optional<Error> {
    if (full && IsFinal(snapshot.state)) return DiskFull();
    return std::nullopt;
  };
  std::vector<SessionState> seen;
  const auto watch = hub_.Subscribe(
      id, [&seen](const EventHub::Snapshot& snapshot) { seen.push_back(snapshot->state); });
  clock_.during_wait = [&] {
    const SessionSnapshot paused = SnapshotOf(id);
    EXPECT_EQ(paused.state, SessionState::kPaused);
    EXPECT_EQ(paused.ended_at, std::nullopt);
    ASSERT_TRUE(paused.report && !paused.report->warnings.empty());
    EXPECT_EQ(paused.report->warnings.back().code, "disk_full");
    EXPECT_EQ(paused.report->warnings.back().message,
              "paused before its end could be stored: database: the disk is full; free some space");
    EXPECT_EQ(StateOf(next), SessionState::kQueued);
    EXPECT_EQ(SnapshotOf(next).eta, std::nullopt) << "nobody knows when there is room";
    if (clock_.waits() == 3) full = false;
  };
  Work();
  Settle();
  EXPECT_EQ(clock_.waits(), 3);
  EXPECT_EQ(StateOf(id), SessionState::kDone);
  EXPECT_EQ(StoredStateOf(id), SessionState::kDone);
  EXPECT_EQ(seen.back(), SessionState::kDone);
  EXPECT_EQ(store_.history(id), (History{"submitted by uid 1000 (pid 123)", "preparing", "running",
                                         "paused: the disk is full", "done: pass"}));
  const SessionSnapshot done = SnapshotOf(id);
  for (const Warning& warning : done.report->warnings) {
    EXPECT_NE(warning.code, "disk_full");
  }
  EXPECT_EQ(StateOf(next), SessionState::kDone);
}

TEST_F(QueueRestartTest, StopEndsTheWaitForRoomAndLeavesTheSessionToGoOn) {
  const SessionId id = Submit(SpecOf(1000));
  store_.refuse = [](const SessionSnapshot& snapshot) -> std::optional<Error> {
    if (IsFinal(snapshot.state)) return DiskFull();
    return std::nullopt;
  };
  clock_.during_wait = [this] { queue_.Stop(); };
  Work();
  Settle();
  EXPECT_EQ(clock_.waits(), 1);
  EXPECT_EQ(StoredStateOf(id), SessionState::kPaused);
  EXPECT_FALSE(queue_.Status().running);
}

TEST_F(QueueRestartTest, AVerdictThatCannotBeStoredIsAFailureThatIs) {
  const SessionId id = Submit(SpecOf(1000));
  store_.refuse = [](const SessionSnapshot& snapshot) -> std::optional<Error> {
    if (snapshot.state != SessionState::kDone) return std::nullopt;
    return Error{ErrorCode::kInternal, "disk I/O error", {}};
  };
  Work();
  Settle();
  ASSERT_EQ(StateOf(id), SessionState::kFailed);
  EXPECT_EQ(SnapshotOf(id).failure->error.message, "storing the verdict: disk I/O error");
  EXPECT_EQ(StoredStateOf(id), SessionState::kFailed);
}

TEST_F(QueueRestartTest, AnEndThatCannotBeStoredAtAllIsNotTold) {
  const SessionId id = Submit(SpecOf(1000));
  store_.refuse = [](const SessionSnapshot& snapshot) -> std::optional<Error> {
    if (!IsFinal(snapshot.state)) return std::nullopt;
    return Error{ErrorCode::kInternal, "disk I/O error", {}};
  };
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
  EXPECT_EQ(StoredStateOf(id), SessionState::kPaused) << "goes on at the next start";
}

TEST_F(QueueRestartTest, SubmitTellsThatBenchdStops) {
  queue_.Stop();
  const Error refused = Refused(SpecOf(1000));
  EXPECT_EQ(refused.code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.message, "benchd: is stopping");
}

// ---- what is deleted ----

class QueuePruneTest : public QueueRestartTest {
 protected:
  QueuePruneTest()
      : QueueRestartTest({.access = {}, .limits = {}, .keep = {.age = std::chrono::hours(1)}}) {}
};

TEST_F(QueuePruneTest, DeletesAtTheStartAndAfterEachSessionUntilNobodyIsLeft) {
  Keep("old", SessionState::kDone);
  Keep("older", SessionState::kDone);
  Load(queue_);
  store_.to_prune = {{SessionId{"older"}}, {SessionId{"old"}}};
  Work();
  Settle();
  EXPECT_EQ(store_.pruned.size(), 3U) << "twice somebody, then nobody";
  EXPECT_EQ(store_.pruned[0], policy_.keep);
  EXPECT_EQ(queue_.Get(User(0), "old").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(queue_.List(User(0), {.all = true}).empty());
  std::size_t during_runs = 0;
  launcher_.during_run = [&] { during_runs = store_.pruned.size(); };
  const SessionId id = Submit(SpecOf(1000), "request");
  store_.to_prune = {{id}};
  Settle();
  EXPECT_EQ(during_runs, 3U) << "never while a session runs";
  EXPECT_EQ(store_.pruned.size(), 5U);
  EXPECT_NE(Submit(SpecOf(1000), "request"), id) << "the request is forgotten, too";
}

TEST_F(QueuePruneTest, BeforeTheNextSessionStarts) {
  Load(queue_);
  Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  std::size_t when_next = 0;
  const auto watch = hub_.Subscribe(second, [&](const EventHub::Snapshot& snapshot) {
    if (snapshot->state == SessionState::kPreparing) when_next = store_.pruned.size();
  });
  Work();
  Settle();
  EXPECT_EQ(when_next, 2U) << "at the start, and after the first";
}

TEST_F(QueueRestartTest, WithoutAPolicyNothingIsDeleted) {
  Submit(SpecOf(1000));
  Work();
  Settle();
  EXPECT_TRUE(store_.pruned.empty());
}

}  // namespace
}  // namespace benchd
