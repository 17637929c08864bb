#include "daemon/queue/machine_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr Nanoseconds kTenMinutes = std::chrono::minutes(10);

using Asked = std::vector<std::string>;

Caller DeskUser(std::uint32_t uid) {
  Caller caller;
  caller.uid = uid;
  caller.gid = uid;
  caller.limits = {{0, 1, 1}};
  return caller;
}

bool Stays() { return false; }

class MachineControllerTest : public testing::Test {
 protected:
  ~MachineControllerTest() override {
    queue_.Stop();
    loop_.restart();
    loop_.run();
  }

  SessionId Submit() {
    SessionSpec spec = fake::TwoArms();
    spec.caller = DeskUser(spec.caller.uid);
    spec.limits.runs = 4;
    Result<SessionSnapshot> submitted = RunToEnd(loop_, queue_.Submit(std::move(spec), {}));
    EXPECT_TRUE(submitted) << submitted.error().message;
    return submitted ? submitted->id : SessionId{};
  }
  void Work() { asio::co_spawn(loop_, queue_.Work(), asio::detached); }
  /// Runs the loop until it needs an event from outside.
  void Settle() {
    loop_.restart();
    while (loop_.poll() > 0) {
    }
  }
  template <typename T>
  void Start(asio::awaitable<T> coroutine, std::optional<T>* result) {
    asio::co_spawn(loop_, KeepResult(std::move(coroutine), result), Rethrow);
  }
  SessionState StateOf(const SessionId& id) {
    asio::io_context loop;
    return RunToEnd(loop, queue_.Get(DeskUser(1000), id.value))->snapshot.state;
  }

  asio::io_context loop_;
  fake::Clock clock_;
  fake::RandomSource random_;
  fake::Runner runner_{clock_};
  TestStore store_;
  EventHub hub_;
  Queue queue_{loop_.get_executor(),
               {runner_, store_, clock_, random_, hub_},
               {.access = {.admin_gid = 50}}};
  MachineController controller_{queue_, runner_, {.admin_gid = 50}};
};

TEST_F(MachineControllerTest, DescribesForEverybody) {
  runner_.status->profile = "quiet";
  Work();
  const auto view = RunToEnd(loop_, controller_.Describe("quiet", Stays));
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->status.profile, "quiet");
  EXPECT_FALSE(view->session);
  EXPECT_EQ(runner_.asked, (Asked{"describe quiet"}));
}

TEST_F(MachineControllerTest, AsksTheRunnerNothingWhileASessionMeasures) {
  Submit();
  std::optional<Result<std::vector<NoiseSource>>> sources;
  std::optional<Result<MachineStatus>> applied;
  std::optional<Result<MachineStatus>> restored;
  std::size_t asked_during_runs = 0;
  int runs = 0;
  runner_.during_run = [&] {
    if (++runs == 2) {
      Start(controller_.Diagnose(Stays), &sources);
      Start(controller_.Apply(DeskUser(0), "", Stays), &applied);
      Start(controller_.Restore(DeskUser(0), Stays), &restored);
    }
    asked_during_runs += runner_.asked.size();
  };
  Work();
  Settle();
  EXPECT_GT(runs, 2);
  EXPECT_EQ(asked_during_runs, 0U);
  EXPECT_TRUE(sources && *sources);
  EXPECT_TRUE(applied && *applied);
  EXPECT_TRUE(restored && *restored);
  EXPECT_EQ(runner_.asked, (Asked{"diagnose", "apply default", "restore"}));
}

// Each of them delayed the next session by about a second.
TEST_F(MachineControllerTest, AllWhoWaitWithTheSameQuestionHaveOneTurn) {
  Submit();
  const SessionId second = Submit();
  std::vector<std::optional<Result<std::vector<NoiseSource>>>> sources(40);
  std::vector<std::optional<Result<MachineView>>> views(40);
  std::size_t asked_before_second = 0;
  int runs = 0;
  runner_.during_run = [&] {
    if (++runs == 2) {
      for (auto& one : sources) Start(controller_.Diagnose(Stays), &one);
    }
    if (StateOf(second) == SessionState::kQueued) return;
    asked_before_second = std::max(asked_before_second, runner_.asked.size());
  };
  Work();
  Settle();
  EXPECT_EQ(StateOf(second), SessionState::kDone);
  EXPECT_EQ(asked_before_second, 1U);
  for (const auto& one : sources) EXPECT_TRUE(one && *one);
  for (auto& one : views) Start(controller_.Describe("", Stays), &one);
  Settle();
  for (const auto& one : views) EXPECT_TRUE(one && *one);
  EXPECT_EQ(runner_.asked, (Asked{"diagnose", "describe "}));
  std::optional<Result<std::vector<NoiseSource>>> later;
  Start(controller_.Diagnose(Stays), &later);
  Settle();
  EXPECT_EQ(runner_.asked.size(), 3U) << "a later request gets a new answer";
}

