#include "daemon/queue/queue.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/queue/queue_fixture.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class QueueTest : public QueueFixture {};

TEST_F(QueueTest, RunsSessionsOneAfterTheOtherInTheOrderOfSubmission) {
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1001));
  EXPECT_EQ(Get(User(1001), second.value)->snapshot.position, 2U);
  std::vector<std::pair<SessionId, SessionState>> seen;
  const auto note = [&seen](const EventHub::Snapshot& s) { seen.emplace_back(s->id, s->state); };
  const auto watch_first = hub_.Subscribe(first, note);
  const auto watch_second = hub_.Subscribe(second, note);
  Work();
  Settle();
  EXPECT_EQ(StateOf(first), SessionState::kDone);
  EXPECT_EQ(StateOf(second), SessionState::kDone);
  // The second moves up when the first starts, and starts only after the first has ended.
  const auto done = std::find(seen.begin(), seen.end(), std::pair{first, SessionState::kDone});
  const auto started =
      std::find(seen.begin(), seen.end(), std::pair{second, SessionState::kPreparing});
  EXPECT_LT(done, started);
  EXPECT_EQ(seen.front(), (std::pair{second, SessionState::kQueued}));
}

TEST_F(QueueTest, RunsAHigherPriorityFirst) {
  const SessionId first = Submit(SpecOf(1000, -1));
  const SessionId second = Submit(SpecOf(1001));
  EXPECT_EQ(Get(User(1000), first.value)->snapshot.position, 2U);
  EXPECT_EQ(Get(User(1001), second.value)->snapshot.position, 1U);
}

TEST_F(QueueTest, AnswersARetryOfARequestWithTheSameSession) {
  const SessionId once = Submit(SpecOf(1000), "request");
  EXPECT_EQ(Submit(SpecOf(1000), "request"), once);
  EXPECT_NE(Submit(SpecOf(1001), "request"), once) << "another user's request with the same id";
  EXPECT_NE(Submit(SpecOf(1000)), once);
  EXPECT_NE(Submit(SpecOf(1000)), Submit(SpecOf(1000))) << "no request id, no retry";
  Work();
  Settle();
  const SessionSnapshot ended = SubmitFully(SpecOf(1000), "request");
  EXPECT_EQ(ended.id, once);
  EXPECT_EQ(ended.state, SessionState::kDone);
}

TEST_F(QueueTest, ARequestThatBrokeOffMayBeSentAgain) {
  runner_.during_resolve = [] { throw std::runtime_error("no memory left"); };
  EXPECT_THROW(Submit(SpecOf(1000), "request"), std::runtime_error);
  runner_.during_resolve = nullptr;
  std::optional<Result<SessionSnapshot>> again;
  Start(queue_.Submit(SpecOf(1000), "request"), &again);
  Settle();
  ASSERT_TRUE(again) << "waits for a request that has ended";
  EXPECT_TRUE(*again);
}

TEST_F(QueueTest, OneUsersManySubmissionsDoNotDelayAnothers) {
  std::vector<std::uint32_t> acknowledged;
  const auto submit = [&](std::uint32_t uid) -> asio::awaitable<void> {
    Result<SessionSnapshot> submitted = co_await queue_.Submit(SpecOf(uid), {});
    EXPECT_TRUE(submitted);
    acknowledged.push_back(uid);
  };
  for (int i = 0; i < 40; ++i) asio::co_spawn(loop_, submit(1000), Rethrow);
  asio::co_spawn(loop_, submit(1001), Rethrow);
  Settle();
  ASSERT_EQ(acknowledged.size(), 41U);
  const auto other = std::ranges::find(acknowledged, 1001U);
  EXPECT_LE(other - acknowledged.begin(), 4);
}

TEST_F(QueueTest, TellsHowMuchOfTheLimitsIsTaken) {
  Submit(SpecOf(1000));
  Submit(SpecOf(1000));
  Submit(SpecOf(1001));
  using Uses = std::vector<LimitUse>;
  const LimitUse turns{Limit::kMachineTurns, {}, 0, 4};
  EXPECT_EQ(queue_.Uses(1000), (Uses{{Limit::kQueuedAUser, 1000, 2, {}}, turns}));
  EXPECT_EQ(queue_.Uses(7), (Uses{{Limit::kQueuedAUser, 7, 0, {}}, turns}));
  EXPECT_EQ(queue_.Uses({}),
            (Uses{{Limit::kQueuedAUser, 1000, 2, {}}, {Limit::kQueuedAUser, 1001, 1, {}}, turns}));
}

