#include "core/parse/hyperfine.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/parse/harness_data.h"

// Expected numbers: read off the files.

namespace benchd {
namespace {

std::string HyperfineError(const std::string& text) { return HarnessError("hyperfine", text); }

TEST(ParseHyperfineTest, TakesEachRunOfTheOnlyCommandUnderItsMetricAlone) {
  const std::string text = HarnessData("hyperfine_one.json");
  const auto output = ParseHyperfine(text);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"time", "user", "system"}));
  EXPECT_EQ(ValuesOf(*output, "time").size(), 5U);
  for (const double time : ValuesOf(*output, "time")) {
    EXPECT_GT(time, 0.01);  // of `sleep 0.01`
    EXPECT_LT(time, 0.1);
  }
  EXPECT_EQ(ValuesOf(*output, "user").size(), 1U);
  const auto info = InfoOf(*output, "time");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->unit, "s");
  EXPECT_EQ(info->better, Better::kLower);
  EXPECT_LE(info->resolution, 1e-9);
}

TEST(ParseHyperfineTest, TellsSeveralCommandsApartByTheirNames) {
  const auto output = ParseHyperfine(HarnessData("hyperfine_two.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output),
            (std::vector<std::string>{"sleep 0.01/time", "sleep 0.01/user", "sleep 0.01/system",
                                      "sleep 0.02/time", "sleep 0.02/user", "sleep 0.02/system"}));
  EXPECT_EQ(ValuesOf(*output, "sleep 0.02/time").size(), 3U);
}

TEST(ParseHyperfineTest, SaysThatHyperfinesOwnReportIsInTheWay) {
  const auto output = ParseHyperfine(HarnessData("hyperfine_with_report.txt"));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().message, "line 1: no JSON: invalid literal");
  EXPECT_NE(output.error().hint.find("--style none --export-json /dev/stdout"), std::string::npos);
}

TEST(ParseHyperfineTest, TakesTheMemoryOfVersionsThatMeasureIt) {
  const auto output = ParseHyperfine(With(HarnessData("hyperfine_one.json"), "\"exit_codes\"",
                                          "\"memory_usage_byte\": [4096, 8192],\n\"exit_codes\""));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "memory_usage"), (std::vector<double>{4096, 8192}));
  EXPECT_EQ(InfoOf(*output, "memory_usage"), (MetricInfo{"memory_usage", "B", Better::kLower, 1}));
}

TEST(ParseHyperfineTest, SaysWhatItExpectedInWhichLine) {
  const std::string one = "{\"results\": [\n{\"command\": \"a\", \"user\": 0.1,\n\"system\": 0.0, ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\"results\": []}", "no value: expected at least one command"},
      {one + "\"times\": []}]}", "line 2: 'a' has no time"},
      {one + "\"times\": 3}]}", "line 3: 'times' is no list"},
      {one + "\"exit_codes\": [0]}]}", "line 2: expected the list 'times', there is none"},
      {one + "\"times\": [0.1,\nnull]}]}", "line 4: a value of 'times' is null, expected a number"},
      {"{\"results\": [{\"command\": \"a\", \"times\": [1]}]}",
       "line 1: expected the number 'user', there is none"},
      {one + "\"times\": [1]}, {\"command\": \"a\"}]}", "line 3: 'a' twice"},
      {one + "\"times\": [1]}, {\"command\": 3}]}",
       "line 3: 'command' is a number, expected a text"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(HyperfineError(text), message) << text;
}

}  // namespace
}  // namespace benchd
