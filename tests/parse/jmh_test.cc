#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the files, with times in seconds and rates per second.

namespace benchd {
namespace {

Error JmhError(const std::string& text) { return HarnessError("jmh", text); }

std::string Report(const std::string& primary, const std::string& more = "") {
  return "[\n{\"benchmark\": \"a.B.c\", \"mode\": \"avgt\",\n\"primaryMetric\": {" + primary + "}" +
         more + "}]";
}

TEST(ReadJmhTest, KeepsForksAndIterationsApart) {
  const auto all = ReadJmh(HarnessData("jmh.json"));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 7U);  // three primary metrics, and four secondary ones of the first
  const JmhSeries& upper = all->front();
  EXPECT_EQ(upper.benchmark, "org.example.Words.upper:kind=ascii,size=10");
  EXPECT_EQ(upper.metric, "avgt");
  EXPECT_EQ(upper.unit, "s");
  EXPECT_EQ(upper.better, Better::kLower);
  EXPECT_TRUE(upper.primary);
  ASSERT_EQ(upper.values.size(), 2U);
  EXPECT_EQ(upper.values[0].size(), 3U);
  EXPECT_EQ(upper.values[1].size(), 3U);
  for (const auto& fork : upper.values) {
    for (const double value : fork) EXPECT_NEAR(value, 278.67e-9, 30e-9);
  }
}

TEST(ReadJmhTest, TakesTheMeanOfEachHistogramInModeSample) {
  const auto all = ReadJmh(HarnessData("jmh_sample.json"));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1U);
  // (0.5 10 + 0.75 30 + 1.25 10) / 50, (0.5 20 + 1.0 20) / 40; (0.625 8 + 0.875 24) / 32,
  // (0.5 + 1.5) / 2; all in us.
  EXPECT_EQ(all->front().values,
            (std::vector<std::vector<double>>{{0.8 / 1e6, 0.75 / 1e6}, {0.8125 / 1e6, 1 / 1e6}}));
  EXPECT_EQ(all->front().metric, "sample");
}

TEST(ParseJmhTest, GivesEachBenchmarkAndMetricItsUnitAndDirection) {
  const auto output = ParseJmh(HarnessData("jmh.json"));
  ASSERT_TRUE(output) << output.error().message;
  const std::string upper = "org.example.Words.upper:kind=ascii,size=10";
  EXPECT_EQ(
      KeysOf(*output),
      (std::vector<std::string>{
          upper + "/avgt", upper + "/gc.alloc.rate", upper + "/gc.alloc.rate.norm",
          upper + "/gc.count", upper + "/gc.time",
          "org.example.Words.upper:kind=ascii,size=1000/avgt", "org.example.Words.join/thrpt"}));
  EXPECT_EQ(ValuesOf(*output, upper + "/gc.alloc.rate.norm"),
            (std::vector<double>{56.00001, 56.00002, 56, 56, 56.00001, 56}));
  EXPECT_EQ(InfoOf(*output, upper + "/gc.alloc.rate.norm"),
            (MetricInfo{upper + "/gc.alloc.rate.norm", "B", Better::kLower, 1e-5, true}));
  EXPECT_EQ(InfoOf(*output, upper + "/gc.alloc.rate")->unit, "B/s");
  EXPECT_EQ(InfoOf(*output, upper + "/gc.alloc.rate")->better, std::nullopt);
  EXPECT_EQ(InfoOf(*output, upper + "/gc.count")->unit, "1");
  EXPECT_EQ(InfoOf(*output, upper + "/gc.time")->unit, "s");
  const auto join = InfoOf(*output, "org.example.Words.join/thrpt");
  EXPECT_EQ(join->unit, "1/s");
  EXPECT_EQ(join->better, Better::kHigher);
  for (const double rate : ValuesOf(*output, "org.example.Words.join/thrpt")) {
    EXPECT_NEAR(rate, 1234.5e3, 123e3);  // 1234.5 ops/ms
  }
}

