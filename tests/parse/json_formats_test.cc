#include <gtest/gtest.h>

#include <utility>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"

// Expected numbers are taken from the files, divided by the nanoseconds or microseconds in a second
// where needed.

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
                                     {"BM_X/items_per_second", "1/s", Better::kHigher, 1e9, true},
                                     {"BM_X/bytes_per_second", "B/s", Better::kHigher, 0.1, true},
                                     {"BM_X/elements", "", std::nullopt, 1}}));
}

TEST(ParseGoogleBenchmarkTest, NamesTheBenchmarkThatFailed) {
  EXPECT_EQ(GoogleError(HarnessData("google_benchmark_failed.json")),
            "line 53: 'BM_Fails' failed: no such file: corpus.txt");
}

TEST(ParseGoogleBenchmarkTest, RefusesNothingButAggregates) {
  EXPECT_EQ(GoogleError(HarnessData("google_benchmark_aggregates.json")),
            "line 39: only aggregates: expected the repetitions");
}

TEST(ParseGoogleBenchmarkTest, NamesTheLineWhereTheOutputWasCutOff) {
  const std::string whole = HarnessData("google_benchmark_repetitions.json");
  EXPECT_EQ(GoogleError(whole.substr(0, whole.find("\"cpu_time\""))),
            "line 50: not valid JSON: unexpected end of input; expected string literal");
}

TEST(ParseGoogleBenchmarkTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "the output is empty: expected JSON"},
      {" \n\n", "the output is empty: expected JSON"},
      {"{}", "missing array 'benchmarks'"},
      {"[]", "line 1: expected an object, found an array"},
      {"{\"benchmarks\": []}", "no value: expected at least one benchmark"},
      {"{\"benchmarks\":\n3}", "line 2: 'benchmarks' is a number, expected an array"},
      {"{\"benchmarks\": [],\n\"benchmarks\": []}", "line 2: 'benchmarks' occurs twice"},
      {"{\"benchmarks\": [\n7]}", "line 2: missing string 'name'"},
      {Entry(R"("real_time": 1, "time_unit": "ns")"), "line 2: missing number 'cpu_time'"},
      {Entry(R"("real_time": "fast", "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'real_time' is 'fast', expected a number"},
      {Entry(R"("real_time": null, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'real_time' is null, expected a number"},
      {Entry(R"("real_time": NaN, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'real_time' of 'BM_X': 'NaN' is not a finite number"},
      {Entry(kTimes + R"(, "hits": nan)"),
       "line 3: 'hits' of 'BM_X': 'nan' is not a finite number"},
      {Entry(R"("real_time": -Infinity, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: 'real_time' of 'BM_X': 'Infinity' is not a finite number"},
      {Entry(R"("real_time": 1e999, "cpu_time": 1, "time_unit": "ns")"),
       "line 3: a number does not fit a double"},
      {Entry(R"("real_time": 1, "cpu_time": 1)"), "line 2: missing string 'time_unit'"},
      {Entry(R"("real_time": 1, "cpu_time": 1,
               "time_unit": "days")"),
       "line 4: time_unit is 'days', expected ns, us, ms or s"},
      {Entry(kTimes + R"(, "real_time": 3)"), "line 3: 'real_time' occurs twice in one object"},
      {Entry(kTimes + R"(, "items_per_second": "many")"),
       "line 3: 'items_per_second' is 'many', expected a number"},
      {Entry("\"repetition_index\": 0, " + kTimes + "}, {\"name\": \"BM_X\", " +
             "\"repetition_index\": 0, " + kTimes),
       "line 3: 'BM_X' occurs twice with the same repetition_index"},
      {Entry(kTimes + ", \"a\\u0007b\": 1"),
       "line 2: the name 'a\\x07b' contains a control character"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(GoogleError(text), message) << text;
}

// 1.4 and older: no run_type, no repetition_index; google/benchmark v1.4.1, src/json_reporter.cc.
TEST(ParseGoogleBenchmarkTest, ReadsTheRepetitionsOfOldVersions) {
  const std::string entry = "{\"name\": \"BM_X\", " + kTimes + "},\n";
  const std::string more =
      "{\"name\": \"BM_X_mean\", " + kTimes + "}, {\"name\": \"BM_X_stddev\", " + kTimes +
      "}, {\"name\": \"BM_X_BigO\", \"cpu_coefficient\": 1, \"big_o\": \"N\", " +
      "\"time_unit\": \"ns\"}, {\"name\": \"BM_X_RMS\", \"rms\": 0.5}, {\"name\": \"BM_mean\", " +
      kTimes + "}";
  const auto output =
      ParseGoogleBenchmark("{\"benchmarks\": [" + entry + entry + entry + more + "]}");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"BM_X/real_time", "BM_X/cpu_time",
                                                       "BM_mean/real_time", "BM_mean/cpu_time"}));
  EXPECT_EQ(ValuesOf(*output, "BM_X/real_time").size(), 3U);
}

TEST(ParseGoogleBenchmarkTest, KnowsWhatItsMemoryManagerCounts) {
  const auto output =
      ParseGoogleBenchmark(Entry(kTimes + R"(, "allocs_per_iter": 3, "max_bytes_used": 4096)"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(InfoOf(*output, "BM_X/allocs_per_iter"),
            (MetricInfo{"BM_X/allocs_per_iter", "1", Better::kLower, 1}));
  EXPECT_EQ(InfoOf(*output, "BM_X/max_bytes_used"),
            (MetricInfo{"BM_X/max_bytes_used", "B", Better::kLower, 1}));
}

TEST(ParseGoogleBenchmarkTest, LeavesOutWhatABenchmarkSkippedItself) {
  const auto output = ParseGoogleBenchmark(
      Entry(kTimes + "}, {\"name\": \"BM_Y\", \"skipped\": true, \"skip_message\": \"no AVX\""));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"BM_X/real_time", "BM_X/cpu_time"}));
}

std::string PytestError(const std::string& text) { return HarnessError("pytest-benchmark", text); }

TEST(ParsePytestBenchmarkTest, TakesEveryRoundOfEachTest) {
  const auto output = ParsePytestBenchmark(HarnessData("pytest_benchmark.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"bench_words.py::test_sort[100]/time",
                                                       "bench_words.py::test_sort[1000]/time",
                                                       "bench_words.py::test_join/time"}));
  const auto rounds = ValuesOf(*output, "bench_words.py::test_sort[100]/time");
  ASSERT_EQ(rounds.size(), 8U);  // pedantic(rounds=8)
  EXPECT_EQ(rounds[0], 3.110599936917424e-06);
  EXPECT_EQ(rounds[7], 1.4881996321491898e-06);
  const auto info = InfoOf(*output, "bench_words.py::test_join/time");
  EXPECT_EQ(info->unit, "s");
  EXPECT_EQ(info->better, Better::kLower);
}

