#include <gtest/gtest.h>

#include "client/app/command.h"
#include "client/commands/compare.h"
#include "client/request/session_options.h"
#include "client/request/spec_input.h"
#include "client/session/submission.h"
#include "tests/client/refusals.h"

namespace benchd::client {
namespace {

CallerContext Context() { return {"/src dir", {{"HOME", "/home/u"}, {"LANG", "C"}}}; }

Result<v1::SessionSpec> Build(std::vector<std::string> words) {
  auto arguments = ParseArguments(words, AllOptions(*FindCommand("compare")));
  if (!arguments) return std::move(arguments).error();
  auto input = InputFromCommandLine(*arguments);
  if (!input) return std::move(input).error();
  return BuildSpec(*input, Context());
}

TEST(SpecBuilderTest, LeavesDefaultsToTheDaemon) {
  const auto spec = Build({"sleep 1", "sleep 2"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_FALSE(spec->has_alpha());
  EXPECT_FALSE(spec->has_pass_confidence());
  EXPECT_FALSE(spec->has_margin());
  EXPECT_FALSE(spec->has_seed());
  EXPECT_FALSE(spec->has_warmup());
  EXPECT_FALSE(spec->limits().has_min_runs());
  EXPECT_FALSE(spec->limits().has_max_time_seconds());
  EXPECT_EQ(spec->method(), v1::METHOD_UNSPECIFIED);
  EXPECT_EQ(spec->isolation(), v1::ISOLATION_UNSPECIFIED);
  EXPECT_EQ(spec->environment().at("HOME"), "/home/u");
  ASSERT_EQ(spec->benchmarks_size(), 1);
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  EXPECT_EQ(benchmark.gates_size(), 0);
  ASSERT_EQ(benchmark.arms_size(), 2);
  EXPECT_EQ(benchmark.arms(0).name(), "base");
  EXPECT_EQ(benchmark.arms(0).role(), v1::ARM_ROLE_REFERENCE);
  EXPECT_EQ(benchmark.arms(0).command(), "sleep 1");
  EXPECT_EQ(benchmark.arms(0).cwd(), "/src dir");
  EXPECT_EQ(benchmark.arms(1).name(), "candidate");
  EXPECT_EQ(benchmark.arms(1).role(), v1::ARM_ROLE_CANDIDATE);
}

TEST(SpecBuilderTest, AsManyPreparesAsCommandsBelongToThemInOrder) {
  const auto spec = Build({"-p", "p1", "--conclude", "c1", "-p", "p2", "-C", "c2", "-p", "p3",
                           "--conclude", "c3", "a", "b", "c"});
  ASSERT_TRUE(spec) << spec.error().message;
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  EXPECT_EQ(benchmark.hooks().prepare(), "");
  EXPECT_EQ(benchmark.hooks().conclude(), "");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(benchmark.arms(i).prepare(), "p" + std::to_string(i + 1));
    EXPECT_EQ(benchmark.arms(i).conclude(), "c" + std::to_string(i + 1));
  }
  const auto shared = Build({"-p", "p1", "a", "b"});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->benchmarks(0).hooks().prepare(), "p1");
  EXPECT_EQ(shared->benchmarks(0).arms(0).prepare(), "");
  ExpectRefused(Build({"-p", "p1", "-p", "p2", "a", "b", "c"}));
  ExpectRefused(Build({"-C", "x", "-C", "", "a", "b"}));
}

TEST(SpecBuilderTest, AsManyInputsOrShellsAsCommandsBelongToThemInOrder) {
  const auto spec = Build({"--input", "one", "--input", "null", "--input", "/three", "--shell=bash",
                           "--shell", "--shell=none", "a", "b", "c"});
  ASSERT_TRUE(spec) << spec.error().message;
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  EXPECT_EQ(benchmark.input(), "");
  EXPECT_EQ(benchmark.arms(0).input(), "/src dir/one") << "relative to the caller";
  EXPECT_EQ(benchmark.arms(1).input(), "/dev/null") << "an arm without one has that of all arms";
  EXPECT_EQ(benchmark.arms(2).input(), "/three");
  EXPECT_EQ(ShellOf(benchmark.arms(0)), (ShellChoice{true, "bash"}));
  EXPECT_EQ(ShellOf(benchmark.arms(1)), ShellChoice{true});
  EXPECT_EQ(ShellOf(benchmark.arms(2)), ShellChoice{});
  EXPECT_EQ(ShellOf(benchmark.hooks()), ShellChoice{true}) << "sh, because the arms differ";
}

TEST(SpecBuilderTest, OneInputOrShellIsForAllArms) {
  const auto spec = Build({"--input", "in", "--shell=bin/zsh", "a", "b"});
  ASSERT_TRUE(spec) << spec.error().message;
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  EXPECT_EQ(benchmark.input(), "/src dir/in");
  const ShellChoice zsh{true, "/src dir/bin/zsh"};
  for (const v1::Arm& arm : benchmark.arms()) {
    EXPECT_EQ(arm.input(), "");
    EXPECT_EQ(ShellOf(arm), zsh);
  }
  EXPECT_EQ(ShellOf(benchmark.hooks()), zsh);
  for (const char* none : {"--shell=none", "--shell=false"}) {
    const auto without = Build({none, "a", "b"});
    ASSERT_TRUE(without) << without.error().message;
    EXPECT_EQ(ShellOf(without->benchmarks(0).arms(0)), ShellChoice{}) << none;
  }
}

TEST(SpecBuilderTest, HooksRunInTheShellThatTheArmsShare) {
  const auto spec = Build({"--shell=bash", "--shell=bash", "a", "b"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(ShellOf(spec->benchmarks(0).hooks()), (ShellChoice{true, "bash"}));
}

TEST(SpecBuilderTest, ValuesOfArmsAreCounted) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-p", "1", "-p", "2", "-p", "3", "a", "b"},
        {"-C", "1", "-C", "2", "a", "b", "c"},
        {"--input", "1", "--input", "2", "--input", "3", "a", "b"},
        {"--shell", "--shell=bash", "a", "b", "c"},
        {"--input", "1", "--input", "", "a", "b"},
        {"--input", "1", "--input", "/dev/stdin", "a", "b"},
        {"-p", "1", "-p", "", "a", "b"}}) {
    ExpectRefused(Build(words));
  }
}

// References come before the commands.
TEST(SpecBuilderTest, ValuesFollowTheOrderOfTheArms) {
  const auto spec = Build({"-p", "1", "-p", "2", "--reference", "old=a", "b"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).arms(0).name(), "old");
  EXPECT_EQ(spec->benchmarks(0).arms(0).prepare(), "1");
}

TEST(SpecBuilderTest, AVariableMayNameItsArm) {
  const auto spec = Build({"--env", "A=all", "--env", "new:A=x:y=z", "--env", "b:c:B=1", "--env",
                           "URL=http://h", "-n", "b", "-n", "b:c", "-n", "new", "a", "b", "c"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->environment().at("A"), "all");
  EXPECT_EQ(spec->environment().at("URL"), "http://h");
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  EXPECT_EQ(benchmark.arms(0).env_size(), 0);
  EXPECT_EQ(benchmark.arms(1).env().at("B"), "1") << "the longest name counts";
  EXPECT_EQ(benchmark.arms(2).env().at("A"), "x:y=z");
  EXPECT_EQ(benchmark.arms(2).env_size(), 1);
  ExpectRefused(Build({"--env", "candidat:A=1", "a", "b"}));
  ExpectRefused(Build({"--env", "other:A=1", "a", "b"}));
  ExpectRefused(Build({"--env", "base:A", "a", "b"}));
}

TEST(SpecBuilderTest, ValuesOfAParameterAreArmsLikeOthers) {
  const auto spec = Build({"--parameter-list", "t", "1,2", "--between", "t", "--env", "t=2:A=1",
                           "--input", "x", "--input", "y", "run {t}"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).arms(0).env_size(), 0);
  EXPECT_EQ(spec->benchmarks(0).arms(1).env().at("A"), "1");
  EXPECT_EQ(spec->benchmarks(0).arms(1).input(), "/src dir/y");
}

TEST(SpecBuilderTest, SendsEveryOptionOn) {
  const auto spec = Build({"--margin",
                           "5%",
                           "--confidence",
                           "99.9%",
                           "--sided",
                           "one",
                           "--metric",
                           "max_rss:+1MiB",
                           "--metric",
                           "rate:3%:higher",
                           "--method",
                           "exact-t",
                           "--estimator",
                           "quantile:0.95",
                           "--rule",
                           "precision:1%",
                           "--schedule",
                           "coin",
                           "--warmup",
                           "2",
                           "--min-runs",
                           "9",
                           "--max-runs",
                           "90",
                           "--runs",
                           "30",
                           "--max-time",
                           "2m",
                           "--at-limit",
                           "estimate",
                           "--fail-fast",
                           "--timeout",
                           "10s",
                           "--setup",
                           "make",
                           "--prepare",
                           "sync",
                           "--conclude",
                           "true",
                           "--cleanup",
                           "rm x",
                           "--cwd",
                           "sub",
                           "--env",
                           "A=b=c",
                           "--input",
                           "in.txt",
                           "--output",
                           "../out.txt",
                           "--check-output",
                           "--ignore-failure",
                           "--parse",
                           "lines",
                           "--isolation",
                           "strict",
                           "--machine-profile",
                           "quiet",
                           "--cpus",
                           "2-3",
                           "--seed",
                           "7",
                           "--placebo",
                           "--priority",
                           "-2",
                           "--label",
                           "k=v",
                           "--shell",
                           "a",
                           "b"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->margin(), 0.05);
  EXPECT_EQ(spec->alpha(), 0.001);
  EXPECT_EQ(spec->sided(), v1::SIDED_ONE);
  EXPECT_EQ(spec->method(), v1::METHOD_EXACT_T);
  EXPECT_EQ(spec->estimator().kind(), v1::ESTIMATOR_KIND_QUANTILE);
  EXPECT_EQ(spec->estimator().quantile(), 0.95);
  EXPECT_EQ(spec->rule().precision_width(), 0.01);
  EXPECT_EQ(spec->schedule(), v1::SCHEDULE_KIND_COIN);
  EXPECT_EQ(spec->warmup(), 2U);
  EXPECT_EQ(spec->limits().min_runs(), 9U);
  EXPECT_EQ(spec->limits().max_runs(), 90U);
  EXPECT_EQ(spec->limits().runs(), 30U);
  EXPECT_EQ(spec->limits().max_time_seconds(), 120);
  EXPECT_EQ(spec->limits().timeout_seconds(), 10);
  EXPECT_EQ(spec->limits().at_limit(), v1::AT_LIMIT_ESTIMATE);
  EXPECT_TRUE(spec->limits().fail_fast());
  EXPECT_EQ(spec->isolation(), v1::ISOLATION_STRICT);
  EXPECT_EQ(spec->machine_profile(), "quiet");
  EXPECT_EQ(spec->cpus(), "2-3");
  EXPECT_EQ(spec->seed(), 7U);
  EXPECT_TRUE(spec->placebo());
  EXPECT_EQ(spec->priority(), -2);
  EXPECT_EQ(spec->labels().at("k"), "v");
  EXPECT_EQ(spec->environment().at("A"), "b=c");
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  EXPECT_EQ(benchmark.hooks().setup(), "make");
  EXPECT_EQ(benchmark.hooks().prepare(), "sync");
  EXPECT_EQ(benchmark.hooks().conclude(), "true");
  EXPECT_EQ(benchmark.hooks().cleanup(), "rm x");
  EXPECT_EQ(benchmark.input(), "/src dir/in.txt") << "relative to the caller, not to --cwd";
  EXPECT_EQ(benchmark.output(), v1::OUTPUT_KIND_FILE);
  EXPECT_EQ(benchmark.output_path(), "/out.txt");
  EXPECT_TRUE(benchmark.check_output());
  EXPECT_TRUE(benchmark.ignore_failure());
  EXPECT_EQ(benchmark.parse(), "lines");
  ASSERT_EQ(benchmark.gates_size(), 2);
  EXPECT_EQ(benchmark.gates(0).metric(), "max_rss");
  EXPECT_EQ(benchmark.gates(0).absolute(), 1048576);
  EXPECT_EQ(benchmark.gates(1).ratio(), 0.03);
  EXPECT_EQ(benchmark.gates(1).better(), v1::BETTER_HIGHER);
  EXPECT_EQ(benchmark.arms(1).cwd(), "/src dir/sub");
  EXPECT_TRUE(benchmark.arms(1).shell());
}

TEST(SpecBuilderTest, NamesSeveralCandidatesInOrder) {
  const auto spec = Build({"-n", "old", "-n", "new", "a", "b", "c", "d"});
  ASSERT_TRUE(spec) << spec.error().message;
  std::vector<std::string> names;
  for (const v1::Arm& arm : spec->benchmarks(0).arms()) names.push_back(arm.name());
  EXPECT_EQ(names, (std::vector<std::string>{"old", "new", "candidate-2", "candidate-3"}));
}

TEST(SpecBuilderTest, NamesTheBenchmark) {
  for (const std::vector<std::string>& arms :
       {std::vector<std::string>{"a", "b"},
        {"--reference", "r=x", "c"},
        {"--parameter-list", "t", "1,2", "--between", "t", "run {t}"}}) {
    std::vector<std::string> words = {"--benchmark", "parse"};
    words.insert(words.end(), arms.begin(), arms.end());
    auto arguments = ParseArguments(words, AllOptions(*FindCommand("compare")));
    ASSERT_TRUE(arguments) << arguments.error().message;
    const auto input = InputFromCommandLine(*arguments);
    ASSERT_TRUE(input) << input.error().message;
    EXPECT_EQ(input->benchmarks.front().name, "parse");
  }
  ExpectRefused(Build({"--benchmark", "", "a", "b"}));
}

// As `benchctl measure` builds it.
Result<v1::SessionSpec> BuildMeasured(std::vector<std::string> words) {
  auto arguments = ParseArguments(words, AllOptions(*FindCommand("measure")));
  if (!arguments) return std::move(arguments).error();
  auto input = MeasuredInput(*arguments);
  if (!input) return std::move(input).error();
  auto spec = BuildSpec(*input, Context());
  if (!spec) return spec;
  const auto set = SetPrecision(*arguments, &*spec);
  if (!set) return set.error();
  return spec;
}

std::vector<std::string> MeasuredArms(const Result<v1::SessionSpec>& spec) {
  std::vector<std::string> names;
  for (const v1::Arm& arm : spec->benchmarks(0).arms()) {
    EXPECT_EQ(arm.role(), v1::ARM_ROLE_MEASURED);
    names.push_back(arm.name());
  }
  return names;
}

TEST(MeasureSpecTest, ArmsHaveTheNamesOfTheirPrograms) {
  const auto spec = BuildMeasured({"-n", "mine", "a", "/usr/bin/gzip -1 x", "gzip -9 x", "'' x"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(MeasuredArms(spec), (std::vector<std::string>{"mine", "gzip", "gzip-2", "program"}));
  EXPECT_EQ(spec->benchmarks(0).arms(1).command(), "/usr/bin/gzip -1 x");
}

TEST(MeasureSpecTest, StopsAtOnePerCentUnlessSomethingElseIsGiven) {
  EXPECT_EQ(BuildMeasured({"a"})->rule().precision_width(), 0.01);
  EXPECT_EQ(BuildMeasured({"--precision", "0.5%", "a"})->rule().precision_width(), 0.005);
  EXPECT_EQ(BuildMeasured({"--precision", "150%", "a"})->rule().precision_width(), 1.5);
  EXPECT_EQ(BuildMeasured({"-r", "5", "a"})->rule().precision_width(), 0);
  EXPECT_EQ(BuildMeasured({"--metric", "cpu_time:5%", "a"})->benchmarks(0).gates(0).ratio(), 0.05);
}

TEST(MeasureSpecTest, ValuesOfAParameterAreArms) {
  const auto spec = BuildMeasured({"-L", "t", "1,2", "--between", "t", "run {t}"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(MeasuredArms(spec), (std::vector<std::string>{"t=1", "t=2"}));
}

TEST(MeasureSpecTest, TheRolesOfAFileDoNotMatter) {
  auto input = ParseSpecFile("[[arm]]\nname = \"a\"\nrole = \"reference\"\ncommand = \"x\"\n",
                             "f.toml", "/");
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_FALSE(BuildSpec(*input, Context())) << "a comparison needs a candidate";
  input->measures = true;
  const auto spec = BuildSpec(*input, Context());
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(MeasuredArms(spec), (std::vector<std::string>{"a"}));
}

v1::SessionSpec MeasuredFile(const std::string& text) {
  auto input = ParseSpecFile(text, "f.toml", "/");
  EXPECT_TRUE(input) << input.error().message;
  input->measures = true;
  const auto spec = BuildSpec(*input, Context());
  EXPECT_TRUE(spec) << spec.error().message;
  return *spec;
}

constexpr char kTwoArms[] =
    "[[arm]]\nname = \"a\"\ncommand = \"x\"\n[[arm]]\nname = \"b\"\ncommand = \"y\"\n";

// docs/options.md: a suite for compare can be measured as it is.
TEST(MeasureSpecTest, WhatOnlyAVerdictHasIsLeftOutOfAFile) {
  const v1::SessionSpec spec = MeasuredFile(
      std::string("confirm = true\n[defaults]\npass_confidence = \"95%\"\nerror_rate = \"fdr\"\n"
                  "sided = \"one\"\nplacebo = true\nfail_fast = true\nmethod = \"welch\"\n"
                  "schedule = \"coin\"\nconfidence = \"95%\"\n") +
      kTwoArms);
  EXPECT_FALSE(spec.confirm());
  EXPECT_FALSE(spec.has_pass_confidence());
  EXPECT_EQ(spec.error_rate(), v1::SessionSpec().error_rate());
  EXPECT_EQ(spec.sided(), v1::SIDED_UNSPECIFIED);
  EXPECT_FALSE(spec.placebo());
  EXPECT_FALSE(spec.limits().fail_fast());
  EXPECT_EQ(spec.method(), v1::METHOD_UNSPECIFIED);
  EXPECT_EQ(spec.schedule(), v1::SCHEDULE_KIND_UNSPECIFIED);
  EXPECT_NEAR(spec.alpha(), 0.05, 1e-12);
}

TEST(MeasureSpecTest, MarginsOfAFileAreWidths) {
  const std::string benchmarks =
      "[[benchmark]]\nname = \"one\"\nmargin = \"-4%\"\n"
      "metric = [\"wall_time:-5%\", \"cpu_time\", \"max_rss:+1MiB\", \"instructions:exact\"]\n"
      "[[benchmark]]\nname = \"two\"\n";
  const std::string defaults = "[defaults]\nmargin = \"3%\"\n";
  const v1::SessionSpec spec = MeasuredFile(defaults + kTwoArms + benchmarks);
  EXPECT_EQ(spec.rule().precision_width(), 0.03);
  EXPECT_EQ(spec.benchmarks(0).margin(), 0.04);
  EXPECT_FALSE(spec.benchmarks(1).has_margin());
  ASSERT_EQ(spec.benchmarks(0).gates_size(), 4);
  EXPECT_EQ(spec.benchmarks(0).gates(0).ratio(), 0.05);
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(spec.benchmarks(0).gates(i).margin_case(), v1::Gate::MARGIN_NOT_SET) << i;
    EXPECT_FALSE(spec.benchmarks(0).gates(i).exact()) << i;
  }
  // A rule for the width is more specific, and an exact number of runs has no width.
  EXPECT_EQ(
      MeasuredFile(defaults + "rule = \"precision:2%\"\n" + kTwoArms).rule().precision_width(),
      0.02);
  const v1::SessionSpec exact = MeasuredFile(defaults + "runs = 20\n" + kTwoArms + benchmarks);
  EXPECT_EQ(exact.rule().precision_width(), 0);
  EXPECT_FALSE(exact.benchmarks(0).has_margin());
  EXPECT_EQ(exact.benchmarks(0).gates(0).margin_case(), v1::Gate::MARGIN_NOT_SET);
}

TEST(MeasureSpecTest, SaysWhatIsWrong) {
  ExpectRefused(BuildMeasured({}));
  ExpectRefused(BuildMeasured({"-n", "a", "-n", "b", "x"}));
  ExpectRefused(BuildMeasured({"-n", "a", "-n", "a", "x", "y"}));
  for (const char* precision : {"0%", "-1%", "5", "1", "wide"}) {
    ExpectRefused(BuildMeasured({"--precision", precision, "x"}));
  }
  ExpectRefused(BuildMeasured({"--precision", "1%", "-r", "5", "x"}));
  for (const SessionOption& option : SessionOptions()) {
    if (!option.only_compared) continue;
    const std::string name = "--" + std::string(option.info.name);
    ExpectRefused(option.info.value.empty() ? BuildMeasured({name, "x"})
                                            : BuildMeasured({name, "1%", "x"}));
  }
}

TEST(SpecBuilderTest, NamedReferencesMakeAllCommandsCandidates) {
  const auto spec = Build({"--reference", "v1=./v1 -x=1", "--reference", "v2=./v2", "./new"});
  ASSERT_TRUE(spec) << spec.error().message;
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  ASSERT_EQ(benchmark.arms_size(), 3);
  EXPECT_EQ(benchmark.arms(0).name(), "v1");
  EXPECT_EQ(benchmark.arms(0).command(), "./v1 -x=1");
  EXPECT_EQ(benchmark.arms(1).role(), v1::ARM_ROLE_REFERENCE);
  EXPECT_EQ(benchmark.arms(2).role(), v1::ARM_ROLE_CANDIDATE);
  EXPECT_EQ(benchmark.arms(2).name(), "candidate");
}

TEST(SpecBuilderTest, TheLastOfARepeatedOptionCounts) {
  const auto spec = Build({"--margin", "1%", "--margin", "3%", "a", "b"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->margin(), 0.03);
}

TEST(SpecBuilderTest, AMarginMayBeginWithADash) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--margin", "-5%", "a", "b"},
        {"--margin=-5%", "a", "b"},
        {"a", "b", "--margin", "-0.05"}}) {
    const auto spec = Build(words);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->margin(), -0.05);
    EXPECT_EQ(spec->benchmarks(0).arms_size(), 2);
  }
  const auto spec = Build({"--metric", "cpu_time:-5%", "--metric", "max_rss:-1MiB", "--metric",
                           "minor_faults:+-5", "a", "b"});
  ASSERT_TRUE(spec) << spec.error().message;
  const auto& gates = spec->benchmarks(0).gates();
  EXPECT_EQ(gates[0].ratio(), -0.05);
  EXPECT_EQ(gates[1].absolute(), -1048576);
  EXPECT_EQ(gates[1].unit(), "B");
  EXPECT_EQ(gates[2].absolute(), -5);
  EXPECT_EQ(GateText(gates[0]), "cpu_time:-5%");
  EXPECT_EQ(GateText(gates[1]), "max_rss:-1048576B");
  EXPECT_EQ(GateText(gates[2]), "minor_faults:+-5");
  // What looks like an option is refused as a margin, and is not skipped.
  for (const char* word : {"--json", "-x", "--", "-"}) {
    EXPECT_FALSE(Build({"--margin", word, "a", "b"})) << word;
  }
}

TEST(SpecBuilderTest, SaysWhichOptionIsWrong) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--margin", "abc", "a", "b"},
        {"--confidence", "100%", "a", "b"},
        {"--alpha", "0", "a", "b"},
        {"--pass-confidence", "x", "a", "b"},
        {"--error-rate", "x", "a", "b"},
        {"--alpha", "1%", "--confidence", "99%", "a", "b"},
        {"--method", "magic", "a", "b"},
        {"--rule", "precision:0", "a", "b"},
        {"--rule", "precision:5", "a", "b"},
        {"--runs", "many", "a", "b"},
        {"--timeout", "0s", "a", "b"},
        {"--env", "A", "a", "b"},
        {"--output", "", "a", "b"}}) {
    ExpectRefused(Build(words));
  }
}

