#include "daemon/queue/validate_spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "tests/support/fakes.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(ValidateSpecTest, SplitsCommandsIntoArguments) {
  SessionSpec spec = fake::TwoArms("gzip -1 'a file'", "sort x | uniq");
  spec.benchmarks[0].arms[1].shell = true;
  const Result<SessionSpec> valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].arms[0].argv, (std::vector<std::string>{"gzip", "-1", "a file"}));
  EXPECT_EQ(valid->benchmarks[0].arms[1].argv,
            (std::vector<std::string>{"/bin/sh", "-c", "sort x | uniq"}));
}

TEST(ValidateSpecTest, RunsCommandsAndHooksWithTheirInterpreter) {
  SessionSpec spec = fake::TwoArms("echo {1..3}", "sort x | uniq");
  Benchmark& benchmark = spec.benchmarks[0];
  for (Arm& arm : benchmark.arms) arm.shell = true;
  benchmark.arms[0].interpreter = "bash";
  benchmark.arms[1].interpreter = "/opt/b/zsh";
  benchmark.arms[0].prepare.command = "rm *";
  benchmark.arms[1].prepare.command = "rm -f x";
  benchmark.hooks.shell = true;
  benchmark.hooks.interpreter = "dash";
  benchmark.hooks.setup.command = "make && make install";
  benchmark.hooks.build.command = "benchctl build";
  const Result<SessionSpec> valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  using Words = std::vector<std::string>;
  const Benchmark& made = valid->benchmarks[0];
  EXPECT_EQ(made.arms[0].argv, (Words{"bash", "-c", "echo {1..3}"}));
  EXPECT_EQ(made.arms[1].argv, (Words{"/opt/b/zsh", "-c", "sort x | uniq"}));
  EXPECT_EQ(made.hooks.setup.argv, (Words{"dash", "-c", "make && make install"}));
  EXPECT_EQ(made.arms[0].prepare.argv, (Words{"dash", "-c", "rm *"}));
  EXPECT_EQ(made.hooks.build.argv, (Words{"/bin/sh", "-c", "benchctl build"}));
}

TEST(ValidateSpecTest, MeasuredArmsNeedNoReferenceButMayNotBeMixed) {
  SessionSpec spec = fake::TwoArms();
  for (Arm& arm : spec.benchmarks[0].arms) arm.role = ArmRole::kMeasured;
  EXPECT_TRUE(ValidateSpec(spec));
  SessionSpec one = spec;
  one.benchmarks[0].arms.pop_back();
  EXPECT_TRUE(ValidateSpec(one)) << "one program is enough";
  SessionSpec mixed = spec;
  mixed.benchmarks[0].arms[1].role = ArmRole::kCandidate;
  SessionSpec suite = spec;
  suite.benchmarks.push_back(fake::TwoArms().benchmarks[0]);
  suite.benchmarks[1].name = "other";
  for (const SessionSpec& wrong : {mixed, suite}) {
    const Result<SessionSpec> refused = ValidateSpec(wrong);
    ASSERT_FALSE(refused);
    EXPECT_WORDING(refused.error());
  }
}

TEST(ValidateSpecTest, ArmsMayReadDifferentFiles) {
  SessionSpec spec = fake::TwoArms();
  spec.benchmarks[0].arms[0].input = "/a";
  spec.benchmarks[0].arms[1].input = "/b";
  EXPECT_TRUE(ValidateSpec(spec));
  // The other arm has that of the benchmark.
  spec.benchmarks[0].arms[1].input.clear();
  EXPECT_FALSE(ValidateSpec(spec));
  spec.benchmarks[0].input = "/b";
  EXPECT_TRUE(ValidateSpec(spec));
}

TEST(ValidateSpecTest, LeavesQuotesOfAShellScriptToTheShell) {
  SessionSpec spec = fake::TwoArms();
  spec.benchmarks[0].arms[0].shell = true;
  spec.benchmarks[0].arms[0].command = "cat <<X\nit's\nX";
  EXPECT_TRUE(ValidateSpec(spec));
}

TEST(ValidateSpecTest, LeavesTheNamesOfParsedMetricsToTheProgram) {
  SessionSpec spec = fake::TwoArms();
  spec.benchmarks[0].parse = "lines";
  spec.benchmarks[0].gates = {{.metric = "walltime"}};
  EXPECT_TRUE(ValidateSpec(spec));
}

