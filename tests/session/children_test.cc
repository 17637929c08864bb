#include "daemon/session/children.h"

#include <gtest/gtest.h>

#include "tests/support/fakes.h"

namespace benchd {
namespace {

TEST(ChildrenTest, TheInputOfAnArmReplacesThatOfTheBenchmark) {
  SessionSpec spec = fake::TwoArms();
  Benchmark& benchmark = spec.benchmarks[0];
  benchmark.input = "/shared";
  benchmark.arms[1].input = "/own";
  EXPECT_EQ(ChildOfArm(spec, benchmark, benchmark.arms[0]).input, "/shared");
  EXPECT_EQ(ChildOfArm(spec, benchmark, benchmark.arms[1]).input, "/own");
}

TEST(ChildrenTest, AnInterpreterIsLookedUpAsTheProgramOfItsArm) {
  SessionSpec spec = fake::TwoArms();
  Arm& arm = spec.benchmarks[0].arms[0];
  arm.argv = {"bash", "-c", "exit 0"};
  arm.env["PATH"] = "/opt/bin";
  const ProgramQuery query = QueryFor(ChildOfArm(spec, spec.benchmarks[0], arm));
  EXPECT_EQ(query.program, "bash");
  EXPECT_EQ(query.path, "/opt/bin");
}

TEST(ChildrenTest, OnlyTheRunsOfArmsAreSampled) {
  SessionSpec spec = fake::TwoArms();
  Benchmark& benchmark = spec.benchmarks[0];
  benchmark.hooks.prepare = {"prepare", {"prepare"}};
  benchmark.hooks.setup = {"setup", {"setup"}};
  benchmark.parse = "lines";
  benchmark.parse_file = "out";
  for (const ChildSpec& child : ChildrenOf(spec, {"abc"}, {})) EXPECT_FALSE(child.profile);
  spec.profile = Profile{.frequency_hz = 500};
  const std::vector<ChildSpec> children = ChildrenOf(spec, {"abc"}, {});
  ASSERT_EQ(children.size(), 4U);
  for (std::size_t i = 0; i < children.size(); ++i) {
    EXPECT_EQ(children[i].profile.has_value(), i < 2) << i;
    EXPECT_EQ(children[i].parse, "");
    EXPECT_EQ(children[i].parse_file, "");
  }
  EXPECT_EQ(children[0].profile, spec.profile);
  EXPECT_FALSE(ChildOfHook(spec, {"abc"}, benchmark, nullptr, HookKind::kSetup).profile);
  EXPECT_FALSE(ChildOfArm(spec, benchmark, benchmark.arms[0]).profile) << "it also makes lists";
}

}  // namespace
}  // namespace benchd
