// Where a child's stdout and stderr go.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(OutputTest, KeepsTheEndOfStderrFromTheStartOfALine) {
  RunnerProcess runner;
  auto figures = runner.Run(ScriptOf("echo out; echo problem >&2; exit 1"));
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->stderr_tail, "problem\n");
  EXPECT_EQ(figures->output, "");

  // 2000 lines of 10 bytes: the last 4096 bytes begin inside line 1591 (20000 - 4096 = 15904).
  figures =
      runner.Run(ScriptOf("i=0; while [ $i -lt 2000 ]; do printf 'line %04d\\n' $i >&2; "
                          "i=$((i+1)); done"));
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->stderr_tail.substr(0, 10), "line 1591\n");
  EXPECT_EQ(figures->stderr_tail.size(), 4090U);
  EXPECT_TRUE(figures->stderr_tail.ends_with("line 1999\n"));
}

TEST(OutputTest, ALogHasBothStreams) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo out; echo err >&2");
  child.output = OutputKind::kLog;
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures);
  EXPECT_NE(figures->output.find("out\n"), std::string::npos);
  EXPECT_NE(figures->output.find("err\n"), std::string::npos);
  EXPECT_EQ(figures->output.size(), 8U);
  EXPECT_EQ(figures->stderr_tail, "err\n");
}

TEST(OutputTest, ALogIsCutAtOneMebibyteAndSaysSoAndTheChildIsNotStopped) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("head -c 5000000 /dev/zero | tr '\\0' y; exit 7");
  child.output = OutputKind::kLog;
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->exit.code, 7);
  EXPECT_EQ(figures->output.size(), 1024U * 1024U);
  const std::size_t cut = figures->output.find_first_not_of('y');
  ASSERT_LT(cut, figures->output.size());
  EXPECT_EQ(figures->output[cut], '\n');
  EXPECT_TRUE(figures->output.ends_with("]\n"));
  EXPECT_WORDING("the log ends with " + figures->output.substr(cut + 1));
}

TEST(OutputTest, AFileHasWhatTheLastRunWrote) {
  const TempFolder folder;
  const std::string path = folder.Put("out.txt", "of the last session\n");
  RunnerProcess runner;
  ChildSpec first = ScriptOf("echo first");
  first.output = OutputKind::kFile;
  first.output_path = "out.txt";
  first.cwd = folder.path();
  ChildSpec second = first;
  second.argv.back() = "echo second";
  for (const auto& [child, text] :
       {std::pair{first, "first\n"}, {second, "second\n"}, {first, "first\n"}}) {
    ASSERT_TRUE(runner.Run(child));
    EXPECT_EQ(ReadFile(path), text);
  }
}

constexpr std::string_view kIsPipe = "[ -p /dev/stdout ]";

TEST(OutputTest, StdoutIsAPipeOnlyIfSomethingReadsIt) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf(std::string(kIsPipe));
  const auto exit_code = [&runner](const ChildSpec& spec) {
    const auto figures = runner.Run(spec);
    EXPECT_TRUE(figures) << figures.error().message;
    return figures ? figures->exit.code : -1;
  };
  EXPECT_EQ(exit_code(child), 1) << "it is /dev/null";
  child.check_output = true;
  EXPECT_EQ(exit_code(child), 0);
  child.check_output = false;
  child.output = OutputKind::kPipe;
  EXPECT_EQ(exit_code(child), 0);
  child.parse = "lines";
  EXPECT_EQ(exit_code(child), 0);
}

TEST(OutputTest, APipeIsReadAndDiscarded) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("head -c 100000000 /dev/zero; echo err >&2; exit 7");
  child.output = OutputKind::kPipe;
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->exit.code, 7) << "and not killed by SIGPIPE";
  EXPECT_EQ(figures->output, "");
  EXPECT_EQ(figures->stderr_tail, "err\n");
  EXPECT_FALSE(figures->stdout_digest);
}