TEST_F(MachineControllerTest, WhoBeganAQuestionMayGoAndTheOthersAreAnswered) {
  bool gone = false;
  std::optional<Result<std::vector<NoiseSource>>> left;
  std::optional<Result<std::vector<NoiseSource>>> stays;
  Start(controller_.Diagnose([&gone] { return gone; }), &left);
  Start(controller_.Diagnose(Stays), &stays);
  Settle();
  gone = true;
  Work();
  Settle();
  EXPECT_TRUE(stays && *stays);
  EXPECT_EQ(runner_.asked, (Asked{"diagnose"}));
}

TEST_F(MachineControllerTest, ASessionThatGoesOnTellsTheMachineItHasNotTheOneItHad) {
  SessionRecord record{fake::TwoArms(), {}, {}};
  record.spec.limits.runs = 4;
  record.snapshot.id = SessionId{"again"};
  record.snapshot.state = SessionState::kRunning;
  record.snapshot.started_at = clock_.Now();
  record.snapshot.machine.emplace().benchmark_cpus = {7};
  store_.Keep(record);
  ASSERT_TRUE(RunToEnd(loop_, queue_.Load()));
  runner_.report->benchmark_cpus = {1};
  std::optional<Result<MachineView>> view;
  const auto watch = hub_.Subscribe({"again"}, [&](const EventHub::Snapshot& snapshot) {
    if (snapshot->state != SessionState::kPreparing || view) return;
    Start(controller_.Describe("", Stays), &view);
    loop_.poll();
    EXPECT_FALSE(view) << "the runner is applying a profile";
  });
  runner_.during_run = [this] { loop_.poll(); };
  Work();
  Settle();
  ASSERT_TRUE(view && *view);
  EXPECT_EQ((*view)->status.benchmark_cpus, std::vector<int>{1});
}

TEST_F(MachineControllerTest, DuringASessionTellsAtOnceWhatItWasGiven) {
  runner_.report->isolation = {{.setting = "governor", .actual = "performance", .held = true}};
  runner_.report->benchmark_cpus = {1};
  runner_.report->environment.facts = {{"kernel", "6.1"}};
  const SessionId id = Submit();
  std::optional<Result<MachineView>> same;
  std::optional<Result<MachineView>> other;
  bool answered_during_runs = false;
  int runs = 0;
  runner_.during_run = [&] {
    // The request of the last run's client is answered before this one's block has ended.
    if (++runs == 2) {
      Start(controller_.Describe("", Stays), &same);
      Start(controller_.Describe("strict", Stays), &other);
      Settle();
      answered_during_runs = same.has_value() && other.has_value();
    }
  };
  Work();
  Settle();
  EXPECT_TRUE(answered_during_runs);
  ASSERT_TRUE(same && *same);
  EXPECT_EQ((*same)->session, id);
  EXPECT_EQ((*same)->status.holder, "session");
  EXPECT_EQ((*same)->status.profile, "default");
  EXPECT_EQ((*same)->status.settings, runner_.report->isolation);
  EXPECT_EQ((*same)->status.environment, runner_.report->environment);
  EXPECT_EQ((*same)->status.benchmark_cpus, std::vector<int>{1});
  EXPECT_TRUE((*same)->status.notes.empty());
  ASSERT_TRUE(other && *other);
  ASSERT_EQ((*other)->status.notes.size(), 1U);
  EXPECT_WORDING((*other)->status.notes[0]);
  EXPECT_TRUE(runner_.asked.empty());
}

TEST_F(MachineControllerTest, ASessionWithoutIsolationHoldsNothing) {
  SessionSpec spec = fake::TwoArms();
  spec.caller = DeskUser(spec.caller.uid);
  spec.isolation = Isolation::kOff;
  ASSERT_TRUE(RunToEnd(loop_, queue_.Submit(std::move(spec), {})));
  std::optional<Result<MachineView>> view;
  runner_.during_run = [&] {
    if (!view) Start(controller_.Describe("", Stays), &view);
  };
  Work();
  Settle();
  ASSERT_TRUE(view && *view);
  EXPECT_TRUE((*view)->session);
  EXPECT_EQ((*view)->status.holder, "");
}

TEST_F(MachineControllerTest, ApplyAndRestoreAreForAdmins) {
  Work();
  Caller admin = DeskUser(1001);
  admin.groups = {50};
  EXPECT_TRUE(RunToEnd(loop_, controller_.Apply(admin, "quiet", Stays)));
  EXPECT_TRUE(RunToEnd(loop_, controller_.Restore(admin, Stays)));
  const auto applied = RunToEnd(loop_, controller_.Apply(DeskUser(1000), "quiet", Stays));
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(applied.error());
  const auto restored = RunToEnd(loop_, controller_.Restore(DeskUser(1000), Stays));
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(restored.error());
  EXPECT_EQ(runner_.asked, (Asked{"apply quiet", "restore"}));
}

TEST_F(MachineControllerTest, AnUnknownProfileIsRefusedBeforeAnybodyWaits) {
  runner_.check = Error{ErrorCode::kInvalidArgument, "machine-profile: unknown profile 'x'", {}};
  // With no work in progress, requests that wait for a turn would wait forever.
  EXPECT_EQ(RunToEnd(loop_, controller_.Apply(DeskUser(0), "x", Stays)).error(),
            runner_.check.error());
  EXPECT_EQ(RunToEnd(loop_, controller_.Describe("x", Stays)).error(), runner_.check.error());
  ASSERT_EQ(runner_.checked.size(), 2U);
  EXPECT_EQ(runner_.checked[0].profile, "x");
}

