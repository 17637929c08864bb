#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/support/seed.h"

// Expected numbers are taken from the files, with nanoseconds as seconds and MB as bytes.

namespace benchd {
namespace {

std::string LinesError(const std::string& text) {
  const auto output = ParseLines(text);
  if (output) return "no error";
  EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(output.error().hint.empty()) << output.error().message;
  return output.error().message;
}

TEST(ParseLinesTest, ReadsNameValueAndUnit) {
  const auto output = ParseLines("latency 12.50 ms\n# a remark\n\n  ops\t1000\r\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"latency", "", 0, 12.5}, {"ops", "", 0, 1000}}));
  EXPECT_EQ(output->metrics, (std::vector<MetricInfo>{{"latency", "ms", std::nullopt, 0.01},
                                                      {"ops", "", std::nullopt, 1}}));
}

TEST(ParseLinesTest, ReadsTheLastLineWithoutItsNewline) {
  const auto output = ParseLines("ops 1");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples.size(), 1U);
}

TEST(ParseLinesTest, CountsNumberedValuesInOrderOfAppearance) {
  const auto output = ParseLines("7 ops 10\n9 ops 11\n7 lag 1\n1 1 t 0.1\n1 2 t 0.2\n2 1 t 0.3\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"ops", "", 0, 10},
                                                  {"ops", "", 1, 11},
                                                  {"lag", "", 0, 1},
                                                  {"t", "", 0, 0.1},
                                                  {"t", "", 1, 0.2},
                                                  {"t", "", 2, 0.3}}));
  EXPECT_EQ(output->metrics.size(), 3U);
}

TEST(ParseLinesTest, TakesTheSmallestResolutionOfTheRun) {
  const auto output = ParseLines("1 t 12\n2 t 12.250\n3 t 3.5\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->metrics[0].resolution, 0.001);
}

TEST(ParseLinesTest, LetsDirectivesHoldForTheLinesAfterThem) {
  const auto output = ParseLines(
      "a 1\n#! prefer=lower unit=s\nb 2\nc 3 ms\n  #!prefer=higher\nd 4\n#! unit=1\ne 5\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->metrics, (std::vector<MetricInfo>{{"a", "", std::nullopt, 1},
                                                      {"b", "s", Better::kLower, 1},
                                                      {"c", "ms", Better::kLower, 1},
                                                      {"d", "s", Better::kHigher, 1},
                                                      {"e", "1", Better::kHigher, 1}}));
}

TEST(ParseLinesTest, TakesNamesThatMerelyLookOdd) {
  for (const std::string name :
       {"BM_X/threads:2", "2mm", "größe", "a=b", "-x", "0x10", "1e", "nan", "a,b", "q\"q"}) {
    const auto output = ParseLines(name + " 5");
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->samples[0].metric, name);
  }
}

TEST(ParseLinesTest, ANameInQuotesMayHaveBlanksAndNumbers) {
  const auto output = ParseLines("\"fib 10\" 1.25 s\n1 \"10\" 3\n2 \"10\"\t4\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples,
            (std::vector<Sample>{{"fib 10", "", 0, 1.25}, {"10", "", 0, 3}, {"10", "", 1, 4}}));
}