TEST_F(QueueTest, FailsASessionAtOnceWhoseProgramCannotBeFound) {
  runner_.programs.emplace(
      "candidate-program",
      Error{ErrorCode::kNotFound, "command 'candidate-program': not found", {}});
  const SessionId waiting = Submit(SpecOf(1001));
  const SessionId id = Submit(SpecOf(1000));
  const Result<SessionRecord> record = Get(User(1000), id.value);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->snapshot.state, SessionState::kFailed);
  ASSERT_TRUE(record->snapshot.failure && record->snapshot.failure->run);
  EXPECT_WORDING(record->snapshot.failure->error);
  EXPECT_EQ(record->snapshot.failure->run->arm, "candidate");
  EXPECT_EQ(StoredStateOf(id), SessionState::kFailed);
  EXPECT_EQ(StateOf(waiting), SessionState::kFailed) << "the same program";
  EXPECT_TRUE(queue_.Idle());
}

TEST_F(QueueTest, RefusesASessionWhoseShellIsMissing) {
  runner_.programs.emplace("nosh",
                           Error{ErrorCode::kNotFound, "command 'nosh': not found in PATH", {}});
  for (const bool builds : {false, true}) {
    SessionSpec spec = SpecOf(1000);
    spec.benchmarks[0].arms[1].shell = true;
    spec.benchmarks[0].arms[1].interpreter = "nosh";
    if (builds) spec.benchmarks[0].hooks.build.command = "make";
    const Error error = Refused(spec);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(error);
  }
  SessionSpec spec = SpecOf(1000);
  spec.benchmarks[0].hooks.shell = true;
  spec.benchmarks[0].hooks.interpreter = "nosh";
  spec.benchmarks[0].hooks.setup.command = "make";
  EXPECT_EQ(Refused(spec).code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(List(User(1000), {.all = true}).empty());
}

TEST_F(QueueTest, LooksAProgramUpOnceForAllArmsThatStartItAlike) {
  int lookups = 0;
  runner_.during_resolve = [&lookups] { ++lookups; };
  ProgramIdentity bench;
  bench.path = "/found/bench";
  runner_.programs.emplace("bench", bench);
  SessionSpec spec = SpecOf(1000);
  std::vector<Arm>& arms = spec.benchmarks[0].arms;
  arms[0].command = "bench --old";
  arms[1].command = "bench --new";
  Arm elsewhere = arms[1];
  elsewhere.name = "elsewhere";
  elsewhere.cwd = "/another";
  Arm other_path = arms[1];
  other_path.name = "other-path";
  other_path.env["PATH"] = "/opt/bin";
  arms.insert(arms.end(), {elsewhere, other_path});
  const Result<SessionRecord> record = Get(User(1000), Submit(spec).value);
  EXPECT_EQ(lookups, 3) << "the search path is part of the key";
  ASSERT_TRUE(record);
  for (const Arm& arm : record->spec.benchmarks[0].arms) {
    ASSERT_TRUE(arm.program) << arm.name;
    EXPECT_EQ(arm.program->path, "/found/bench") << arm.name;
  }
}

TEST_F(QueueTest, RefusesASessionWithoutARunnerToLookItsProgramsUp) {
  runner_.programs.emplace("base-program",
                           Error{ErrorCode::kUnavailable, "benchd-runner died", {}});
  const Error error = Refused(SpecOf(1000));
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_WORDING(error);
  EXPECT_TRUE(List(User(1000), {.all = true}).empty());
}

TEST_F(QueueTest, RefusesASessionThatCannotBeStoredAndForgetsIt) {
  store_.disk().SetFull(true);
  EXPECT_EQ(Refused(SpecOf(1000)).code, ErrorCode::kResourceExhausted);
  store_.disk().SetFull(false);
  EXPECT_TRUE(List(User(1000), {.all = true}).empty());
}

TEST_F(QueueTest, ShowsOthersIdUserAndStateOnly) {
  const SessionId id = Submit(SpecOf(1000));
  const std::vector<SessionView> views = List(User(1001), {});
  ASSERT_EQ(views.size(), 1U);
  EXPECT_EQ(views[0].id, id);
  EXPECT_EQ(views[0].uid, 1000U);
  EXPECT_EQ(List(User(1000), {}), views);
}

TEST_F(QueueTest, LetsNoOtherUserSeeOrCancelASession) {
  const SessionId id = Submit(SpecOf(1000));
  const Result<SessionRecord> seen = Get(User(1001), id.value);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, ErrorCode::kPermissionDenied);
  const Result<SessionSnapshot> cancelled = RunToEnd(loop_, queue_.Cancel(User(1001), id.value));
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(StateOf(id), SessionState::kQueued);
}

