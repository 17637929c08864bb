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

}  // namespace
}  // namespace benchd
