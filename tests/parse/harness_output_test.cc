#include "core/parse/harness_output.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/parse/harness_builder.h"
#include "tests/parse/harness_data.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(HarnessFormatTest, OffersLines) {
  EXPECT_TRUE(CheckHarnessFormat("lines"));
  const auto output = ParseHarnessOutput("lines", "ops 12\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples.size(), 1U);
}

// The documented list (`--parse FORMAT`); data/README.md says which tool wrote each file.
TEST(HarnessFormatTest, ReadsEveryFormatOfTheContract) {
  for (const auto& [format, file] : std::vector<std::pair<std::string, std::string>>{
           {"google-benchmark", "google_benchmark_repetitions.json"},
           {"hyperfine", "hyperfine_one.json"},
           {"go", "go_count.txt"},
           {"jmh", "jmh.json"},
           {"pytest-benchmark", "pytest_benchmark.json"},
           {"bmf", "bmf.json"},
           {"mmtests", "mmtests_script.txt"},
           {"libtest", "libtest.txt"},
           {"criterion", "cargo_criterion.json"},
           {"catch2", "catch2.txt"},
           {"nanobench", "nanobench.json"},
           {"vitest", "vitest.json"},
           {"tinybench", "tinybench.json"},
           {"mitata", "mitata.json"},
           {"benchmarkdotnet", "benchmarkdotnet.json"},
           {"pyperf", "pyperf.json"},
           {"github-smaller", "github_action_benchmark.json"},
           {"github-bigger", "github_action_benchmark.json"}}) {
    EXPECT_TRUE(CheckHarnessFormat(format)) << format;
    const auto output = ParseHarnessOutput(format, HarnessData(file));
    ASSERT_TRUE(output) << format << ": " << output.error().message;
    EXPECT_FALSE(output->samples.empty());
    // One description per metric, by its user-visible name.
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
    EXPECT_WORDING(output.error());
  }
  for (const std::string format : {"xml", "Lines", "pytest"}) {
    const auto refused = CheckHarnessFormat(format);
    ASSERT_FALSE(refused) << format;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(refused.error());
  }
}

TEST(HarnessUnitsTest, KeepsTheLastBitOfWhatWasPrinted) {
  // 1/1e9 is the double nearest to 1e-9; 1 * 0.1 * 0.1... is not.
  EXPECT_EQ(Scaled({123.0, 1}, *SecondsIn("ns")), (PrintedNumber{123e-9, 1e-9}));
  EXPECT_EQ(Scaled({7.0, 1}, *SecondsIn("us")), (PrintedNumber{7e-6, 1e-6}));
  EXPECT_EQ(Scaled({2.0, 0.5}, *SecondsIn("min")), (PrintedNumber{120, 30}));
}

TEST(HarnessUnitsTest, KnowsBothMicroSigns) {
  EXPECT_EQ(SecondsIn("\u00B5s"), SecondsIn("us"));
  EXPECT_EQ(SecondsIn("\u03BCs"), SecondsIn("us"));
  EXPECT_EQ(SecondsIn("fortnight"), std::nullopt);
}

TEST(HarnessUnitsTest, ReadsTheUnitsOfJmh) {
  EXPECT_EQ(JmhUnit("ns/op"), (HarnessUnit{"s", {1, 1e9}, Better::kLower}));
  EXPECT_EQ(JmhUnit("ops/s"), (HarnessUnit{"1/s", {1, 1}, Better::kHigher}));
  EXPECT_EQ(JmhUnit("ops/ms"), (HarnessUnit{"1/s", {1e3, 1}, Better::kHigher}));
  EXPECT_EQ(JmhUnit("ops/min"), (HarnessUnit{"1/s", {1, 60}, Better::kHigher}));
  EXPECT_EQ(JmhUnit("B/op"), (HarnessUnit{"B", {}, Better::kLower}));
  EXPECT_EQ(JmhUnit("#/op"), (HarnessUnit{"1", {}, Better::kLower}));
  EXPECT_EQ(JmhUnit("MB/sec"), (HarnessUnit{"B/s", {1048576, 1}, {}}));
  EXPECT_EQ(JmhUnit("counts"), (HarnessUnit{"1", {}, {}}));
  EXPECT_EQ(JmhUnit("%"), (HarnessUnit{"%", {}, {}}));
  EXPECT_EQ(JmhUnit(""), (HarnessUnit{"", {}, {}}));
  EXPECT_EQ(JmhUnit("/op"), (HarnessUnit{"/op", {}, {}}));
}

}  // namespace
}  // namespace benchd