// Whether the metric can be better by that much depends on its direction (CheckGates()).
TEST(ValidateSpecTest, AMarginMayBeNegative) {
  SessionSpec spec = fake::TwoArms();
  spec.default_margin = -0.05;
  spec.benchmarks[0].default_margin = -0.1;
  spec.benchmarks[0].gates = {{.metric = "wall_time", .margin = -0.02},
                              {.metric = "max_rss", .kind = MarginKind::kAbsolute, .margin = -5}};
  const auto valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].gates[0].margin, -0.02);
}

TEST(ValidateSpecTest, ChecksAnAdapterAndLooksWhichStreamItReads) {
  const std::string metric = "[[metric]]\nmatch = 't (?P<value>\\d+)'\nname = \"t\"\n";
  SessionSpec spec = fake::TwoArms();
  Benchmark& benchmark = spec.benchmarks[0];
  benchmark.parse = "/home/a/own.toml";
  benchmark.adapter = "input = \"text\"\n" + metric;
  benchmark.parse_stderr = true;
  auto valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_FALSE(valid->benchmarks[0].parse_stderr);
  benchmark.adapter = "reads = \"stderr\"\ninput = \"text\"\n" + metric;
  valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_TRUE(valid->benchmarks[0].parse_stderr);
  benchmark.adapter.clear();
  benchmark.parse = "time-v";
  valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_TRUE(valid->benchmarks[0].parse_stderr);
}

TEST(ValidateSpecTest, AnAdapterMayDescribeTheHarness) {
  SessionSpec spec = fake::TwoArms();
  Benchmark& benchmark = spec.benchmarks[0];
  benchmark.harness = "adapter";
  EXPECT_FALSE(ValidateSpec(spec)) << "without an adapter";
  benchmark.parse = "/home/a/own.toml";
  benchmark.adapter = "input = \"text\"\n[[metric]]\nmatch = 't (?P<value>.+)'\nname = \"t\"\n";
  const auto without = ValidateSpec(spec);
  ASSERT_FALSE(without);
  EXPECT_WORDING(without.error());
  benchmark.adapter += "[discover]\nlist = '-l'\nmatch = '(?P<name>.+)'\nrun = '{name}'\n";
  const auto valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].parse, "/home/a/own.toml");
}

TEST(ValidateSpecTest, AHarnessPrintsItsFormatUnlessAnotherIsNamed) {
  SessionSpec spec = fake::TwoArms();
  spec.benchmarks[0].harness = "criterion";
  spec.benchmarks[0].only = {"sum/*"};
  auto valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].parse, "libtest");
  spec.benchmarks[0].parse = "criterion";
  valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].parse, "criterion");
}

TEST(ValidateSpecTest, TakesTheFilesWithTheNumbersFromTheUserOrTheAdapter) {
  SessionSpec spec = fake::TwoArms();
  Benchmark& benchmark = spec.benchmarks[0];
  benchmark.parse = "/home/a/own.toml";
  benchmark.adapter =
      "file = \"out.txt\"\ninput = \"text\"\n"
      "[[metric]]\nmatch = 't (?P<value>\\d+)'\nname = \"t\"\n";
  auto valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].parse_file, "out.txt");
  benchmark.parse_file = "own/**/*.txt";
  valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].parse_file, "own/**/*.txt");
  benchmark.adapter.clear();
  benchmark.parse = "time-v";
  valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_FALSE(valid->benchmarks[0].parse_stderr) << "the files are read instead";
}

// Any client may send them; otherwise an empty input would be measured silently.
TEST(ValidateSpecTest, FilesOfTheCommandsAreFiles) {
  for (const char* path :
       {"/dev/stdin", "/dev/fd/63", "/proc/self/fd/0", "/dev/../dev/stdin", "/dev/stdout"}) {
    SessionSpec input = fake::TwoArms();
    input.benchmarks[0].input = path;
    SessionSpec output = fake::TwoArms();
    output.benchmarks[0].output = OutputKind::kFile;
    output.benchmarks[0].output_path = path;
    for (const auto& [field, spec] : {std::pair("input", input), std::pair("output", output)}) {
      const Result<SessionSpec> refused = ValidateSpec(spec);
      ASSERT_FALSE(refused) << field << " " << path;
      EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
      EXPECT_WORDING(refused.error()) << field << " " << path;
    }
  }
  SessionSpec spec = fake::TwoArms();
  spec.benchmarks[0].input = "/dev/null";
  EXPECT_TRUE(ValidateSpec(spec));
}

struct BadSpec {
  const char* what;
  std::function<void(SessionSpec&)> spoil;
  const char* field;
};