TEST_F(QueueTest, FindsASessionByAUniquePrefixAmongOnesOwn) {
  // Ids 1000..., 2000..., from a random source that counts: see MakeSessionId.
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  EXPECT_EQ(Get(User(1000), first.value.substr(0, 1))->snapshot.id, first);
  EXPECT_EQ(Get(User(1000), second.value.substr(0, 1))->snapshot.id, second);
  EXPECT_EQ(Get(User(1000), "").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Get(User(1001), first.value.substr(0, 1)).error().code, ErrorCode::kNotFound);
}

TEST_F(QueueTest, FindsWhatHasEndedAndWhatHasNotAlike) {
  // Ids 1000..., 2000..., as above.
  const SessionId ended = Submit(SpecOf(1000), "request");
  ASSERT_TRUE(Cancel(User(1000), ended));
  EXPECT_EQ(Submit(SpecOf(1000), "request"), ended);
  const SessionId waits = Submit(SpecOf(1000));
  EXPECT_EQ(Get(User(1000), ended.value.substr(0, 1))->snapshot.id, ended);
  EXPECT_EQ(Get(User(1000), waits.value.substr(0, 1))->snapshot.id, waits);
  EXPECT_EQ(Get(User(1001), ended.value).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Get(User(1001), ended.value.substr(0, 7)).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(HasEnded(User(1000), ended));
  EXPECT_FALSE(HasEnded(User(1001), ended));
  EXPECT_FALSE(HasEnded(User(1000), waits));
}

TEST_F(QueueTest, GivesNoSessionTheIdOfAnother) {
  const SessionId ended = Submit(SpecOf(1000));
  ASSERT_TRUE(Cancel(User(1000), ended));
  random_ = {};  // begins anew
  const SessionId second = Submit(SpecOf(1000));
  EXPECT_NE(second, ended);
  EXPECT_EQ(StateOf(ended), SessionState::kCancelled);
}

TEST_F(QueueTest, ListsPageAfterPageWhateverEndsAndComesBetween) {
  std::vector<SessionId> ids;
  for (unsigned i = 0; i < 6; ++i) ids.push_back(Submit(SpecOf(1000 + i % 2)));
  for (const std::size_t i : {1u, 3u}) ASSERT_TRUE(Cancel(User(0), ids[i]));
  SessionFilter filter{.all = true, .limit = 2};
  std::vector<SessionView> page = List(User(1000), filter);
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0].id, ids[5]);
  EXPECT_EQ(page[1].id, ids[4]);
  ASSERT_TRUE(Cancel(User(0), ids[2]));
  Submit(SpecOf(1000));
  // A daemon that was started in between goes on at the same place.
  Queue next{loop_.get_executor(), {runner_, store_, clock_, random_, hub_}, policy_};
  ASSERT_TRUE(RunToEnd(loop_, next.Load()));
  filter = {.all = true, .before = page[1].key};
  page = RunToEnd(loop_, next.List(User(1000), filter)).value();
  ASSERT_EQ(page.size(), 4U);
  const SessionState cancelled = SessionState::kCancelled;
  const SessionState queued = SessionState::kQueued;
  const SessionState states[] = {cancelled, cancelled, cancelled, queued};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(page[i].id, ids[3 - i]);
    EXPECT_EQ(page[i].state, states[i]) << i;
  }
}

TEST_F(QueueTest, LabelsMatchOnlySessionsThatTheCallerMaySee) {
  SessionSpec spec = SpecOf(1000);
  spec.labels = {{"branch", "main"}, {"ticket", "7"}};
  const SessionId ended = Submit(spec);
  ASSERT_TRUE(Cancel(User(1000), ended));
  const SessionId waits = Submit(spec);
  SessionFilter filter{.all = true, .labels = {{"branch", "main"}}};
  for (const std::uint32_t uid : {1000u, 0u}) {
    const std::vector<SessionView> views = List(User(uid), filter);
    ASSERT_EQ(views.size(), 2U);
    EXPECT_EQ(views[0].id, waits);
    EXPECT_EQ(views[1].id, ended);
  }
  EXPECT_TRUE(List(User(1001), filter).empty());
  filter.owner = 1000;  // of no use to somebody else
  EXPECT_TRUE(List(User(1001), filter).empty());
  filter.owner.reset();
  filter.labels["ticket"] = "7";
  EXPECT_EQ(List(User(1000), filter).size(), 2U);
  filter.labels["ticket"] = "8";
  EXPECT_TRUE(List(User(1000), filter).empty());
}