// A direction applies to a unit. Extending it to another unit would be a guess, and a wrong guess
// lets a doubled latency pass.
TEST(ParseLinesTest, AUnitThatTheDirectionWasNotSaidOfNeedsItsOwn) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"#! prefer=higher unit=1/s\nrate 5\nlag 0.1 s\n",
       "line 3: 'lag' is in 's', but prefer=higher applies to '1/s'"},
      {"#! prefer=lower unit=s\nlag 0.1\nrate 5 1/s\n",
       "line 3: 'rate' is in '1/s', but prefer=lower applies to 's'"},
      {"#! prefer=lower unit=s\nsize 5 B\n",
       "line 2: 'size' is in 'B', but prefer=lower applies to 's'"},
      {"#! prefer=higher\nlag 0.1 ms\n",
       "line 2: 'lag' is in 'ms', but prefer=higher was given without a unit"},
      {"#! prefer=lower\nrate 7 MB/s\n",
       "line 2: 'rate' is in 'MB/s', but prefer=lower was given without a unit"},
      {"#! unit=1/s\n#! prefer=higher\nlag 0.1 s\n",
       "line 3: 'lag' is in 's', but prefer=higher was given without a unit"},
  };
  for (const auto& [text, message] : refused) EXPECT_EQ(LinesError(text), message) << text;
  const auto hint = ParseLines(refused[0].first).error().hint;
  EXPECT_EQ(hint, "state its direction on an earlier line: #! prefer=lower unit=s");
  for (const std::string text :
       {"#! prefer=higher unit=1/s\nrate 5\n#! prefer=lower unit=s\nlag 0.1\nmore 3 ms\n",
        "#! prefer=higher unit=s\nuptime 5 min\n", "#! prefer=higher\nrate 5 1/s\nwins 3 games\n",
        "#! prefer=lower unit=s\nlag 1\n#! prefer=higher\nrate 5 1/s\n",
        "lag 0.1 s\nrate 5 1/s\n"}) {
    EXPECT_EQ(LinesError(text), "no error") << text;
  }
}

TEST(ParseLinesTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "no value: expected at least one line NAME VALUE [UNIT]"},
      {"# only\n\n \t\n#! unit=s\n", "no value: expected at least one line NAME VALUE [UNIT]"},
      {"ops", "line 1: 'ops' has no value"},
      {"a 1\n\n7 ops\n", "line 3: 'ops' has no value"},
      {"12.5", "line 1: expected a name, found the number '12.5'"},
      {"12", "line 1: expected a name after '12'"},
      {"1 2", "line 1: expected a name after '2'"},
      {"1 2 3", "line 1: expected a name, found the number '3'"},
      {"1 2.5 ops 3", "line 1: expected a name, found the number '2.5'"},
      {"-1 ops 3", "line 1: expected a name, found the number '-1'"},
      {"99999999999 ops 3", "line 1: the iteration number '99999999999' is too large"},
      {"1 4294967296 ops 3", "line 1: the sample number '4294967296' is too large"},
      {"ops ten", "line 1: expected the value of 'ops': 'ten' is not a number"},
      {"ops 12ms", "line 1: expected the value of 'ops': '12ms' is not a number"},
      {"ops 0x10", "line 1: expected the value of 'ops': '0x10' is not a number"},
      {"ops NaN", "line 1: expected the value of 'ops': 'NaN' is not a finite number"},
      {"ops -inf s", "line 1: expected the value of 'ops': '-inf' is not a finite number"},
      {"ops 1e999", "line 1: expected the value of 'ops': '1e999' does not fit a double"},
      {"ops 1 s more", "line 1: expected the end of the line after the unit, found 'more'"},
      {"ops 1\nops 2\n", "line 2: 'ops' occurs twice without an iteration number (line 1)"},
      {"1 ops 1\nops 2\n", "line 2: 'ops' occurs twice without an iteration number (line 1)"},
      {"ops 1\n1 ops 2\n", "line 2: 'ops' occurs twice without an iteration number (line 1)"},
      {"1 ops 1\n2 ops 1\n1 ops 2\n",
       "line 3: 'ops' occurs twice with the same iteration number (line 1)"},
      {"1 5 ops 1\n1 5 ops 2\n",
       "line 2: 'ops' occurs twice with the same iteration number (line 1)"},
      {"1 ops 1 s\n2 ops 1 B\n", "line 2: 'ops' has the unit 'B', but had 's' (line 1)"},
      {"fib 10 1.2", "line 1: expected the unit of 'fib', found the number '1.2'"},
      {"1 fib 10 -1", "line 1: expected the unit of 'fib', found the number '-1'"},
      {"\"fib 10 1.2", "line 1: expected a second quote after '\"fib 10 1.2'"},
      {"\"fib\"10 1.2", "line 1: expected a blank after the quoted name 'fib'"},
      {"\"\" 1.2", "line 1: a value without a name"},
      {"1 ops 1\n#! prefer=lower\n2 ops 1\n", "line 3: 'ops' has conflicting directions (line 1)"},
      {"wall_time 1 s", "line 1: 'wall_time' is a metric that benchd measures itself"},
      {"#! prefer=best", "line 1: expected lower or higher after prefer=, found 'best'"},
      {"#! unit=", "line 1: expected a unit after unit="},
      {"#!", "line 1: expected prefer= or unit= after #!"},
      {"#!/bin/sh", "line 1: expected prefer= or unit= after #!, found '/bin/sh'"},
      {"a 1\n\xC3(", "line 2: not valid UTF-8 at byte 1"},
      {"# \xFF\na 1", "line 1: not valid UTF-8 at byte 3"},
      {"o\x1b[1mps 1", "line 1: a control character in 'o\\x1b[1mps 1'"},
      {std::string("a\0b 1", 5), "line 1: a control character in 'a\\x00b 1'"},
      {std::string(257, 'n') + " 1",
       "line 1: the name '" + std::string(60, 'n') + "...' has 257 bytes; the limit is 256"},
      {"a 1 " + std::string(257, 'u'),
       "line 1: the unit '" + std::string(60, 'u') + "...' has 257 bytes; the limit is 256"},
      {"a 1\n#" + std::string(65536, 'x'), "line 2: 65537 bytes; the limit is 65536"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(LinesError(text), message) << text.substr(0, 80);
}

