#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "core/parse/harness_table.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are the nanoseconds of the file, divided by the operations of the iteration.

namespace benchd {
namespace {

std::string DotNetReport(const std::string& benchmarks) {
  return "{\"Benchmarks\": [\n" + benchmarks + "]}";
}

TEST(ParseBenchmarkDotNetTest, TakesTheResultsOfEveryLaunch) {
  const auto output = ParseBenchmarkDotNet(HarnessData("benchmarkdotnet.json"));
  ASSERT_TRUE(output) << output.error().message;
  const auto sort = ValuesOf(*output, "Words.Benchmarks.Sort(N: 10)/time");
  ASSERT_EQ(sort.size(), 4U);
  EXPECT_DOUBLE_EQ(sort[0], 50.5e-9);
  EXPECT_DOUBLE_EQ(sort[1], 51e-9);
  EXPECT_DOUBLE_EQ(sort[2], 49.5e-9);
  EXPECT_DOUBLE_EQ(sort[3], 50e-9);
  EXPECT_EQ(ValuesOf(*output, "Words.Benchmarks.Sort(N: 10)/allocated"), (std::vector<double>{64}));
  // Without results, of strategy ColdStart in some versions.
  EXPECT_EQ(ValuesOf(*output, "Words.Benchmarks.Cold/time"), (std::vector<double>{0.002}));
  EXPECT_EQ(InfoOf(*output, "Words.Benchmarks.Sort(N: 10)/time")->better, Better::kLower);
  EXPECT_EQ(InfoOf(*output, "Words.Benchmarks.Sort(N: 10)/allocated"),
            (MetricInfo{"Words.Benchmarks.Sort(N: 10)/allocated", "B", Better::kLower, 1}));
  EXPECT_FALSE(output->means_alone);
}

TEST(ParseBenchmarkDotNetTest, ALaunchIsAProcess) {
  const std::string text = HarnessData("benchmarkdotnet.json");
  const std::vector<HarnessFile> files{{"a", "old", text}, {"b", "new", text}};
  const auto table = ReadHarnessTable("benchmarkdotnet", files);
  ASSERT_TRUE(table) << table.error().message;
  // Two launches of Sort and one of Cold, for each arm.
  ASSERT_EQ(table->rows(), 6U);
  EXPECT_DOUBLE_EQ(table->values[0][0], 50.75e-9);
  EXPECT_DOUBLE_EQ(table->values[0][1], 49.75e-9);
}

TEST(ParseBenchmarkDotNetTest, TakesTheValuesOfABriefReport) {
  const auto values = ParseBenchmarkDotNet(
      DotNetReport(R"({"FullName": "A", "Statistics": {"OriginalValues": [5, 7], "Mean": 6}})"));
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(ValuesOf(*values, "A/time"), (std::vector<double>{5 / 1e9, 7 / 1e9}));
  EXPECT_FALSE(values->means_alone);
  const auto mean =
      ParseBenchmarkDotNet(DotNetReport(R"({"FullName": "A", "Statistics": {"Mean": 6}})"));
  ASSERT_TRUE(mean) << mean.error().message;
  EXPECT_EQ(ValuesOf(*mean, "A/time"), (std::vector<double>{6 / 1e9}));
  EXPECT_TRUE(mean->means_alone);
}

TEST(ParseBenchmarkDotNetTest, NamesTheJobOfABenchmarkThatRanInSeveral) {
  const auto output = ParseBenchmarkDotNet(DotNetReport(
      R"({"FullName": "A", "DisplayInfo": "A: .NET 6.0", "Statistics": {"Mean": 6}},)"
      R"({"FullName": "B", "DisplayInfo": "B: .NET 6.0", "Statistics": {"Mean": 6}},)"
      R"({"FullName": "A", "DisplayInfo": "A: .NET 8.0", "Statistics": {"Mean": 5}})"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output),
            (std::vector<std::string>{"A: .NET 6.0/time", "B/time", "A: .NET 8.0/time"}));
}

TEST(ParseBenchmarkDotNetTest, SaysWhatItExpectedInWhichLine) {
  const std::string fine = R"({"FullName": "A", "Statistics": {"Mean": 6}})";
  const auto iteration = [](const std::string& members) {
    return DotNetReport(R"({"FullName": "A", "Statistics": {}, "Measurements": [{"IterationMode": )"
                        R"("Workload", "IterationStage": "Result", )" +
                        members + "}]}");
  };
  const std::vector<std::string> cases{
      "",
      "{}",
      "[]",
      DotNetReport(""),
      DotNetReport(fine + ",\n" + fine),
      DotNetReport(R"({"Statistics": {"Mean": 6}})"),
      DotNetReport(R"({"FullName": "A", "Statistics": null})"),
      DotNetReport(R"({"FullName": "A", "Statistics": {}})"),
      DotNetReport(R"({"FullName": "A", "Statistics": {"OriginalValues": ["x"]}})"),
      iteration(R"("Operations": 1, "Nanoseconds": 1)"),
      iteration(R"("LaunchIndex": 1, "Operations": 0, "Nanoseconds": 1)"),
      iteration(R"("LaunchIndex": 1, "Operations": 1, "Nanoseconds": "NaN")"),
      iteration(R"("LaunchIndex": 1, "Operations": 1)"),
      DotNetReport(R"({"FullName": "A", "Statistics": {"Mean": 1}, "Memory": )"
                   R"({"BytesAllocatedPerOperation": "x"}})"),
  };
  for (const std::string& text : cases) {
    EXPECT_WORDING(RefusalOf(text, HarnessError("benchmarkdotnet", text)));
  }
}

}  // namespace
}  // namespace benchd