TEST_F(MachineControllerTest, NothingIsAppliedForAClientThatHasGone) {
  bool cancelled = false;
  std::optional<Result<MachineStatus>> applied;
  Start(controller_.Apply(DeskUser(0), "quiet", [&cancelled] { return cancelled; }), &applied);
  Settle();
  EXPECT_FALSE(applied);
  cancelled = true;
  Work();
  Settle();
  ASSERT_TRUE(applied);
  ASSERT_FALSE(*applied);
  EXPECT_EQ(applied->error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(runner_.asked.empty());
  EXPECT_FALSE(queue_.HasExclusiveWork()) << "its turn is free for others";
}

TEST_F(MachineControllerTest, WhoWaitsWhenBenchdStopsIsTold) {
  std::optional<Result<std::vector<NoiseSource>>> sources;
  Start(controller_.Diagnose(Stays), &sources);
  Settle();
  queue_.Stop();
  Settle();
  ASSERT_TRUE(sources);
  EXPECT_EQ(sources->error().code, ErrorCode::kUnavailable);
}

TEST_F(MachineControllerTest, SessionsWaitForWhoHasTheMachineReserved) {
  bool held = false;
  auto reserved = controller_.Reserve(DeskUser(1000), kTenMinutes, [&held] { held = true; });
  ASSERT_TRUE(reserved);
  std::optional<MachineController::Reservation> reservation(std::move(reserved).value());
  EXPECT_FALSE(queue_.Status().reserved_by);
  Work();
  Settle();
  EXPECT_TRUE(held);
  EXPECT_EQ(queue_.Status().reserved_by, 1000U);
  const SessionId id = Submit();
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kQueued);
  reservation.reset();
  EXPECT_FALSE(queue_.Status().reserved_by);
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kDone);
}

TEST_F(MachineControllerTest, OneUserHasOneReservationAtATime) {
  auto first = controller_.Reserve(DeskUser(1000), kTenMinutes, [] {});
  ASSERT_TRUE(first);
  std::optional<MachineController::Reservation> reservation(std::move(first).value());
  const auto second = controller_.Reserve(DeskUser(1000), kTenMinutes, [] {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(controller_.Reserve(DeskUser(1001), kTenMinutes, [] {})) << "others may wait, too";
  reservation.reset();
  EXPECT_TRUE(controller_.Reserve(DeskUser(1000), kTenMinutes, [] {}));
}

TEST_F(MachineControllerTest, AReservationThatIsGivenUpWhileItWaitsIsNeverHeld) {
  bool held = false;
  {
    auto reserved = controller_.Reserve(DeskUser(1000), kTenMinutes, [&held] { held = true; });
  }
  Work();
  Settle();
  EXPECT_FALSE(held);
  EXPECT_FALSE(queue_.HasExclusiveWork());
}

TEST_F(MachineControllerTest, TheRunnerAnswersDuringAReservation) {
  auto reserved = controller_.Reserve(DeskUser(1000), kTenMinutes, [] {});
  ASSERT_TRUE(reserved);
  Work();
  Settle();
  ASSERT_EQ(queue_.Status().reserved_by, 1000U);
  EXPECT_TRUE(RunToEnd(loop_, controller_.Describe("", Stays)));
  EXPECT_TRUE(RunToEnd(loop_, controller_.Diagnose(Stays)));
  EXPECT_TRUE(RunToEnd(loop_, controller_.Apply(DeskUser(0), "quiet", Stays)));
  EXPECT_EQ(runner_.asked, (Asked{"describe ", "diagnose", "apply quiet"}));
}

/// Checks for noise until the test ends the check.
class SlowMachine : public fake::Runner {
 public:
  SlowMachine(fake::Clock& clock, asio::io_context& loop)
      : fake::Runner(clock), done_(loop.get_executor()) {}

  asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() override {
    co_await done_.Wait();
    co_return std::vector<NoiseSource>{};
  }
  void Finish() { done_.Notify(); }

 private:
  Signal done_;
};

TEST_F(MachineControllerTest, NoSessionStartsBeforeTheLeasesOfAReservationAreDone) {
  SlowMachine slow(clock_, loop_);
  MachineController controller(queue_, slow, {.admin_gid = 50});
  auto reserved = controller.Reserve(DeskUser(1000), kTenMinutes, [] {});
  ASSERT_TRUE(reserved);
  std::optional<MachineController::Reservation> reservation(std::move(reserved).value());
  Work();
  Settle();
  std::optional<Result<std::vector<NoiseSource>>> sources;
  Start(controller.Diagnose(Stays), &sources);
  const SessionId id = Submit();
  reservation.reset();
  Settle();
  EXPECT_EQ(StateOf(id), SessionState::kQueued);
  slow.Finish();
  Settle();
  EXPECT_TRUE(sources);
  EXPECT_EQ(StateOf(id), SessionState::kDone);
}

}  // namespace
}  // namespace benchd
