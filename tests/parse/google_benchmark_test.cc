#include "core/parse/google_benchmark.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/parse/harness_data.h"

// Expected numbers: read off the file, divided by the nanoseconds or microseconds of a second.

namespace benchd {
namespace {

std::string GoogleError(const std::string& text) { return HarnessError("google-benchmark", text); }

std::string Entry(const std::string& members) {
  return "{\"benchmarks\": [\n{\"name\": \"BM_X\", \"run_name\": \"BM_X\", \"run_type\": "
         "\"iteration\",\n" +
         members + "}]}";
}

const std::string kTimes = R"("real_time": 2.5, "cpu_time": 2.25, "time_unit": "us")";

TEST(ParseGoogleBenchmarkTest, TakesTheRepetitionsOfEachBenchmarkAndLeavesAggregatesOut) {
  const auto output = ParseGoogleBenchmark(HarnessData("google_benchmark_repetitions.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output),
            (std::vector<std::string>{
                "BM_Sum/10000/real_time", "BM_Sum/10000/cpu_time", "BM_Sum/10000/elements",
                "BM_Sum/10000/items_per_second", "BM_Fill/real_time", "BM_Fill/cpu_time",
                "BM_Complexity/100/real_time", "BM_Complexity/100/cpu_time",
                "BM_Complexity/100/elements", "BM_Complexity/100/items_per_second",
                "BM_Complexity/1000/real_time", "BM_Complexity/1000/cpu_time",
                "BM_Complexity/1000/elements", "BM_Complexity/1000/items_per_second",
                "BM_Complexity/10000/real_time", "BM_Complexity/10000/cpu_time",
                "BM_Complexity/10000/elements", "BM_Complexity/10000/items_per_second"}));
  for (const std::string& key : KeysOf(*output))
    EXPECT_EQ(ValuesOf(*output, key).size(), 3U) << key;
}

TEST(ParseGoogleBenchmarkTest, KeepsSecondsAndSaysWhichDirectionIsGood) {
  const auto output = ParseGoogleBenchmark(
      Entry(kTimes +
            R"(, "items_per_second": 1e9, "bytes_per_second": 4.0, "elements": 8, "label": "x")"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"real_time", "BM_X", 0, 2.5e-6},
                                                  {"cpu_time", "BM_X", 0, 2.25e-6},
                                                  {"items_per_second", "BM_X", 0, 1e9},
                                                  {"bytes_per_second", "BM_X", 0, 4},
                                                  {"elements", "BM_X", 0, 8}}));
  EXPECT_EQ(output->metrics,
            (std::vector<MetricInfo>{{"BM_X/real_time", "s", Better::kLower, 0.1 / 1e6},
                                     {"BM_X/cpu_time", "s", Better::kLower, 0.01 / 1e6},
                                     {"BM_X/items_per_second", "1/s", Better::kHigher, 1e9},
                                     {"BM_X/bytes_per_second", "B/s", Better::kHigher, 0.1},
                                     {"BM_X/elements", "", std::nullopt, 1}}));
}

TEST(ParseGoogleBenchmarkTest, NamesTheBenchmarkThatFailed) {
  EXPECT_EQ(GoogleError(HarnessData("google_benchmark_failed.json")),
            "line 53: 'BM_Fails' failed: no such file: corpus.txt");
}

TEST(ParseGoogleBenchmarkTest, RefusesNothingButAggregates) {
  EXPECT_EQ(GoogleError(HarnessData("google_benchmark_aggregates.json")),
            "line 39: nothing but aggregates: expected the repetitions themselves");
}

TEST(ParseGoogleBenchmarkTest, NamesTheLineWhereTheOutputWasCutOff) {
  const std::string whole = HarnessData("google_benchmark_repetitions.json");
  EXPECT_EQ(GoogleError(whole.substr(0, whole.find("\"cpu_time\""))),
            "line 50: no JSON: unexpected end of input; expected string literal");
}

TEST(ParseGoogleBenchmarkTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "the output is empty: expected JSON"},
      {" \n\n", "the output is empty: expected JSON"},
      {"{}", "expected a list 'benchmarks', there is none"},
      {"[]", "line 1: expected an object, found a list"},
      {"{\"benchmarks\": []}", "no value: expected at least one benchmark"},
      {"{\"benchmarks\":\n3}", "line 2: 'benchmarks' is a number, expected a list"},
      {"{\"benchmarks\": [],\n\"benchmarks\": []}", "line 2: 'benchmarks' twice"},
      {"{\"benchmarks\": [\n7]}", "line 2: expected the text 'name', there is none"},
      {Entry(R"("real_time": 1, "time_unit": "ns")"),
       "line 2: expected the number 'cpu_time', there is none"},
      {Entry(R"("real_time": "fast", "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'real_time' is 'fast', expected a number"},
      {Entry(R"("real_time": null, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'real_time' is null, expected a number"},
      {Entry(R"("real_time": NaN, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'NaN' is not a finite number"},
      {Entry(R"("real_time": -Infinity, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'Infinity' is not a finite number"},
      {Entry(R"("real_time": 1e999, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: a number does not fit a double"},
      {Entry(R"("real_time": 1, "cpu_time": 1)"),
       "line 2: expected the text 'time_unit', there is none"},
      {Entry(R"("real_time": 1, "cpu_time": 1,
               "time_unit": "days")"),
       "line 4: time_unit is 'days', expected ns, us, ms or s"},
      {Entry(kTimes + R"(, "real_time": 3)"), "line 3: 'real_time' twice in one object"},
      {Entry(kTimes + R"(, "items_per_second": "many")"),
       "line 3: 'items_per_second' is 'many', expected a number"},
      {Entry(kTimes + "}, {\"name\": \"BM_X\", " + kTimes),
       "line 3: 'BM_X' twice with the same repetition_index"},
      {Entry(kTimes + ", \"a\\u0007b\": 1"), "line 2: the name 'a\\x07b' has a control character"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(GoogleError(text), message) << text;
}

TEST(ParseGoogleBenchmarkTest, LeavesOutWhatABenchmarkSkippedItself) {
  const auto output = ParseGoogleBenchmark(
      Entry(kTimes + "}, {\"name\": \"BM_Y\", \"skipped\": true, \"skip_message\": \"no AVX\""));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"BM_X/real_time", "BM_X/cpu_time"}));
}

}  // namespace
}  // namespace benchd
