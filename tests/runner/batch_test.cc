// Several runs of one request, and the child that is prepared while another one runs.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/cpu_list.h"
#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// Sets S to the pid of the runner's other child, its spawner, once it exists: on a loaded machine
/// the script may start before the spawner.
const std::string kFindSpawner =
    "while [ -z \"$S\" ]; do for p in $(cat /proc/$PPID/task/$PPID/children); do "
    "[ $p = $$ ] || S=$p; done; done; ";

/// When a run began, on the clock of its end.
std::int64_t BeganAt(const wire::RunFigures& run) { return run.ended_at_ns - run.wall_time_ns; }

class BatchTest : public testing::Test {
 protected:
  /// Opens one child for each script, all of them logging.
  void Open(const std::vector<std::string>& scripts) {
    for (std::uint32_t number = 0; number < scripts.size(); ++number) {
      ChildSpec child = ScriptOf(scripts[number]);
      child.cpus = runner_.hello().benchmark_cpus;
      child.output = OutputKind::kLog;
      ASSERT_TRUE(runner_.Open(std::move(child), number));
    }
  }

  wire::BatchFigures Run(const Batch& batch) {
    runner_.Send(wire::RunBatch{batch});
    return runner_.Await<wire::BatchFigures>();
  }

  RunnerProcess runner_;
};

