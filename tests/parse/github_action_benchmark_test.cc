#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are those of the file, in SI units.

namespace benchd {
namespace {

TEST(ParseGithubActionBenchmarkTest, TakesTheValueOfEachEntryWithTheDirectionOfTheFormat) {
  const std::string text = HarnessData("github_action_benchmark.json");
  const auto smaller = ParseGithubSmaller(text);
  ASSERT_TRUE(smaller) << smaller.error().message;
  EXPECT_EQ(smaller->samples, (std::vector<Sample>{{"CPU load", "", 0, 87.5},
                                                   {"sort", "", 0, 120.5 / 1e9},
                                                   {"artifact", "", 0, 1.25e6}}));
  EXPECT_EQ(smaller->metrics,
            (std::vector<MetricInfo>{{"CPU load", "Percent", Better::kLower, 0.1},
                                     {"sort", "s", Better::kLower, 0.1 / 1e9},
                                     {"artifact", "B", Better::kLower, 0.01 * 1e6}}));
  const auto bigger = ParseGithubBigger(text);
  ASSERT_TRUE(bigger) << bigger.error().message;
  EXPECT_EQ(bigger->samples, smaller->samples);
  for (const MetricInfo& metric : bigger->metrics) EXPECT_EQ(metric.better, Better::kHigher);
}

TEST(ParseGithubActionBenchmarkTest, SaysWhatItExpectedInWhichLine) {
  const std::string fine = R"({"name": "a", "unit": "ms", "value": 1})";
  const std::vector<std::string> cases{
      "",
      "[]",
      "{}",
      "[\n" + fine + ",\n" + fine + "]",
      "[\n{\"unit\": \"ms\", \"value\": 1}]",
      "[\n{\"name\": \"a\", \"value\": 1}]",
      "[\n{\"name\": \"a\", \"unit\": \"ms\"}]",
      "[\n{\"name\": \"a\", \"unit\": \"ms\",\n\"value\": \"1\"}]",
      "[\n{\"name\": \"wall_time\", \"unit\": \"ms\", \"value\": 1}]",
      "[\n{\"name\": \"\", \"unit\": \"ms\", \"value\": 1}]",
      "[\n7]",
  };
  for (const std::string& text : cases) {
    EXPECT_WORDING(RefusalOf(text, HarnessError("github-smaller", text)));
  }
}

}  // namespace
}  // namespace benchd