TEST(ParseLinesTest, TakesALineOf64KiB) {
  EXPECT_TRUE(ParseLines("#" + std::string(65535, 'x') + "\na 1"));
}

TEST(ParseLinesTest, RefusesMoreValuesThanARunCanSensiblyHave) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + " t 1\n";
  const auto full = ParseLines(text);
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->samples.size(), 100'000U);
  EXPECT_EQ(LinesError(text + "100000 t 1\n"), "line 100001: more than 100000 values in one run");
}

TEST(ParseLinesTest, SurvivesMutatedTexts) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string origin = "#! prefer=lower unit=s\n1 1 lat 12.50 ms\n1 2 lat 3e-9 ms\nops 5\n";
  const std::string pieces = "0123456789.eE+-# !=\n\r\t\xC3\xA9\xFF\x1b" + std::string(1, '\0');
  int parsed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = origin;
    for (auto left = 1 + random() % 6; left > 0; --left) {
      const std::size_t at = random() % (text.size() + 1);
      const char piece = pieces[random() % pieces.size()];
      switch (random() % 4) {
        case 0:
          text.insert(at, 1, piece);
          break;
        case 1:
          text.erase(at, 1 + random() % 4);
          break;
        case 2:
          text.insert(at, text.substr(random() % (text.size() + 1), random() % 20));
          break;
        default:
          if (at < text.size()) text[at] = piece;
      }
    }
    const auto output = ParseLines(text);
    if (!output) {
      EXPECT_FALSE(output.error().message.empty());
      EXPECT_EQ(output.error().message.find('\n'), std::string::npos);
      continue;
    }
    ++parsed;
    EXPECT_FALSE(output->samples.empty());
    for (const Sample& sample : output->samples) EXPECT_TRUE(std::isfinite(sample.value));
    for (const MetricInfo& metric : output->metrics) EXPECT_GE(metric.resolution, 0);
  }
  EXPECT_GT(parsed, 0);
}

std::string MmtestsError(const std::string& text) { return HarnessError("mmtests", text); }

