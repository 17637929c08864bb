// The process that creates children on the CPUs on which they will run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "daemon/launch/event_loop.h"
#include "daemon/launch/spawn.h"
#include "tests/support/seed.h"

namespace benchd {
namespace {

class SpawnerTest : public testing::Test {
 protected:
  void SetUp() override {
    // Children start with all signals blocked, as in the runner.
    sigset_t all;
    sigfillset(&all);
    ASSERT_EQ(sigprocmask(SIG_SETMASK, &all, &mask_), 0);
    for (int& stream : plan_.streams) stream = null_.get();
    ASSERT_EQ(
        sched_getaffinity(0, sizeof(plan_.affinity), reinterpret_cast<cpu_set_t*>(plan_.affinity)),
        0);
    plan_.path = "/bin/true";
    plan_.argv = argv_;
    plan_.envp = argv_ + 1;
    auto opened = Spawner::Open();
    ASSERT_TRUE(opened) << opened.error().message;
    spawner_ = std::move(*opened);
  }
  void TearDown() override { sigprocmask(SIG_SETMASK, &mask_, nullptr); }

  bool Order(pid_t after = 0) { return spawner_->Order(plan_, area_, {}, after); }
  /// Orders another child while one exists. A plan belongs to one child until that child is reaped.
  bool OrderAnother(pid_t after) {
    other_plan_ = plan_;
    return spawner_->Order(other_plan_, other_area_, {}, after);
  }
  Spawned Take() {
    auto child = spawner_->Take();
    EXPECT_TRUE(child) << child.error().message;
    return child ? std::move(*child) : Spawned{};
  }
  /// Lets a child proceed and waits for it. @returns its exit code.
  int Finish(const Spawned& child) {
    OpenGate(area_);
    siginfo_t info{};
    EXPECT_EQ(waitid(P_PIDFD, static_cast<id_t>(child.pidfd.get()), &info, WEXITED | __WALL), 0);
    return info.si_code == CLD_EXITED ? info.si_status : -1;
  }

  /// The children of this process, the spawner first.
  static std::vector<pid_t> Children() {
    const std::string number = std::to_string(getpid());
    std::ifstream file("/proc/" + number + "/task/" + number + "/children");
    return {std::istream_iterator<pid_t>(file), {}};
  }

  sigset_t mask_{};
  UniqueFd null_{open("/dev/null", O_RDWR | O_CLOEXEC)};
  char name_[5] = "true";
  char* argv_[2] = {name_, nullptr};
  ChildPlan plan_;
  SpawnArea area_;
  ChildPlan other_plan_;
  SpawnArea other_area_;
  std::unique_ptr<Spawner> spawner_;
};

TEST_F(SpawnerTest, MakesOneChildAfterTheOther) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(Order());
    const Spawned child = Take();
    EXPECT_EQ(Finish(child), 0);
    EXPECT_FALSE(spawner_->Withdraw()) << "nothing is ordered";
  }
}

TEST_F(SpawnerTest, SeesWhenAChildHasEnded) {
  ASSERT_TRUE(Order());
  const Spawned child = Take();
  const std::int64_t before = MonotonicNow();
  EXPECT_EQ(spawner_->EndOf(child.pid), std::nullopt);
  EXPECT_EQ(Finish(child), 0);
  // It notices the end once it is ready for the next order.
  ASSERT_TRUE(Order(child.pid));
  const Spawned next = Take();
  const auto end = spawner_->EndOf(child.pid);
  ASSERT_TRUE(end.has_value());
  EXPECT_GE(*end, before);
  EXPECT_GE(*end, area_.report().monotonic_ns);
  EXPECT_LE(*end, MonotonicNow());
  EXPECT_EQ(spawner_->EndOf(next.pid), std::nullopt);
  EXPECT_EQ(Finish(next), 0);
}

TEST_F(SpawnerTest, AnOrderThatWasWithdrawnIsNotMade) {
  ASSERT_TRUE(Order());
  const Spawned running = Take();
  ASSERT_TRUE(OrderAnother(running.pid));
  EXPECT_TRUE(spawner_->Withdraw());
  EXPECT_EQ(Finish(running), 0);
  siginfo_t info{};
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(spawner_->pid()), &info,
                   WEXITED | WNOHANG | WNOWAIT | __WALL),
            0)
      << "the spawner must be alive";
  ASSERT_TRUE(Order());
  EXPECT_EQ(Finish(Take()), 0);
}

