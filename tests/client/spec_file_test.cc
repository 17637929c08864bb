#include <gtest/gtest.h>

#include "client/request/spec_input.h"

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

std::string SaidOfFile(const std::string& text) {
  const auto spec = BuildFile(text);
  return spec ? "no error" : spec.error().message + " | " + spec.error().hint;
}

constexpr char kArms[] = "[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\n[[benchmark]]\ncommand = 'x'\n";

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

TEST(SpecFileTest, AnOwnMarginHoldsForMetricsThatNobodyNamed) {
  const auto spec = BuildFile(
      std::string(kArms) +
      "name = 'one'\nparse = 'lines'\nmargin = 0.01\n[[benchmark]]\nname = 'two'\ncommand = 'y'\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).margin(), 0.01);
  EXPECT_EQ(spec->benchmarks(0).gates_size(), 0);
  EXPECT_FALSE(spec->benchmarks(1).has_margin());
}

TEST(SpecFileTest, SaysTheLine) {
  EXPECT_EQ(SaidOfFile("[defaults]\nmargn = 1\n"),
            "suite.toml:2:1: margn: unknown key | did you mean margin?");
  EXPECT_EQ(SaidOfFile("[default]\n"),
            "suite.toml:1:2: default: unknown key | did you mean defaults?");
  EXPECT_EQ(SaidOfFile("[[arm]]\nname = 'a'\ncolour = 1\n"),
            "suite.toml:3:1: colour: unknown key | ");
  EXPECT_EQ(SaidOfFile("[[arm]]\ndir = '.'\n"),
            "suite.toml:1:1: arm: missing name | add name = \"base\"");
  EXPECT_EQ(SaidOfFile(std::string(kArms) + "seed = 5\n"),
            "suite.toml:7:1: seed: applies to the whole session | move it to [defaults]");
  EXPECT_EQ(SaidOfFile("[defaults]\nmargin = true\n"),
            "suite.toml:2:1: margin: expected a value, not true or false | ");
  EXPECT_EQ(SaidOfFile("[defaults]\nfail_fast = 1\n"),
            "suite.toml:2:1: fail_fast: expected true or false | ");
  EXPECT_EQ(SaidOfFile("[defaults]\nmargin = ['1%']\n"),
            "suite.toml:2:1: margin: expected a string or a number | ");
  EXPECT_EQ(SaidOfFile("[defaults]\nmargin = 'abc'\n" + std::string(kArms)),
            "suite.toml:2:1: margin = abc: not a number | write 2% or 0.02");
  EXPECT_EQ(SaidOfFile("[[arm]]\nname = 1\n"),
            "suite.toml:2:1: name: expected a string | put it in quotes");
  EXPECT_EQ(SaidOfFile("arm = 3\n"),
            "suite.toml:1:7: arm: expected a list of tables | write [[arm]]");
  EXPECT_EQ(SaidOfFile(""), "suite.toml: missing arms | add two [[arm]] tables, each with a name");
  EXPECT_EQ(SaidOfFile("[[arm]]\nname = 'a'\ncommand = 'x'\n"),
            "missing candidate | add a second arm");
  EXPECT_EQ(SaidOfFile("x = \n").substr(0, 31), "suite.toml:1:5: not valid TOML:");
}

TEST(SpecFileTest, RefusesEqualBenchmarks) {
  EXPECT_EQ(SaidOfFile(std::string(kArms) + "[[benchmark]]\ncommand = 'y'\n"),
            "suite.toml:7:1: benchmark: two benchmarks are called main | give each its own name");
}

TEST(SpecFileTest, RefusesANulByteInACommand) {
  EXPECT_EQ(
      SaidOfFile(
          "[[arm]]\nname = 'a'\n[[arm]]\nname = 'b'\n[[benchmark]]\ncommand = \"x\\u0000y\"\n"),
      "suite.toml:5:1: benchmark: contains a NUL byte | ");
}

TEST(SpecFileTest, SaysWhyAFileCannotBeRead) {
  const auto missing = ReadSpecFile("/nonexistent/suite.toml", "/");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "/nonexistent/suite.toml: No such file or directory");
  const auto directory = ReadSpecFile("/", "/");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().message, "/: is a directory");
}

}  // namespace
}  // namespace benchd::client
