#include "core/model/second_trees.h"

#include <gtest/gtest.h>

#include <string>

namespace benchd {
namespace {

Arm ArmIn(const std::string& name, const std::string& folder) {
  Arm arm;
  arm.name = name;
  arm.role = name == "base" ? ArmRole::kReference : ArmRole::kCandidate;
  arm.command = folder + "/built/bench --data " + folder + "/built/data";
  arm.argv = {folder + "/built/bench", "--data", folder + "/built/data"};
  arm.cwd = folder + "/built";
  arm.input = folder + "/built/in";
  arm.prepare = {"touch " + folder + "/built/x", {"touch", folder + "/built/x"}};
  arm.env = {{"DATA", folder + "/built/data"}, {"HOME", "/home/a"}};
  arm.program = ProgramIdentity{.path = folder + "/built/bench"};
  return arm;
}

SessionSpec SpecIn(const std::string& base, const std::string& candidate) {
  Benchmark benchmark;
  benchmark.arms = {ArmIn("base", "/trees/" + base), ArmIn("candidate", "/trees/" + candidate)};
  Arm placebo = benchmark.arms[0];
  placebo.name = kPlaceboName;
  placebo.role = ArmRole::kPlacebo;
  benchmark.arms.push_back(placebo);
  benchmark.hooks.build = {"make all", {"sh", "-c", "make all"}};
  benchmark.hooks.build_plan = BuildPlan{
      .root = "/trees",
      .repository = "/home/a/x/.git",
      .build = "make",
      .trees = {{"01", "k1", ""}, {"02", "k2", ""}, {"01", "k3", "7"}, {"02", "k4", "8"}}};
  SessionSpec spec;
  spec.benchmarks = {benchmark};
  return spec;
}

TEST(SecondTreesTest, EveryTextOfAnArmNamesTheFolderOfTheSecondPhase) {
  SessionSpec spec = SpecIn("k1", "k2");
  UseSecondTrees(spec);
  SessionSpec expected = SpecIn("k3", "k4");
  for (Arm& arm : expected.benchmarks[0].arms) arm.program.reset();
  EXPECT_EQ(spec, expected);
  UseSecondTrees(spec);
  EXPECT_EQ(spec, expected);
}

// The benchmarks inside a program have only one plan, that of the first.
TEST(SecondTreesTest, ArmsOfOtherBenchmarksAreInTheSameTrees) {
  SessionSpec spec = SpecIn("k1", "k2");
  Benchmark other = spec.benchmarks[0];
  other.hooks.build_plan.reset();
  spec.benchmarks.push_back(other);
  UseSecondTrees(spec);
  EXPECT_EQ(spec.benchmarks[1].arms[0].cwd, "/trees/k3/built");
  EXPECT_FALSE(spec.benchmarks[1].arms[0].program);
}

TEST(SecondTreesTest, ASpecWithoutASecondPlanStaysAsItIs) {
  SessionSpec spec = SpecIn("k1", "k2");
  spec.benchmarks[0].hooks.build_plan->trees.resize(2);
  const SessionSpec before = spec;
  UseSecondTrees(spec);
  EXPECT_EQ(spec, before);
  spec.benchmarks[0].hooks.build_plan.reset();
  SessionSpec plain = spec;
  UseSecondTrees(plain);
  EXPECT_EQ(plain, spec);
}

TEST(SecondTreesTest, OnlyPathsInTheTreesAreReplaced) {
  const auto moved = [](const std::string& command) {
    SessionSpec spec = SpecIn("k1", "k2");
    spec.benchmarks[0].arms[0].command = command;
    UseSecondTrees(spec);
    return spec.benchmarks[0].arms[0].command;
  };
  // Longer paths and words, in which the name of a folder also occurs.
  for (const char* other :
       {"diff /backup/trees/k1/built x", "cat ./trees/k1/x", "cat ../trees/k1/x",
        "cat ~/trees/k1/x", "cat $HOME/trees/k1/x", "cat backup/trees/k1/x",
        "cc -I/backup/trees/k1/x", "echo /trees/k12/x /trees/k1.old/x", "echo trees/k1/x"}) {
    EXPECT_EQ(moved(other), other);
  }
  EXPECT_EQ(moved("/trees/k1/x '/trees/k1/y' \"/trees/k2/z\" --data=/trees/k1/a:/trees/k2/b"),
            "/trees/k3/x '/trees/k3/y' \"/trees/k4/z\" --data=/trees/k3/a:/trees/k4/b");
  EXPECT_EQ(moved("cc -I/trees/k1/x @/trees/k1/y; (/trees/k1/z </trees/k1/i >/trees/k1/o)"),
            "cc -I/trees/k3/x @/trees/k3/y; (/trees/k3/z </trees/k3/i >/trees/k3/o)");
}

// A folder of the second phase may be called as another one of the first phase.
TEST(SecondTreesTest, EachFolderIsReplacedOnce) {
  SessionSpec spec = SpecIn("k1", "k2");
  spec.benchmarks[0].hooks.build_plan->trees[2].key = "k2";
  UseSecondTrees(spec);
  EXPECT_EQ(spec.benchmarks[0].arms[0].cwd, "/trees/k2/built");
  EXPECT_EQ(spec.benchmarks[0].arms[1].cwd, "/trees/k4/built");
}

TEST(SecondTreesTest, AnArmOutsideOfTheTreesKeepsItsProgram) {
  SessionSpec spec = SpecIn("k1", "elsewhere");
  UseSecondTrees(spec);
  EXPECT_FALSE(spec.benchmarks[0].arms[0].program);
  EXPECT_TRUE(spec.benchmarks[0].arms[1].program);
}

}  // namespace
}  // namespace benchd