TEST_F(BatchTest, RunsAllInOrder) {
  Open({"echo a", "echo b"});
  const auto finished = Run(BatchOf({0, 1, 1, 0, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  std::string printed;
  for (const wire::RunFigures& run : finished.runs) printed += run.output;
  EXPECT_EQ(printed, "a\nb\nb\na\nb\n");
  for (std::size_t i = 1; i < finished.runs.size(); ++i) {
    EXPECT_GE(BeganAt(finished.runs[i]), finished.runs[i - 1].ended_at_ns)
        << "run " << i << " began before the previous one had ended";
  }
}

TEST_F(BatchTest, EndsAfterAFailureUnlessFailuresAreIgnored) {
  Open({"true", "exit 3"});
  Batch batch = BatchOf({0, 1, 0});
  EXPECT_EQ(Run(batch).runs.size(), 2U);
  batch.stop_on_failure = false;
  EXPECT_EQ(Run(batch).runs.size(), 3U);
}

TEST_F(BatchTest, EndsWhereABlockBeginsOnceTheBudgetIsSpent) {
  Open({"true"});
  Batch batch = BatchOf({0, 0, 0, 0, 0, 0});
  for (const std::size_t inside : {1U, 2U, 4U}) batch.runs[inside].begins_block = false;
  batch.budget = {};
  EXPECT_EQ(Run(batch).runs.size(), 3U);
}

TEST_F(BatchTest, EndsAnywhereWhenTheAnswerIsFull) {
  Open({"head -c 600000 /dev/zero"});
  Batch batch = BatchOf(std::vector<std::uint32_t>(20, 0));
  for (RunOrder& run : batch.runs) run.begins_block = false;
  const auto finished = Run(batch);
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  EXPECT_EQ(finished.runs.size(), 2U);
}

TEST_F(BatchTest, EndsWithTheRunThatCannotBeMeasured) {
  Open({"true"});
  ChildSpec vanished = ScriptOf("true");
  vanished.cwd = "/no/such/folder";
  ASSERT_TRUE(runner_.Open(vanished, 1));
  const auto finished = Run(BatchOf({0, 0, 1, 0}));
  EXPECT_EQ(finished.runs.size(), 2U);
  EXPECT_EQ(finished.result.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(finished.result.error());
  EXPECT_TRUE(Run(BatchOf({0})).result) << "the next batch is unaffected";
}

TEST_F(BatchTest, IsRefusedWholeWhenOneOfItsChildrenIsUnknown) {
  Open({"true"});
  EXPECT_EQ(Run(BatchOf({0, 7})).result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Run(BatchOf({})).result.error().code, ErrorCode::kInvalidArgument);
  Batch hinted = BatchOf({0});
  hinted.next = RunOrder{.child = 7};
  EXPECT_EQ(Run(hinted).result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(BatchTest, EndsCancelledInTheMiddle) {
  Open({"echo begun; sleep 1000"});
  runner_.Send(wire::RunBatch{BatchOf({0, 0, 0})});
  runner_.Send(wire::CancelRun{});
  const auto finished = runner_.Await<wire::BatchFigures>();
  EXPECT_TRUE(finished.runs.empty());
  EXPECT_EQ(finished.result.error().code, ErrorCode::kCancelled);
}

TEST_F(BatchTest, RunsWhatIsOrderedWhereSomethingElseWasExpected) {
  Open({"echo a", "echo b"});
  Batch first = BatchOf({0});
  first.next = RunOrder{.child = 0};
  ASSERT_EQ(Run(first).runs.size(), 1U);
  EXPECT_EQ(Run(BatchOf({1})).runs.at(0).output, "b\n");
}

TEST_F(BatchTest, AVariableOfOneRunIsNotTheNextOnes) {
  Open({"echo \"<$BENCHD_BLOCK>\""});
  Batch batch = BatchOf({0, 0, 0});
  batch.runs[1].variables = {"BENCHD_BLOCK=7"};
  const auto finished = Run(batch);
  ASSERT_EQ(finished.runs.size(), 3U);
  EXPECT_EQ(finished.runs[0].output, "<>\n");
  EXPECT_EQ(finished.runs[1].output, "<7>\n");
  EXPECT_EQ(finished.runs[2].output, "<>\n");
  batch.runs[1].variables = {"BENCHD_BLOCK"};
  EXPECT_EQ(Run(batch).result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(BatchTest, TheNextChildIsNoneTheWorseForWhatTheRunBeforeItLeftBehind) {
  Open({"(sleep 1000 &); exit 0", "echo b"});
  const auto finished = Run(BatchOf({0, 1, 0, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  ASSERT_EQ(finished.runs.size(), 4U);
  EXPECT_EQ(finished.runs[3].output, "b\n");
}

TEST_F(BatchTest, ASpawnerThatIsKilledIsReplaced) {
  Open({kFindSpawner + "kill -9 $S; echo killed $S", "echo b"});
  const auto finished = Run(BatchOf({0, 1, 0, 1, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  ASSERT_EQ(finished.runs.size(), 5U);
  EXPECT_NE(finished.runs[0].output, finished.runs[2].output) << "it was the same process";
  for (const std::size_t run : {1U, 3U, 4U}) EXPECT_EQ(finished.runs[run].output, "b\n");
}

TEST_F(BatchTest, ASpawnerThatIsStoppedIsGivenUp) {
  Open({kFindSpawner + "kill -STOP $S", "echo b"});
  const auto finished = Run(BatchOf({0, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  ASSERT_EQ(finished.runs.size(), 2U);
  EXPECT_EQ(finished.runs[1].output, "b\n");
}

TEST_F(BatchTest, OnlyChildrenAndTheirSpawnerAreOnTheBenchmarkCpus) {
  Open({"true", kFindSpawner + "for p in $PPID $S $$; do sed -n 's/^Cpus_allowed_list:.//p' "
                               "/proc/$p/status; done"});
  const auto finished = Run(BatchOf({0, 1}));
  ASSERT_EQ(finished.runs.size(), 2U);
  std::istringstream lines(finished.runs[1].output);
  std::string runner;
  std::string spawner;
  std::string child;
  ASSERT_TRUE(std::getline(lines, runner) && std::getline(lines, spawner) &&
              std::getline(lines, child))
      << lines.str();
  EXPECT_EQ(runner, FormatCpuList(runner_.hello().housekeeping_cpus));
  EXPECT_EQ(spawner, FormatCpuList(runner_.hello().benchmark_cpus));
  EXPECT_EQ(child, FormatCpuList(runner_.hello().benchmark_cpus));
}

TEST_F(BatchTest, TheSpawnerSleepsAndMakesNoChildWhileOneRuns) {
  Open({kFindSpawner + "sleep 0.05; cat /proc/$PPID/task/$PPID/children | wc -w; "
                       "sed -n 's/^State:.//p' /proc/$S/status"});
  const auto finished = Run(BatchOf({0, 0, 0}));
  ASSERT_EQ(finished.runs.size(), 3U);
  for (const wire::RunFigures& run : finished.runs) {
    EXPECT_EQ(run.output, "2\nS (sleeping)\n");
  }
}

/// The prepared child that waits after a batch that expected another run.
class WaitingChildTest : public BatchTest {
 protected:
  void SetUp() override {
    Open({kFindSpawner + "echo $S", "echo b"});
    Batch batch = BatchOf({0, 0});
    batch.next = RunOrder{.child = 1};
    const auto finished = Run(batch);
    ASSERT_EQ(finished.runs.size(), 2U);
    spawner_ = std::stoi("0" + finished.runs[0].output);
    while (waiting_ == 0) {
      for (const pid_t pid : ChildrenOf(runner_.pid())) {
        if (pid != spawner_) waiting_ = pid;
      }
    }
  }

  pid_t spawner_ = 0;
  pid_t waiting_ = 0;
};

TEST_F(WaitingChildTest, IsTheOneThatRuns) {
  const auto finished = Run(BatchOf({1}));
  ASSERT_EQ(finished.runs.size(), 1U);
  EXPECT_EQ(finished.runs[0].output, "b\n");
  EXPECT_EQ(kill(waiting_, 0), -1);
}

TEST_F(WaitingChildTest, IsMadeAgainWhenSomebodyKilledIt) {
  ASSERT_EQ(kill(waiting_, SIGKILL), 0);
  const auto finished = Run(BatchOf({1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  ASSERT_EQ(finished.runs.size(), 1U);
  EXPECT_EQ(finished.runs[0].output, "b\n");
}

TEST_F(WaitingChildTest, EndsWithTheConnectionLikeTheSpawner) {
  ASSERT_GT(spawner_, 0);
  EXPECT_EQ(runner_.Close(), 0);
  for (const pid_t pid : {spawner_, waiting_}) {
    EXPECT_EQ(kill(pid, 0), -1);
    EXPECT_EQ(errno, ESRCH);
  }
}

TEST_F(WaitingChildTest, EndsWithARunnerThatIsKilledLikeTheSpawner) {
  const UniqueFd spawner(static_cast<int>(syscall(SYS_pidfd_open, spawner_, 0)));
  const UniqueFd waiting(static_cast<int>(syscall(SYS_pidfd_open, waiting_, 0)));
  ASSERT_TRUE(spawner && waiting);
  ASSERT_EQ(kill(runner_.pid(), SIGKILL), 0);
  for (const int pidfd : {spawner.get(), waiting.get()}) {
    pollfd end{pidfd, POLLIN, 0};
    EXPECT_EQ(poll(&end, 1, 60'000), 1);
  }
}

TEST_F(WaitingChildTest, IsGoneWhenTheSessionIsAndSoIsTheSpawner) {
  runner_.Send(wire::CloseChildren{});
  EXPECT_TRUE(runner_.Await<Result<void>>());
  for (const pid_t pid : {spawner_, waiting_}) EXPECT_EQ(kill(pid, 0), -1);
}

/// The CPU time that a process has used.
std::int64_t CpuTimeOf(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  EXPECT_EQ(clock_getcpuclockid(pid, &clock), 0);
  EXPECT_EQ(clock_gettime(clock, &used), 0);
  return used.tv_sec * 1'000'000'000LL + used.tv_nsec;
}

// Polling for the end of a run would slow the run down if both CPUs are threads of one core. It
// would use the 2 ms of sleep here and the rest of the run's time. The runner's own work takes a
// tenth of that, or a third if system calls are slow.
TEST_F(BatchTest, TheRunnerSleepsWhileAChildIsMeasured) {
  Open({"sleep 0.002"});
  constexpr std::size_t kRuns = 40;
  const std::int64_t before = CpuTimeOf(runner_.pid());
  ASSERT_EQ(Run(BatchOf(std::vector<std::uint32_t>(kRuns, 0))).runs.size(), kRuns);
  EXPECT_LT((CpuTimeOf(runner_.pid()) - before) / static_cast<std::int64_t>(kRuns), 2'000'000);
}

/// Shares its CPU until it has lost it once, then is idle for a while.
const std::string kWaitsForItsCpu =
    "taskset -pc $(taskset -pc $$ | sed 's/.*[ ,-]//') $$ >&2; while :; do :; done & "
    "n=0; until [ $n -gt 0 ]; do while read -r key value; do "
    "[ $key != nonvoluntary_ctxt_switches: ] || n=$value; done </proc/$$/status; done; "
    "kill $!; sleep 0.003";

/// The total time from the end of each run to the beginning of the next, in scheduler ticks.
double TicksBetween(const std::vector<wire::RunFigures>& runs) {
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  std::int64_t between_ns = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    between_ns += BeganAt(runs[i]) - runs[i - 1].ended_at_ns;
  }
  return static_cast<double>(between_ns) / static_cast<double>(tick.tv_nsec);
}

// 32 random waits of half a tick on average; a busy machine can only lengthen them.
constexpr std::size_t kRunsThatWait = 33;
constexpr double kFewestTicks = 8;

TEST_F(BatchTest, PreparedRunsOnASharedCpuBeginAtARandomPlaceInTheTick) {
  Open({kWaitsForItsCpu});
  const auto finished = Run(BatchOf(std::vector<std::uint32_t>(kRunsThatWait, 0)));
  ASSERT_EQ(finished.runs.size(), kRunsThatWait);
  EXPECT_GT(TicksBetween(finished.runs), kFewestTicks);
}

TEST_F(BatchTest, SoDoThoseThatAreNotPrepared) {
  Open({kWaitsForItsCpu});
  std::vector<wire::RunFigures> runs;
  for (std::size_t i = 0; i < kRunsThatWait; ++i) {
    auto finished = Run(BatchOf({0}));
    ASSERT_EQ(finished.runs.size(), 1U);
    runs.push_back(std::move(finished.runs[0]));
  }
  EXPECT_GT(TicksBetween(runs), kFewestTicks);
}

TEST_F(BatchTest, ReportsTheBeginningOfAnOutputOnceForEachChild) {
  const TempFolder folder;
  const std::string file = folder.Put("printed", "same\n");
  ChildSpec child = ScriptOf("cat " + file);
  child.check_output = true;
  ASSERT_TRUE(runner_.Open(child, 0));
  ASSERT_TRUE(runner_.Open(child, 1));
  const auto heads = [this] {
    std::vector<std::string> reported;
    for (const wire::RunFigures& run : Run(BatchOf({0, 1, 0, 1})).runs) {
      reported.push_back(run.stdout_digest ? run.stdout_digest->head : "no digest");
    }
    return reported;
  };
  EXPECT_EQ(heads(), (std::vector<std::string>{"same\n", "same\n", "", ""}));
  EXPECT_EQ(heads(), (std::vector<std::string>{"", "", "", ""}));
  folder.Put("printed", "other\n");
  EXPECT_EQ(heads(), (std::vector<std::string>{"other\n", "other\n", "", ""}));
  // Children that are opened again are new ones, as after a restart of benchd.
  ASSERT_TRUE(runner_.Open(child, 0));
  EXPECT_EQ(heads(), (std::vector<std::string>{"other\n", "", "", ""}));
}

TEST_F(BatchTest, EveryRunBeginsWithAnEmptyOutputFile) {
  const TempFolder folder;
  ChildSpec child = ScriptOf("echo line");
  child.output = OutputKind::kFile;
  child.output_path = folder.Put("out", "old\n");
  ASSERT_TRUE(runner_.Open(child));
  ASSERT_EQ(Run(BatchOf({0, 0})).runs.size(), 2U);
  ASSERT_EQ(Run(BatchOf({0})).runs.size(), 1U);
  EXPECT_EQ(ReadFile(child.output_path), "line\n");
}

}  // namespace
}  // namespace benchd
