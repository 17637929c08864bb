#include "core/parse/mmtests.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/parse/harness_data.h"

// Expected numbers: read off the files.

namespace benchd {
namespace {

std::string MmtestsError(const std::string& text) { return HarnessError("mmtests", text); }

TEST(ParseMmtestsTest, TakesEverySampleOfEachIteration) {
  const auto output = ParseMmtests(HarnessData("mmtests_script.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "Min-1"),
            (std::vector<double>{0.2514, 0.2512, 0.2531, 0.2582, 0.2555, 0.2506, 0.2506, 0.2521}));
  EXPECT_EQ(ValuesOf(*output, "elsp-2").size(), 8U);
  EXPECT_EQ(output->metrics, (std::vector<MetricInfo>{{"Min-1", "", std::nullopt, 1e-4},
                                                      {"elsp-2", "", std::nullopt, 0.01}}));
}

TEST(ParseMmtestsTest, TakesTheRowsOfOlderVersions) {
  const auto output = ParseMmtests(HarnessData("mmtests_script_old.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "LatAvg"), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(ValuesOf(*output, "LatMax"), (std::vector<double>{22, 24, 26}));
}

TEST(ParseMmtestsTest, TakesUnitAndDirectionOfADirective) {
  const auto output = ParseMmtests("#! prefer=lower unit=s\n" + HarnessData("mmtests_script.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(InfoOf(*output, "elsp-2"), (MetricInfo{"elsp-2", "s", Better::kLower, 0.01}));
}

TEST(ParseMmtestsTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "no value: expected at least one line OPERATION ITERATION SAMPLE VALUE"},
      {"ops", "line 1: expected OPERATION ITERATION SAMPLE VALUE, found 1 word"},
      {"\nops 1", "line 2: expected OPERATION ITERATION SAMPLE VALUE, found 2 words"},
      {"ops 1 2 3 4", "line 1: expected OPERATION ITERATION SAMPLE VALUE, found 5 words"},
      {"ops one 2 3", "line 1: expected the number of the iteration of 'ops', found 'one'"},
      {"ops 1 two 3", "line 1: expected the number of the sample of 'ops', found 'two'"},
      {"ops 1 2 nan", "line 1: expected the value of 'ops': 'nan' is not a finite number"},
      {"ops 1 2 3\nops 1 2 4", "line 2: 'ops' twice with the same iteration number (line 1)"},
      {"wall_time 1 2 3", "line 1: 'wall_time' is a metric that benchd measures itself"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(MmtestsError(text), message) << text;
}

}  // namespace
}  // namespace benchd
