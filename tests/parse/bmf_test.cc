#include "core/parse/bmf.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/parse/harness_data.h"

namespace benchd {
namespace {

std::string BmfError(const std::string& text) { return HarnessError("bmf", text); }

// The numbers are the file's.
TEST(ParseBmfTest, TakesTheValueOfEachMeasure) {
  const auto output = ParseBmf(HarnessData("bmf.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples,
            (std::vector<Sample>{{"latency", "benchmark_name", 0, 88.0 / 1e9},
                                 {"throughput", "benchmark_name", 0, 5.55},
                                 {"build-time", "/bin/sh -c ./my_build_script.sh", 0, 87},
                                 {"file-size", "my_binary", 0, 42}}));
  EXPECT_EQ(output->metrics,
            (std::vector<MetricInfo>{
                {"benchmark_name/latency", "s", Better::kLower, 0.1 / 1e9},
                {"benchmark_name/throughput", "1/s", Better::kHigher, 0.01},
                {"/bin/sh -c ./my_build_script.sh/build-time", "", std::nullopt, 0.1},
                {"my_binary/file-size", "", std::nullopt, 0.1}}));
}

TEST(ParseBmfTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{}", "no value: expected at least one benchmark with a measure"},
      {"{\"a\": {}}", "no value: expected at least one benchmark with a measure"},
      {"[]", "line 1: expected an object, found a list"},
      {"3", "line 1: expected an object, found a number"},
      {"{\"a\":\n3}", "line 2: expected an object of measures for 'a'"},
      {"{\"a\":\n{\"m\": 3}}", "line 2: expected the number 'value', there is none"},
      {"{\"a\":\n{\"m\": {\"value\":\n\"fast\"}}}", "line 3: 'value' is 'fast', expected a number"},
      {"{\"a\": {\"m\": {\"value\": 1}},\n\"a\": {}}", "line 2: 'a' twice"},
      {"{\"a\": {\"m\": {\"value\": 1},\n\"m\": {\"value\": 2}}}",
       "line 2: 'm' twice in one object"},
      {"{\"a\": {\"\": {\"value\": 1}}}", "line 1: a value without a name"},
      {"{\"a\": {\"m\": {\"value\": 1}}} x",
       "line 1: no JSON: invalid literal; expected end of input"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(BmfError(text), message) << text;
}

}  // namespace
}  // namespace benchd
