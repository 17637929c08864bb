#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the files, divided by the milliseconds or nanoseconds in a
// second.

namespace benchd {
namespace {

constexpr double kMs = 1e3;
constexpr double kNs = 1e9;

double OnlyValueOf(const HarnessOutput& output, const std::string& key) {
  const auto values = ValuesOf(output, key);
  EXPECT_EQ(values.size(), 1U) << key;
  return values.empty() ? 0 : values[0];
}

TEST(ParseVitestTest, TakesTheMeanOfEachBenchmarkInItsGroup) {
  const auto output = ParseVitest(HarnessData("vitest.json"));
  ASSERT_TRUE(output) << output.error().message;
  const std::string join = "vt/s.bench.js > strings > join/";
  EXPECT_EQ(OnlyValueOf(*output, join + "time"), 0.0048487793067574616 / kMs);
  EXPECT_EQ(OnlyValueOf(*output, join + "p75"), 0.0038759999999911088 / kMs);
  EXPECT_EQ(OnlyValueOf(*output, join + "p99"), 0.004546000000004824 / kMs);
  EXPECT_EQ(OnlyValueOf(*output, join + "p999"), 0.04307399999993322 / kMs);
  EXPECT_EQ(OnlyValueOf(*output, join + "throughput"), 206237.47478181944);
  EXPECT_EQ(OnlyValueOf(*output, "vt/s.bench.js > strings > concat/time"),
            0.001117882936340627 / kMs);
  EXPECT_EQ(InfoOf(*output, join + "time")->better, Better::kLower);
  EXPECT_FALSE(InfoOf(*output, join + "time")->by_name_only);
  EXPECT_EQ(InfoOf(*output, join + "throughput")->better, Better::kHigher);
  EXPECT_TRUE(InfoOf(*output, join + "throughput")->by_name_only);
  EXPECT_TRUE(InfoOf(*output, join + "p99")->by_name_only);
  EXPECT_TRUE(output->means_alone);
}

TEST(ParseVitestTest, TakesTheSamplesWhereTheFileHasThem) {
  const auto output =
      ParseVitest(With(HarnessData("vitest.json"), "\"samples\": []", "\"samples\": [5, 7.5]"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "vt/s.bench.js > strings > join/time"),
            (std::vector<double>{5 / kMs, 7.5 / kMs}));
}

TEST(ParseVitestTest, NamesTheBenchmarkThatFailed) {
  const Error error = HarnessError("vitest", HarnessData("vitest_failed.json"));
  EXPECT_EQ(error.message, "line 34: 'live.bench.js > live > steady' has no samples: it failed");
}

TEST(ParseVitestTest, SaysWhatItExpectedInWhichLine) {
  const auto file = [](const std::string& benchmarks) {
    return "{\"files\": [{\"groups\": [{\"fullName\": \"g\", \"benchmarks\": [\n" + benchmarks +
           "]}]}]}";
  };
  const std::string fine = R"({"name": "a", "mean": 1})";
  const std::vector<std::string> cases{
      "",
      "{}",
      "{\"files\": []}",
      "{\"files\": [{\"filepath\": \"x\"}]}",
      "{\"files\": [{\"groups\": [\n{\"fullName\": \"g\"}]}]}",
      "{\"files\": [{\"groups\": [\n{\"benchmarks\": []}]}]}",
      file(""),
      file(fine + ",\n" + fine),
      file(R"({"name": "a"})"),
      file(R"({"name": "a", "mean": null})"),
      file(R"({"name": "a", "mean": 0, "sampleCount": 0})"),
      file(R"({"name": "a", "mean": 1, "samples": [1, "x"]})"),
      file(R"({"name": "a", "mean": 1, "p99": "x"})"),
  };
  for (const std::string& text : cases) {
    EXPECT_WORDING(RefusalOf(text, HarnessError("vitest", text)));
  }
}

TEST(ParseTinybenchTest, TakesTheLatencyOfEachTask) {
  const auto output = ParseTinybench(HarnessData("tinybench.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(OnlyValueOf(*output, "join/time"), 0.009254278762232459 / kMs);
  EXPECT_EQ(OnlyValueOf(*output, "join/p50"), 0.003945999999984906 / kMs);
  EXPECT_EQ(OnlyValueOf(*output, "join/p99"), 0.005838579999981448 / kMs);
  EXPECT_EQ(OnlyValueOf(*output, "join/throughput"), 248209.03430079992);
  EXPECT_EQ(OnlyValueOf(*output, "concat \"q\"/time"), 0.002684022446777559 / kMs);
  EXPECT_TRUE(output->means_alone);
}

TEST(ParseTinybenchTest, ReadsTheListOfTasksAndOldVersions) {
  const auto list = ParseTinybench(
      R"([{"name": "a", "result": {"mean": 2, "hz": 500, "p99": 3, "samples": [1, 3]}}])");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->samples, (std::vector<Sample>{{"time", "a", 0, 1 / kMs},
                                                {"time", "a", 1, 3 / kMs},
                                                {"p99", "a", 0, 3 / kMs},
                                                {"throughput", "a", 0, 500}}));
  EXPECT_FALSE(list->means_alone);
}

TEST(ParseTinybenchTest, SaysWhatItExpectedInWhichLine) {
  const auto tasks = [](const std::string& list) { return "{\"tasks\": [\n" + list + "]}"; };
  const std::string fine = R"({"name": "a", "result": {"mean": 1}})";
  const std::vector<std::string> cases{
      "",
      "{}",
      "[]",
      tasks(fine + ",\n" + fine),
      tasks(R"({"name": "a"})"),
      tasks(R"({"result": {"mean": 1}})"),
      tasks(R"({"name": "a", "result": {"state": "errored", "error": {}}})"),
      tasks(R"({"name": "a", "result": {"state": "aborted"}})"),
      tasks(R"({"name": "a", "result": {"state": "completed", "latency": {}}})"),
      tasks(R"({"name": "a", "result": {"latency": {"mean": "x"}}})"),
  };
  for (const std::string& text : cases) {
    EXPECT_WORDING(RefusalOf(text, HarnessError("tinybench", text)));
  }
}

TEST(ParseMitataTest, TakesTheAverageOfEachRun) {
  const auto output = ParseMitata(HarnessData("mitata.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(OnlyValueOf(*output, "join/time"), 7926.480726453993 / kNs);
  EXPECT_EQ(OnlyValueOf(*output, "join/p50"), 7724.735595703125 / kNs);
  EXPECT_EQ(OnlyValueOf(*output, "join/p99"), 9527.009765625116 / kNs);
  EXPECT_EQ(OnlyValueOf(*output, "join/heap"), 1701.4408735795455);
  EXPECT_EQ(OnlyValueOf(*output, "concat 10/time"), 103.46982512019231 / kNs);
  EXPECT_EQ(OnlyValueOf(*output, "concat 100/time"), 944.014101895419 / kNs);
  EXPECT_EQ(InfoOf(*output, "join/heap")->unit, "B");
  EXPECT_TRUE(InfoOf(*output, "join/heap")->by_name_only);
  EXPECT_TRUE(output->means_alone);
}

TEST(ParseMitataTest, SaysWhatItExpectedInWhichLine) {
  const auto runs = [](const std::string& list) {
    return "{\"benchmarks\": [{\"alias\": \"a\", \"runs\": [\n" + list + "]}]}";
  };
  const std::string fine = R"({"name": "a", "stats": {"avg": 1}})";
  const std::vector<std::string> cases{
      "",
      "{\"benchmarks\": []}",
      "{\"benchmarks\": [{\"alias\": \"a\"}]}",
      runs(fine + ",\n" + fine),
      runs(R"({"name": "a", "error": {"message": "no"}})"),
      runs(R"({"name": "a", "error": null})"),
      runs(R"({"name": "a", "stats": {"p50": 1}})"),
      runs(R"({"name": "a", "stats": {"avg": 1, "heap": {"avg": "x"}}})"),
  };
  for (const std::string& text : cases) {
    EXPECT_WORDING(RefusalOf(text, HarnessError("mitata", text)));
  }
}

}  // namespace
}  // namespace benchd