TEST(ParseJmhTest, ReadsTheNamesOfProfilersWithoutTheirDot) {
  const auto output = ParseJmh(
      With(HarnessData("jmh.json"), "\"gc.alloc.rate.norm\"", "\"\u00B7gc.alloc.rate.norm\""));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_TRUE(
      InfoOf(*output, "org.example.Words.upper:kind=ascii,size=10/gc.alloc.rate.norm").has_value());
}

// JMH 1.38, -bm thrpt,avgt -prof gc.
TEST(ParseJmhTest, SecondaryMetricsCarryTheModeWhereThereAreSeveral) {
  const auto output = ParseJmh(HarnessData("jmh_two_modes.json"));
  ASSERT_TRUE(output) << output.error().message;
  std::vector<std::string> keys;
  for (const std::string mode : {"thrpt", "avgt"}) {
    keys.push_back("ex.B.sort:kind=a b,size=10/" + mode);
    for (const std::string name : {"gc.alloc.rate", "gc.alloc.rate.norm", "gc.count", "gc.time"}) {
      keys.push_back("ex.B.sort:kind=a b,size=10/" + mode + "/" + name);
    }
  }
  EXPECT_EQ(KeysOf(*output), keys);
}

TEST(ParseJmhTest, SecondaryMetricsGateByNameOnlyAndARateOfThemHasNoDirection) {
  const std::string rate = "{\"scoreUnit\": \"ops/s\", \"rawData\": [[5]]}";
  const auto output =
      ParseJmh(Report("\"scoreUnit\": \"ops/s\", \"rawData\": [[1]]",
                      ", \"secondaryMetrics\": {\"misses\": " + rate +
                          ", \"p0.99\": {\"scoreUnit\": \"us/op\", \"rawData\": [[7]]}}"));
  ASSERT_TRUE(output) << output.error().message;
  for (const MetricInfo& metric : output->metrics) {
    EXPECT_EQ(metric.by_name_only, !metric.name.ends_with("/avgt")) << metric.name;
  }
  EXPECT_EQ(InfoOf(*output, "a.B.c/misses"), (MetricInfo{"a.B.c/misses", "1/s", {}, 1, true}));
  EXPECT_EQ(InfoOf(*output, "a.B.c/p0.99")->better, Better::kLower);
}

TEST(ParseJmhTest, ControlCharactersOfAParameterAreWrittenAsTheirCodePoints) {
  // A parameter is any string of the benchmark's author, such as a separator to split a text by.
  const auto output =
      ParseJmh(Report("\"scoreUnit\": \"s/op\", \"rawData\": [[1]]",
                      ", \"params\": {\"by\": \"\\u00e9\\u2028\", \"or\": \"\\t\"}"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"a.B.c:by=\u00e9\\u2028,or=\\u0009/avgt"}));
}

TEST(ParseJmhTest, SaysWhatItExpectedInWhichLine) {
  const std::string unit = "\"scoreUnit\": \"s/op\", ";
  const std::vector<std::string> cases{
      "{}",
      "[]",
      "[\n3]",
      "[{\"benchmark\": \"a\"}]",
      "[{\"benchmark\": \"a\",\n\"mode\": \"ss\"}]",
      Report("\"rawData\": [[1]]"),
      Report(unit + "\"score\": 1"),
      Report(unit + "\"rawData\": []"),
      Report(unit + "\"rawData\": [[],[]]"),
      Report(unit + "\"rawData\": [1]"),
      Report(unit + "\"rawData\": [[1,\n\"NaN\"]]"),
      Report(unit + "\"rawData\": [[1,\n\"+INF\"]]"),
      Report(unit + "\"rawDataHistogram\": [[[]]]"),
      Report(unit + "\"rawDataHistogram\": [[[[1]]]]"),
      Report(unit + "\"rawDataHistogram\": [[[[1, -2]]]]"),
      Report(unit + "\"rawData\": [[1]]",
             ", \"secondaryMetrics\": {\"avgt\": {" + unit + "\"rawData\": [[1]]}}"),
      Report(unit + "\"rawData\": [[1]]", ", \"params\": {\"n\": 3}"),
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, JmhError(text)));
}

}  // namespace
}  // namespace benchd