/// The memory of a process, in KiB.
long MemoryOf(pid_t pid) {
  const std::string status = ReadFile("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status.find("VmRSS:");
  EXPECT_NE(at, std::string::npos);
  return at == std::string::npos ? 0 : std::stol(status.substr(at + 6));
}

// 100 MB are printed, and 64 KiB of them are kept.
TEST(OutputTest, TheRunnerDoesNotGrowWithWhatAChildPrints) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("head -c 100000 /dev/zero");
  child.output = OutputKind::kPipe;
  child.check_output = true;
  ASSERT_TRUE(runner.Run(child));
  const long before = MemoryOf(runner.pid());
  child.argv.back() = "head -c 100000000 /dev/zero";
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_TRUE(figures->stdout_digest);
  EXPECT_EQ(figures->stdout_digest->bytes, 100'000'000U);
  EXPECT_EQ(figures->stdout_digest->head, std::string(kOutputHeadBytes, '\0'));
  EXPECT_LT(MemoryOf(runner.pid()) - before, 4 * 1024) << "KiB";
}

TEST(OutputTest, ARunEndsAlthoughAProcessLeftBehindHoldsThePipe) {
  const TempFolder folder;
  const Leash leash(folder);
  RunnerProcess runner;
  ChildSpec child = ScriptOf("exec 9>" + leash.path() + "; echo out; setsid sleep 1000 & exit 0");
  for (const bool check : {false, true}) {
    child.output = OutputKind::kPipe;
    child.check_output = check;
    const auto figures = runner.Run(child);
    ASSERT_TRUE(figures) << figures.error().message;
    EXPECT_EQ(figures->exit.code, 0);
    EXPECT_EQ(figures->stdout_digest.value_or(OutputDigest{}).head, check ? "out\n" : "");
  }
  leash.AwaitEnd();
}

// echo abc | sha256sum
constexpr const char* kOfAbcLine =
    "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb";

TEST(OutputTest, TheDigestIsThatOfStdoutWhereverItGoes) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo abc; echo err >&2");
  child.check_output = true;
  for (const OutputKind output : {OutputKind::kDiscard, OutputKind::kPipe, OutputKind::kLog}) {
    child.output = output;
    const auto figures = runner.Run(child);
    ASSERT_TRUE(figures) << figures.error().message;
    ASSERT_TRUE(figures->stdout_digest);
    EXPECT_EQ(ToHex(figures->stdout_digest->sha256), kOfAbcLine);
    EXPECT_EQ(figures->stdout_digest->bytes, 4U);
    EXPECT_EQ(figures->stdout_digest->head, "abc\n");
    EXPECT_EQ(figures->output.size(), output == OutputKind::kLog ? 8U : 0U);
  }
}

TEST(OutputTest, ParsedOutputHasADigestToo) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo n 1");
  child.check_output = true;
  child.parse = "lines";
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_TRUE(figures->stdout_digest);
  EXPECT_EQ(figures->stdout_digest->head, "n 1\n");
  EXPECT_EQ(wire::DecodeParsedOutput(figures->parsed)->samples.size(), 1U);
}

TEST(OutputTest, AKilledChildHasNoDigest) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo abc; kill -9 $$");
  child.check_output = true;
  auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_FALSE(figures->stdout_digest);
  child.argv.back() = "echo abc; exit 3";
  figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->stdout_digest) << "it has printed all that it wanted to";
}

wire::ParsedOutput ParsedBy(RunnerProcess& runner, ChildSpec child) {
  child.parse = "lines";
  const auto figures = runner.Run(child);
  EXPECT_TRUE(figures) << figures.error().message;
  if (!figures) return {};
  const auto parsed = wire::DecodeParsedOutput(figures->parsed);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? *parsed : wire::ParsedOutput{};
}

TEST(OutputTest, StdoutIsParsedByTheHelper) {
  RunnerProcess runner;
  const auto parsed = ParsedBy(runner, ScriptOf("echo noise >&2; echo latency 1.5 s; echo n 3"));
  ASSERT_TRUE(parsed.result) << parsed.result.error().message;
  ASSERT_EQ(parsed.samples.size(), 2U);
  EXPECT_EQ(parsed.samples[0].metric, "latency");
  EXPECT_EQ(parsed.samples[0].value, 1.5);
  EXPECT_EQ(parsed.samples[1].metric, "n");
  EXPECT_EQ(parsed.metrics.size(), 2U);
}

