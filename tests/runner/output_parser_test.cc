// The outputs of several runs, which one benchd-helper parses.
#include "daemon/runner/output_parser.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/runner/runner_process.h"
#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

/// Prints values of `count` metrics, each of which takes at least 400 bytes in an answer. Long
/// names fill it with few values, because a sanitizer makes benchd-helper slow.
std::string Values(int count) {
  return "seq -f '" + std::string(240, 'm') + "%.0f 1' " + std::to_string(count);
}

/// A child whose output takes minutes to parse: the condition visits all elements for each element.
ChildSpec SlowToParse() {
  ChildSpec slow = ScriptOf("echo '<r>'; yes '<a/>' | head -n 50000; echo '</r>'");
  slow.parse = "slow.toml";
  slow.adapter = "input = \"xml\"\n[[metric]]\npath = \"//a[count(//a) > 0]\"\nname = \"x\"\n";
  return slow;
}

bool HasHelper(pid_t runner) {
  const auto children = ChildrenOf(runner);
  return std::any_of(children.begin(), children.end(), [](pid_t child) {
    return ReadFile("/proc/" + std::to_string(child) + "/comm") == "benchd-helper\n";
  });
}

class OutputParserTest : public testing::Test {
 protected:
  /// Opens a child for each script, whose output has the format `lines`.
  void Open(const std::vector<std::string>& scripts) {
    for (const std::string& script : scripts) Open(ScriptOf(script));
  }

  void Open(ChildSpec child) {
    if (child.parse.empty()) child.parse = "lines";
    child.cpus = runner_.hello().benchmark_cpus;
    ASSERT_TRUE(runner_.Open(std::move(child), opened_++));
  }

  wire::BatchFigures Run(const std::vector<std::uint32_t>& children) {
    runner_.Send(wire::RunBatch{BatchOf(children)});
    auto finished = runner_.Await<wire::BatchFigures>();
    EXPECT_TRUE(finished.result) << finished.result.error().message;
    return finished;
  }

  /// Orders again what a batch left out, as benchd does.
  wire::BatchFigures RunAll(std::vector<std::uint32_t> children) {
    wire::BatchFigures all;
    while (!children.empty()) {
      auto finished = Run(children);
      if (finished.runs.empty()) break;
      children.erase(children.begin(),
                     children.begin() + static_cast<std::ptrdiff_t>(finished.runs.size()));
      std::move(finished.runs.begin(), finished.runs.end(), std::back_inserter(all.runs));
    }
    EXPECT_TRUE(children.empty());
    return all;
  }

  /// The first value of a run, or its error.
  static std::string ValueOf(const wire::RunFigures& run) {
    const auto parsed = wire::DecodeParsedOutput(run.parsed);
    if (!parsed) return "malformed: " + parsed.error().message;
    if (!parsed->result) return parsed->result.error().message;
    if (parsed->samples.empty()) return "no value";
    const Sample& sample = parsed->samples.front();
    return sample.metric + " " + std::to_string(sample.value);
  }

  static std::vector<std::string> ValuesOf(const wire::BatchFigures& finished) {
    std::vector<std::string> values;
    for (const wire::RunFigures& run : finished.runs) values.push_back(ValueOf(run));
    return values;
  }

  TempFolder folder_;
  RunnerProcess runner_;
  std::uint32_t opened_ = 0;
};

TEST_F(OutputParserTest, EachRunHasTheValuesThatItPrinted) {
  ChildSpec other = ScriptOf("echo 'b: 5 ms'; echo 'b: 7 ms' >&2");
  other.parse = "own.toml";
  other.adapter = "input = \"text\"\n[[metric]]\nmatch = '^b: (?P<value>.*)'\nname = \"b\"\n";
  Open({"echo a 1", "echo a 2"});
  Open(other);
  other.parse_stderr = true;
  Open(other);
  Open({"true", "exec 2>&1; kill -9 $$"});
  EXPECT_EQ(ValuesOf(Run({0, 2, 1, 3, 0, 2})),
            (std::vector<std::string>{"a 1.000000", "b 0.005000", "a 2.000000", "b 0.007000",
                                      "a 1.000000", "b 0.005000"}));
  EXPECT_EQ(ValuesOf(Run({4, 1})).at(1), "a 2.000000") << "nothing was printed before";
  const auto killed = Run({0, 5, 1});
  ASSERT_EQ(killed.runs.size(), 2U);
  EXPECT_EQ(ValueOf(killed.runs[0]), "a 1.000000");
  EXPECT_EQ(killed.runs[1].parsed, "") << "it stopped printing at an arbitrary place";
}

