#include "core/analysis/profile_samples.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/model/profile.h"

namespace benchd {
namespace {

Sample Stack(std::string stack, double value) {
  return {.metric = std::string(kStackMetric), .inner_benchmark = std::move(stack), .value = value};
}

TEST(WithoutProfileTest, LeavesEverythingElseOfARun) {
  benchd::Run run{
      .benchmark = 1, .block = 2, .position = 3, .arm = 4, .phase = RunPhase::kConfirming};
  run.started_at = Timestamp(Nanoseconds(5));
  run.exit.code = 6;
  run.disturbances = 7;
  run.metrics = {{.name = "user_time", .resolution = 0.01}};
  run.samples = {{.metric = "cpu_time", .value = 0.5}};
  const benchd::Run expected = run;
  run.samples.push_back(Stack("main;f", 3));
  run.samples.push_back({.metric = std::string(kLostSamplesMetric), .value = 1});
  run.samples.push_back(
      {.metric = std::string(kInstructionStackMetric), .inner_benchmark = "main", .value = 1e6});
  EXPECT_EQ(WithoutProfile(std::vector<benchd::Run>{run}), std::vector<benchd::Run>{expected});
}

TEST(StackBudgetTest, LeavesAUsualProfileAsItIs) {
  std::vector<benchd::Run> block(2);
  block[0].samples = {{.metric = "cpu_time", .value = 0.5}, Stack("main;f", 3), Stack("main", 1)};
  block[1].samples = {Stack("main;g", 2)};
  const std::vector<benchd::Run> before = block;
  StackBudget budget;
  budget.Apply(block);
  EXPECT_EQ(block, before);
}

TEST(StackBudgetTest, ReducesFurtherStacksToTheirInnermostFunction) {
  StackBudget budget;
  std::vector<benchd::Run> first(1);
  for (std::size_t i = 0; i < StackBudget::kMostStacks; ++i) {
    first[0].samples.push_back(Stack("main;caller" + std::to_string(i) + ";f", 1));
  }
  std::vector<benchd::Run> block = first;
  budget.Apply(block);
  EXPECT_EQ(block, first);
  std::vector<benchd::Run> second(1);
  second[0].samples = {Stack("main;a;f", 2),
                       Stack("main;caller7;f", 3),
                       Stack("main;b;f", 5),
                       Stack("main;b;g", 7),
                       {.metric = "cpu_time", .value = 0.5}};
  budget.Apply(second);
  EXPECT_EQ(second[0].samples, (std::vector<Sample>{Stack("[other];f", 7),
                                                    Stack("main;caller7;f", 3),
                                                    Stack("[other];g", 7),
                                                    {.metric = "cpu_time", .value = 0.5}}));
  const std::vector<benchd::Run> again = second;
  budget.Apply(second);
  EXPECT_EQ(second, again) << "a block from the store is not shortened once more";
}

TEST(StackBudgetTest, HoldsForAProgramWithAMillionFunctions) {
  StackBudget budget;
  std::set<std::string> names;
  double total = 0;
  for (int run = 0; run < 20; ++run) {
    std::vector<benchd::Run> block(1);
    for (int i = 0; i < 10'000; ++i) {
      block[0].samples.push_back(Stack("main;f" + std::to_string(run * 10'000 + i), 1));
    }
    budget.Apply(block);
    for (const Sample& sample : block[0].samples) {
      names.insert(sample.inner_benchmark);
      total += sample.value;
    }
  }
  EXPECT_LE(names.size(), StackBudget::kMostStacks + StackBudget::kMostShort + 1);
  EXPECT_EQ(total, 200'000) << "no sample is lost";
}

}  // namespace
}  // namespace benchd
