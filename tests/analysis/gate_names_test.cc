#include "core/analysis/gate_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_builder.h"
#include "tests/analysis/table_text.h"

// One meaning of --metric: the same names in a session and in a table of the same harness.

namespace benchd {
namespace {

using Names = std::vector<std::string>;

const std::vector<NameableMetric> kMetrics{
    {"", "wall_time", true},        {"", "cpu_time", true},   {"BM_Sort/10", "real_time"},
    {"BM_Sort/10", "cpu_time"},     {"BM_Copy", "real_time"}, {"BM_Copy", "cpu_time"},
    {"BM_Copy", "bytes_per_second"}};

/// "GATE -> INNER/NAME" of each, in order.
Names Matched(const Names& gates) {
  std::vector<Gate> spec;
  for (const std::string& gate : gates) spec.push_back(RatioGate(gate, 0.02));
  Names matched;
  for (const GatedMetric& one : MatchGates(spec, kMetrics)) {
    const NameableMetric& metric = kMetrics[one.metric];
    matched.push_back(gates[one.gate] + " -> " + std::string(metric.inner) +
                      (metric.inner.empty() ? "" : "/") + std::string(metric.name));
  }
  return matched;
}

TEST(MatchGatesTest, ANameIsThatMetricOfEveryInnerBenchmarkAndNotOfTheProcess) {
  EXPECT_EQ(Matched({"cpu_time"}),
            (Names{"cpu_time -> BM_Sort/10/cpu_time", "cpu_time -> BM_Copy/cpu_time"}));
  EXPECT_EQ(Matched({"wall_time"}), Names{"wall_time -> wall_time"});
  EXPECT_EQ(Matched({"BM_Copy/cpu_time"}), Names{"BM_Copy/cpu_time -> BM_Copy/cpu_time"});
}

TEST(MatchGatesTest, APatternTakesSlashesAndGatesWhereItExists) {
  EXPECT_EQ(Matched({"*/bytes_per_second"}),
            Names{"*/bytes_per_second -> BM_Copy/bytes_per_second"});
  EXPECT_EQ(Matched({"BM_Sort*"}),
            (Names{"BM_Sort* -> BM_Sort/10/real_time", "BM_Sort* -> BM_Sort/10/cpu_time"}));
  EXPECT_EQ(Matched({"*wall*"}), Names{"*wall* -> wall_time"});
  EXPECT_EQ(Matched({"oops", "*/oops"}), Names{});
}

TEST(MatchGatesTest, AMetricHasOneGateByNameBeforePatternAndFirstBeforeLater) {
  EXPECT_EQ(
      Matched({"*/real_time", "BM_Copy*", "BM_Copy/real_time"}),
      (Names{"*/real_time -> BM_Sort/10/real_time", "BM_Copy* -> BM_Copy/cpu_time",
             "BM_Copy* -> BM_Copy/bytes_per_second", "BM_Copy/real_time -> BM_Copy/real_time"}));
}

// Suite A prints what suite B does not.
TEST(NamedGatesTest, AGateOfASuiteIsAnErrorOnlyWhereNoBenchmarkHasIt) {
  const auto said = [](const std::string& metric) {
    std::vector<Benchmark> benchmarks;
    for (const std::string name : {"one", "two"}) {
      Benchmark& made = benchmarks.emplace_back(MakeBenchmark(name, 1, {"base", "candidate"}));
      made.parse = "lines";
      made.gates = {RatioGate(metric, 0.02)};
    }
    auto analysis = SessionAnalysis::Create(MakeSpec(benchmarks));
    EXPECT_TRUE(analysis) << analysis.error().message;
    for (std::uint32_t benchmark = 0; benchmark < 2; ++benchmark) {
      Block block;
      for (std::uint32_t arm = 0; arm < 2; ++arm) {
        const std::string name = benchmark == 0 ? "lag" : "rate";
        block.push_back(
            RunBuilder(benchmark, arm, arm).Sample(name, 1).Metric(name, Better::kLower));
      }
      if (auto added = analysis->Add(block); !added) return added.error().message;
    }
    return std::string("no error");
  };
  EXPECT_EQ(said("lag"), "no error");
  EXPECT_EQ(said("rate"), "no error");
  EXPECT_EQ(said("r*"), "no error");
  EXPECT_EQ(said("oops"), "metric oops: unknown metric in benchmark one (available: lag)");
}

MeasurementTable TwoFiles(const std::string& text) {
  const std::vector<HarnessFile> files{{"old.txt", "old", text}, {"new.txt", "new", text}};
  const auto table = ReadHarnessTable("go", files);
  EXPECT_TRUE(table) << table.error().message;
  return table ? *table : MeasurementTable{};
}

TEST(NamedGatesTest, ATableUnderstandsTheNamesOfASession) {
  std::string text;
  for (const std::string value : {"10", "11", "12"}) {
    text += "BenchmarkX-8 1 " + value + " ns/op 5 MB/s\nBenchmarkY-8 1 " + value + " ns/op\n";
  }
  const auto gates_of = [&text](const std::string& metric) {
    TableOptions options = Gated(metric, std::nullopt, 0.05);
    options.references = {"old"};
    const auto report = AnalyzeTable(TwoFiles(text), options);
    Names gates;
    if (!report) return Names{report.error().message};
    for (const Comparison& one : report->report.comparisons) {
      if (one.role == ComparisonRole::kGate) gates.push_back(one.benchmark + "/" + one.metric);
    }
    return gates;
  };
  EXPECT_EQ(gates_of("sec/op"), (Names{"BenchmarkX-8/sec/op", "BenchmarkY-8/sec/op"}));
  EXPECT_EQ(gates_of("*/sec/op"), (Names{"BenchmarkX-8/sec/op", "BenchmarkY-8/sec/op"}));
  EXPECT_EQ(gates_of("BenchmarkY-8/sec/op"), Names{"BenchmarkY-8/sec/op"});
  EXPECT_EQ(gates_of("B/s"), Names{"BenchmarkX-8/B/s"}) << "where it exists";
  EXPECT_EQ(gates_of("allocs/op"),
            Names{"metric allocs/op: the table has no such column (it has sec/op, B/s)"});
}

TEST(NamedGatesTest, BenchmarksOfTwoFilesThatHaveNoneInCommonAreNamed) {
  const std::vector<HarnessFile> files{
      {"o", "old", "BenchmarkA-8 1 2 ns/op\nBenchmarkB-8 1 2 ns/op\n"},
      {"n", "new", "BenchmarkA-16 1 2 ns/op\n"}};
  const auto report = AnalyzeHarnessFiles("go", files, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message,
            "table: no benchmark has rows of a reference and of another arm: old has BenchmarkA-8, "
            "BenchmarkB-8; new has BenchmarkA-16");
  EXPECT_EQ(report.error().hint, "measure both arms under the same names");
}

}  // namespace
}  // namespace benchd
