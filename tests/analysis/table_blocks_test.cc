#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/analysis/table_analysis.h"
#include "core/analysis/table_planner.h"
#include "tests/analysis/table_text.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// One block as text: "a1 b2" for a value 1 of arm a and a value 2 of arm b, in order.
using Blocks = std::vector<std::string>;

struct Grouped {
  Blocks blocks;
  std::vector<Run> runs;
  std::vector<Warning> warnings;
  std::string error;
};

std::string Word(const Run& run, const Benchmark& benchmark) {
  std::string word = benchmark.arms[run.arm].name;
  for (const Sample& sample : run.samples) {
    word += std::to_string(static_cast<int>(sample.value));
  }
  return word;
}

Grouped Group(const std::string& text, const TableOptions& options = AgainstA()) {
  const MeasurementTable table = TableOf(text);
  const TablePlan plan = PlanTable(table, options).value();
  Grouped grouped;
  const auto rows = ForEachBlock(table, plan, [&](const TableBlock& block) -> Result<void> {
    std::string words;
    for (const Run& run : block.runs) {
      if (!words.empty()) words += ' ';
      words += Word(run, plan.spec.benchmarks[run.benchmark]);
      grouped.runs.push_back(run);
    }
    grouped.blocks.push_back(words);
    return {};
  });
  if (!rows) {
    grouped.error = rows.error().message;
    return grouped;
  }
  grouped.warnings = rows->warnings;
  EXPECT_LE(rows->blocks, grouped.blocks.size());
  return grouped;
}

TableOptions WithMethod(Method method) {
  TableOptions options = AgainstA();
  options.method = method;
  return options;
}

TEST(TableBlocksTest, WithoutPairsEveryRowStandsForItself) {
  EXPECT_EQ(Group("arm,t\na,1\nb,2\nb,3\n").blocks, (Blocks{"a1", "b2", "b3"}));
  EXPECT_TRUE(Group("arm,t\na,1\nb,2\nb,3\n").warnings.empty());
}

// A gate may be decided by the evidence of other benchmarks, so their order must be that of the
// runs.
TEST(TableBlocksTest, BlocksOfSeveralBenchmarksComeInTheOrderInWhichTheyEnded) {
  const std::string text =
      "arm,benchmark,pair,t\n"
      "a,x,1,1\nb,x,1,2\n"
      "a,y,1,3\nb,y,1,4\n"
      "a,y,2,5\nb,y,2,6\n"
      "a,x,2,7\nb,x,2,8\n";
  EXPECT_EQ(Group(text).blocks, (Blocks{"a1 b2", "a3 b4", "a5 b6", "a7 b8"}));
}