// Without --parse the names are known beforehand, so a typo is refused before the session runs.
TEST(SpecBuilderTest, AGateOnAMetricThatNoRunHasIsRefused) {
  for (const char* gate : {"walltime", "max-rss:+1MiB:lower", "cpu:5%", "no_such"}) {
    ExpectRefused(Build({"--metric", gate, "a", "b"}));
  }
  EXPECT_TRUE(Build({"--parse", "lines", "--metric", "walltime", "a", "b"}));
}

TEST(SpecBuilderTest, AGateThatEndsInNeitherMarginNorDirectionIsRefused) {
  for (const char* gate :
       {"wall_time:x%", "wall_time:", "wall_time:2%:sideways", "max_rss:1MB", "cycles:u"}) {
    ExpectRefused(Build({"--metric", gate, "a", "b"}));
  }
  // perf's name for an event, which a program may print.
  EXPECT_TRUE(Build({"--parse", "lines", "--metric", "cycles:u", "a", "b"}));
}

TEST(SpecBuilderTest, SaysWhatIsWrongWithTheArms) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"a"},
                                                {"--reference", "r=a"},
                                                {"a", ""},
                                                {" \t", "a"},
                                                {"a", "b", "c\xff"},
                                                {"a", std::string(1 << 20, 'x')},
                                                {"-n", "x", "-n", "x", "a", "b"},
                                                {"-n", "", "a", "b"},
                                                {"-n", "x", "-n", "y", "-n", "z", "a", "b"},
                                                {"--reference", "cmd", "a"}}) {
    ExpectRefused(Build(words));
  }
}

