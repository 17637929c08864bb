#include <gtest/gtest.h>

#include "client/app/command.h"
#include "client/request/spec_input.h"
#include "client/session/submission.h"

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

std::string SaidOf(std::vector<std::string> words) {
  const auto spec = Build(std::move(words));
  return spec ? "no error" : spec.error().message + " | " + spec.error().hint;
}

TEST(SpecBuilderTest, LeavesDefaultsToTheDaemon) {
  const auto spec = Build({"sleep 1", "sleep 2"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_FALSE(spec->has_alpha());
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
  EXPECT_EQ(SaidOf({"-p", "p1", "-p", "p2", "a", "b", "c"}),
            "--prepare p2: 2 for 3 commands | "
            "give one for all commands, or one per command, in order");
  EXPECT_EQ(SaidOf({"-C", "x", "-C", "", "a", "b"}),
            "--conclude : empty | write true if there is nothing to do");
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
  EXPECT_EQ(SaidOf({"--benchmark", "", "a", "b"}), "--benchmark: empty name | ");
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

TEST(SpecBuilderTest, SaysWhichOptionIsWrong) {
  EXPECT_EQ(SaidOf({"--margin", "abc", "a", "b"}), "--margin abc: not a number | write 2% or 0.02");
  EXPECT_EQ(SaidOf({"--confidence", "100%", "a", "b"}),
            "--confidence 100%: must be between 0 and 100 %, exclusive | write 99% or 0.99");
  EXPECT_EQ(SaidOf({"--alpha", "0", "a", "b"}),
            "--alpha 0: must be between 0 and 100 %, exclusive | write 1% or 0.01");
  EXPECT_EQ(SaidOf({"--alpha", "1%", "--confidence", "99%", "a", "b"}),
            "--alpha: cannot be combined with --confidence | give only one of them");
  EXPECT_EQ(SaidOf({"--method", "magic", "a", "b"}),
            "--method magic: unknown value | write paired, welch, exact-t, fixed or layouts");
  EXPECT_EQ(SaidOf({"--rule", "precision:0", "a", "b"}),
            "--rule precision:0: the width must be above zero | write precision:1%");
  EXPECT_EQ(SaidOf({"--runs", "many", "a", "b"}), "--runs many: not a non-negative integer | ");
  EXPECT_EQ(SaidOf({"--timeout", "0s", "a", "b"}),
            "--timeout 0s: must be above zero | write 500ms, 30s, 10m or 1h30m");
  EXPECT_EQ(SaidOf({"--env", "A", "a", "b"}), "--env A: expected NAME=VALUE | write NAME=VALUE");
  EXPECT_EQ(SaidOf({"--output", "", "a", "b"}),
            "--output : empty file name | write null, log or FILE");
}

// Without --parse the names are known beforehand, so a typo is refused before the session runs.
TEST(SpecBuilderTest, AGateOnAMetricThatNoRunHasIsRefused) {
  EXPECT_EQ(SaidOf({"--metric", "walltime", "a", "b"}),
            "--metric walltime: unknown metric | did you mean wall_time?");
  EXPECT_EQ(SaidOf({"--metric", "max-rss:+1MiB:lower", "a", "b"}),
            "--metric max-rss:+1MiB:lower: unknown metric | did you mean max_rss?");
  EXPECT_EQ(SaidOf({"--metric", "cpu:5%", "a", "b"}),
            "--metric cpu:5%: unknown metric | did you mean cpu_time?");
  EXPECT_EQ(SaidOf({"--metric", "no_such", "a", "b"}),
            "--metric no_such: unknown metric | available: wall_time, user_time, system_time, "
            "cpu_time, max_rss, minor_faults, major_faults, voluntary_switches, "
            "involuntary_switches, read_bytes, write_bytes, tree_cpu_time, tree_memory_peak, "
            "instructions, cycles, branch_misses, cache_misses, task_clock, cpu_migrations, "
            "interrupts, stolen_time, foreign_switches, migrations; "
            "--parse adds metrics of a program");
  EXPECT_TRUE(Build({"--parse", "lines", "--metric", "walltime", "a", "b"}));
}

TEST(SpecBuilderTest, AGateThatEndsInNeitherMarginNorDirectionIsRefused) {
  constexpr char kTime[] = " | write wall_time:2%, wall_time:+2ms or wall_time:lower";
  const std::string wrong = " is neither a margin nor a direction";
  EXPECT_EQ(SaidOf({"--metric", "wall_time:x%", "a", "b"}),
            "--metric wall_time:x%: 'x%'" + wrong + kTime);
  EXPECT_EQ(SaidOf({"--metric", "wall_time:", "a", "b"}),
            "--metric wall_time:: ''" + wrong + kTime);
  EXPECT_EQ(SaidOf({"--metric", "wall_time:2%:sideways", "a", "b"}),
            "--metric wall_time:2%:sideways: '2%:sideways'" + wrong + kTime);
  EXPECT_EQ(SaidOf({"--metric", "max_rss:1MB", "a", "b"}),
            "--metric max_rss:1MB: '1MB'" + wrong +
                " | write max_rss:2%, max_rss:+1MiB or max_rss:lower");
  EXPECT_EQ(SaidOf({"--metric", "cycles:u", "a", "b"}),
            "--metric cycles:u: 'u'" + wrong + " | write cycles:2%, cycles:+5 or cycles:lower");
  // perf's name for an event, which a program may print.
  EXPECT_TRUE(Build({"--parse", "lines", "--metric", "cycles:u", "a", "b"}));
}

TEST(SpecBuilderTest, SaysWhatIsWrongWithTheArms) {
  constexpr char kTwo[] =
      " | give two commands, each one string: benchctl compare 'BASE' 'CANDIDATE'";
  EXPECT_EQ(SaidOf({}), std::string("compare: missing commands") + kTwo);
  EXPECT_EQ(SaidOf({"a"}), std::string("compare: missing second command") + kTwo);
  EXPECT_EQ(SaidOf({"--reference", "r=a"}), std::string("compare: missing second command") + kTwo);
  EXPECT_EQ(SaidOf({"a", ""}),
            "CANDIDATE: empty command | write the program to run, such as 'sleep 1'");
  EXPECT_EQ(SaidOf({" \t", "a"}),
            "BASE: empty command | write the program to run, such as 'sleep 1'");
  EXPECT_EQ(SaidOf({"a", "b", std::string("c\xff")}),
            "CANDIDATE 2: not valid UTF-8 | put it into a script with a plain name");
  EXPECT_EQ(SaidOf({"a", std::string(1 << 20, 'x')}),
            "CANDIDATE: 1048576 bytes; the limit is 131072 | put it into a script");
  EXPECT_EQ(SaidOf({"-n", "x", "-n", "x", "a", "b"}),
            "CANDIDATE: duplicate name 'x' | give each command its own name: -n NAME -n NAME");
  EXPECT_EQ(SaidOf({"-n", "", "a", "b"}), "BASE: empty name | ");
  EXPECT_EQ(SaidOf({"-n", "x", "-n", "y", "-n", "z", "a", "b"}),
            "--name z: more names than commands | the names belong to the commands in order");
  EXPECT_EQ(SaidOf({"--reference", "cmd", "a"}),
            "--reference cmd: expected NAME=VALUE | write --reference "
            "NAME=COMMAND");
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

std::string SaidOfPlaces(const v1::SessionSpec& spec) {
  const auto there = CheckPlaces(spec);
  return there ? "no error" : there.error().message;
}

TEST(CallerContextTest, NamesAFolderOrFileThatIsNotThere) {
  EXPECT_EQ(SaidOfPlaces(WithPlaces("/usr", "/proc/self/exe")), "no error");
  EXPECT_EQ(SaidOfPlaces(WithPlaces("/usr", "/dev/null")), "no error");
  EXPECT_EQ(SaidOfPlaces(WithPlaces("/no/such", "")), "cwd: /no/such: no such directory");
  EXPECT_EQ(SaidOfPlaces(WithPlaces("/proc/self/exe", "")), "cwd: /proc/self/exe: not a directory");
  EXPECT_EQ(SaidOfPlaces(WithPlaces("/usr", "/no/such")), "input: /no/such: no such file");
  EXPECT_EQ(SaidOfPlaces(WithPlaces("/usr", "/usr")), "input: /usr: is a directory");
}

TEST(CallerContextTest, LeavesWhatACommandMayStillMakeToTheSession) {
  v1::SessionSpec spec = WithPlaces("/no/such", "/no/such");
  v1::Hooks* hooks = spec.mutable_benchmarks(0)->mutable_hooks();
  hooks->set_setup("make");
  EXPECT_EQ(SaidOfPlaces(spec), "cwd: /no/such: no such directory") << "it runs there";
  hooks->set_cwd("/");
  EXPECT_EQ(SaidOfPlaces(spec), "no error");
  spec = WithPlaces("/usr", "/no/such");
  spec.mutable_benchmarks(0)->mutable_hooks()->set_prepare("make");
  EXPECT_EQ(SaidOfPlaces(spec), "no error");
}

TEST(CallerContextTest, SkipsWhatTheWireCannotCarry) {
  const char* entries[] = {"A=1", "B=\xff", "C", "=D", "A=2", nullptr};
  const CapturedContext captured = CaptureEnvironment(entries);
  EXPECT_EQ(captured.context.environment, (std::map<std::string, std::string>{{"A", "1"}}));
  EXPECT_EQ(captured.skipped, (std::vector<std::string>{"B"}));
}

}  // namespace
}  // namespace benchd::client