TEST_F(OutputParserTest, MoreRunsThanMayWait) {
  Open({"echo a 1", "echo a 2"});
  std::vector<std::uint32_t> children;
  std::vector<std::string> expected;
  for (int i = 0; i < 150; ++i) {
    children.push_back(i % 3 == 0 ? 1 : 0);
    expected.emplace_back(i % 3 == 0 ? "a 2.000000" : "a 1.000000");
  }
  EXPECT_EQ(ValuesOf(Run(children)), expected);
}

// What follows a run, such as its conclude command, may read the file.
TEST_F(OutputParserTest, AFileIsWrittenBeforeTheNextRunBegins) {
  ChildSpec filed = ScriptOf("echo a 3");
  filed.output = OutputKind::kFile;
  filed.output_path = "out.txt";
  filed.cwd = folder_.path();
  Open({"echo a 1", "cat " + folder_.path() + "/out.txt"});
  Open(filed);
  EXPECT_EQ(ValuesOf(Run({0, 2, 1})),
            (std::vector<std::string>{"a 1.000000", "a 3.000000", "a 3.000000"}));
}

// It takes longer than a run may take to die, so a run that was still watched would be given up.
TEST_F(OutputParserTest, ARunIsOverWhileItsOutputIsParsed) {
  ChildSpec slow = SlowToParse();
  slow.output = OutputKind::kFile;
  slow.output_path = "out.txt";
  slow.cwd = folder_.path();
  Open(slow);
  Open({"echo a 1"});
  EXPECT_EQ(
      ValuesOf(Run({0, 1})),
      (std::vector<std::string>{"parsing stdout: benchd-helper took too long", "a 1.000000"}));
}

TEST_F(OutputParserTest, WhatCannotBeParsedIsTheFailureOfOneRun) {
  Open({"echo a 1", Values(16'000)});
  const auto finished = RunAll({0, 0, 1, 0});
  EXPECT_EQ(ValuesOf(finished),
            (std::vector<std::string>{"a 1.000000", "a 1.000000",
                                      "parsing stdout: the names and values exceed 6 MiB",
                                      "a 1.000000"}));
}

// Each of these outputs fits into an answer, but all of them do not.
TEST_F(OutputParserTest, WhatIsTooMuchTogetherIsParsedOneByOne) {
  Open({Values(3'000)});
  for (const wire::RunFigures& run : RunAll({0, 0, 0, 0, 0, 0}).runs) {
    const auto parsed = wire::DecodeParsedOutput(run.parsed);
    ASSERT_TRUE(parsed && parsed->result) << ValueOf(run);
    EXPECT_EQ(parsed->samples.size(), 3'000U);
  }
}

TEST_F(OutputParserTest, ACancelledBatchLosesTheRunsThatAreNotParsed) {
  Open({"echo a 1"});
  Open(SlowToParse());
  runner_.Send(wire::RunBatch{BatchOf({0, 0, 1})});
  while (!HasHelper(runner_.pid())) sched_yield();
  runner_.Send(wire::CancelRun{});
  const auto finished = runner_.Await<wire::BatchFigures>();
  EXPECT_TRUE(finished.runs.empty());
  ASSERT_FALSE(finished.result);
  EXPECT_EQ(finished.result.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(ValuesOf(Run({0})), std::vector<std::string>{"a 1.000000"}) << "the next is unaffected";
}

}  // namespace
}  // namespace benchd