TEST(SpecBuilderTest, ErrorsAreWrongUsage) {
  EXPECT_EQ(ExitFor(Build({"a"}).error()), ExitCode::kUsage);
  EXPECT_EQ(ExitFor(Build({"--margin", "x", "a", "b"}).error()), ExitCode::kUsage);
}

v1::SessionSpec WithPlaces(const std::string& cwd, const std::string& input) {
  v1::SessionSpec spec;
  v1::Benchmark* benchmark = spec.add_benchmarks();
  benchmark->add_arms()->set_cwd("/");
  benchmark->add_arms()->set_cwd(cwd);
  benchmark->set_input(input);
  return spec;
}

TEST(CallerContextTest, NamesAFolderOrFileThatIsNotThere) {
  EXPECT_TRUE(CheckPlaces(WithPlaces("/usr", "/proc/self/exe")));
  EXPECT_TRUE(CheckPlaces(WithPlaces("/usr", "/dev/null")));
  ExpectRefused(CheckPlaces(WithPlaces("/no/such", "")));
  ExpectRefused(CheckPlaces(WithPlaces("/proc/self/exe", "")));
  ExpectRefused(CheckPlaces(WithPlaces("/usr", "/no/such")));
  ExpectRefused(CheckPlaces(WithPlaces("/usr", "/usr")));
}

