#include "daemon/helper/folded_stacks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/wire/messages.h"

namespace benchd {
namespace {

class FoldedStacksTest : public testing::Test {
 protected:
  void Add(const std::vector<std::string>& functions, const KindValues& values) {
    NamedStack stack;
    for (const std::string& name : functions) stack.push_back(names_.IndexOf(name));
    stacks_.Add(std::move(stack), values);
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const Sample& sample : stacks_.Samples(names_)) {
      lines.push_back(sample.metric + " " + sample.inner_benchmark + " " +
                      std::to_string(static_cast<long>(sample.value)));
    }
    return lines;
  }
  NamePool names_;
  FoldedStacks stacks_;
};

using FoldedLines = std::vector<std::string>;

TEST_F(FoldedStacksTest, AddsUpTheSamplesOfAStack) {
  Add({"main", "a"}, {1, 0, 0});
  Add({"main", "b", "c"}, {5, 0, 0});
  Add({"main", "a"}, {2, 0, 0});
  EXPECT_EQ(Lines(), (FoldedLines{"stack main;b;c 5", "stack main;a 3"}));
}

TEST_F(FoldedStacksTest, HasOneSamplePerMetric) {
  Add({"main"}, {7, 1000, 20});
  EXPECT_EQ(Lines(), (FoldedLines{"stack main 7", "stack_instructions main 1000",
                                  "stack_cache_misses main 20"}));
}

TEST_F(FoldedStacksTest, KeepsTheInnermostFunctionsOfADeepStack) {
  std::vector<std::string> functions;
  for (int i = 0; i < 200; ++i) functions.push_back(std::to_string(i));
  Add(functions, {1, 0, 0});
  const std::string line = Lines().at(0);
  EXPECT_TRUE(line.starts_with("stack 73;74;")) << line;
  EXPECT_TRUE(line.ends_with(";199 1")) << line;
}

TEST_F(FoldedStacksTest, ReducesTheRarestStacksToTheirInnermostFunction) {
  for (std::uint64_t i = 0; i < FoldedStacks::kMostStacks + 3; ++i) {
    Add({std::to_string(i), i % 2 == 0 ? "even" : "odd"}, {1 + i, 0, 0});
  }
  const FoldedLines lines = Lines();
  ASSERT_EQ(lines.size(), FoldedStacks::kMostStacks + 2);
  EXPECT_EQ(lines.front(), "stack 5002;even 5003");
  EXPECT_EQ(lines[FoldedStacks::kMostStacks], "stack [other];even 4") << "1 + 3";
  EXPECT_EQ(lines.back(), "stack [other];odd 2");
}

// A function with many different callers keeps all of its own samples.
TEST_F(FoldedStacksTest, CallersTakeNoSampleFromTheInnermostFunction) {
  for (std::uint64_t i = 0; i < 2 * FoldedStacks::kMostStacks; ++i) {
    Add({std::to_string(i), "hot"}, {1, 0, 0});
  }
  double hot = 0;
  for (const Sample& sample : stacks_.Samples(names_)) {
    if (sample.inner_benchmark.ends_with(";hot")) hot += sample.value;
  }
  EXPECT_EQ(hot, 2.0 * FoldedStacks::kMostStacks);
}

TEST_F(FoldedStacksTest, AddsUpTheRarestOfTooManyFunctions) {
  constexpr std::uint64_t kFunctions = FoldedStacks::kMostStacks + FoldedStacks::kMostShort + 3;
  for (std::uint64_t i = 0; i < kFunctions; ++i) Add({std::to_string(i)}, {1 + i, 0, 0});
  const FoldedLines lines = Lines();
  ASSERT_EQ(lines.size(), FoldedStacks::kMostStacks + FoldedStacks::kMostShort + 1);
  EXPECT_EQ(lines.back(), "stack [other] 6") << "1 + 2 + 3";
}

TEST_F(FoldedStacksTest, AStackIsFrequentIfItIsInAnyMetric) {
  for (std::uint64_t i = 0; i < FoldedStacks::kMostStacks; ++i) {
    Add({std::to_string(i)}, {10, 1, 0});
  }
  Add({"misses"}, {0, 0, 1});
  const FoldedLines lines = Lines();
  EXPECT_EQ(lines.front(), "stack_cache_misses misses 1");
  EXPECT_EQ(lines.back(), "stack_instructions [other];4999 1");
}

TEST_F(FoldedStacksTest, AllSamplesFitIntoAnAnswer) {
  std::vector<std::string> functions(127, std::string(500, 'f'));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    functions[0] = std::to_string(i);
    Add(functions, {1000 - i, 0, 0});
    sum += 1000 - i;
  }
  wire::ParsedOutput output;
  output.samples = stacks_.Samples(names_);
  EXPECT_LT(output.samples.size(), 100U);
  EXPECT_EQ(output.samples.back().inner_benchmark, "[other];" + functions.back());
  EXPECT_LT(wire::EncodeParsedOutput(output).size(), FoldedStacks::kMostBytes + 2000);
  double total = 0;
  for (const Sample& sample : output.samples) total += sample.value;
  EXPECT_EQ(total, static_cast<double>(sum));
}

TEST_F(FoldedStacksTest, NoStackHasNoSample) { EXPECT_TRUE(Lines().empty()); }

}  // namespace
}  // namespace benchd
