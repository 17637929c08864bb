#include "core/parse/harness_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/parse/harness_data.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Values = std::vector<double>;

Result<MeasurementTable> TableOfFiles(
    std::string_view format, const std::vector<std::pair<std::string, std::string>>& arms) {
  std::vector<HarnessFile> files;
  for (const auto& [arm, text] : arms) {
    files.push_back({"file " + std::to_string(files.size() + 1), arm, text});
  }
  return ReadHarnessTable(format, files);
}

/// The values of a metric in the rows of that arm and benchmark that have it.
Values ValuesIn(const MeasurementTable& table, const std::string& arm, const std::string& benchmark,
                const std::string& metric) {
  Values values;
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double value = table.values[m][row];
      if (table.metrics[m].name == metric && table.arms[table.arm[row]] == arm &&
          table.benchmarks[table.benchmark[row]] == benchmark && !std::isnan(value)) {
        values.push_back(value);
      }
    }
  }
  return values;
}

Error ErrorOfFiles(std::string_view format,
                   const std::vector<std::pair<std::string, std::string>>& arms) {
  const auto table = TableOfFiles(format, arms);
  EXPECT_FALSE(table);
  return table ? Error{} : table.error();
}

TEST(HarnessTableTest, HyperfineStartsItsCommandForEveryTime) {
  const auto table = TableOfFiles("hyperfine", {{"old", HarnessData("hyperfine_one.json")},
                                                {"new", HarnessData("hyperfine_one.json")}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->arms, (std::vector<std::string>{"old", "new"}));
  EXPECT_EQ(table->benchmarks, std::vector<std::string>{"main"});
  ASSERT_EQ(table->metrics.size(), 1U) << "user and system are means of all runs";
  EXPECT_EQ(table->metrics[0].name, "time");
  EXPECT_EQ(table->metrics[0].unit, "s");
  EXPECT_EQ(table->metrics[0].better, Better::kLower);
  EXPECT_EQ(
      ValuesIn(*table, "new", "main", "time"),
      (Values{0.017097915, 0.011450106000000002, 0.011518889000000001, 0.016555746, 0.011466682}));
  EXPECT_TRUE(table->from_harness);
  EXPECT_FALSE(table->one_process);
}

TEST(HarnessTableTest, OfHyperfine2EveryMetricIsMeasuredInEachRun) {
  const auto table = TableOfFiles("hyperfine", {{"all", HarnessData("hyperfine_2.json")}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->arms, (std::vector<std::string>{"sleep 0.01", "sleep 0.012", "sleep 0.03"}));
  EXPECT_EQ(table->rows(), 60U);
  for (const std::string metric : {"time", "cpu", "user", "system", "memory_usage"}) {
    EXPECT_EQ(ValuesIn(*table, "sleep 0.03", "main", metric).size(), 20U) << metric;
  }
  EXPECT_FALSE(table->one_process);
}

TEST(HarnessTableTest, KnowsTheRunsOfHyperfineThatFailed) {
  const std::string good = HarnessData("hyperfine_one.json");
  const std::string bad = With(good, "        0,\n        0,\n", "        3,\n        null,\n");
  const auto table = TableOfFiles("hyperfine", {{"old", good}, {"new", bad}});
  ASSERT_TRUE(table) << table.error().message;
  // The first five rows are those of the arm `old`.
  EXPECT_EQ(table->exit_code[4], 0);
  EXPECT_EQ(table->exit_code[5], 3);
  EXPECT_EQ(table->exit_code[6], kExitWithoutCode);
}

TEST(HarnessTableTest, SaysThatPytestKeptItsMeansAlone) {
  const std::string saved = HarnessData("pytest_benchmark_saved.json");
  EXPECT_TRUE(TableOfFiles("pytest-benchmark", {{"old", saved}, {"new", saved}})->means_alone);
  const std::string rounds = HarnessData("pytest_benchmark.json");
  EXPECT_FALSE(TableOfFiles("pytest-benchmark", {{"old", rounds}, {"new", rounds}})->means_alone);
}

TEST(HarnessTableTest, CommandsOfOneFileAreArms) {
  const auto table = TableOfFiles("hyperfine", {{"two", HarnessData("hyperfine_two.json")}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->arms, (std::vector<std::string>{"sleep 0.01", "sleep 0.02"}));
  EXPECT_EQ(table->benchmarks, std::vector<std::string>{"main"});
  EXPECT_EQ(ValuesIn(*table, "sleep 0.02", "main", "time").size(), 3U);
}

TEST(HarnessTableTest, CommandsOfTwoFilesAreBenchmarks) {
  const auto table = TableOfFiles("hyperfine", {{"old", HarnessData("hyperfine_two.json")},
                                                {"new", HarnessData("hyperfine_two.json")}});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->benchmarks, (std::vector<std::string>{"sleep 0.01", "sleep 0.02"}));
}

TEST(HarnessTableTest, RepetitionsOfOneProcessAreNamed) {
  const std::string go = "BenchmarkA-2 10 30 ns/op\nBenchmarkA-2 10 60 ns/op\n";
  const auto table = TableOfFiles("go", {{"old", go}, {"new", go}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_TRUE(table->one_process);
  EXPECT_EQ(ValuesIn(*table, "old", "BenchmarkA-2", "sec/op"), (Values{3e-8, 6e-8}));
}

TEST(HarnessTableTest, SeveralFilesOfAnArmAreItsProcesses) {
  const std::string a = "#! prefer=higher unit=1/s\n0 1 rate 2\n0 2 rate 6\n";
  const std::string b = "#! prefer=higher unit=1/s\n0 1 rate 5\n";
  const auto table = TableOfFiles("lines", {{"old", a}, {"old", b}, {"new", b}, {"new", b}});
  ASSERT_TRUE(table) << table.error().message;
  // For rates, the harmonic mean: 2 / (1/2 + 1/6) = 3.
  EXPECT_EQ(ValuesIn(*table, "old", "main", "rate"), (Values{3, 5}));
  EXPECT_EQ(ValuesIn(*table, "new", "main", "rate"), (Values{5, 5}));
  EXPECT_FALSE(table->one_process);
}

TEST(HarnessTableTest, ForksOfJmhAreProcesses) {
  const std::string jmh = HarnessData("jmh.json");
  const auto table = TableOfFiles("jmh", {{"old", jmh}, {"new", jmh}});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_FALSE(table->one_process);
  const Values forks =
      ValuesIn(*table, "old", "org.example.Words.upper:kind=ascii,size=10", "avgt");
  ASSERT_EQ(forks.size(), 2U);
  // The first fork's iterations, in ns.
  EXPECT_DOUBLE_EQ(forks[0], (277.960136396 + 280.098428793 + 278.043136769) / 3 / 1e9);
}

TEST(HarnessTableTest, SaysWhatIsWrong) {
  const std::string go = "BenchmarkA-2 10 30 ns/op\n";
  EXPECT_WORDING(ErrorOfFiles("go", {{"old", go}, {"new", "PASS\n"}}));
  EXPECT_WORDING(ErrorOfFiles("go", {{"old", go}}));
  EXPECT_WORDING(ErrorOfFiles("hyperfine", {{"old", HarnessData("hyperfine_one.json")}}));
  EXPECT_WORDING(ErrorOfFiles("go", {{"old", go}, {"old", go}}));
  EXPECT_WORDING(ErrorOfFiles("lines", {{"old", "t 1 ms\n"}, {"new", "t 1 B\n"}}));
  EXPECT_WORDING(ErrorOfFiles("lines", {{"old", "t 1\n"}, {"new", "t 1 B\n"}}));
  const std::string higher = "#! prefer=higher\nt 1 B\n";
  const std::string lower = "#! prefer=lower\nt 1 B\n";
  EXPECT_WORDING(ErrorOfFiles("lines", {{"old", higher}, {"new", lower}}));
  EXPECT_WORDING(ErrorOfFiles("lines", {{"old", "t 1 B\n"}, {"new", lower}, {"new", higher}}));
}

// As in a session, whatever the order of the files: a rate in one of them is a rate in all.
TEST(HarnessTableTest, TheDirectionThatOneFileGivesHoldsForAll) {
  const std::string said = "#! prefer=higher unit=1/s\n1 r 2\n2 r 6\n";
  const std::string unsaid = "1 r 2 1/s\n2 r 6 1/s\n";
  for (const auto& [old_text, new_text] : {std::pair(said, unsaid), std::pair(unsaid, said)}) {
    const auto table = TableOfFiles(
        "lines", {{"old", old_text}, {"old", old_text}, {"new", new_text}, {"new", new_text}});
    ASSERT_TRUE(table) << table.error().message;
    ASSERT_EQ(table->metrics.size(), 1U);
    EXPECT_EQ(table->metrics[0].better, Better::kHigher);
    EXPECT_EQ(table->metrics[0].unit, "1/s");
    for (const std::string arm : {"old", "new"}) {
      EXPECT_EQ(ValuesIn(*table, arm, "main", "r"), (Values{3, 3})) << "the harmonic mean";
    }
  }
}

TEST(HarnessTableTest, ValuesAndMetricsAreBoundedTogether) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "m" + std::to_string(i) + " 1\n";
  const Error error = ErrorOfFiles("lines", {{"old", text}, {"new", text}});
  EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(error);
}

}  // namespace
}  // namespace benchd