TEST_F(QueueTest, ListsEndedSessionsOnlyWhenAskedTo) {
  Submit(SpecOf(1000));
  Work();
  Settle();
  EXPECT_TRUE(List(User(1000), {}).empty());
  EXPECT_EQ(List(User(1000), {.all = true}).size(), 1U);
  EXPECT_EQ(List(User(1000), {.state = SessionState::kDone}).size(), 1U);
  EXPECT_TRUE(List(User(1000), {.all = true, .labels = {{"a", "b"}}}).empty());
}

TEST_F(QueueTest, AnswersOnlyWhenTheChangeIsOnTheDisk) {
  auto syncs = [this, before = 0]() mutable {
    return store_.syncs - std::exchange(before, store_.syncs);
  };
  const SessionId id = Submit(SpecOf(1000));
  EXPECT_GE(syncs(), 1);
  EXPECT_TRUE(Move(User(1000), id, -1));
  EXPECT_GE(syncs(), 1);
  EXPECT_TRUE(SetMode({.paused = true}));
  EXPECT_GE(syncs(), 1);
  EXPECT_TRUE(Cancel(User(1000), id));
  EXPECT_GE(syncs(), 1);
}

TEST_F(QueueTest, DoesNotWaitForTheDiskForAClientThatFollowsItsSession) {
  const auto submitted = RunToEnd(loop_, queue_.Submit(SpecOf(1000), {}, nullptr, false));
  EXPECT_TRUE(submitted);
  EXPECT_EQ(store_.syncs, 0);
}

TEST_F(QueueTest, ASessionThatIsNotOnTheDiskIsRefusedAndDoesNotRun) {
  store_.sync_error = EIO;
  EXPECT_WORDING(Refused(SpecOf(1000)), {{store_.file() + "-wal", "FILE"}});
  EXPECT_TRUE(queue_.Idle());
  store_.sync_error = 0;
  ASSERT_EQ(store_.ids().size(), 1U);
  EXPECT_EQ(StoredStateOf({store_.ids().front()}), SessionState::kCancelled);
}

TEST_F(QueueTest, AChangeThatIsNotOnTheDiskIsReported) {
  const SessionId id = Submit(SpecOf(1000));
  store_.sync_error = ENOSPC;
  EXPECT_FALSE(Move(User(1000), id, -1));
  EXPECT_FALSE(SetMode({.paused = true}));
  EXPECT_FALSE(Cancel(User(1000), id));
  // It is in effect nevertheless.
  EXPECT_TRUE(queue_.Status().mode.paused);
  EXPECT_EQ(StoredStateOf(id), SessionState::kCancelled);
}

TEST_F(QueueTest, PutsAllOntoTheDiskAfterAVerdictIsToldAndBeforeTheNextSession) {
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1001));
  int when_told = -1;
  int when_next = -1;
  // The fake clock does not advance much, so that nothing else requests a sync.
  const auto syncs = [this, before = store_.syncs] { return store_.syncs - before; };
  const auto watch_first = hub_.Subscribe(first, [&](const EventHub::Snapshot& s) {
    if (IsFinal(s->state)) when_told = syncs();
  });
  const auto watch_second = hub_.Subscribe(second, [&](const EventHub::Snapshot& s) {
    if (s->state == SessionState::kPreparing) when_next = syncs();
  });
  Work();
  Settle();
  EXPECT_EQ(when_told, 0);
  EXPECT_EQ(when_next, 1);
  EXPECT_EQ(syncs(), 2);
}

TEST_F(QueueTest, CommitsTheVerdictBeforeAnybodySeesIt) {
  const SessionId id = Submit(SpecOf(1000));
  SessionState archived = SessionState::kQueued;
  const auto watcher = hub_.Subscribe(id, [this, &archived, id](const EventHub::Snapshot& s) {
    if (IsFinal(s->state)) archived = StoredStateOf(id);
  });
  Work();
  Settle();
  EXPECT_EQ(archived, SessionState::kDone);
}