TEST(ParsePytestBenchmarkTest, TakesTheMeanWhereTheFileHasNoRounds) {
  const auto output = ParsePytestBenchmark(HarnessData("pytest_benchmark_saved.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples.size(), 3U);
  EXPECT_EQ(ValuesOf(*output, "bench_words.py::test_join/time").size(), 1U);
}

TEST(ParsePytestBenchmarkTest, SaysWhatItExpectedInWhichLine) {
  const std::string test = "{\"benchmarks\": [\n{\"fullname\": \"a.py::b\",\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\"benchmarks\": []}", "no value: expected at least one benchmark"},
      {"===== 3 passed =====", "line 1: not valid JSON: invalid literal"},
      {test + "\"stats\": 3}]}", "line 2: expected the object 'stats' of 'a.py::b'"},
      {test + "\"name\": \"b\"}]}", "line 2: expected the object 'stats' of 'a.py::b'"},
      {test + "\"stats\": {}}]}", "line 3: missing number 'mean'"},
      {test + "\"stats\": {\"data\": [1.5,\n\"x\"]}}]}",
       "line 4: a round of 'a.py::b' is 'x', expected a number"},
      {test + "\"stats\": {\"data\": [1.5,\nNaN]}}]}",
       "line 4: 'data' of 'a.py::b': 'NaN' is not a finite number"},
      {test + "\"stats\": {\"mean\": 1}}, {\"fullname\": \"a.py::b\"}]}",
       "line 3: 'a.py::b' occurs twice"},
      {"{\"benchmarks\": [{\"name\": \"b\"}]}", "line 1: missing string 'fullname'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(PytestError(text), message) << text;
}

std::string BmfError(const std::string& text) { return HarnessError("bmf", text); }

// The numbers are those of the file.
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
                {"/bin/sh -c ./my_build_script.sh/build-time", "s", Better::kLower, 0.1},
                {"my_binary/file-size", "B", Better::kLower, 0.1}}));
}

TEST(ParseBmfTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{}", "no value: expected at least one benchmark with a measure"},
      {"{\"a\": {}}", "no value: expected at least one benchmark with a measure"},
      {"[]", "line 1: expected an object, found an array"},
      {"3", "line 1: expected an object, found a number"},
      {"{\"a\":\n3}", "line 2: expected an object of measures for 'a'"},
      {"{\"a\":\n{\"m\": 3}}", "line 2: missing number 'value'"},
      {"{\"a\":\n{\"m\": {\"value\":\n\"fast\"}}}", "line 3: 'value' is 'fast', expected a number"},
      {"{\"a\": {\"m\": {\"value\": 1}},\n\"a\": {}}", "line 2: 'a' occurs twice"},
      {"{\"a\": {\"m\": {\"value\": 1},\n\"m\": {\"value\": 2}}}",
       "line 2: 'm' occurs twice in one object"},
      {"{\"a\": {\"\": {\"value\": 1}}}", "line 1: a value without a name"},
      {"{\"a\": {\"m\": {\"value\": 1}}} x",
       "line 1: not valid JSON: invalid literal; expected end of input"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(BmfError(text), message) << text;
}

}  // namespace
}  // namespace benchd
