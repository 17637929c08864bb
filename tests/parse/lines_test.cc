#include "core/parse/lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/seed.h"

namespace benchd {
namespace {

std::string LinesError(const std::string& text) {
  const auto output = ParseLines(text);
  if (output) return "no error";
  EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(output.error().hint.empty()) << output.error().message;
  return output.error().message;
}

TEST(ParseLinesTest, ReadsNameValueAndUnit) {
  const auto output = ParseLines("latency 12.50 ms\n# a remark\n\n  ops\t1000\r\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"latency", "", 0, 12.5}, {"ops", "", 0, 1000}}));
  EXPECT_EQ(output->metrics, (std::vector<MetricInfo>{{"latency", "ms", std::nullopt, 0.01},
                                                      {"ops", "", std::nullopt, 1}}));
}

TEST(ParseLinesTest, ReadsTheLastLineWithoutItsNewline) {
  const auto output = ParseLines("ops 1");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples.size(), 1U);
}

TEST(ParseLinesTest, CountsNumberedValuesInOrderOfAppearance) {
  const auto output = ParseLines("7 ops 10\n9 ops 11\n7 lag 1\n1 1 t 0.1\n1 2 t 0.2\n2 1 t 0.3\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"ops", "", 0, 10},
                                                  {"ops", "", 1, 11},
                                                  {"lag", "", 0, 1},
                                                  {"t", "", 0, 0.1},
                                                  {"t", "", 1, 0.2},
                                                  {"t", "", 2, 0.3}}));
  EXPECT_EQ(output->metrics.size(), 3U);
}

TEST(ParseLinesTest, TakesTheSmallestResolutionOfTheRun) {
  const auto output = ParseLines("1 t 12\n2 t 12.250\n3 t 3.5\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->metrics[0].resolution, 0.001);
}

TEST(ParseLinesTest, LetsDirectivesHoldForTheLinesAfterThem) {
  const auto output = ParseLines(
      "a 1\n#! prefer=lower unit=s\nb 2\nc 3 B\n  #!prefer=higher\nd 4\n#! unit=1\ne 5\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->metrics, (std::vector<MetricInfo>{{"a", "", std::nullopt, 1},
                                                      {"b", "s", Better::kLower, 1},
                                                      {"c", "B", Better::kLower, 1},
                                                      {"d", "s", Better::kHigher, 1},
                                                      {"e", "1", Better::kHigher, 1}}));
}

TEST(ParseLinesTest, TakesNamesThatMerelyLookOdd) {
  for (const std::string name :
       {"BM_X/threads:2", "2mm", "größe", "a=b", "-x", "0x10", "1e", "nan", "a,b", "\"q\""}) {
    const auto output = ParseLines(name + " 5");
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->samples[0].metric, name);
  }
}