class ValidateSpecRefusalTest : public testing::TestWithParam<BadSpec> {};

TEST_P(ValidateSpecRefusalTest, NamesTheOptionAndTheReason) {
  SessionSpec spec = fake::TwoArms();
  GetParam().spoil(spec);
  const Result<SessionSpec> refused = ValidateSpec(spec);
  ASSERT_FALSE(refused) << GetParam().what;
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(refused.error().message.starts_with(GetParam().field + std::string(": ")))
      << refused.error().message;
  EXPECT_WORDING(refused.error());
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    All, ValidateSpecRefusalTest,
    testing::Values(
        BadSpec{"no_benchmark", [](auto& s) { s.benchmarks.clear(); }, "benchmarks"},
        BadSpec{"no_candidate", [](auto& s) { s.benchmarks[0].arms.pop_back(); }, "candidate"},
        BadSpec{"no_reference",
                [](auto& s) { s.benchmarks[0].arms.erase(s.benchmarks[0].arms.begin()); },
                "reference"},
        BadSpec{"unknown_setting",
                [](auto& s) {
                  s.settings_off = {"irqs", "governer"};
                },
                "settings_off"},
        BadSpec{"setting_twice",
                [](auto& s) {
                  s.settings_off = {"irqs", "irqs"};
                },
                "settings_off"},
        BadSpec{"equal_names", [](auto& s) { s.benchmarks[0].arms[1].name = "base"; }, "name"},
        BadSpec{"empty_name", [](auto& s) { s.benchmarks[0].arms[1].name = ""; }, "name"},
        BadSpec{"newline_in_name", [](auto& s) { s.benchmarks[0].arms[1].name = "a\nb"; }, "name"},
        BadSpec{"empty_command", [](auto& s) { s.benchmarks[0].arms[1].command = ""; },
                "command of candidate"},
        BadSpec{"blank_shell_command",
                [](auto& s) {
                  s.benchmarks[0].arms[1].command = "  ";
                  s.benchmarks[0].arms[1].shell = true;
                },
                "command of candidate"},
        BadSpec{"unbalanced_quote", [](auto& s) { s.benchmarks[0].arms[1].command = "a 'b"; },
                "command of candidate"},
        BadSpec{"nul_byte",
                [](auto& s) { s.benchmarks[0].arms[1].command = std::string("a\0b", 3); },
                "command of candidate"},
        BadSpec{"huge_command",
                [](auto& s) { s.benchmarks[0].arms[1].command = std::string(1 << 20, 'x'); },
                "command of candidate"},
        BadSpec{"relative_cwd", [](auto& s) { s.benchmarks[0].arms[1].cwd = "x"; }, "cwd"},
        BadSpec{"env_name", [](auto& s) { s.benchmarks[0].arms[1].env["A=B"] = "c"; }, "env"},
        BadSpec{"env_nul", [](auto& s) { s.environment["A"] = std::string("x\0y", 3); }, "env"},
        BadSpec{"huge_env", [](auto& s) { s.environment["A"] = std::string(2 << 20, 'x'); }, "env"},
        BadSpec{"alpha_0", [](auto& s) { s.alpha = 0; }, "confidence"},
        BadSpec{"alpha_1", [](auto& s) { s.alpha = 1; }, "confidence"},
        BadSpec{"alpha_nan", [](auto& s) { s.alpha = kNan; }, "confidence"},
        BadSpec{"pass_confidence_half", [](auto& s) { s.pass_confidence = 0.5; }, "pass-confidence"},
        BadSpec{"pass_confidence_1", [](auto& s) { s.pass_confidence = 1; }, "pass-confidence"},
        BadSpec{"pass_confidence_nan", [](auto& s) { s.pass_confidence = kNan; }, "pass-confidence"},
        BadSpec{"accept_exit",
                [](auto& s) {
                  s.benchmarks[0].accept_exit = {0, 256};
                },
                "accept-exit"},
        BadSpec{"too_many_pointers", [](auto& s) { s.lfs_pointers.assign(21, "x"); },
                "lfs_pointers"},
        BadSpec{"long_pointer", [](auto& s) { s.lfs_pointers = {std::string(1025, 'x')}; },
                "lfs_pointers"},
        BadSpec{"pointer_of_two_lines", [](auto& s) { s.lfs_pointers = {"a\nb"}; }, "lfs_pointers"},
        BadSpec{"margin_0", [](auto& s) { s.default_margin = 0; }, "margin"},
        BadSpec{"margin_nan", [](auto& s) { s.default_margin = kNan; }, "margin"},
        BadSpec{"own_margin_nan", [](auto& s) { s.benchmarks[0].default_margin = kNan; }, "margin"},
        BadSpec{"gate_margin_0",
                [](auto& s) { s.benchmarks[0].gates = {{.metric = "wall_time", .margin = 0}}; },
                "margin"},
        BadSpec{"gate_twice",
                [](auto& s) {
                  s.benchmarks[0].gates = {{.metric = "max_rss"}, {.metric = "max_rss"}};
                },
                "metric"},
        BadSpec{"gate_on_no_metric",
                [](auto& s) { s.benchmarks[0].gates = {{.metric = "walltime"}}; }, "metric"},
        BadSpec{"gate_on_the_wrong_direction",
                [](auto& s) {
                  s.benchmarks[0].gates = {{.metric = "wall_time", .better = Better::kHigher}};
                },
                "metric"},
        BadSpec{"a_hook_of_one_arm_alone",
                [](auto& s) { s.benchmarks[0].arms[1].prepare.command = "make"; }, "prepare"},
        BadSpec{"shell_syntax_in_a_hook_of_an_arm",
                [](auto& s) {
                  s.benchmarks[0].arms[0].conclude.command = "rm x";
                  s.benchmarks[0].arms[1].conclude.command = "rm *.o";
                },
                "conclude of candidate"},
        BadSpec{"an_input_of_one_arm_alone", [](auto& s) { s.benchmarks[0].arms[0].input = "/in"; },
                "input"},
        BadSpec{"a_descriptor_as_input_of_an_arm",
                [](auto& s) {
                  for (auto& arm : s.benchmarks[0].arms) arm.input = "/dev/stdin";
                },
                "input"},
        BadSpec{"an_interpreter_without_a_shell",
                [](auto& s) { s.benchmarks[0].arms[1].interpreter = "bash"; }, "shell"},
        BadSpec{"a_relative_interpreter",
                [](auto& s) {
                  s.benchmarks[0].arms[1].shell = true;
                  s.benchmarks[0].arms[1].interpreter = "bin/bash";
                },
                "shell"},
        BadSpec{"a_control_character_in_an_interpreter",
                [](auto& s) {
                  s.benchmarks[0].hooks.shell = true;
                  s.benchmarks[0].hooks.interpreter = std::string("ba\0sh", 5);
                },
                "shell"},
        BadSpec{"shell_syntax", [](auto& s) { s.benchmarks[0].arms[1].command = "a > b"; },
                "command of candidate"},
        BadSpec{"shell_syntax_in_a_hook",
                [](auto& s) { s.benchmarks[0].hooks.setup.command = "make && make install"; },
                "setup"},
        BadSpec{"rate_margin_over_1",
                [](auto& s) {
                  s.benchmarks[0].gates = {{.metric = "x", .margin = 1, .better = Better::kHigher}};
                },
                "margin"},
        BadSpec{"zero_max_time", [](auto& s) { s.limits.max_time = {}; }, "max-time"},
        BadSpec{"negative_timeout", [](auto& s) { s.limits.timeout = Nanoseconds(-1); }, "timeout"},
        BadSpec{"one_run", [](auto& s) { s.limits.runs = 1; }, "runs"},
        BadSpec{"runs_and_max_runs",
                [](auto& s) {
                  s.limits.runs = 10;
                  s.limits.max_runs = 10;
                },
                "runs"},
        BadSpec{"min_runs_above_max_runs",
                [](auto& s) {
                  s.limits.min_runs = 20;
                  s.limits.max_runs = 10;
                },
                "min-runs"},
        BadSpec{"hook_with_open_quote",
                [](auto& s) { s.benchmarks[0].hooks.setup.command = "make 'x"; }, "setup"},
        BadSpec{"hook_in_a_relative_folder", [](auto& s) { s.benchmarks[0].hooks.cwd = "x"; },
                "cwd"},
        BadSpec{"short_commit",
                [](auto& s) {
                  s.benchmarks[0].arms[0].commit = Commit{"abc", {}};
                },
                "commit"},
        BadSpec{"unknown_harness", [](auto& s) { s.benchmarks[0].harness = "gbench"; }, "harness"},
        BadSpec{"only_without_a_harness", [](auto& s) { s.benchmarks[0].only = {"a*"}; }, "only"},
        BadSpec{"empty_pattern",
                [](auto& s) {
                  s.benchmarks[0].harness = "go";
                  s.benchmarks[0].only = {"a", ""};
                },
                "only"},
        BadSpec{"empty_control", [](auto& s) { s.benchmarks[0].controls = {"a", ""}; }, "control"},
        BadSpec{"too_many_controls",
                [](auto& s) { s.benchmarks[0].controls.assign(kMaxControlNames + 1, "a"); },
                "control"},
        BadSpec{"too_many_patterns_of_only",
                [](auto& s) {
                  s.benchmarks[0].harness = "go";
                  s.benchmarks[0].only.assign(kMaxNamePatterns + 1, "a*");
                },
                "only"},
        BadSpec{"too_many_gates",
                [](auto& s) { s.benchmarks[0].gates.assign(kMaxGateNames + 1, {.metric = "a"}); },
                "metric"},
        BadSpec{"too_many_patterns_of_gates",
                [](auto& s) { s.benchmarks[0].gates.assign(kMaxNamePatterns + 1, {.metric = "*"}); },
                "metric"},
        BadSpec{"long_pattern_of_a_gate",
                [](auto& s) {
                  s.benchmarks[0].gates = {{.metric = std::string(kMaxPatternBytes, 'a') + "*"}};
                },
                "metric"},
        BadSpec{"inner_benchmark_of_a_client", [](auto& s) { s.benchmarks[0].inner = "BM_a"; },
                "inner"},
        BadSpec{"unknown_format", [](auto& s) { s.benchmarks[0].parse = "xml"; }, "parse"},
        BadSpec{"adapter_without_a_name",
                [](auto& s) { s.benchmarks[0].adapter = "input = \"text\"\n"; }, "adapter"},
        BadSpec{"parse_file_without_parse",
                [](auto& s) { s.benchmarks[0].parse_file = "out.json"; }, "parse-file"},
        BadSpec{"parse_file_that_matches_everything",
                [](auto& s) {
                  s.benchmarks[0].parse = "lines";
                  s.benchmarks[0].parse_file = "out/*";
                },
                "parse-file"},
        BadSpec{"wrong_adapter",
                [](auto& s) {
                  s.benchmarks[0].parse = "own.toml";
                  s.benchmarks[0].adapter = "input = \"text\"\n";
                },
                "own.toml"},
        BadSpec{"output_without_path", [](auto& s) { s.benchmarks[0].output = OutputKind::kFile; },
                "output"},
        BadSpec{"check_output_of_a_file",
                [](auto& s) {
                  s.benchmarks[0].check_output = true;
                  s.benchmarks[0].output = OutputKind::kFile;
                  s.benchmarks[0].output_path = "/tmp/out";
                },
                "check-output"},
        BadSpec{"two_benchmarks_of_one_name",
                [](auto& s) { s.benchmarks.push_back(s.benchmarks[0]); }, "benchmark"},
        BadSpec{"label_value", [](auto& s) { s.labels["k"] = "a\nb"; }, "label"},
        BadSpec{"many_labels",
                [](auto& s) {
                  for (int i = 0; i < 65; ++i) s.labels["k" + std::to_string(i)] = "v";
                },
                "label"},
        BadSpec{"long_labels",
                [](auto& s) {
                  for (int i = 0; i < 50; ++i)
                    s.labels["k" + std::to_string(i)] = std::string(180, 'v');
                },
                "label"}),
    [](const auto& bad) { return std::string(bad.param.what); });

TEST(ValidateSpecTest, TakesAsManyLabelsAndAsLongARequestIdAsMayBe) {
  SessionSpec spec = fake::TwoArms();
  for (int i = 0; i < 64; ++i) spec.labels["k" + std::to_string(i)] = std::string(100, 'v');
  EXPECT_TRUE(ValidateSpec(spec));
  EXPECT_TRUE(CheckRequestId(std::string(64, 'r')));
  const Result<void> refused = CheckRequestId(std::string(65, 'r'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(refused.error());
}

TEST(ValidateSpecTest, SessionsWithSeveralCandidatesHaveEarlyLooks) {
  SessionSpec spec = fake::TwoArms();
  EXPECT_EQ(ValidateSpec(spec)->early_looks, false);
  spec.early_looks = true;
  EXPECT_EQ(ValidateSpec(spec)->early_looks, true);
  Arm third = spec.benchmarks[0].arms[1];
  third.name = "third";
  spec.benchmarks[0].arms.push_back(third);
  spec.early_looks.reset();
  EXPECT_EQ(ValidateSpec(spec)->early_looks, true);
  spec.limits.runs = 10;
  EXPECT_EQ(ValidateSpec(spec)->early_looks, false);
}

}  // namespace
}  // namespace benchd
