// Several runs of one request, and the child that is made ready while another one runs.
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <sstream>
#include <string>
#include <vector>

#include "tests/runner/runner_process.h"

namespace benchd {
namespace {

/// Sets H to the pid of the runner's other child, the one that waits for its turn, once there is
/// one: on a loaded machine the script may be faster than the runner, which makes it afterwards.
const std::string kFindHeld =
    "while [ -z \"$H\" ]; do for p in $(cat /proc/$PPID/task/$PPID/children); do "
    "[ $p = $$ ] || H=\"$H $p\"; done; done; ";

class SeriesTest : public testing::Test {
 protected:
  /// Opens one child for each script, all of them logging.
  void Open(const std::vector<std::string>& scripts) {
    for (std::uint32_t number = 0; number < scripts.size(); ++number) {
      wire::OpenChild child = ScriptOf(scripts[number]);
      child.child = number;
      child.output = OutputKind::kLog;
      ASSERT_TRUE(runner_.Open(std::move(child)));
    }
  }

  /// A series of these children, each a block of its own.
  static wire::StartRuns SeriesOf(const std::vector<std::uint32_t>& children) {
    wire::StartRuns series;
    series.request = 1;
    series.budget_ns = 60'000'000'000;
    for (const std::uint32_t child : children) series.runs.push_back({.child = child});
    return series;
  }

  wire::RunsFinished Run(const wire::StartRuns& series) {
    runner_.Send(series);
    return runner_.Await<wire::RunsFinished>();
  }