TEST_F(QueueTest, RefusesAtOnceWhatTheMachineCannotGive) {
  runner_.check = Error{ErrorCode::kInvalidArgument, "machine-profile: unknown profile 'fast'", {}};
  SessionSpec spec = SpecOf(1000);
  spec.machine_profile = "fast";
  spec.cpus = "1-2";
  EXPECT_EQ(Refused(spec), runner_.check.error());
  ASSERT_EQ(runner_.checked.size(), 1U);
  EXPECT_EQ(runner_.checked[0].profile, "fast");
  EXPECT_EQ(runner_.checked[0].cpus, "1-2");
  EXPECT_TRUE(List(User(1000), {.all = true, .state = {}, .labels = {}}).empty());
}

TEST_F(QueueTest, ATurnCanBeAwaitedAndIsFreeWhenItIsGivenUp) {
  Work();
  {
    auto turn = RunToEnd(loop_, queue_.AwaitExclusive());
    ASSERT_TRUE(turn) << turn.error().message;
    EXPECT_TRUE(queue_.HasExclusiveWork());
    const SessionId id = Submit(SpecOf(1000));
    Settle();
    EXPECT_EQ(StateOf(id), SessionState::kQueued);
  }
  EXPECT_FALSE(queue_.HasExclusiveWork());
}

TEST_F(QueueTest, NobodyWaitsForATurnOfAQueueThatStops) {
  queue_.Stop();
  EXPECT_EQ(RunToEnd(loop_, queue_.AwaitExclusive()).error().code, ErrorCode::kUnavailable);
}

TEST_F(QueueTest, KnowsTheSessionThatRunsUntilItsEnd) {
  const SessionId id = Submit(SpecOf(1000));
  EXPECT_EQ(queue_.Running(), nullptr);
  std::optional<SessionId> running;
  runner_.during_run = [&] {
    if (queue_.Running() != nullptr) running = queue_.Running()->snapshot.id;
  };
  Work();
  Settle();
  EXPECT_EQ(running, id);
  EXPECT_EQ(queue_.Running(), nullptr);
}

TEST_F(QueueTest, SideWorkWaitsUntilNoSessionRuns) {
  const SessionId id = Submit(SpecOf(1000));
  std::optional<ExclusiveSlot::Turn> turn;
  int begun_during_runs = 0;
  int runs = 0;
  bool begun = false;
  runner_.during_run = [&] {
    // A user reserves the machine during the first run.
    if (++runs == 1) turn = queue_.AcquireExclusive([&begun] { begun = true; });
    if (begun) ++begun_during_runs;
  };
  Work();
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kDone);
  EXPECT_GT(runs, 1);
  EXPECT_EQ(begun_during_runs, 0);
  EXPECT_TRUE(begun);
}

TEST_F(QueueTest, ASessionWaitsUntilSideWorkIsDone) {
  bool begun = false;
  std::optional<ExclusiveSlot::Turn> turn = queue_.AcquireExclusive([&begun] { begun = true; });
  Work();
  Settle();
  EXPECT_TRUE(begun);
  const SessionId id = Submit(SpecOf(1000));
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kQueued);
  turn.reset();
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kDone);
}

TEST_F(QueueTest, SideWorkAndSessionsTakeTurns) {
  const SessionId first = Submit(SpecOf(1000));
  const SessionId second = Submit(SpecOf(1000));
  std::vector<std::string> order;
  std::vector<ExclusiveSlot::Turn> turns;
  const auto ask = [&](const std::string& name) {
    turns.push_back(queue_.AcquireExclusive([&order, name] { order.push_back(name); }));
  };
  const auto note = [&order](const EventHub::Snapshot& s) {
    if (s->state == SessionState::kDone) order.push_back("session");
  };
  const auto watch_first = hub_.Subscribe(first, note);
  const auto watch_second = hub_.Subscribe(second, note);
  ask("early");
  Work();
  Settle();
  // The waiting request runs between the sessions and delays the second one until it ends.
  EXPECT_EQ(order, (std::vector<std::string>{"session", "early"}));
  ask("late");
  turns.erase(turns.begin());
  Settle();
  EXPECT_EQ(order, (std::vector<std::string>{"session", "early", "session", "late"}));
}

TEST_F(QueueTest, APausedQueueStillGivesTurns) {
  ASSERT_TRUE(SetMode({.paused = true}));
  const SessionId id = Submit(SpecOf(1000));
  bool begun = false;
  const ExclusiveSlot::Turn turn = queue_.AcquireExclusive([&begun] { begun = true; });
  Work();
  Settle();
  EXPECT_TRUE(begun);
  EXPECT_EQ(StateOf(id), SessionState::kQueued);
}

}  // namespace
}  // namespace benchd