TEST(OutputTest, AnAdapterReadsStdoutOrStderrAndTheOtherIsTheUsers) {
  const TempFolder folder;
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo 't 5 ms'; echo 't 7 ms' >&2");
  child.parse = "own.toml";
  child.adapter = "input = \"text\"\n[[metric]]\nmatch = '^t (?P<value>.*)'\nname = \"t\"\n";
  child.output = OutputKind::kFile;
  child.output_path = "out.txt";
  child.cwd = folder.path();
  for (const auto& [from_stderr, value] : {std::pair{false, 0.005}, {true, 0.007}}) {
    child.parse_stderr = from_stderr;
    const auto figures = runner.Run(child);
    ASSERT_TRUE(figures) << figures.error().message;
    const auto parsed = wire::DecodeParsedOutput(figures->parsed);
    ASSERT_TRUE(parsed && parsed->result) << figures->parsed;
    ASSERT_EQ(parsed->samples.size(), 1U);
    EXPECT_EQ(parsed->samples[0].value, value);
    EXPECT_EQ(figures->stderr_tail, "t 7 ms\n");
    EXPECT_EQ(ReadFile(folder.path() + "/out.txt"), "t 5 ms\n");
  }
}

TEST(OutputTest, TheListOfAHarnessIsReadByTheHelper) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo BM_a; echo BM_b/8");
  child.parse = "list:google-benchmark";
  auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  const auto listed = wire::DecodeParsedOutput(figures->parsed);
  ASSERT_TRUE(listed && listed->result) << figures->parsed;
  EXPECT_EQ(listed->names, (std::vector<std::string>{"BM_a", "BM_b/8"}));
  EXPECT_TRUE(listed->samples.empty());

  child.argv.back() = "echo nothing of interest";
  child.parse = "list:libtest";
  figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  const auto empty = wire::DecodeParsedOutput(figures->parsed);
  ASSERT_TRUE(empty);
  ASSERT_FALSE(empty->result);
  EXPECT_WORDING(empty->result.error());
}

TEST(OutputTest, WhatCannotBeParsedIsAnAnswerWithTheReason) {
  RunnerProcess runner;
  const auto parsed = ParsedBy(runner, ScriptOf("echo latency fast"));
  ASSERT_FALSE(parsed.result);
  EXPECT_EQ(parsed.result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(parsed.result.error());
}

TEST(OutputTest, ParsedOutputCanBeLoggedAndFiledToo) {
  const TempFolder folder;
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo n 1");
  child.parse = "lines";
  child.output = OutputKind::kLog;
  auto figures = runner.Run(child);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->output, "n 1\n");
  EXPECT_EQ(wire::DecodeParsedOutput(figures->parsed)->samples.size(), 1U);

  child.output = OutputKind::kFile;
  child.cwd = folder.path();
  child.output_path = "out.txt";
  ASSERT_TRUE(runner.Open(child));
  for (int i = 0; i < 2; ++i) {
    runner.Start();
    figures = runner.Finish();
    ASSERT_TRUE(figures);
    EXPECT_EQ(wire::DecodeParsedOutput(figures->parsed)->samples.size(), 1U);
  }
  EXPECT_EQ(ReadFile(folder / "out.txt"), "n 1\n") << "it is from the last run";
}

TEST(OutputTest, ParsingHappensAsTheCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo n 1");
  child.caller = NobodyCaller();
  EXPECT_TRUE(ParsedBy(runner, child).result);
  // Only root may write this file. The helper opens it, not the runner.
  const TempFolder folder;
  child.output = OutputKind::kFile;
  child.output_path = folder / "out.txt";
  const auto refused = ParsedBy(runner, child);
  ASSERT_FALSE(refused.result);
  EXPECT_WORDING(refused.result.error(), {{folder.path(), "DIR"}});
}

