#include "core/parse/go_benchmark.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/parse/harness_data.h"

// Expected numbers: read off the files; nanoseconds to seconds, MB to bytes.

namespace benchd {
namespace {

std::string GoError(const std::string& text) { return HarnessError("go", text); }

TEST(ParseGoBenchmarkTest, TakesEachLineOfABenchmarkAsOneSample) {
  const auto output = ParseGoBenchmark(HarnessData("go_count.txt"));
  ASSERT_TRUE(output) << output.error().message;
  const std::string small = "BenchmarkUpper/size=small-2";
  EXPECT_EQ(KeysOf(*output).size(), 13U);  // 5 units, 5 units, 3 units
  EXPECT_EQ(ValuesOf(*output, small + "/sec/op"),
            (std::vector<double>{79.71 / 1e9, 52.14 / 1e9, 64.19 / 1e9}));
  EXPECT_EQ(ValuesOf(*output, small + "/B/s"),
            (std::vector<double>{250.90 * 1e6, 383.57 * 1e6, 311.59 * 1e6}));
  EXPECT_EQ(ValuesOf(*output, "BenchmarkNothing-2/allocs/op"), (std::vector<double>{0, 0, 0}));
}

TEST(ParseGoBenchmarkTest, KnowsTheUnitsOfGosOwnMetrics) {
  const auto output = ParseGoBenchmark(HarnessData("go_count.txt"));
  ASSERT_TRUE(output) << output.error().message;
  const std::string small = "BenchmarkUpper/size=small-2";
  EXPECT_EQ(InfoOf(*output, small + "/sec/op"),
            (MetricInfo{small + "/sec/op", "s", Better::kLower, 0.01 / 1e9}));
  EXPECT_EQ(InfoOf(*output, small + "/B/s"),
            (MetricInfo{small + "/B/s", "B/s", Better::kHigher, 0.01 * 1e6}));
  EXPECT_EQ(InfoOf(*output, small + "/B/op"),
            (MetricInfo{small + "/B/op", "B", Better::kLower, 1}));
  EXPECT_EQ(InfoOf(*output, small + "/allocs/op"),
            (MetricInfo{small + "/allocs/op", "1", Better::kLower, 1}));
  EXPECT_EQ(InfoOf(*output, small + "/kwords/run"),
            (MetricInfo{small + "/kwords/run", "kwords/run", std::nullopt, 0.1}));
  // A resolution is one benchmark's: the large one prints whole nanoseconds.
  EXPECT_EQ(InfoOf(*output, "BenchmarkUpper/size=large-2/sec/op")->resolution, 1e-9);
}

TEST(ParseGoBenchmarkTest, TakesTheDirectionOfAUnitLineBeforeOrBehindTheResults) {
  const std::string text = HarnessData("go_unit.txt");
  const std::string line = "Unit kwords/run better=higher assume=nothing\n";
  ASSERT_TRUE(text.starts_with(line));
  for (const std::string& one : {text, text.substr(line.size()) + line}) {
    const auto output = ParseGoBenchmark(one);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(InfoOf(*output, "BenchmarkUpper/size=small-2/kwords/run")->better, Better::kHigher);
  }
}

TEST(ParseGoBenchmarkTest, TellsBenchmarksOfSeveralPackagesApart) {
  const auto output = ParseGoBenchmark(HarnessData("go_packages.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "example.com/words.BenchmarkNothing-2/sec/op"),
            (std::vector<double>{0.3012 / 1e9}));
  EXPECT_EQ(ValuesOf(*output, "example.com/words/other.BenchmarkNothing-2/sec/op"),
            (std::vector<double>{0.9916 / 1e9}));
}

TEST(ParseGoBenchmarkTest, NamesTheBenchmarkThatFailed) {
  EXPECT_EQ(GoError(HarnessData("go_failed.txt")), "line 9: 'BenchmarkFails' failed");
}

TEST(ParseGoBenchmarkTest, TidiesUnitsAsGosOwnToolsDo) {
  // golang.org/x/perf/benchunit: only in the numerator.
  const auto output =
      ParseGoBenchmark("BenchmarkX 1 5 p99-ns 6 ns/GC 7 MB 8 things/ns 9 nsteps/op\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output),
            (std::vector<std::string>{"BenchmarkX/p99-sec", "BenchmarkX/sec/GC", "BenchmarkX/B",
                                      "BenchmarkX/things/ns", "BenchmarkX/nsteps/op"}));
  EXPECT_EQ(ValuesOf(*output, "BenchmarkX/p99-sec"), (std::vector<double>{5e-9}));
  EXPECT_EQ(ValuesOf(*output, "BenchmarkX/B"), (std::vector<double>{7e6}));
  EXPECT_EQ(ValuesOf(*output, "BenchmarkX/things/ns"), (std::vector<double>{8}));
  EXPECT_EQ(InfoOf(*output, "BenchmarkX/sec/GC")->unit, "s/GC");
}

TEST(ParseGoBenchmarkTest, SaysWhatItExpectedInWhichLine) {
  const std::string none =
      "no value: expected at least one line BenchmarkNAME ITERATIONS VALUE UNIT";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", none},
      {"PASS\nok  \tx\t0.1s\n", none},
      {"BenchmarkX-8\nBenchmarking is fun 1 2\n", none},
      {"pkg: x\nBenchmarkX-8 hello 3 ns/op\n",
       "line 2: expected the number of iterations of 'BenchmarkX-8', found 'hello'"},
      {"BenchmarkX-8 100", "line 1: 'BenchmarkX-8' has no value"},
      {"BenchmarkX-8 100 fast ns/op",
       "line 1: expected a value of 'BenchmarkX-8': 'fast' is not a number"},
      {"BenchmarkX-8 100 NaN ns/op",
       "line 1: expected a value of 'BenchmarkX-8': 'NaN' is not a finite number"},
      {"BenchmarkX-8 100 3 ns/op 4", "line 1: expected the unit of '4'"},
      {"BenchmarkX-8 100 3 ns/op 4 ns/op", "line 1: 'ns/op' twice for 'BenchmarkX-8'"},
      {"Unit", none},
      {"Unit \nBenchmarkX 1 1 x", "line 1: expected a unit after Unit"},
      {"Unit x better=up", "line 1: expected lower or higher after better=, found 'up'"},
      {"Unit x better", "line 1: expected KEY=VALUE after the unit, found 'better'"},
      {"Unit x better=lower\nUnit x better=higher",
       "line 2: 'x' has another direction than before"},
      {"BenchmarkX 1 1 x\n\xff", "line 2: not valid UTF-8 at byte 1"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(GoError(text), message) << text;
}

}  // namespace
}  // namespace benchd