TEST_F(SpawnerTest, MakesTheNextOneWhenOneHasEnded) {
  ASSERT_TRUE(Order());
  const Spawned running = Take();
  ASSERT_TRUE(OrderAnother(running.pid));
  EXPECT_EQ(Finish(running), 0);
  // The child exists before it is requested.
  std::vector<pid_t> children;
  while (children.size() < 2) children = Children();
  EXPECT_FALSE(spawner_->Withdraw());
  const Spawned next = Take();
  EXPECT_EQ(next.pid, children.back());
  OpenGate(other_area_);
  siginfo_t info{};
  EXPECT_EQ(waitid(P_PIDFD, static_cast<id_t>(next.pidfd.get()), &info, WEXITED | __WALL), 0);
}

TEST_F(SpawnerTest, SaysWhenItWasKilled) {
  ASSERT_EQ(kill(spawner_->pid(), SIGKILL), 0);
  ASSERT_TRUE(Order());
  auto child = spawner_->Take();
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kUnavailable);
}

TEST_F(SpawnerTest, ComesAsSoonAsTheRunnerWouldAndItsChildrenDoNot) {
  const int before = sched_getscheduler(0);
  sched_param priority{1};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0) {
    GTEST_SKIP() << "no right to a real-time priority";
  }
  auto urgent = Spawner::Open();
  priority.sched_priority = 0;
  ASSERT_EQ(sched_setscheduler(0, before, &priority), 0);
  ASSERT_TRUE(urgent) << urgent.error().message;
  EXPECT_EQ(sched_getscheduler((*urgent)->pid()), SCHED_FIFO | SCHED_RESET_ON_FORK);
  ASSERT_TRUE((*urgent)->Order(plan_, area_, {}, 0));
  auto child = (*urgent)->Take();
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ(sched_getscheduler(child->pid), SCHED_OTHER);
  EXPECT_EQ(Finish(*child), 0);
  // The spawner of a runner without real-time priority has the runner's scheduling policy.
  EXPECT_EQ(sched_getscheduler(spawner_->pid()), before);
}

TEST_F(SpawnerTest, MakesAChildThatMayRoamWhereTheLastOneEnded) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two CPUs";
  std::copy(std::begin(plan_.affinity), std::end(plan_.affinity), plan_.made_on);
  plan_.roams = true;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    std::memcpy(plan_.affinity, &one, sizeof(plan_.affinity));
    ASSERT_TRUE(Order());
    const Spawned child = Take();
    ASSERT_TRUE(OrderAnother(child.pid));
    OpenGate(area_);
    // Not reaped before the next child exists, since the CPU where it ended would be unknown then.
    const Spawned next = Take();
    cpu_set_t spawner;
    ASSERT_EQ(sched_getaffinity(spawner_->pid(), sizeof(spawner), &spawner), 0);
    EXPECT_TRUE(CPU_EQUAL(&spawner, &one)) << "CPU " << cpu;
    EXPECT_EQ(Finish(child), 0);
    OpenGate(other_area_);
    siginfo_t info{};
    EXPECT_EQ(waitid(P_PIDFD, static_cast<id_t>(next.pidfd.get()), &info, WEXITED | __WALL), 0);
  }
}

/// The runner on one CPU, and its children and the spawner on another one.
class FetchTest : public SpawnerTest {
 protected:
  void SetUp() override {
    SpawnerTest::SetUp();
    ASSERT_EQ(sched_getaffinity(0, sizeof(all_), &all_), 0);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &all_)) cpus.push_back(cpu);
    }
    if (cpus.size() < 2) GTEST_SKIP() << "needs two CPUs";
    own_ = Only(cpus[0]);
    apart_ = Only(cpus[1]);
    ASSERT_EQ(sched_setaffinity(0, sizeof(own_), &own_), 0);
    std::memcpy(plan_.affinity, &apart_, sizeof(plan_.affinity));
    std::memcpy(plan_.made_on, &apart_, sizeof(plan_.made_on));
  }
  void TearDown() override {
    spawner_.reset();
    sched_setaffinity(0, sizeof(all_), &all_);
    SpawnerTest::TearDown();
  }

  static cpu_set_t Only(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return one;
  }
  static bool Is(const cpu_set_t& expected) {
    cpu_set_t now;
    return sched_getaffinity(0, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &expected);
  }
  /// Ends the second child.
  void FinishOther(const Spawned& child) {
    OpenGate(other_area_);
    siginfo_t info{};
    EXPECT_EQ(waitid(P_PIDFD, static_cast<id_t>(child.pidfd.get()), &info, WEXITED | __WALL), 0);
  }

  cpu_set_t all_{};
  cpu_set_t own_{};
  cpu_set_t apart_{};
};