TEST(TableBlocksTest, ARowIsTheRunThatASessionWouldHaveHad) {
  const Grouped grouped = Group(
      "arm,pair,started_at,t,wall_time,u\na,7,2026-01-01T00:00:00Z,1.5,2,3\n"
      "b,7,,4,,6\na,8,,1,1,1\nb,8,,1,1,1\n");
  ASSERT_EQ(grouped.runs.size(), 4U);
  const benchd::Run& first = grouped.runs[0];
  EXPECT_EQ(first.benchmark, 0U);
  EXPECT_EQ(first.block, 0U);
  EXPECT_EQ(first.position, 0U);
  EXPECT_EQ(first.arm, 0U);
  EXPECT_EQ(first.phase, RunPhase::kMeasured);
  // 2026-01-01T00:00:00Z is 1767225600 s after 1970 (date -d ... +%s).
  EXPECT_EQ(first.started_at, Timestamp{std::chrono::seconds(1'767'225'600)});
  EXPECT_EQ(first.samples,
            (std::vector<Sample>{{"t", "", 0, 1.5}, {"wall_time", "", 0, 2}, {"u", "", 0, 3}}));
  const benchd::Run& second = grouped.runs[1];
  EXPECT_EQ(second.position, 1U);
  EXPECT_EQ(second.arm, 1U);
  EXPECT_EQ(second.samples, (std::vector<Sample>{{"t", "", 0, 4}, {"u", "", 0, 6}}))
      << "an empty field is not a sample";
  EXPECT_EQ(second.metrics, (std::vector<MetricInfo>{{"t", "", std::nullopt, 0.1},
                                                     {"wall_time", "s", Better::kLower, 1},
                                                     {"u", "", std::nullopt, 1}}));
  EXPECT_EQ(grouped.runs[2].block, 1U);
  EXPECT_EQ(grouped.runs[2].samples.size(), 3U);
}

TEST(TableBlocksTest, RowsOfAPairAreABlock) {
  EXPECT_EQ(Group("arm,pair,t\na,0,1\nb,0,2\nb,1,3\na,1,4\n").blocks, (Blocks{"a1 b2", "b3 a4"}));
}

TEST(TableBlocksTest, ABlockMayHaveSeveralRunsOfAnArm) {
  // As in a session with four candidates or more: complete only when the next pair begins.
  EXPECT_EQ(Group("arm,pair,t\na,0,1\nb,0,2\na,0,3\nb,1,4\na,1,5\na,1,6\n").blocks,
            (Blocks{"a1 b2 a3", "b4 a5 a6"}));
}

TEST(TableBlocksTest, RowsOfAPairMayStandApart) {
  // In the order in which the pairs became complete.
  EXPECT_EQ(Group("arm,pair,t\na,5,1\na,3,2\nb,3,3\nb,5,4\na,5,5\n").blocks,
            (Blocks{"a2 b3", "a1 b4 a5"}));
}

TEST(TableBlocksTest, EachBenchmarkHasPairsOfItsOwn) {
  const Grouped grouped =
      Group("arm,benchmark,pair,t\na,x,0,1\na,y,0,2\nb,x,0,3\nb,y,0,4\na,x,1,5\nb,x,1,6\n");
  EXPECT_EQ(grouped.blocks, (Blocks{"a1 b3", "a2 b4", "a5 b6"}));
  EXPECT_EQ(grouped.runs[2].block, 0U);
  EXPECT_EQ(grouped.runs[4].block, 1U);
}

TEST(TableBlocksTest, TheKthRowsOfTheArmsAreABlockWithoutAPairColumn) {
  const Grouped grouped =
      Group("arm,t\na,1\na,2\nb,3\na,4\nb,5\nb,6\na,7\n", WithMethod(Method::kPaired));
  EXPECT_EQ(grouped.blocks, (Blocks{"a1 b3", "a2 b5", "a4 b6"}));
  EXPECT_WORDING(WarningText(grouped.warnings, "incomplete_pairs"));
}

TEST(TableBlocksTest, ForIndependentArmsABlockIsWhatWasMeasuredTogether) {
  EXPECT_EQ(
      Group("arm,pair,t\na,0,1\nb,0,2\nb,1,3\nb,1,4\na,2,5\na,0,6\n", WithMethod(Method::kWelch))
          .blocks,
      (Blocks{"a1 b2", "b3 b4", "a5", "a6"}));
  EXPECT_EQ(Group("arm,pair,t\na,,1\nb,,2\na,,3\n", WithMethod(Method::kWelch)).blocks,
            (Blocks{"a1", "b2", "a3"}));
}

TEST(TableBlocksTest, APairThatLacksAnArmIsABlockWithoutIt) {
  const Grouped grouped = Group("arm,pair,t\na,0,1\nb,0,2\nb,1,3\nb,1,4\na,2,6\nb,2,7\n");
  EXPECT_EQ(grouped.blocks, (Blocks{"a1 b2", "b3 b4", "a6 b7"}));
  EXPECT_WORDING(WarningText(grouped.warnings, "incomplete_pairs"));
}

TEST(TableBlocksTest, LeavesOutWhatHasNoPairAndSaysSo) {
  const Grouped grouped = Group("arm,pair,t\na,0,1\nb,0,2\nb,1,3\nb,1,4\na,,5\na,2,6\nb,2,7\n");
  EXPECT_EQ(grouped.blocks, (Blocks{"a1 b2", "b3 b4", "a6 b7"}));
  EXPECT_WORDING(WarningText(grouped.warnings, "incomplete_pairs"));
  EXPECT_WORDING(
      WarningText(Group("arm,pair,t\na,0,1\nb,0,2\na,,5\n").warnings, "incomplete_pairs"));
}

TEST(TableBlocksTest, LeavesOutWhatComesAfterTheLastBlockWanted) {
  TableOptions options = AgainstA();
  options.spec.limits.max_runs = 2;
  const Grouped grouped =
      Group("arm,pair,t\na,0,1\nb,0,2\na,1,3\nb,1,4\na,2,5\nb,2,6\na,3,7\nb,3,8\n", options);
  EXPECT_EQ(grouped.blocks, (Blocks{"a1 b2", "a3 b4"}));
  EXPECT_WORDING(WarningText(grouped.warnings, "beyond_max_runs"));
}

TEST(TableBlocksTest, RefusesAPairThatIsAWholeTable) {
  std::string text = "arm,pair,t\nb,0,1\n";
  for (int i = 0; i < 500'000; ++i) text += "a,0,1\n";
  // The 500,000th value of the pair is still taken; the header is line 1.
  const std::string error = Group(text).error;
  EXPECT_TRUE(error.starts_with("line 500002: ")) << error;
  EXPECT_WORDING(error);
}

}  // namespace
}  // namespace benchd
