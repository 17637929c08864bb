#include <gtest/gtest.h>

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