TEST(ParseMmtestsTest, TakesEverySampleOfEachIteration) {
  const auto output = ParseMmtests(HarnessData("mmtests_script.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "Min-1"),
            (std::vector<double>{0.2514, 0.2512, 0.2531, 0.2582, 0.2555, 0.2506, 0.2506, 0.2521}));
  EXPECT_EQ(ValuesOf(*output, "elsp-2").size(), 8U);
  EXPECT_EQ(output->metrics, (std::vector<MetricInfo>{{"Min-1", "", std::nullopt, 1e-4},
                                                      {"elsp-2", "", std::nullopt, 0.01}}));
}

TEST(ParseMmtestsTest, TakesTheRowsOfOlderVersions) {
  const auto output = ParseMmtests(HarnessData("mmtests_script_old.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "LatAvg"), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(ValuesOf(*output, "LatMax"), (std::vector<double>{22, 24, 26}));
}

TEST(ParseMmtestsTest, TakesUnitAndDirectionOfADirective) {
  const auto output = ParseMmtests("#! prefer=lower unit=s\n" + HarnessData("mmtests_script.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(InfoOf(*output, "elsp-2"), (MetricInfo{"elsp-2", "s", Better::kLower, 0.01}));
}

TEST(ParseMmtestsTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "no value: expected at least one line OPERATION ITERATION SAMPLE VALUE"},
      {"ops", "line 1: expected OPERATION ITERATION SAMPLE VALUE, found 1 word"},
      {"\nops 1", "line 2: expected OPERATION ITERATION SAMPLE VALUE, found 2 words"},
      {"ops 1 2 3 4", "line 1: expected OPERATION ITERATION SAMPLE VALUE, found 5 words"},
      {"ops one 2 3", "line 1: expected the number of the iteration of 'ops', found 'one'"},
      {"ops 1 two 3", "line 1: expected the number of the sample of 'ops', found 'two'"},
      {"ops 1 2 nan", "line 1: expected the value of 'ops': 'nan' is not a finite number"},
      {"ops 1 2 3\nops 1 2 4",
       "line 2: 'ops' occurs twice with the same iteration number (line 1)"},
      {"wall_time 1 2 3", "line 1: 'wall_time' is a metric that benchd measures itself"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(MmtestsError(text), message) << text;
}

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
            (MetricInfo{small + "/B/s", "B/s", Better::kHigher, 0.01 * 1e6, true}));
  EXPECT_EQ(InfoOf(*output, small + "/B/op"),
            (MetricInfo{small + "/B/op", "B", Better::kLower, 1}));
  EXPECT_EQ(InfoOf(*output, small + "/allocs/op"),
            (MetricInfo{small + "/allocs/op", "1", Better::kLower, 1}));
  EXPECT_EQ(InfoOf(*output, small + "/kwords/run"),
            (MetricInfo{small + "/kwords/run", "kwords/run", std::nullopt, 0.1}));
  // Each benchmark has its own resolution: the large one prints whole nanoseconds.
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

// go test 1.19 of a benchmark that logs: the name, its log, and then the rest of its line.
TEST(ParseGoBenchmarkTest, PutsAResultTogetherThatItsLogHasTornApart) {
  const auto output = ParseGoBenchmark(HarnessData("go_log_between.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "BenchmarkLog/sec/op"), (std::vector<double>{0.2403 / 1e9}));
  EXPECT_EQ(ValuesOf(*output, "BenchmarkLog-2/sec/op"), (std::vector<double>{0.2381 / 1e9}));
  EXPECT_EQ(ValuesOf(*output, "BenchmarkSort/size=100_größe_x-2/sec/op"),
            (std::vector<double>{2195 / 1e9}));
  // A line that only looks like a result belongs to the log.
  const auto log = ParseGoBenchmark(
      "BenchmarkX-2   \tstart\n10 20 items\n  5 7 widgets\n17132313\t         0.5609 ns/op\n");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(ValuesOf(*log, "BenchmarkX-2/sec/op"), (std::vector<double>{0.5609 / 1e9}));
}

// The fragments of a line are separate events, interleaved with those of other packages.
TEST(ParseGoBenchmarkTest, ReadsTheEventsOfGoTestJson) {
  const auto output = ParseGoBenchmark(HarnessData("go_test_json.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "BenchmarkSort/size=10_größe_x-2/sec/op"),
            (std::vector<double>{320.6 / 1e9}));
  EXPECT_EQ(ValuesOf(*output, "BenchmarkSort/size=100_größe_x-2/sec/op"),
            (std::vector<double>{3347 / 1e9}));
  const auto event = [](const std::string& package, const std::string& text) {
    return "{\"Action\":\"output\",\"Package\":\"" + package + "\",\"Output\":\"" + text + "\"}\n";
  };
  const auto two =
      ParseGoBenchmark(event("a", "pkg: a\\nBenchmarkX-2 \\t") + "# a warning of the compiler\n" +
                       event("b", "pkg: b\\n") + event("b", "BenchmarkX-2 \\t 5\\t 7 ns/op\\n") +
                       event("a", "3\\t 5 ns/op\\n"));
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(ValuesOf(*two, "a.BenchmarkX-2/sec/op"), (std::vector<double>{5 / 1e9}));
  EXPECT_EQ(ValuesOf(*two, "b.BenchmarkX-2/sec/op"), (std::vector<double>{7 / 1e9}));
  EXPECT_EQ(GoError(event("a", "BenchmarkX-2 1 nan ns/op\\n")),
            "line 1: expected a value of 'BenchmarkX-2': 'nan' is not a finite number");
}

TEST(ParseGoBenchmarkTest, ABenchmarkThatWasRenamedIsOneAllTheSame) {
  const auto output = ParseGoBenchmark("Benchmarkuber_zap 100 5 ns/op\nBenchmarking took 3 s\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), std::vector<std::string>{"Benchmarkuber_zap/sec/op"});
}

// The rate is the time's reciprocal: it gates if named, or if there is no time.
TEST(ParseGoBenchmarkTest, BytesASecondBesideTheTimeGateByNameOnly) {
  const auto output = ParseGoBenchmark("BenchmarkX 1 5 ns/op 3 MB/s\nBenchmarkY 1 3 MB/s 2 B/op\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_TRUE(InfoOf(*output, "BenchmarkX/B/s")->by_name_only);
  EXPECT_FALSE(InfoOf(*output, "BenchmarkY/B/s")->by_name_only);
  EXPECT_FALSE(InfoOf(*output, "BenchmarkX/sec/op")->by_name_only);
}

TEST(ParseGoBenchmarkTest, NamesTheBenchmarkThatFailed) {
  EXPECT_EQ(GoError(HarnessData("go_failed.txt")), "line 9: 'BenchmarkFails' failed");
}

// Results may precede the failure, and the exit code may be that of another program in a pipe.
TEST(ParseGoBenchmarkTest, OutputThatSaysItFailedHasNoResult) {
  const std::string result = "BenchmarkA-2 1000 100.01 ns/op\n";
  const auto event = [](const std::string& members) {
    return "{\"Package\":\"p\"," + members + "}\n";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {result + "FAIL\n", "line 2: go test failed: 'FAIL'"},
      {result + "FAIL\r\n", "line 2: go test failed: 'FAIL'"},
      {result + "FAIL\tp\t600s\n", "line 2: go test failed: 'FAIL p 600s'"},
      {"FAIL\tq [build failed]\n" + result, "line 1: go test failed: 'FAIL q [build failed]'"},
      {result + "panic: test timed out after 10m0s\n" + "FAIL\tp\t600s\n",
       "line 2: go test failed: 'panic: test timed out after 10m0s'"},
      {result + "fatal error: all goroutines are asleep - deadlock!\n",
       "line 2: go test failed: 'fatal error: all goroutines are asleep - deadlock!'"},
      {"--- FAIL: TestParse (0.00s)\n" + result, "line 1: 'TestParse' failed"},
      {"BenchmarkA-2 \tpanic: boom\nFAIL\tp\t0.1s\n",
       "line 2: the result of 'BenchmarkA-2' (line 1) is missing: expected the number of its "
       "iterations, found 'panic:'"},
      {"    --- FAIL: BenchmarkA/x\n" + result, "line 1: 'BenchmarkA/x' failed"},
      {event(R"("Action":"output","Output":"BenchmarkA 1 5 ns/op\n")") +
           event(R"("Action":"output","Output":"FAIL\tp\t1s\n")"),
       "line 2: go test failed: 'FAIL p 1s'"},
      {event(R"("Action":"output","Output":"BenchmarkA 1 5 ns/op\n")") +
           event(R"("Action":"fail","Elapsed":1)"),
       "line 2: go test failed: 'FAIL p'"},
      {event(R"("Action":"build-fail","ImportPath":"q [q.test]")") + event(R"("Action":"start")"),
       "line 1: go test failed: 'FAIL q [q.test]'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(GoError(text), message) << text;
  // Log lines that only begin like these.
  const auto output = ParseGoBenchmark("FAILED: 0\nFAIL rate 0.1 %\nFAILURES none\npanicked: no\n" +
                                       result + "PASS\nok  \tp\t1s\n");
  ASSERT_TRUE(output) << output.error().message;
}

// go test prints FAIL after each of these, but a pipe, a filter or a full disk may have lost it.
TEST(ParseGoBenchmarkTest, WhatSaysThatTheTestDiedIsAFailureWithoutTheLineFail) {
  const std::string result = "BenchmarkA-2 1000 100.01 ns/op\n";
  for (const std::string line :
       {"SIGSEGV: segmentation violation", "SIGABRT: abort", "SIGQUIT: quit", "signal: killed",
        "signal: terminated", "signal: segmentation fault (core dumped)", "exit status 2",
        "*** Test killed with quit: ran too long (11m0s).",
        "*** Test killed: ran too long (11m0s).", "*** Test I/O incomplete 1m0s after exiting.",
        "example.com/words [build failed]", "example.com/words [setup failed]"}) {
    const std::string message = "line 2: go test failed: '" + line + "'";
    EXPECT_EQ(GoError(result + line + "\n"), message);
    EXPECT_EQ(GoError(result + line + "\r\n" + result), message);
    EXPECT_EQ(GoError(result + "BenchmarkB\n" + line), "line 3" + message.substr(6));
    EXPECT_EQ(
        GoError(result + "BenchmarkB-2   \t" + line + "\n"),
        "line 2: the result of 'BenchmarkB-2' (line 2) is missing: expected the number of its "
        "iterations, found '" +
            line.substr(0, line.find(' ')) + "'");
    EXPECT_EQ(
        GoError(result + "BenchmarkB-2   \t\n" + line + "\n"),
        "line 3: the result of 'BenchmarkB-2' (line 2) is missing: expected the number of its "
        "iterations, found nothing");
  }
}

TEST(ParseGoBenchmarkTest, WordsOfALogThatOnlyResembleADeathAreNone) {
  const std::string result = "BenchmarkA-2 1000 100.01 ns/op\n";
  for (const std::string line :
       {"exit status", "exit status of the child: 0", "exit status ok", "signal: 12 dB",
        "signal: killed 3 children", "signal received", "SIGTERM: shutting down", "SIGSEGV",
        "SIGSEGV: segmentation violation handled", "    x_test.go:7: exit status 1",
        "    x_test.go:7: signal: killed", "*** Test 1 of 3", "the last [build failed] today",
        "?   \tp\t[no test files]", "--- SKIP: BenchmarkB", "    --- SKIP: BenchmarkB/x",
        "--- BENCH: BenchmarkA-2", "testing: warning: no tests to run", "goos: linux"}) {
    const auto output = ParseGoBenchmark(line + "\n" + result + line + "\nPASS\nok  \tp\t1.2s\n");
    ASSERT_TRUE(output) << line << ": " << output.error().message;
    EXPECT_EQ(ValuesOf(*output, "BenchmarkA-2/sec/op").size(), 1U) << line;
  }
}

// The tab after the name is present when the benchmark runs; a name alone comes from -v.
TEST(ParseGoBenchmarkTest, AResultThatNeverCameIsMissingAtTheEndAsWell) {
  const std::string result = "BenchmarkA-8 10 100.00 ns/op\n";
  const std::string missing =
      "line 2: the result of 'BenchmarkC-8' (line 2) is missing: expected the number of its "
      "iterations, found nothing";
  EXPECT_EQ(GoError(result + "BenchmarkC-8 \t"), missing);
  EXPECT_EQ(GoError(result + "BenchmarkC-8\t\r\n"), missing);
  EXPECT_EQ(GoError(result + "BenchmarkC-8     \t\nPASS\nok  \tp\t1.2s\n"),
            "line 4" + missing.substr(6));
  EXPECT_EQ(GoError(result + "BenchmarkC-8\t\n" + result), "line 3" + missing.substr(6));
  EXPECT_EQ(GoError("{\"Action\":\"output\",\"Output\":\"BenchmarkA 1 5 ns/op\\n\"}\n"
                    "{\"Action\":\"output\",\"Output\":\"BenchmarkC-8 \\t\"}\n"),
            missing);
  for (const std::string& whole : {
           "=== RUN   BenchmarkA\nBenchmarkA\n" + result + "BenchmarkC\n",
           "BenchmarkA\nBenchmarkA/x\n" + result + "BenchmarkC",
           result + "BenchmarkC-8",
           result + "BenchmarkC-8 \t 10\t 5 ns/op",
           result + "BenchmarkC-8 \t\nits log\n  10\t 5 ns/op",
           "BenchmarkSkipped\n--- SKIP: BenchmarkSkipped\n" + result,
       }) {
    const auto output = ParseGoBenchmark(whole);
    ASSERT_TRUE(output) << whole << output.error().message;
    EXPECT_EQ(ValuesOf(*output, "BenchmarkA-8/sec/op").size(), 1U) << whole;
  }
}

// These formats never take such a foreign line for a value of theirs.
TEST(LineFormatsTest, ALineThatSaysAFailureIsNoValue) {
  for (const std::string line : {"FAIL", "FAIL\tp\t600s", "panic: no memory", "--- FAIL: TestX",
                                 "error: out of memory", "Segmentation fault"}) {
    EXPECT_FALSE(ParseLines("t 1\n" + line + "\n")) << line;
    EXPECT_FALSE(ParseMmtests("t 1 1 5\n" + line + "\n")) << line;
  }
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
       "line 2: the result of 'BenchmarkX-8' (line 2) is missing: expected the number of its "
       "iterations, found 'hello'"},
      {"BenchmarkX-8 hello\nPASS\nBenchmarkY-8 1 3 ns/op\n",
       "line 3: the result of 'BenchmarkX-8' (line 1) is missing: expected the number of its "
       "iterations, found 'hello'"},
      {"{\"Action\":\"output\"\n", "line 1: not an event of go test -json"},
      {"BenchmarkX-8 100", "line 1: 'BenchmarkX-8' has no value"},
      {"BenchmarkX-8 100 fast ns/op",
       "line 1: expected a value of 'BenchmarkX-8': 'fast' is not a number"},
      {"BenchmarkX-8 100 NaN ns/op",
       "line 1: expected a value of 'BenchmarkX-8': 'NaN' is not a finite number"},
      {"BenchmarkX-8 100 3 ns/op 4", "line 1: expected the unit of '4'"},
      {"BenchmarkX-8 100 3 ns/op 4 ns/op", "line 1: 'ns/op' occurs twice for 'BenchmarkX-8'"},
      {"Unit", none},
      {"Unit \nBenchmarkX 1 1 x", "line 1: expected a unit after Unit"},
      {"Unit x better=up", "line 1: expected lower or higher after better=, found 'up'"},
      {"Unit x better", "line 1: expected KEY=VALUE after the unit, found 'better'"},
      {"Unit x better=lower\nUnit x better=higher", "line 2: 'x' has conflicting directions"},
      {"BenchmarkX 1 1 x\n\xff", "line 2: not valid UTF-8 at byte 1"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(GoError(text), message) << text;
}

}  // namespace
}  // namespace benchd
