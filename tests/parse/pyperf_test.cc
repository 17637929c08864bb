#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "core/parse/harness_table.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are those of the file.

namespace benchd {
namespace {

std::string PyperfSuite(const std::string& benchmarks, const std::string& metadata = "{}") {
  return "{\"benchmarks\": [\n" + benchmarks + "],\n\"metadata\": " + metadata +
         ", \"version\": \"1.0\"}";
}

TEST(ParsePyperfTest, TakesTheValuesOfEveryRunThatDoesNotCalibrate) {
  const auto output = ParsePyperf(HarnessData("pyperf.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "sort/time"),
            (std::vector<double>{0.0004001, 0.0004003, 0.0004002, 0.00045, 0.00047}));
  EXPECT_EQ(ValuesOf(*output, "join/time"), (std::vector<double>{1.5e-06}));
  EXPECT_EQ(InfoOf(*output, "sort/time"), (MetricInfo{"sort/time", "s", Better::kLower, 1e-7}));
}

TEST(ParsePyperfTest, ARunIsAProcess) {
  const auto report = ReadPyperf(HarnessData("pyperf.json"));
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->series.size(), 2U);
  EXPECT_EQ(
      report->series[0].processes,
      (std::vector<std::vector<double>>{{0.0004001, 0.0004003, 0.0004002}, {0.00045, 0.00047}}));
  const std::string text = HarnessData("pyperf.json");
  const std::vector<HarnessFile> files{{"a", "old", text}, {"b", "new", text}};
  const auto table = ReadHarnessTable("pyperf", files);
  ASSERT_TRUE(table) << table.error().message;
  // Two processes of sort and one of join, for each arm.
  ASSERT_EQ(table->rows(), 6U);
  EXPECT_FALSE(table->one_process);
  EXPECT_DOUBLE_EQ(table->values[0][0], 0.0004002);
  EXPECT_DOUBLE_EQ(table->values[0][1], 0.00046);
}

TEST(ParsePyperfTest, TakesNameAndUnitFromTheMetadataOfTheFile) {
  const std::string runs = R"({"runs": [{"values": [1024, 2048]}]})";
  const auto memory = ParsePyperf(PyperfSuite(runs, R"({"name": "a", "unit": "byte"})"));
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(memory->metrics, (std::vector<MetricInfo>{{"a/memory", "B", Better::kLower, 1}}));
  const auto count = ParsePyperf(PyperfSuite(runs, R"({"name": "a", "unit": "integer"})"));
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(count->metrics, (std::vector<MetricInfo>{{"a/value", "1", std::nullopt, 1}}));
}

TEST(ParsePyperfTest, SaysWhatItExpectedInWhichLine) {
  const std::string fine = R"({"metadata": {"name": "a"}, "runs": [{"values": [1]}]})";
  const std::vector<std::string> cases{
      "",
      "{}",
      "[]",
      "Mean +- std dev: 4.22 us +- 0.08 us",
      PyperfSuite(""),
      PyperfSuite(fine + ",\n" + fine),
      PyperfSuite(R"({"runs": [{"values": [1]}]})"),
      PyperfSuite(R"({"metadata": {"name": "a"}})"),
      PyperfSuite(R"({"metadata": {"name": "a"}, "runs": [{"warmups": [[1, 0.5]]}]})"),
      PyperfSuite(R"({"metadata": {"name": "a"}, "runs": [{"samples": [1]}]})"),
      PyperfSuite(R"({"metadata": {"name": "a"}, "runs": [{"values": ["x"]}]})"),
      PyperfSuite(R"({"metadata": {"name": "a", "unit": "day"}, "runs": [{"values": [1]}]})"),
  };
  for (const std::string& text : cases) {
    EXPECT_WORDING(RefusalOf(text, HarnessError("pyperf", text)));
  }
}

}  // namespace
}  // namespace benchd