TEST_F(FetchTest, MovesARunnerThatDoesNotNoticeTheEndUntilItIsSentHome) {
  ASSERT_TRUE(Order());
  const Spawned running = Take();
  ASSERT_TRUE(OrderAnother(running.pid));
  EXPECT_EQ(Finish(running), 0);
  while (!Is(apart_)) sched_yield();
  EXPECT_FALSE(spawner_->has_fetched());
  spawner_->Notice(running.pid);
  EXPECT_TRUE(spawner_->has_fetched());
  const Spawned next = Take();
  spawner_->SendHome();
  EXPECT_TRUE(Is(own_));
  EXPECT_FALSE(spawner_->has_fetched());
  spawner_->SendHome();
  EXPECT_TRUE(Is(own_)) << "once is enough";
  FinishOther(next);
}

TEST_F(FetchTest, LeavesARunnerThatHasNoticedWhereItIs) {
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(Order());
    const Spawned running = Take();
    ASSERT_TRUE(OrderAnother(running.pid));
    // Earlier than is possible, so that the test does not depend on time.
    spawner_->Notice(running.pid);
    EXPECT_EQ(Finish(running), 0);
    const Spawned next = Take();
    EXPECT_FALSE(spawner_->has_fetched());
    FinishOther(next);
    spawner_->Notice(next.pid);
    EXPECT_TRUE(Is(own_));
  }
}

TEST_F(FetchTest, IsHomeWhateverTheMomentOfTheNotice) {
  std::mt19937_64 random(test::Seed());
  for (int round = 0; round < 200; ++round) {
    ASSERT_TRUE(Order());
    const Spawned running = Take();
    ASSERT_TRUE(OrderAnother(running.pid));
    EXPECT_EQ(Finish(running), 0);
    // Around the time at which the next child looks for the runner.
    const std::int64_t until = MonotonicNow() + static_cast<std::int64_t>(random() % 300'000);
    while (MonotonicNow() < until) sched_yield();
    spawner_->Notice(running.pid);
    if (spawner_->has_fetched()) {
      EXPECT_TRUE(Is(apart_));
    }
    const Spawned next = Take();
    spawner_->SendHome();
    FinishOther(next);
    spawner_->Notice(next.pid);
    spawner_->SendHome();
    ASSERT_TRUE(Is(own_)) << "round " << round;
  }
}

TEST_F(FetchTest, SendsTheRunnerHomeWhenItIsClosed) {
  ASSERT_TRUE(Order());
  const Spawned running = Take();
  ASSERT_TRUE(OrderAnother(running.pid));
  EXPECT_EQ(Finish(running), 0);
  while (!Is(apart_)) sched_yield();
  KillAndWait(Take());
  spawner_.reset();
  EXPECT_TRUE(Is(own_));
}

TEST_F(SpawnerTest, DoesNotFetchARunnerThatMayRunOnItsCpu) {
  ASSERT_TRUE(Order());
  const Spawned running = Take();
  ASSERT_TRUE(OrderAnother(running.pid));
  EXPECT_EQ(Finish(running), 0);
  const Spawned next = Take();
  spawner_->Notice(running.pid);
  EXPECT_FALSE(spawner_->has_fetched());
  KillAndWait(next);
}

TEST_F(SpawnerTest, RefusesCpusThatCannotBeHad) {
  for (unsigned long& word : plan_.affinity) word = 0;
  plan_.made_on[ChildPlan::kMaskWords - 1] = 1;  // CPU 960
  EXPECT_FALSE(Order());
}

}  // namespace
}  // namespace benchd
