#include "core/model/inner_benchmarks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace benchd {
namespace {

SessionSpec Submitted(const std::vector<std::string>& names) {
  SessionSpec spec;
  for (const std::string& name : names) {
    Benchmark benchmark;
    benchmark.name = name;
    for (const char* arm : {"base", "candidate"}) {
      Arm one;
      one.name = arm;
      one.command = std::string("./") + arm + " a";
      one.argv = {std::string("./") + arm, "a"};
      one.program.emplace();
      benchmark.arms.push_back(one);
    }
    spec.benchmarks.push_back(benchmark);
  }
  return spec;
}

FoundBenchmarks Found(std::uint32_t benchmark, const std::vector<std::string>& names) {
  return {.benchmark = benchmark,
          .names = names,
          .unmatched = {},
          .commands = {{"./base"}, {"./candidate"}}};
}

std::vector<std::string> NamesOf(const SessionSpec& spec) {
  std::vector<std::string> names;
  for (const Benchmark& one : spec.benchmarks) names.push_back(one.name);
  return names;
}

TEST(InnerBenchmarksTest, BecomeTheBenchmarksOfTheSession) {
  SessionSpec spec = Submitted({"main"});
  spec.benchmarks[0].harness = "google-benchmark";
  const std::vector<FoundBenchmarks> found{Found(0, {"BM_a", "BM_b/8"})};
  ExpandBenchmarks(found, spec);
  ASSERT_EQ(NamesOf(spec), (std::vector<std::string>{"BM_a", "BM_b/8"}));
  EXPECT_EQ(spec.benchmarks[1].inner, "BM_b/8");
  EXPECT_EQ(spec.benchmarks[1].arms[1].argv, (std::vector<std::string>{"./candidate"}));
  EXPECT_EQ(spec.benchmarks[1].arms[1].command, "./candidate a");
  EXPECT_TRUE(spec.benchmarks[1].arms[1].program);
  EXPECT_EQ(SubmittedName(spec.benchmarks[1]), "main");
}

TEST(InnerBenchmarksTest, AreExpandedOnce) {
  SessionSpec spec = Submitted({"main"});
  const std::vector<FoundBenchmarks> found{Found(0, {"BM_a", "BM_b"})};
  ExpandBenchmarks({}, spec);
  EXPECT_EQ(spec, Submitted({"main"}));
  ExpandBenchmarks(found, spec);
  const SessionSpec expanded = spec;
  ExpandBenchmarks(found, spec);
  EXPECT_EQ(spec, expanded);
}

TEST(InnerBenchmarksTest, StandBetweenOthersUnderTheNameOfTheirBenchmark) {
  SessionSpec spec = Submitted({"first", "micro", "last", "more"});
  const std::vector<FoundBenchmarks> found{Found(1, {"a", "b/c"}), Found(3, {"a", "d"})};
  ExpandBenchmarks(found, spec);
  EXPECT_EQ(NamesOf(spec), (std::vector<std::string>{"first", "micro/a", "micro/b/c", "last",
                                                     "more/a", "more/d"}));
  EXPECT_EQ(FirstOf(found, 0), 1U);
  EXPECT_EQ(FirstOf(found, 1), 4U);
  EXPECT_EQ(CountFound(found), 4U);
  EXPECT_EQ(SubmittedName(spec.benchmarks[2]), "micro");
  EXPECT_EQ(SubmittedName(spec.benchmarks[3]), "last");
}

TEST(InnerBenchmarksTest, HaveTheHooksOfTheSessionOnceAndThoseOfARunEach) {
  SessionSpec spec = Submitted({"main"});
  Hooks& hooks = spec.benchmarks[0].hooks;
  for (Hook* hook : {&hooks.build, &hooks.setup, &hooks.prepare, &hooks.cleanup}) {
    *hook = {"make", {"make"}};
  }
  hooks.build_plan.emplace();
  ExpandBenchmarks(std::vector<FoundBenchmarks>{Found(0, {"a", "b"})}, spec);
  const Hooks& first = spec.benchmarks[0].hooks;
  EXPECT_TRUE(first.build.Exists() && first.setup.Exists() && first.cleanup.Exists());
  EXPECT_TRUE(first.build_plan);
  const Hooks& second = spec.benchmarks[1].hooks;
  EXPECT_FALSE(second.build.Exists() || second.setup.Exists() || second.cleanup.Exists());
  EXPECT_FALSE(second.build_plan);
  EXPECT_TRUE(second.prepare.Exists());
  // Build and setup may have replaced the programs.
  EXPECT_FALSE(spec.benchmarks[0].arms[0].program || spec.benchmarks[1].arms[0].program);
}

TEST(InnerNamesTest, AreThoseOfTheListOrHaveTheNumberOfProcessors) {
  EXPECT_TRUE(IsNameOf("BenchmarkA", "BenchmarkA"));
  EXPECT_TRUE(IsNameOf("BenchmarkA-16", "BenchmarkA"));
  EXPECT_FALSE(IsNameOf("BenchmarkA-", "BenchmarkA"));
  EXPECT_FALSE(IsNameOf("BenchmarkA-1a", "BenchmarkA"));
  EXPECT_FALSE(IsNameOf("BenchmarkAB", "BenchmarkA"));
  EXPECT_FALSE(IsNameOf("BenchmarkA/x", "BenchmarkA"));
}

TEST(InnerNamesTest, BelongToTheBenchmarkThatTheyNameMostExactly) {
  const NameOwners owners({"a", "a/b", "a-8", "c d", ""});
  EXPECT_EQ(owners.Of("a"), "a");
  EXPECT_EQ(owners.Of("a/b"), "a/b") << "named, although it is within a";
  EXPECT_EQ(owners.Of("a-8"), "a-8") << "named, although it may be a on 8 processors";
  EXPECT_EQ(owners.Of("a-4"), "a");
  EXPECT_EQ(owners.Of("a-8-4"), "a-8");
  EXPECT_EQ(owners.Of("a/x"), "a");
  EXPECT_EQ(owners.Of("a/b/x-8"), "a/b");
  EXPECT_EQ(owners.Of("c d/sum"), "c d");
  EXPECT_EQ(owners.Of("b"), std::nullopt);
  EXPECT_EQ(owners.Of("/b"), std::nullopt) << "an empty name owns nothing";
  EXPECT_EQ(owners.Of("-8"), std::nullopt);
  EXPECT_EQ(owners.Of(""), std::nullopt);
}

}  // namespace
}  // namespace benchd