TEST(ParseLinesTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "no value: expected at least one line NAME VALUE [UNIT]"},
      {"# only\n\n \t\n#! unit=s\n", "no value: expected at least one line NAME VALUE [UNIT]"},
      {"ops", "line 1: 'ops' has no value"},
      {"a 1\n\n7 ops\n", "line 3: 'ops' has no value"},
      {"12.5", "line 1: expected a name, found the number '12.5'"},
      {"12", "line 1: expected a name after '12'"},
      {"1 2", "line 1: expected a name after '2'"},
      {"1 2 3", "line 1: expected a name, found the number '3'"},
      {"1 2.5 ops 3", "line 1: expected a name, found the number '2.5'"},
      {"-1 ops 3", "line 1: expected a name, found the number '-1'"},
      {"99999999999 ops 3", "line 1: the iteration number '99999999999' is too large"},
      {"1 4294967296 ops 3", "line 1: the sample number '4294967296' is too large"},
      {"ops ten", "line 1: expected the value of 'ops': 'ten' is not a number"},
      {"ops 12ms", "line 1: expected the value of 'ops': '12ms' is not a number"},
      {"ops 0x10", "line 1: expected the value of 'ops': '0x10' is not a number"},
      {"ops NaN", "line 1: expected the value of 'ops': 'NaN' is not a finite number"},
      {"ops -inf s", "line 1: expected the value of 'ops': '-inf' is not a finite number"},
      {"ops 1e999", "line 1: expected the value of 'ops': '1e999' does not fit a double"},
      {"ops 1 s more", "line 1: expected the end of the line after the unit, found 'more'"},
      {"ops 1\nops 2\n", "line 2: 'ops' twice without an iteration number (line 1)"},
      {"1 ops 1\nops 2\n", "line 2: 'ops' twice without an iteration number (line 1)"},
      {"ops 1\n1 ops 2\n", "line 2: 'ops' twice without an iteration number (line 1)"},
      {"1 ops 1\n2 ops 1\n1 ops 2\n",
       "line 3: 'ops' twice with the same iteration number (line 1)"},
      {"1 5 ops 1\n1 5 ops 2\n", "line 2: 'ops' twice with the same iteration number (line 1)"},
      {"1 ops 1 s\n2 ops 1 ms\n", "line 2: 'ops' has the unit 'ms', before 's' (line 1)"},
      {"1 ops 1\n#! prefer=lower\n2 ops 1\n",
       "line 3: 'ops' has another direction than before (line 1)"},
      {"wall_time 1 s", "line 1: 'wall_time' is a metric that benchd measures itself"},
      {"#! prefer=best", "line 1: expected lower or higher after prefer=, found 'best'"},
      {"#! unit=", "line 1: expected a unit after unit="},
      {"#!", "line 1: expected prefer= or unit= after #!"},
      {"#!/bin/sh", "line 1: expected prefer= or unit= after #!, found '/bin/sh'"},
      {"a 1\n\xC3(", "line 2: not valid UTF-8 at byte 1"},
      {"# \xFF\na 1", "line 1: not valid UTF-8 at byte 3"},
      {"o\x1b[1mps 1", "line 1: a control character in 'o\\x1b[1mps 1'"},
      {std::string("a\0b 1", 5), "line 1: a control character in 'a\\x00b 1'"},
      {std::string(257, 'n') + " 1",
       "line 1: the name '" + std::string(60, 'n') + "...' has 257 bytes, 256 are possible"},
      {"a 1 " + std::string(257, 'u'),
       "line 1: the unit '" + std::string(60, 'u') + "...' has 257 bytes, 256 are possible"},
      {"a 1\n#" + std::string(65536, 'x'), "line 2: 65537 bytes, 65536 are possible"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(LinesError(text), message) << text.substr(0, 80);
}

TEST(ParseLinesTest, TakesALineOf64KiB) {
  EXPECT_TRUE(ParseLines("#" + std::string(65535, 'x') + "\na 1"));
}

TEST(ParseLinesTest, RefusesMoreValuesThanARunCanSensiblyHave) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + " t 1\n";
  const auto full = ParseLines(text);
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->samples.size(), 100'000U);
  EXPECT_EQ(LinesError(text + "100000 t 1\n"), "line 100001: more than 100000 values in one run");
}

TEST(ParseLinesTest, SurvivesMutatedTexts) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string origin = "#! prefer=lower unit=s\n1 1 lat 12.50 ms\n1 2 lat 3e-9 ms\nops 5\n";
  const std::string pieces = "0123456789.eE+-# !=\n\r\t\xC3\xA9\xFF\x1b" + std::string(1, '\0');
  int parsed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = origin;
    for (auto left = 1 + random() % 6; left > 0; --left) {
      const std::size_t at = random() % (text.size() + 1);
      const char piece = pieces[random() % pieces.size()];
      switch (random() % 4) {
        case 0:
          text.insert(at, 1, piece);
          break;
        case 1:
          text.erase(at, 1 + random() % 4);
          break;
        case 2:
          text.insert(at, text.substr(random() % (text.size() + 1), random() % 20));
          break;
        default:
          if (at < text.size()) text[at] = piece;
      }
    }
    const auto output = ParseLines(text);
    if (!output) {
      EXPECT_FALSE(output.error().message.empty());
      EXPECT_EQ(output.error().message.find('\n'), std::string::npos);
      continue;
    }
    ++parsed;
    EXPECT_FALSE(output->samples.empty());
    for (const Sample& sample : output->samples) EXPECT_TRUE(std::isfinite(sample.value));
    for (const MetricInfo& metric : output->metrics) EXPECT_GE(metric.resolution, 0);
  }
  EXPECT_GT(parsed, 0);
}

}  // namespace
}  // namespace benchd
