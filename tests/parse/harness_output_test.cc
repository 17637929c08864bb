#include "core/parse/harness_output.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/parse/harness_data.h"

namespace benchd {
namespace {

TEST(HarnessFormatTest, OffersLines) {
  EXPECT_TRUE(CheckHarnessFormat("lines"));
  const auto output = ParseHarnessOutput("lines", "ops 12\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples.size(), 1U);
}

// The list is the contract's (`--parse FORMAT`); each file is of that tool.
TEST(HarnessFormatTest, ReadsEveryFormatOfTheContract) {
  for (const auto& [format, file] : std::vector<std::pair<std::string, std::string>>{
           {"google-benchmark", "google_benchmark_repetitions.json"},
           {"hyperfine", "hyperfine_one.json"},
           {"go", "go_count.txt"},
           {"jmh", "jmh.json"},
           {"pytest-benchmark", "pytest_benchmark.json"},
           {"bmf", "bmf.json"},
           {"mmtests", "mmtests_script.txt"}}) {
    EXPECT_TRUE(CheckHarnessFormat(format)) << format;
    const auto output = ParseHarnessOutput(format, HarnessData(file));
    ASSERT_TRUE(output) << format << ": " << output.error().message;
    EXPECT_FALSE(output->samples.empty());
    // One description for each metric, by what users read.
    std::set<std::string> keys;
    for (const MetricInfo& metric : output->metrics) {
      EXPECT_TRUE(keys.insert(metric.name).second) << metric.name;
      EXPECT_FALSE(ValuesOf(*output, metric.name).empty()) << metric.name;
    }
  }
}

TEST(HarnessFormatTest, NamesTheKnownOnesToWhoeverAsksForAnother) {
  for (const std::string format : {"xml", "", "Lines", "lines "}) {
    const auto output = ParseHarnessOutput(format, "ops 12\n");
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(output.error().message,
              "parse: '" + format +
                  "' is not a known format; known: lines, google-benchmark, "
                  "hyperfine, go, jmh, pytest-benchmark, bmf, mmtests");
  }
}

}  // namespace
}  // namespace benchd