  RunnerProcess runner_;
};

TEST_F(SeriesTest, RunsAllInOrder) {
  Open({"echo a", "echo b"});
  const auto finished = Run(SeriesOf({0, 1, 1, 0, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  std::string printed;
  for (const wire::RunFigures& run : finished.runs) printed += run.output;
  EXPECT_EQ(printed, "a\nb\nb\na\nb\n");
  for (std::size_t i = 1; i < finished.runs.size(); ++i) {
    EXPECT_GE(finished.runs[i].ended_at_ns - finished.runs[i].wall_time_ns,
              finished.runs[i - 1].ended_at_ns)
        << "run " << i << " began before the one before it had ended";
  }
}

TEST_F(SeriesTest, EndsAfterAFailureUnlessFailuresAreIgnored) {
  Open({"true", "exit 3"});
  wire::StartRuns series = SeriesOf({0, 1, 0});
  EXPECT_EQ(Run(series).runs.size(), 2U);
  series.stop_on_failure = false;
  EXPECT_EQ(Run(series).runs.size(), 3U);
}

TEST_F(SeriesTest, EndsWhereABlockBeginsOnceTheBudgetIsSpent) {
  Open({"true"});
  wire::StartRuns series = SeriesOf({0, 0, 0, 0, 0, 0});
  for (const std::size_t inside : {1U, 2U, 4U}) series.runs[inside].begins_block = false;
  series.budget_ns = 0;
  EXPECT_EQ(Run(series).runs.size(), 3U);
}

TEST_F(SeriesTest, EndsAnywhereWhenTheAnswerIsFull) {
  Open({"head -c 600000 /dev/zero"});
  wire::StartRuns series = SeriesOf(std::vector<std::uint32_t>(20, 0));
  for (wire::PlannedStart& run : series.runs) run.begins_block = false;
  const auto finished = Run(series);
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  EXPECT_EQ(finished.runs.size(), 2U);
}

TEST_F(SeriesTest, EndsWithTheRunThatCannotBeMeasured) {
  Open({"true"});
  wire::OpenChild vanished = ScriptOf("true");
  vanished.child = 1;
  vanished.cwd = "/no/such/folder";
  ASSERT_TRUE(runner_.Open(vanished));
  const auto finished = Run(SeriesOf({0, 0, 1, 0}));
  EXPECT_EQ(finished.runs.size(), 2U);
  EXPECT_EQ(finished.result.error().message, "cwd: /no/such/folder: No such file or directory");
  EXPECT_TRUE(Run(SeriesOf({0})).result) << "the next series is none the worse";
}

TEST_F(SeriesTest, IsRefusedWholeWhenOneOfItsChildrenIsUnknown) {
  Open({"true"});
  EXPECT_EQ(Run(SeriesOf({0, 7})).result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Run(SeriesOf({})).result.error().code, ErrorCode::kInvalidArgument);
  wire::StartRuns hinted = SeriesOf({0});
  hinted.next = wire::PlannedStart{.child = 7};
  EXPECT_EQ(Run(hinted).result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(SeriesTest, EndsCancelledInTheMiddle) {
  Open({"echo begun; sleep 1000"});
  runner_.Send(SeriesOf({0, 0, 0}));
  runner_.Send(wire::CancelRun{});
  const auto finished = runner_.Await<wire::RunsFinished>();
  EXPECT_TRUE(finished.runs.empty());
  EXPECT_EQ(finished.result.error().code, ErrorCode::kCancelled);
}

TEST_F(SeriesTest, RunsWhatIsOrderedWhereSomethingElseWasExpected) {
  Open({"echo a", "echo b"});
  wire::StartRuns first = SeriesOf({0});
  first.next = wire::PlannedStart{.child = 0};
  ASSERT_EQ(Run(first).runs.size(), 1U);
  EXPECT_EQ(Run(SeriesOf({1})).runs.at(0).output, "b\n");
}

TEST_F(SeriesTest, AVariableOfOneRunIsNotTheNextOnes) {
  Open({"echo \"<$BENCHD_BLOCK>\""});
  wire::StartRuns series = SeriesOf({0, 0, 0});
  series.runs[1].variables = {"BENCHD_BLOCK=7"};
  const auto finished = Run(series);
  ASSERT_EQ(finished.runs.size(), 3U);
  EXPECT_EQ(finished.runs[0].output, "<>\n");
  EXPECT_EQ(finished.runs[1].output, "<7>\n");
  EXPECT_EQ(finished.runs[2].output, "<>\n");
  series.runs[1].variables = {"BENCHD_BLOCK"};
  EXPECT_EQ(Run(series).result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(SeriesTest, TheChildThatWaitsSurvivesWhatTheRunBeforeItLeftBehind) {
  Open({"(sleep 1000 &); exit 0", "echo b"});
  const auto finished = Run(SeriesOf({0, 1, 0, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  ASSERT_EQ(finished.runs.size(), 4U);
  EXPECT_EQ(finished.runs[3].output, "b\n");
}

TEST_F(SeriesTest, AChildKilledWhileItWaitsIsMadeAgain) {
  Open({kFindHeld + "[ -n \"$H\" ] && kill -9 $H; echo killed $H", "echo b"});
  const auto finished = Run(SeriesOf({0, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  ASSERT_EQ(finished.runs.size(), 2U);
  EXPECT_NE(finished.runs[0].output, "killed\n") << "none waited: nothing was tested";
  EXPECT_EQ(finished.runs[1].output, "b\n");
}

TEST_F(SeriesTest, AChildWaitsOnTheHousekeepingCpus) {
  Open({kFindHeld + "for t in Cpus_allowed_list; do grep $t /proc/$PPID/status /proc/$(echo "
                    "$H)/status; done",
        "true"});
  const auto finished = Run(SeriesOf({0, 1}));
  ASSERT_TRUE(finished.result) << finished.result.error().message;
  std::istringstream lines(finished.runs[0].output);
  std::string runners;
  std::string held;
  ASSERT_TRUE(std::getline(lines, runners) && std::getline(lines, held)) << lines.str();
  EXPECT_EQ(runners.substr(runners.find('\t')), held.substr(held.find('\t')));
}

TEST_F(SeriesTest, AChildThatWaitsEndsWithTheConnection) {
  Open({kFindHeld + "echo $H", "true"});
  wire::StartRuns series = SeriesOf({0});
  series.next = wire::PlannedStart{.child = 1};
  const auto finished = Run(series);
  ASSERT_EQ(finished.runs.size(), 1U);
  const pid_t held = std::stoi("0" + finished.runs[0].output);
  ASSERT_GT(held, 0) << "none waited";
  EXPECT_EQ(runner_.Close(), 0);
  EXPECT_EQ(kill(held, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(SeriesTest, EmptiesAnOutputFileOnceThenAppends) {
  const TempFolder folder;
  wire::OpenChild child = ScriptOf("echo line");
  child.output = OutputKind::kFile;
  child.output_path = folder.Put("out", "old\n");
  ASSERT_TRUE(runner_.Open(child));
  ASSERT_EQ(Run(SeriesOf({0, 0})).runs.size(), 2U);
  ASSERT_EQ(Run(SeriesOf({0})).runs.size(), 1U);
  EXPECT_EQ(ReadFile(child.output_path), "line\nline\nline\n");
}

}  // namespace
}  // namespace benchd