TEST(OutputTest, FilesOfTheRunAreParsedInsteadOfStdout) {
  const TempFolder folder;
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo noise; echo n 1 >b.txt; echo n 2 >a.txt");
  child.parse_file = "?*.txt";
  child.cwd = folder.path();
  child.output = OutputKind::kLog;
  folder.Put("old.txt", "n 7\n");
  const auto parsed = ParsedBy(runner, child);
  ASSERT_TRUE(parsed.result) << parsed.result.error().message;
  ASSERT_EQ(parsed.samples.size(), 2U) << "the file of an earlier run was removed";
  EXPECT_EQ(parsed.samples[0].value, 2) << "in the order of the files";
  EXPECT_EQ(parsed.samples[1].value, 1);
  child.parse = "lines";
  EXPECT_EQ(runner.Run(child)->output, "noise\n") << "stdout is the user's";
}

TEST(OutputTest, EachRunMustWriteItsFiles) {
  const TempFolder folder;
  RunnerProcess runner;
  ChildSpec child = ScriptOf("[ -e begun ] || echo n 1 >out.txt; touch begun");
  child.parse = "lines";
  child.parse_file = "out.txt";
  child.cwd = folder.path();
  ASSERT_TRUE(runner.Open(child));
  for (const bool first : {true, false}) {
    runner.Start();
    const auto figures = runner.Finish();
    ASSERT_TRUE(figures) << figures.error().message;
    const auto parsed = wire::DecodeParsedOutput(figures->parsed);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->result.has_value(), first);
    if (!first) {
      EXPECT_WORDING(parsed->result.error());
    }
  }
}

TEST(OutputTest, ABatchOfRunsWithFilesRemovesThemBeforeEach) {
  const TempFolder folder;
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo n 1 >$$.txt");
  child.parse = "lines";
  child.parse_file = "?*.txt";
  child.cwd = folder.path();
  ASSERT_TRUE(runner.Open(child));
  runner.Send(wire::RunBatch{{.runs = {{.child = 0}, {.child = 0}, {.child = 0}},
                              .next = RunOrder{.child = 0},
                              .timeout = std::chrono::seconds(60),
                              .budget = std::chrono::seconds(60)}});
  const auto batch = runner.Await<wire::BatchFigures>();
  ASSERT_TRUE(batch.result) << batch.result.error().message;
  ASSERT_EQ(batch.runs.size(), 3U);
  for (const wire::RunFigures& run : batch.runs) {
    EXPECT_EQ(wire::DecodeParsedOutput(run.parsed)->samples.size(), 1U);
  }
}

TEST(OutputTest, AFileThatCannotBeRemovedKeepsTheRunFromStarting) {
  const TempFolder folder;
  RunnerProcess runner;
  ChildSpec child = ScriptOf("touch begun");
  child.parse = "lines";
  child.parse_file = "out.txt";
  child.cwd = folder.path();
  ASSERT_EQ(mkfifo((folder / "out.txt").c_str(), 0600), 0);
  const auto figures = runner.Run(child);
  ASSERT_FALSE(figures);
  EXPECT_WORDING(figures.error());
  EXPECT_FALSE(std::filesystem::exists(folder / "begun"));
  // The runner can go on.
  std::filesystem::remove(folder / "out.txt");
  child.argv.back() = "echo n 1 >out.txt";
  EXPECT_TRUE(ParsedBy(runner, child).result);
}

TEST(OutputTest, FilesAreRemovedAsTheCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  const TempFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  folder.Put("out.txt", "n 1\n");
  RunnerProcess runner;
  ChildSpec child = ScriptOf("true");
  child.caller = NobodyCaller();
  child.parse = "lines";
  child.parse_file = "out.txt";
  child.cwd = folder.path();
  const auto figures = runner.Run(child);
  ASSERT_FALSE(figures);
  EXPECT_WORDING(figures.error());
  EXPECT_TRUE(std::filesystem::exists(folder / "out.txt"));
}

TEST(OutputTest, AKilledChildIsNotParsed) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("echo n 1; kill -9 $$");
  child.parse = "lines";
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->exit.signal, 9);
  EXPECT_EQ(figures->parsed, "");
}

TEST(OutputTest, TooMuchToParseIsAnErrorThatSaysSo) {
  RunnerProcess runner;
  const auto parsed =
      ParsedBy(runner, ScriptOf("head -c 70000000 /dev/zero"));  // the limit is 64 MiB
  ASSERT_FALSE(parsed.result);
  EXPECT_EQ(parsed.result.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(parsed.result.error());
}

}  // namespace
}  // namespace benchd
