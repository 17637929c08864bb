#include "core/parse/similarity_input.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Runs = std::vector<std::vector<double>>;

Result<std::vector<RunSet>> ReadSets(std::string_view text, const RunsLayout& layout = {}) {
  return ParseRuns(text, layout);
}

void ExpectRunsRefused(std::string_view text, const RunsLayout& layout = {}) {
  const auto sets = ReadSets(text, layout);
  ASSERT_FALSE(sets) << text;
  EXPECT_EQ(sets.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(sets.error().hint.empty());
  EXPECT_WORDING(RefusalOf(text, sets.error()));
}

std::string Raw(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned byte = 0; byte < 8; ++byte) {
      bytes += static_cast<char>(static_cast<unsigned char>(bits >> (8 * byte)));
    }
  }
  return bytes;
}

TEST(RunSetsTest, ReadsAColumnForEachRun) {
  const auto sets = ReadSets("first,second\n1,2\n3,4.5e-3\n");
  ASSERT_TRUE(sets) << sets.error().message;
  ASSERT_EQ(sets->size(), 1U);
  EXPECT_EQ(sets->front().runs, (Runs{{1, 3}, {2, 4.5e-3}}));
  EXPECT_EQ(sets->front().run_names, (std::vector<std::string>{"first", "second"}));
}

TEST(RunSetsTest, ReadsColumnsWithoutNames) {
  const auto sets = ReadSets("1,2\n3,4\n");
  ASSERT_TRUE(sets) << sets.error().message;
  EXPECT_EQ(sets->front().runs, (Runs{{1, 3}, {2, 4}}));
  EXPECT_EQ(sets->front().run_names, (std::vector<std::string>{"1", "2"}));
}

TEST(RunSetsTest, ReadsARunThatEndsEarlier) {
  const auto sets = ReadSets("a,b\n1,2\n3,\n");
  ASSERT_TRUE(sets) << sets.error().message;
  EXPECT_EQ(sets->front().runs, (Runs{{1, 3}, {2}}));
}

TEST(RunSetsTest, ReadsRowsOfRunAndValueInAnyOrder) {
  const auto sets = ReadSets("run,value\nx,1\ny,2\nx,3\ny,-4\n");
  ASSERT_TRUE(sets) << sets.error().message;
  EXPECT_EQ(sets->front().runs, (Runs{{1, 3}, {2, -4}}));
  EXPECT_EQ(sets->front().run_names, (std::vector<std::string>{"x", "y"}));
}

TEST(RunSetsTest, ReadsArraysOfArrays) {
  const auto sets = ReadSets(" [[1, 2, 3],\n [4, 5, 6.5]]");
  ASSERT_TRUE(sets) << sets.error().message;
  EXPECT_EQ(sets->front().runs, (Runs{{1, 2, 3}, {4, 5, 6.5}}));
}

// The structure of the output of `java -jar benchmarks.jar -rf json`; microseconds become seconds.
TEST(RunSetsTest, ReadsTheForksOfEachBenchmarkOfJmh) {
  const auto sets = ReadSets(R"([
    {"benchmark": "org.example.Queue.offer", "mode": "avgt", "params": {"size": "10"},
     "primaryMetric": {"score": 2.5, "scoreUnit": "us/op", "rawData": [[1.5, 2.5], [2.25, 4]]},
     "secondaryMetrics": {"gc": {"score": 1, "scoreUnit": "MB/sec", "rawData": [[7], [8]]}}},
    {"benchmark": "org.example.Queue.poll", "mode": "thrpt",
     "primaryMetric": {"score": 2.5, "scoreUnit": "ops/s", "rawData": [[10, 20]]},
     "secondaryMetrics": {}}])");
  ASSERT_TRUE(sets) << sets.error().message;
  ASSERT_EQ(sets->size(), 2U);
  EXPECT_EQ(sets->at(0).name, "org.example.Queue.offer:size=10");
  EXPECT_EQ(sets->at(0).run_names, (std::vector<std::string>{"1", "2"}));
  ASSERT_EQ(sets->at(0).runs.size(), 2U);
  EXPECT_DOUBLE_EQ(sets->at(0).runs[1][0], 2.25e-6);
  EXPECT_EQ(sets->at(1).runs, (Runs{{10, 20}}));
}

TEST(RunSetsTest, ReadsRawDoublesByTheirShape) {
  const auto sets = ReadSets(Raw({1, -2.5, 1e-300, 4, 5, 6}), {.runs = 2, .values = 3});
  ASSERT_TRUE(sets) << sets.error().message;
  EXPECT_EQ(sets->front().runs, (Runs{{1, -2.5, 1e-300}, {4, 5, 6}}));
}

TEST(RunSetsTest, RefusesWhatIsNoFiniteNumberByItsPlace) {
  ExpectRunsRefused("a,b\n1,2\n3,nan\n");
  ExpectRunsRefused("a,b\n1,2\n1e999,4\n");
  ExpectRunsRefused("a,b\n1,x\n");
  ExpectRunsRefused("run,value\na,1\nb,inf\n");
  ExpectRunsRefused("[[1, 2],\n [3, \"NaN\"]]");
  ExpectRunsRefused("[[1, 2],\n [3, NaN]]");
  ExpectRunsRefused(Raw({1, 2, 3, std::numeric_limits<double>::quiet_NaN()}),
                    {.runs = 2, .values = 2});
}

TEST(RunSetsTest, RefusesHolesAndWrongShapes) {
  ExpectRunsRefused("a,b\n1,\n2,3\n");
  ExpectRunsRefused("a,b\n1,2,3\n");
  ExpectRunsRefused("a,a\n1,2\n");
  ExpectRunsRefused("a,b\n");
  ExpectRunsRefused("[1, 2]");
  ExpectRunsRefused(Raw({1, 2, 3}), {.runs = 2, .values = 2});
  ExpectRunsRefused("", {.runs = 0, .values = 7});
  ExpectRunsRefused(Raw({1}), {.format = RunsFormat::kRaw});
  ExpectRunsRefused("[[1]]", {.format = RunsFormat::kJson, .runs = 1, .values = 1});
}

TEST(RunSetsTest, TakesNoMoreThanItsLimits) {
  constexpr RunSetLimits kLimits{.values = 5, .runs = 2, .sets = 1};
  for (const char* text : {"a,b\n1,2\n3,4\n5,6\n", "a,b,c\n1,2,3\n", "[[1,2,3],[4,5,6]]",
                           "[[1],[2],[3]]", "run,value\na,1\nb,2\nc,3\n"}) {
    const auto sets = ParseRuns(text, {}, kLimits);
    ASSERT_FALSE(sets) << text;
    EXPECT_EQ(sets.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(RefusalOf(text, sets.error()));
  }
  EXPECT_FALSE(ParseRuns(Raw({1, 2, 3, 4, 5, 6}), {.runs = 2, .values = 3}, kLimits));
  EXPECT_TRUE(ParseRuns("a,b\n1,2\n3,4\n", {}, kLimits));
}

}  // namespace
}  // namespace benchd
