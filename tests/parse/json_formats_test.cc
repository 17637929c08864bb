#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the files, divided by the nanoseconds or microseconds in a second
// where needed.

namespace benchd {
namespace {

Error GoogleError(const std::string& text) { return HarnessError("google-benchmark", text); }

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
  const Error error = GoogleError(HarnessData("google_benchmark_failed.json"));
  EXPECT_NE(error.message.find("'BM_Fails'"), std::string::npos) << error.message;
  EXPECT_WORDING(error);
}

TEST(ParseGoogleBenchmarkTest, RefusesNothingButAggregates) {
  EXPECT_WORDING(GoogleError(HarnessData("google_benchmark_aggregates.json")));
}

TEST(ParseGoogleBenchmarkTest, NamesTheLineWhereTheOutputWasCutOff) {
  const std::string whole = HarnessData("google_benchmark_repetitions.json");
  const Error error = GoogleError(whole.substr(0, whole.find("\"cpu_time\"")));
  EXPECT_TRUE(error.message.starts_with("line 50: ")) << error.message;
  EXPECT_WORDING(error);
}

TEST(ParseGoogleBenchmarkTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::string> cases{
      "",
      " \n\n",
      "{}",
      "[]",
      "{\"benchmarks\": []}",
      "{\"benchmarks\":\n3}",
      "{\"benchmarks\": [],\n\"benchmarks\": []}",
      "{\"benchmarks\": [\n7]}",
      Entry(R"("real_time": 1, "time_unit": "ns")"),
      Entry(R"("real_time": "fast", "cpu_time": 1, "time_unit": "ns")"),
      Entry(R"("real_time": null, "cpu_time": 1, "time_unit": "ns")"),
      Entry(R"("real_time": NaN, "cpu_time": 1, "time_unit": "ns")"),
      Entry(kTimes + R"(, "hits": nan)"),
      Entry(R"("real_time": -Infinity, "cpu_time": 1, "time_unit": "ns")"),
      Entry(R"("real_time": 1e999, "cpu_time": 1, "time_unit": "ns")"),
      Entry(R"("real_time": 1, "cpu_time": 1)"),
      Entry(R"("real_time": 1, "cpu_time": 1,
               "time_unit": "days")"),
      Entry(kTimes + R"(, "real_time": 3)"),
      Entry(kTimes + R"(, "items_per_second": "many")"),
      Entry("\"repetition_index\": 0, " + kTimes + "}, {\"name\": \"BM_X\", " +
            "\"repetition_index\": 0, " + kTimes),
      Entry(kTimes + ", \"a\\u0007b\": 1"),
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, GoogleError(text)));
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

Error PytestError(const std::string& text) { return HarnessError("pytest-benchmark", text); }

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
  const std::vector<std::string> cases{
      "{\"benchmarks\": []}",
      "===== 3 passed =====",
      test + "\"stats\": 3}]}",
      test + "\"name\": \"b\"}]}",
      test + "\"stats\": {}}]}",
      test + "\"stats\": {\"data\": [1.5,\n\"x\"]}}]}",
      test + "\"stats\": {\"data\": [1.5,\nNaN]}}]}",
      test + "\"stats\": {\"mean\": 1}}, {\"fullname\": \"a.py::b\"}]}",
      "{\"benchmarks\": [{\"name\": \"b\"}]}",
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, PytestError(text)));
}

Error BmfError(const std::string& text) { return HarnessError("bmf", text); }

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
  const std::vector<std::string> cases{
      "{}",
      "{\"a\": {}}",
      "[]",
      "3",
      "{\"a\":\n3}",
      "{\"a\":\n{\"m\": 3}}",
      "{\"a\":\n{\"m\": {\"value\":\n\"fast\"}}}",
      "{\"a\": {\"m\": {\"value\": 1}},\n\"a\": {}}",
      "{\"a\": {\"m\": {\"value\": 1},\n\"m\": {\"value\": 2}}}",
      "{\"a\": {\"\": {\"value\": 1}}}",
      "{\"a\": {\"m\": {\"value\": 1}}} x",
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, BmfError(text)));
}

}  // namespace
}  // namespace benchd