TEST(CallerContextTest, LooksForTheInputOfEveryArm) {
  v1::SessionSpec spec = WithPlaces("/usr", "/no/such");
  spec.mutable_benchmarks(0)->mutable_arms(0)->set_input("/proc/self/exe");
  spec.mutable_benchmarks(0)->mutable_arms(1)->set_input("/dev/null");
  EXPECT_TRUE(CheckPlaces(spec)) << "no arm reads that of the benchmark";
  spec.mutable_benchmarks(0)->mutable_arms(1)->set_input("/no/such/either");
  ExpectRefused(CheckPlaces(spec));
}

TEST(CallerContextTest, LeavesWhatACommandMayStillMakeToTheSession) {
  v1::SessionSpec spec = WithPlaces("/no/such", "/no/such");
  v1::Hooks* hooks = spec.mutable_benchmarks(0)->mutable_hooks();
  hooks->set_setup("make");
  ExpectRefused(CheckPlaces(spec));  // it runs there
  hooks->set_cwd("/");
  EXPECT_TRUE(CheckPlaces(spec));
  spec = WithPlaces("/usr", "/no/such");
  spec.mutable_benchmarks(0)->mutable_hooks()->set_prepare("make");
  EXPECT_TRUE(CheckPlaces(spec));
}

TEST(CallerContextTest, SkipsWhatTheWireCannotCarry) {
  const char* entries[] = {"A=1", "B=\xff", "C", "=D", "A=2", nullptr};
  const CapturedContext captured = CaptureEnvironment(entries);
  EXPECT_EQ(captured.context.environment, (std::map<std::string, std::string>{{"A", "1"}}));
  EXPECT_EQ(captured.skipped, (std::vector<std::string>{"B"}));
}

}  // namespace
}  // namespace benchd::client
