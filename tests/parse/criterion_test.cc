#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are the measured values of the files, divided by their iterations and by the
// nanoseconds or milliseconds in a second.

namespace benchd {
namespace {

Error CriterionError(const std::string& text) { return HarnessError("criterion", text); }

std::string CriterionMessage(const std::string& members) {
  return "{\"reason\":\"benchmark-complete\",\"id\":\"a\"," + members + "}\n";
}

TEST(ParseCriterionTest, TakesEverySampleOfTheMessages) {
  const auto output = ParseCriterion(HarnessData("cargo_criterion.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"fib/10/time", "sort \"big\"/time"}));
  const auto fib = ValuesOf(*output, "fib/10/time");
  ASSERT_EQ(fib.size(), 3U);
  EXPECT_DOUBLE_EQ(fib[0], 124e-9);
  EXPECT_DOUBLE_EQ(fib[1], 123e-9);
  EXPECT_DOUBLE_EQ(fib[2], 121e-9);
  const auto sort = ValuesOf(*output, "sort \"big\"/time");
  ASSERT_EQ(sort.size(), 2U);
  EXPECT_DOUBLE_EQ(sort[0], 1.75e-3);
  EXPECT_DOUBLE_EQ(sort[1], 1.625e-3);
  EXPECT_EQ(InfoOf(*output, "fib/10/time")->unit, "s");
  EXPECT_EQ(InfoOf(*output, "fib/10/time")->better, Better::kLower);
  EXPECT_FALSE(output->means_alone);
}

TEST(ParseCriterionTest, CallsAnotherMeasurementByItsUnit) {
  const auto output = ParseCriterion(
      CriterionMessage(R"("iteration_count":[2,4],"measured_values":[30,50],"unit":"cycles")"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "a/measurement"), (std::vector<double>{15, 12.5}));
  EXPECT_EQ(InfoOf(*output, "a/measurement"),
            (MetricInfo{"a/measurement", "cycles", Better::kLower, 0.25}));
}

TEST(ParseCriterionTest, TakesEverySampleOfTheFilesInAnyOrder) {
  const std::string benchmark = HarnessData("criterion_benchmark.json");
  const std::string sample = HarnessData("criterion_sample.json");
  const std::string estimates = HarnessData("criterion_estimates.json");
  const std::string tukey = "[98.1,100.2,130.5,140.25]";
  const std::string other =
      With(benchmark, "\"full_id\":\"sum/group/iter/1000\"", "\"full_id\":\"other\"");
  for (const std::string& text :
       {benchmark + estimates + sample + tukey + other + estimates + sample + tukey,
        sample + benchmark + "\n" + estimates + other + tukey + sample}) {
    const auto output = ParseCriterion(text);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(KeysOf(*output),
              (std::vector<std::string>{"sum/group/iter/1000/time", "other/time"}));
    const auto values = ValuesOf(*output, "sum/group/iter/1000/time");
    ASSERT_EQ(values.size(), 20U);
    EXPECT_DOUBLE_EQ(values.front(), 2311226.0 / 19580.0 / 1e9);
    EXPECT_DOUBLE_EQ(values.back(), 63837183.0 / 391600.0 / 1e9);
    EXPECT_FALSE(output->means_alone);
  }
}

TEST(ParseCriterionTest, TakesASampleFileAloneWithoutAName) {
  const auto output = ParseCriterion(HarnessData("criterion_sample.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "time").size(), 20U);
}

TEST(ParseCriterionTest, TakesTheEstimateWhereThereAreNoSamples) {
  const std::string benchmark = HarnessData("criterion_benchmark.json");
  const std::string estimates = HarnessData("criterion_estimates.json");
  const auto output = ParseCriterion(benchmark + estimates);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "sum/group/iter/1000/time"),
            (std::vector<double>{146.90413123325018 / 1e9}));  // slope
  EXPECT_TRUE(output->means_alone);
  const auto slope = estimates.find("\"slope\"");
  const auto flat = ParseCriterion(benchmark + estimates.substr(0, slope) + "\"slope\":null," +
                                   estimates.substr(estimates.find("\"std_dev\"")));
  ASSERT_TRUE(flat) << flat.error().message;
  EXPECT_EQ(flat->samples[0].value, 132.67763220155035 / 1e9);  // mean
}

TEST(ParseCriterionTest, SaysWhatItExpectedInWhichLine) {
  const std::string benchmark = HarnessData("criterion_benchmark.json");
  const std::string sample = HarnessData("criterion_sample.json");
  const std::string other =
      With(benchmark, "\"full_id\":\"sum/group/iter/1000\"", "\"full_id\":\"other\"");
  const std::string fine =
      CriterionMessage(R"("iteration_count":[1],"measured_values":[1],"unit":"ns")");
  const std::vector<std::string> cases{
      "",
      "{\"reason\":\"group-complete\"}",
      "fib 10   time:   [211.10 ns 221.16 ns 232.45 ns]",
      fine + fine,
      fine + "{\"x\":1}",
      fine + "warning: x",
      fine.substr(0, fine.size() - 2),
      CriterionMessage(R"("iteration_count":[1],"unit":"ns")"),
      CriterionMessage(R"("iteration_count":[1],"measured_values":[1])"),
      CriterionMessage(R"("iteration_count":[1],"measured_values":[1,2],"unit":"ns")"),
      CriterionMessage(R"("iteration_count":[],"measured_values":[],"unit":"ns")"),
      CriterionMessage("\"iteration_count\":[\n0],\"measured_values\":[1],\"unit\":\"ns\""),
      CriterionMessage(R"("iteration_count":[1],"measured_values":["x"],"unit":"ns")"),
      CriterionMessage(R"("iteration_count":[1],"measured_values":7,"unit":"ns")"),
      benchmark + "\n" + other + "\n" + sample,
      benchmark + "\n" + sample + "\n" + benchmark + sample,
      benchmark + sample + "\n" + sample,
      R"({"full_id":"a"}{"mean":{},"median_abs_dev":{},"slope":null})",
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, CriterionError(text)));
}

}  // namespace
}  // namespace benchd
