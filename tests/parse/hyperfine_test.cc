#include <gtest/gtest.h>

#include <vector>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the files.

namespace benchd {
namespace {

Error HyperfineError(const std::string& text) { return HarnessError("hyperfine", text); }

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
  EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(output.error().hint.find("--style none --export-json /dev/stdout"), std::string::npos);
  EXPECT_WORDING(output.error());
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
  const std::vector<std::string> cases{
      "{\"results\": []}",
      one + "\"times\": []}]}",
      one + "\"times\": 3}]}",
      one + "\"exit_codes\": [0]}]}",
      one + "\"times\": [0.1,\nnull]}]}",
      "{\"results\": [{\"command\": \"a\", \"times\": [1]}]}",
      one + "\"times\": [1]}, {\"command\": \"a\"}]}",
      one + "\"times\": [1]}, {\"command\": 3}]}",
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, HyperfineError(text)));
}

// The numbers are those of the file: three commands with 20 runs each, from hyperfine 2.0.0.
TEST(ParseHyperfineTest, TakesEveryMetricOfEachRunOfSchema2) {
  const auto output = ParseHyperfine(HarnessData("hyperfine_2.json"));
  ASSERT_TRUE(output) << output.error().message;
  std::vector<std::string> keys;
  for (const std::string command : {"sleep 0.01", "sleep 0.012", "sleep 0.03"}) {
    for (const std::string metric : {"time", "cpu", "user", "system", "memory_usage"}) {
      keys.push_back(command + "/" + metric);
      EXPECT_EQ(ValuesOf(*output, keys.back()).size(), 20U) << keys.back();
    }
  }
  EXPECT_EQ(KeysOf(*output), keys);
  EXPECT_EQ(ValuesOf(*output, "sleep 0.01/time")[0], 0.011084153000000001);
  EXPECT_EQ(ValuesOf(*output, "sleep 0.01/cpu")[1], 0.00089);
  EXPECT_EQ(ValuesOf(*output, "sleep 0.01/user")[2], 0.0);
  EXPECT_EQ(ValuesOf(*output, "sleep 0.01/system")[2], 0.000922);
  EXPECT_EQ(ValuesOf(*output, "sleep 0.01/memory_usage")[0], 3784704);
  EXPECT_TRUE(output->exits.empty());
}

// Files of 2.0 and 1.15 must be comparable, with the same names and units.
TEST(ParseHyperfineTest, BothSchemasCallAMetricTheSame) {
  const auto old = ParseHyperfine(HarnessData("hyperfine_two.json"));
  const auto now = ParseHyperfine(HarnessData("hyperfine_2.json"));
  ASSERT_TRUE(old && now);
  for (const std::string metric : {"time", "user", "system"}) {
    auto before = InfoOf(*old, "sleep 0.01/" + metric);
    auto after = InfoOf(*now, "sleep 0.01/" + metric);
    ASSERT_TRUE(before && after) << metric;
    before->resolution = after->resolution = 0;
    EXPECT_EQ(before, after) << metric;
  }
}

std::string Schema2(const std::string& measurements) {
  return "{\"schema_version\": 2, \"results\": [{\"command\": \"x y\", \"name\": \"x\",\n"
         "\"measurements\": [" +
         measurements + "]}]}";
}

std::string Measured(const std::string& seconds, const std::string& more = "") {
  return "{\"time_wall_clock\": {\"value\": " + seconds + ", \"unit\": \"second\"}" + more + "}";
}

TEST(ParseHyperfineTest, CountersAreCostsAndWhatIsNewHasNoDirection) {
  const auto output = ParseHyperfine(
      Schema2(Measured("0.5",
                       R"(, "instructions": {"value": 1000.0}, "cache_misses": {"value": 7},
          "energy": {"value": 2.5, "unit": "joule"}, "exit_code": 0)")));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(InfoOf(*output, "time"), (MetricInfo{"time", "s", Better::kLower, 0.1}));
  // A plain "instructions" would be that of hyperfine itself, which benchd counts.
  EXPECT_EQ(InfoOf(*output, "cpu_instructions"),
            (MetricInfo{"cpu_instructions", "1", Better::kLower, 0.1, true}));
  EXPECT_EQ(InfoOf(*output, "cpu_cache_misses"),
            (MetricInfo{"cpu_cache_misses", "1", Better::kLower, 1, true}));
  EXPECT_EQ(InfoOf(*output, "energy"), (MetricInfo{"energy", "joule", std::nullopt, 0.1, true}));
}

TEST(ParseHyperfineTest, TellsWhichCommandsDidNotEndWithZero) {
  using Exits = std::vector<InnerExit>;
  const std::string one = HarnessData("hyperfine_one.json");
  const auto codes = [&one](const std::string& list) {
    const auto at = one.find("\"exit_codes\"");
    const auto end = one.find(']', at);
    const auto output =
        ParseHyperfine(one.substr(0, at) + "\"exit_codes\": [" + list + one.substr(end));
    EXPECT_TRUE(output) << output.error().message;
    return output ? output->exits : Exits{};
  };
  EXPECT_EQ(codes("0,0,0,0,0"), Exits{});
  EXPECT_EQ(codes("0,3,0,3,1"), (Exits{{"", 1, 1, 5}, {"", 3, 2, 5}}));
  EXPECT_EQ(codes("null,0,0,0,0"), (Exits{{"", std::nullopt, 1, 5}}));
  const auto second = ParseHyperfine(Schema2(Measured("1", ", \"exit_code\": 139") + "," +
                                             Measured("1", ", \"exit_code\": null")));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->exits, (Exits{{"", std::nullopt, 1, 2}, {"", 139, 1, 2}}));
}

TEST(ParseHyperfineTest, SaysWhatItExpectedOfSchema2InWhichLine) {
  const std::vector<std::string> cases{
      Schema2(""),
      Schema2("\n{\"exit_code\": 0}"),
      Schema2(Measured("\nnull")),
      Schema2(Measured("\nNaN")),
      Schema2(Measured("1", ",\n\"exit_code\": \"x\"")),
      Schema2(Measured("1", ",\n\"exit_code\": 1.5")),
      Schema2(Measured("1") + ",\n{\"time_wall_clock\": {\"value\": 1, \"unit\": \"ms\"}}"),
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, HyperfineError(text)));
  EXPECT_WORDING(HyperfineError(With(HarnessData("hyperfine_one.json"), "        0,\n", "")));
}

}  // namespace
}  // namespace benchd
