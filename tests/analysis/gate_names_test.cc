#include "core/analysis/gate_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/every_harness.h"
#include "tests/analysis/session_feed.h"
#include "tests/analysis/table_text.h"
#include "tests/support/wording.h"

// --metric has one meaning: the same names in a session and in a table of the same harness.

namespace benchd {
namespace {

using Names = std::vector<std::string>;

const std::vector<NameableMetric> kMetrics{
    {"", "wall_time", true},        {"", "cpu_time", true},   {"BM_Sort/10", "real_time"},
    {"BM_Sort/10", "cpu_time"},     {"BM_Copy", "real_time"}, {"BM_Copy", "cpu_time"},
    {"BM_Copy", "bytes_per_second"}};

/// "GATE -> INNER/NAME" of each, in order.
Names Matched(const Names& gates, const std::vector<NameableMetric>& metrics = kMetrics) {
  std::vector<Gate> spec;
  for (const std::string& gate : gates) spec.push_back(RatioGate(gate, 0.02));
  Names matched;
  for (const GatedMetric& one : MatchGates(spec, metrics)) {
    const NameableMetric& metric = metrics[one.metric];
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

TEST(MatchGatesTest, AWholeNameComesBeforeANameOfEveryInnerBenchmark) {
  EXPECT_EQ(Matched({"cpu_time", "BM_Copy/cpu_time"}),
            (Names{"cpu_time -> BM_Sort/10/cpu_time", "BM_Copy/cpu_time -> BM_Copy/cpu_time"}));
}

TEST(MatchGatesTest, ANameWithAnAsteriskCanBeNamedExactly) {
  const std::vector<NameableMetric> metrics{
      {"", "a*"}, {"", "ab"}, {"test_sort[1-2]", "mean"}, {"test_sort1", "mean"}};
  EXPECT_EQ(Matched({"a*"}, metrics), Names{"a* -> a*"}) << "and not ab";
  EXPECT_EQ(Matched({"a?"}, metrics), (Names{"a? -> a*", "a? -> ab"}));
  EXPECT_EQ(Matched({"test_sort[*]/mean"}, metrics),
            Names{"test_sort[*]/mean -> test_sort[1-2]/mean"});
  EXPECT_EQ(Matched({"test_sort[1-2]/mean"}, metrics),
            Names{"test_sort[1-2]/mean -> test_sort[1-2]/mean"});
}

TEST(MatchGatesTest, APatternMayMatchBenchdsOwnMetrics) {
  std::vector<NameableMetric> metrics;
  for (const MetricInfo& info : BuiltinMetrics()) metrics.push_back({"", info.name, true});
  EXPECT_EQ(Matched({"*faults"}, metrics),
            (Names{"*faults -> minor_faults", "*faults -> major_faults"}));
  metrics.push_back({"BM_X", "page_faults"});
  EXPECT_EQ(Matched({"*faults"}, metrics), Names{"*faults -> BM_X/page_faults"})
      << "what a harness printed comes first";
}

TEST(MatchGatesTest, AColumnOfAnExportIsNamedLikeTheMetricOfItsSession) {
  std::vector<NameableMetric> columns{{"", "cpu_time", true}};
  for (const std::string_view name :
       {"BM_Sort/10/cpu_time", "BM_Copy/cpu_time", "fast/BM_Copy/cpu_time"}) {
    columns.push_back({"", name});
  }
  EXPECT_EQ(Matched({"cpu_time"}, columns),
            (Names{"cpu_time -> BM_Sort/10/cpu_time", "cpu_time -> BM_Copy/cpu_time",
                   "cpu_time -> fast/BM_Copy/cpu_time"}));
  EXPECT_EQ(Matched({"BM_Copy/cpu_time"}, columns), Names{"BM_Copy/cpu_time -> BM_Copy/cpu_time"})
      << "the whole name of a column";
  EXPECT_EQ(Matched({"cpu_t*"}, columns).size(), 3U);
}

TEST(MatchGatesTest, WhatOnlyACandidateHasIsMatchedByItsWholeNameOrAlone) {
  std::vector<NameableMetric> metrics{{"Old", "time"}, {"New", "time"}, {"New", "size"}};
  for (const std::size_t in_candidate : {1u, 2u}) metrics[in_candidate].in_reference = false;
  for (const char* gate : {"time", "*", "*/time"}) {
    EXPECT_EQ(Matched({gate}, metrics), Names{std::string(gate) + " -> Old/time"});
  }
  EXPECT_EQ(Matched({"New/time"}, metrics), Names{"New/time -> New/time"});
  EXPECT_EQ(Matched({"size", "New/t*"}, metrics),
            (Names{"size -> New/size", "New/t* -> New/time"}));
}

// ---- every format ----

using Keys = std::set<std::string>;  // INNER/NAME

std::string KeyOf(const Sample& sample) {
  return sample.inner_benchmark + (sample.inner_benchmark.empty() ? "" : "/") + sample.metric;
}

std::string PrintedIn(const std::string& format, int run) {
  return kPrinters.at(format)(MeasuredValues(run, {"Fine", "Finer", "Other"}));
}

std::vector<HarnessFile> FilesOf(const std::string& format) {
  std::vector<HarnessFile> files;
  for (int run = 0; run < 4; ++run) {
    files.push_back({"old", "old", PrintedIn(format, run)});
    files.push_back({"new", "new", PrintedIn(format, run + 1)});
  }
  return files;
}

/// The metrics that the format prints and a table has; hyperfine's means are only in a session.
std::vector<Sample> SamplesOf(const std::string& format) {
  const auto output = ParseHarnessOutput(format, PrintedIn(format, 0));
  const auto table = ReadHarnessTable(format, FilesOf(format));
  EXPECT_TRUE(output && table) << format;
  std::vector<Sample> samples;
  for (const Sample& sample : output ? output->samples : samples) {
    const auto known = std::ranges::find(table->metrics, sample.metric, &MetricInfo::name);
    if (known != table->metrics.end()) samples.push_back(sample);
  }
  return samples;
}

Keys GateKeysOf(const Report& report) {
  Keys gates;
  for (const Comparison& one : report.comparisons) {
    if (one.role != ComparisonRole::kGate) continue;
    gates.insert(one.benchmark == "main" ? one.metric : one.benchmark + "/" + one.metric);
  }
  return gates;
}

Keys AnalyzedGates(const std::string& format, const std::string& gate) {
  TableOptions options;
  options.spec.benchmarks.emplace_back().gates = {RatioGate(gate, 0.05)};
  const auto table = AnalyzeHarnessFiles(format, FilesOf(format), options);
  return table ? GateKeysOf(table->report) : Keys{table.error().message};
}

/// In addition to the metrics of its process, which benchd measures.
Keys ComparedGates(const std::string& format, const std::string& gate) {
  SessionSpec spec = Two();
  spec.benchmarks[0].parse = format;
  spec.benchmarks[0].gates = {RatioGate(gate, 0.05)};
  SessionAnalysis analysis = Start(spec);
  for (int run = 0; run < 8 && !analysis.Finished(); ++run) {
    Block block;
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      const auto output = ParseHarnessOutput(format, PrintedIn(format, run));
      block.push_back(RunBuilder(0, arm, arm).Sample("wall_time", 0.5).Sample("cpu_time", 0.4));
      if (!output) continue;
      std::ranges::copy(output->samples, std::back_inserter(block.back().samples));
      block.back().metrics = output->metrics;
    }
    if (auto added = analysis.Add(block); !added) return {added.error().message};
  }
  return GateKeysOf(analysis.Conclude());
}

/// A way to name metrics, and the metrics that it must match.
struct GateName {
  std::string gate;
  Keys names;
};

std::vector<GateName> NamesFor(const std::vector<Sample>& samples) {
  const auto all_where = [&samples](const auto& is_named) {
    Keys keys;
    for (const Sample& sample : samples) {
      if (is_named(sample)) keys.insert(KeyOf(sample));
    }
    return keys;
  };
  std::vector<GateName> names{{"*", all_where([](const Sample&) { return true; })}};
  for (const Sample& one : samples) {
    const auto same_name = [&one](const Sample& other) { return other.metric == one.metric; };
    names.push_back({one.metric, all_where(same_name)});
    names.push_back({KeyOf(one), {KeyOf(one)}});
    // As a pattern: the name, the benchmark, and both with a hole.
    names.push_back({"?" + one.metric.substr(1), all_where(same_name)});
    if (one.inner_benchmark.empty()) continue;
    names.push_back({"*/" + one.metric, all_where(same_name)});
    names.push_back({one.inner_benchmark + "/*", all_where([&one](const Sample& other) {
                       return other.inner_benchmark == one.inner_benchmark;
                     })});
    names.push_back({"*" + KeyOf(one).substr(1), {KeyOf(one)}});
  }
  return names;
}

TEST(NamedGatesTest, OfEveryFormatANameMeansTheSameInAnalyzeAndInCompare) {
  ASSERT_GE(Formats().size(), 8U);
  for (const std::string& format : Formats()) {
    ASSERT_TRUE(kPrinters.contains(format)) << format << ": add its output";
    const std::vector<Sample> samples = SamplesOf(format);
    ASSERT_GE(samples.size(), 3U) << format;
    Keys in_table;
    for (const Sample& sample : samples) in_table.insert(KeyOf(sample));
    for (const GateName& name : NamesFor(samples)) {
      SCOPED_TRACE(format + " --metric " + name.gate);
      EXPECT_EQ(AnalyzedGates(format, name.gate), name.names);
      Keys compared = ComparedGates(format, name.gate);
      const auto output = ParseHarnessOutput(format, PrintedIn(format, 0));
      for (const MetricInfo& metric : output->metrics) {
        if (!in_table.contains(metric.name)) compared.erase(metric.name);
      }
      EXPECT_EQ(compared, name.names);
    }
  }
}

TEST(MatchGatesTest, OfEveryFormatANameMeansWhatTheHarnessPrintedBeforeWhatBenchdMeasures) {
  for (const std::string& format : Formats()) {
    const std::vector<Sample> samples = SamplesOf(format);
    std::vector<NameableMetric> metrics{{"", "wall_time", true}, {"", "cpu_time", true}};
    for (const Sample& sample : samples) metrics.push_back({sample.inner_benchmark, sample.metric});
    for (const GateName& name : NamesFor(samples)) {
      Keys matched;
      for (const GatedMetric& one : MatchGates(std::vector{RatioGate(name.gate, 0.05)}, metrics)) {
        ASSERT_GE(one.metric, 2U) << format << " " << name.gate;
        matched.insert(KeyOf(samples[one.metric - 2]));
      }
      EXPECT_EQ(matched, name.names) << format << " " << name.gate;
    }
  }
}

// Suite A prints metrics that suite B does not.
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
  const std::string refused = said("oops");
  EXPECT_TRUE(refused.starts_with("metric oops: ")) << refused;
  EXPECT_WORDING(refused);
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
  const Names refused = gates_of("allocs/op");
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_TRUE(refused[0].starts_with("metric allocs/op: ")) << refused[0];
  EXPECT_WORDING(refused[0]);
}

// The gates of go's output in a session, in a table of its files, and in the export of the session,
// whose columns are called INNER/NAME.
TEST(NamedGatesTest, AnExportOfASessionUnderstandsTheNamesOfTheSession) {
  const std::vector<Sample> samples = SamplesOf("go");
  std::string header = "arm,pair,wall_time,cpu_time";
  std::string rows;
  for (const Sample& sample : samples) header += "," + KeyOf(sample);
  for (std::size_t pair = 0; pair < 8; ++pair) {
    for (const std::string arm : {"base", "candidate"}) {
      rows += arm + "," + std::to_string(pair) + ",0.5,0.4";
      for (std::size_t i = 0; i < samples.size(); ++i) rows += "," + std::to_string(100 + pair + i);
      rows += "\n";
    }
  }
  for (const GateName& name : NamesFor(samples)) {
    TableOptions options;
    Gate gate = RatioGate(name.gate, 0.05);
    gate.better = Better::kLower;
    options.spec.benchmarks.emplace_back().gates = {gate};
    const auto table = Analyze(header + "\n" + rows, options);
    ASSERT_TRUE(table) << name.gate << ": " << table.error().message;
    EXPECT_EQ(GateKeysOf(table->report), name.names) << name.gate;
  }
}

// A new benchmark of the candidate is not compared, unless a gate asks for nothing else.
TEST(NamedGatesTest, AGateThatOnlyTheCandidateHasIsMissingInTheReferenceInBoth) {
  struct Case {
    std::string gate;
    Names gates;
    Verdict verdict;
  };
  const std::string old_text = "BenchmarkX-8 1 100000 ns/op\n";
  const std::string new_text = "BenchmarkX-8 1 100000 ns/op\nBenchmarkNew-8 1 100000 ns/op\n";
  for (const Case& one :
       {Case{"sec/op", {"BenchmarkX-8/sec/op"}, Verdict::kPass},
        Case{"*/sec/op", {"BenchmarkX-8/sec/op"}, Verdict::kPass},
        Case{"BenchmarkNew-8/sec/op", {"BenchmarkNew-8/sec/op"}, Verdict::kUndecided},
        Case{"BenchmarkN*", {"BenchmarkNew-8/sec/op"}, Verdict::kUndecided}}) {
    SCOPED_TRACE(one.gate);
    SessionSpec spec = Two();
    spec.benchmarks[0].parse = "go";
    spec.benchmarks[0].gates = {RatioGate(one.gate, 0.05)};
    SessionAnalysis analysis = Start(spec);
    std::vector<HarnessFile> files;
    for (int run = 0; run < 8; ++run) {
      Block block;
      for (std::uint32_t arm = 0; arm < 2; ++arm) {
        const std::string& text = arm == 0 ? old_text : new_text;
        const auto output = ParseHarnessOutput("go", text);
        ASSERT_TRUE(output) << output.error().message;
        block.push_back(RunBuilder(0, arm, arm));
        block.back().samples = output->samples;
        block.back().metrics = output->metrics;
        files.push_back({arm == 0 ? "old" : "new", arm == 0 ? "old" : "new", text});
      }
      Feed(analysis, block);
    }
    const Report live = analysis.Conclude();
    EXPECT_EQ(GateKeysOf(live), Keys(one.gates.begin(), one.gates.end()));
    EXPECT_EQ(live.verdict, one.verdict);
    TableOptions options;
    options.spec.benchmarks.emplace_back().gates = spec.benchmarks[0].gates;
    const auto table = AnalyzeHarnessFiles("go", files, options);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(GateKeysOf(table->report), Keys(one.gates.begin(), one.gates.end()));
    EXPECT_EQ(table->report.verdict, one.verdict);
  }
}

TEST(NamedGatesTest, BenchmarksOfTwoFilesThatHaveNoneInCommonAreNamed) {
  const std::vector<HarnessFile> files{
      {"o", "old", "BenchmarkA-8 1 2 ns/op\nBenchmarkB-8 1 2 ns/op\n"},
      {"n", "new", "BenchmarkA-16 1 2 ns/op\n"}};
  const auto report = AnalyzeHarnessFiles("go", files, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(report.error());
}

}  // namespace
}  // namespace benchd
