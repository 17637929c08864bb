#include <gtest/gtest.h>

#include "client/request/session_options.h"
#include "client/request/spec_input.h"
#include "tests/client/refusals.h"

namespace benchd::client {
namespace {

constexpr char kSuite[] = R"(
[defaults]
margin = "2%"
max_time = 90
fail_fast = true
metric = ["wall_time", "max_rss:+1MiB"]
env = { MODE = "fast" }

[[arm]]
name = "base"
dir = "../base"
[[arm]]
name = "feature"
dir = "."

[[benchmark]]
name = "parse"
command = "{dir}/bench --filter parse --as {name} {other}"
margin = "1%"
[[benchmark]]
name = "render"
command = "{dir}/bench --filter render"
metric = "cpu_time"
env = ["MODE=slow"]
)";

Result<v1::SessionSpec> BuildFile(const std::string& text) {
  auto input = ParseSpecFile(text, "suite.toml", "/src/feature");
  if (!input) return std::move(input).error();
  return BuildSpec(*input, {"/cwd", {}});
}

constexpr char kArms[] = "[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\n[[benchmark]]\ncommand = 'x'\n";

TEST(SpecFileTest, ConfirmMayStandAtTheTop) {
  const std::string rest =
      "[[arm]]\nname = 'a'\ncommand = 'x'\n[[arm]]\nname = 'b'\ncommand = 'y'\n";
  for (const std::string& head :
       {std::string("confirm = true\n"), std::string("[defaults]\nconfirm = true\n")}) {
    const auto input = ParseSpecFile(head + rest, "suite.toml", "/home");
    ASSERT_TRUE(input) << input.error().message;
    const auto spec = BuildSpec(*input, CallerContext{"/home", {}});
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_TRUE(spec->confirm());
  }
  const auto twice =
      ParseSpecFile("confirm = true\n[defaults]\nconfirm = true\n" + rest, "suite.toml", "/home");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "suite.toml:1:1: confirm = true: also in [defaults]");
}

TEST(SpecFileTest, ReadsASuite) {
  const auto spec = BuildFile(kSuite);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->margin(), 0.02);
  EXPECT_EQ(spec->limits().max_time_seconds(), 90);
  EXPECT_TRUE(spec->limits().fail_fast());
  EXPECT_EQ(spec->environment().at("MODE"), "fast");
  ASSERT_EQ(spec->benchmarks_size(), 2);
  const v1::Benchmark& parse = spec->benchmarks(0);
  EXPECT_EQ(parse.name(), "parse");
  ASSERT_EQ(parse.arms_size(), 2);
  EXPECT_EQ(parse.arms(0).role(), v1::ARM_ROLE_REFERENCE);
  EXPECT_EQ(parse.arms(0).command(), "/src/base/bench --filter parse --as base {other}");
  EXPECT_EQ(parse.arms(1).command(), "/src/feature/bench --filter parse --as feature {other}");
  EXPECT_EQ(parse.arms(1).cwd(), "/cwd");
  ASSERT_EQ(parse.gates_size(), 2);
  EXPECT_EQ(parse.gates(0).margin_case(), v1::Gate::MARGIN_NOT_SET);
  EXPECT_EQ(parse.margin(), 0.01);
  EXPECT_EQ(parse.gates(1).absolute(), 1048576);
  const v1::Benchmark& render = spec->benchmarks(1);
  ASSERT_EQ(render.gates_size(), 1);
  EXPECT_EQ(render.gates(0).metric(), "cpu_time");
  EXPECT_EQ(render.gates(0).margin_case(), v1::Gate::MARGIN_NOT_SET);
  EXPECT_FALSE(render.has_margin());
  EXPECT_EQ(render.arms(0).env().at("MODE"), "slow");
}

TEST(SpecFileTest, ReadsAPlainComparison) {
  const auto spec = BuildFile(
      "[[arm]]\nname = 'new'\ncommand = './new'\n[[arm]]\nname = 'old'\nrole = "
      "'reference'\ncommand = './old'\n");
  ASSERT_TRUE(spec) << spec.error().message;
  ASSERT_EQ(spec->benchmarks_size(), 1);
  EXPECT_EQ(spec->benchmarks(0).arms(0).role(), v1::ARM_ROLE_CANDIDATE);
  EXPECT_EQ(spec->benchmarks(0).arms(1).role(), v1::ARM_ROLE_REFERENCE);
}

constexpr char kOwnValues[] = R"(
[defaults]
input = "shared.txt"
shell = true
prepare = "sync"
env = ["ALL=1", "old:ONE=default"]

[[arm]]
name = "old"
dir = "../old"
prepare = "cp {dir}/data in-{name}"
conclude = "true"
input = "{dir}/in.txt"
shell = "bash"
env = { LIB = "{dir}/lib", ONE = "table" }
[[arm]]
name = "new"
dir = "."
conclude = "rm x"
shell = false

[[benchmark]]
name = "one"
command = "cat"
[[benchmark]]
name = "two"
command = "wc"
prepare = ["a", "b"]
env = ["ALL=2", "new:TWO=2"]
)";

TEST(SpecFileTest, AnArmMayHaveItsOwnValues) {
  const auto spec = BuildFile(kOwnValues);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->environment().at("ALL"), "1");
  const v1::Benchmark& one = spec->benchmarks(0);
  EXPECT_EQ(one.input(), "/cwd/shared.txt");
  EXPECT_EQ(one.hooks().prepare(), "sync");
  EXPECT_EQ(ShellOf(one.hooks()), ShellChoice{true}) << "the one for all arms";
  const v1::Arm& old = one.arms(0);
  EXPECT_EQ(old.prepare(), "cp /src/old/data in-old");
  EXPECT_EQ(old.conclude(), "true");
  EXPECT_EQ(old.input(), "/src/old/in.txt");
  EXPECT_EQ(ShellOf(old), (ShellChoice{true, "bash"}));
  EXPECT_EQ(old.env().at("LIB"), "/src/old/lib");
  EXPECT_EQ(old.env().at("ONE"), "default") << "ARM:NAME=VALUE precedes the table of the arm";
  EXPECT_EQ(one.arms(1).prepare(), "") << "that of all arms";
  EXPECT_EQ(one.arms(1).input(), "");
  EXPECT_EQ(ShellOf(one.arms(1)), ShellChoice{});
  const v1::Benchmark& two = spec->benchmarks(1);
  EXPECT_EQ(two.hooks().prepare(), "");
  EXPECT_EQ(two.arms(0).prepare(), "a") << "a list with one value per arm precedes its table";
  EXPECT_EQ(two.arms(1).prepare(), "b");
  EXPECT_EQ(two.arms(0).env().at("ALL"), "2");
  EXPECT_EQ(two.arms(1).env().at("TWO"), "2");
}

TEST(SpecFileTest, RefusesWhatIsNoValueOfAnArm) {
  for (const std::string text :
       {"prepare = ['a', 'b']\n", "prepare = ''\n", "input = ''\n", "margin = '1%'\n",
        "shel = true\n", "env = ['A']\n", "conclude = true\n"}) {
    ExpectRefused(BuildFile("[[arm]]\nname = 'a'\n" + text +
                            "[[arm]]\nname = 'b'\n[[benchmark]]\ncommand = 'x'\n"));
  }
  ExpectRefused(BuildFile("[defaults]\nprepare = ['1', '2', '3']\n" + std::string(kArms)));
  ExpectRefused(BuildFile(std::string(kArms) + "env = ['c:A=1']\n"));
}

// A variable may name an arm that only another benchmark has.
TEST(SpecFileTest, AVariableOfTheSessionNeedsItsArmInOneBenchmark) {
  const std::string two = std::string(kArms) +
                          "[[benchmark]]\nname = 'two'\ncommand = 'y'\n"
                          "[[benchmark.arm]]\nname = 'c'\n[[benchmark.arm]]\nname = 'd'\n";
  const auto spec = BuildFile("[defaults]\nenv = ['c:A=1']\n" + two);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).arms(0).env_size(), 0);
  EXPECT_EQ(spec->benchmarks(1).arms(0).env().at("A"), "1");
  ExpectRefused(BuildFile("[defaults]\nenv = ['e:A=1']\n" + two));
}

TEST(SpecFileTest, AnOwnMarginHoldsForMetricsThatNobodyNamed) {
  const auto spec = BuildFile(
      std::string(kArms) +
      "name = 'one'\nparse = 'lines'\nmargin = 0.01\n[[benchmark]]\nname = 'two'\ncommand = 'y'\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).margin(), 0.01);
  EXPECT_EQ(spec->benchmarks(0).gates_size(), 0);
  EXPECT_FALSE(spec->benchmarks(1).has_margin());
}

TEST(SpecFileTest, AMarginMayBeNegative) {
  for (const char* margin : {"'-5%'", "-0.05"}) {
    const auto spec =
        BuildFile("[defaults]\nmargin = " + std::string(margin) +
                  "\nmetric = ['wall_time', 'cpu_time:-1%', 'max_rss:-1MiB']\n" + kArms);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->margin(), -0.05);
    EXPECT_EQ(spec->benchmarks(0).gates(1).ratio(), -0.01);
    EXPECT_EQ(spec->benchmarks(0).gates(2).absolute(), -1048576);
  }
}

TEST(SpecFileTest, SaysTheLine) {
  for (const std::string& text :
       {std::string("[defaults]\nmargn = 1\n"), std::string("[default]\n"),
        std::string("[[arm]]\nname = 'a'\ncolour = 1\n"), std::string("[[arm]]\ndir = '.'\n"),
        std::string(kArms) + "seed = 5\n", std::string("[defaults]\nmargin = true\n"),
        std::string("[defaults]\nfail_fast = 1\n"), std::string("[defaults]\nmargin = ['1%']\n"),
        "[defaults]\nmargin = 'abc'\n" + std::string(kArms), std::string("[[arm]]\nname = 1\n"),
        std::string("arm = 3\n"), std::string(),
        std::string("[[arm]]\nname = 'a'\ncommand = 'x'\n")}) {
    ExpectRefused(BuildFile(text));
  }
  const auto broken = BuildFile("x = \n");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kInvalidArgument);
  // The words of the parser's library follow.
  EXPECT_TRUE(broken.error().message.starts_with("suite.toml:1:5: ")) << broken.error().message;
}

TEST(SpecFileTest, RefusesEqualBenchmarks) {
  ExpectRefused(BuildFile(std::string(kArms) + "[[benchmark]]\ncommand = 'y'\n"));
}

TEST(SpecFileTest, RefusesANulByteInACommand) {
  ExpectRefused(BuildFile(
      "[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\n[[benchmark]]\ncommand = \"x\\u0000y\"\n"));
}

TEST(SpecFileTest, SaysWhyAFileCannotBeRead) {
  ExpectRefused(ReadSpecFile("/nonexistent/suite.toml", "/"));
  ExpectRefused(ReadSpecFile("/", "/"));
}

}  // namespace
}  // namespace benchd::client
