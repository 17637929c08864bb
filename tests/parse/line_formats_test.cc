#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the files, with nanoseconds as seconds and MB as bytes.

namespace benchd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Error LinesError(const std::string& text) {
  const auto output = ParseLines(text);
  EXPECT_FALSE(output) << text.substr(0, 80);
  if (output) return {};
  EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(output.error().hint.empty()) << output.error().message;
  return output.error();
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
  const std::vector<std::string> refused{
      "#! prefer=higher unit=1/s\nrate 5\nlag 0.1 s\n",
      "#! prefer=lower unit=s\nlag 0.1\nrate 5 1/s\n",
      "#! prefer=lower unit=s\nsize 5 B\n",
      "#! prefer=higher\nlag 0.1 ms\n",
      "#! prefer=lower\nrate 7 MB/s\n",
      "#! unit=1/s\n#! prefer=higher\nlag 0.1 s\n",
  };
  for (const std::string& text : refused) EXPECT_WORDING(RefusalOf(text, LinesError(text)));
  const std::string hint = LinesError(refused[0]).hint;
  EXPECT_NE(hint.find("#! prefer=lower unit=s"), std::string::npos) << hint;
  for (const std::string text :
       {"#! prefer=higher unit=1/s\nrate 5\n#! prefer=lower unit=s\nlag 0.1\nmore 3 ms\n",
        "#! prefer=higher unit=s\nuptime 5 min\n", "#! prefer=higher\nrate 5 1/s\nwins 3 games\n",
        "#! prefer=lower unit=s\nlag 1\n#! prefer=higher\nrate 5 1/s\n",
        "lag 0.1 s\nrate 5 1/s\n"}) {
    EXPECT_TRUE(ParseLines(text)) << text;
  }
}

TEST(ParseLinesTest, SaysWhatItExpectedInWhichLine) {
  const std::vector<std::string> cases{
      "",
      "# only\n\n \t\n#! unit=s\n",
      "ops",
      "a 1\n\n7 ops\n",
      "12.5",
      "12",
      "1 2",
      "1 2 3",
      "1 2.5 ops 3",
      "-1 ops 3",
      "99999999999 ops 3",
      "1 4294967296 ops 3",
      "ops ten",
      "ops 12ms",
      "ops 0x10",
      "ops NaN",
      "ops -inf s",
      "ops 1e999",
      "ops 1 s more",
      "ops 1\nops 2\n",
      "1 ops 1\nops 2\n",
      "ops 1\n1 ops 2\n",
      "1 ops 1\n2 ops 1\n1 ops 2\n",
      "1 5 ops 1\n1 5 ops 2\n",
      "1 ops 1 s\n2 ops 1 B\n",
      "fib 10 1.2",
      "1 fib 10 -1",
      "\"fib 10 1.2",
      "\"fib\"10 1.2",
      "\"\" 1.2",
      "1 ops 1\n#! prefer=lower\n2 ops 1\n",
      "wall_time 1 s",
      "#! prefer=best",
      "#! unit=",
      "#!",
      "#!/bin/sh",
      "a 1\n\xC3(",
      "# \xFF\na 1",
      "o\x1b[1mps 1",
      std::string("a\0b 1", 5),
      std::string(257, 'n') + " 1",
      "a 1 " + std::string(257, 'u'),
      "a 1\n#" + std::string(65536, 'x'),
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, LinesError(text)));
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
  EXPECT_WORDING(LinesError(text + "100000 t 1\n"));
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

Error MmtestsError(const std::string& text) { return HarnessError("mmtests", text); }

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
  const std::vector<std::string> cases{
      "",
      "ops",
      "\nops 1",
      "ops 1 2 3 4",
      "ops one 2 3",
      "ops 1 two 3",
      "ops 1 2 nan",
      "ops 1 2 3\nops 1 2 4",
      "wall_time 1 2 3",
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, MmtestsError(text)));
}

Error GoError(const std::string& text) { return HarnessError("go", text); }

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
  EXPECT_WORDING(GoError(event("a", "BenchmarkX-2 1 nan ns/op\\n")));
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
  const Error error = GoError(HarnessData("go_failed.txt"));
  EXPECT_NE(error.message.find("'BenchmarkFails'"), std::string::npos) << error.message;
  EXPECT_WORDING(error);
}

// Results may precede the failure, and the exit code may be that of another program in a pipe.
TEST(ParseGoBenchmarkTest, OutputThatSaysItFailedHasNoResult) {
  const std::string result = "BenchmarkA-2 1000 100.01 ns/op\n";
  const auto event = [](const std::string& members) {
    return "{\"Package\":\"p\"," + members + "}\n";
  };
  const std::vector<std::string> cases{
      result + "FAIL\n",
      result + "FAIL\r\n",
      result + "FAIL\tp\t600s\n",
      "FAIL\tq [build failed]\n" + result,
      result + "panic: test timed out after 10m0s\n" + "FAIL\tp\t600s\n",
      result + "fatal error: all goroutines are asleep - deadlock!\n",
      "--- FAIL: TestParse (0.00s)\n" + result,
      "BenchmarkA-2 \tpanic: boom\nFAIL\tp\t0.1s\n",
      "    --- FAIL: BenchmarkA/x\n" + result,
      event(R"("Action":"output","Output":"BenchmarkA 1 5 ns/op\n")") +
          event(R"("Action":"output","Output":"FAIL\tp\t1s\n")"),
      event(R"("Action":"output","Output":"BenchmarkA 1 5 ns/op\n")") +
          event(R"("Action":"fail","Elapsed":1)"),
      event(R"("Action":"build-fail","ImportPath":"q [q.test]")") + event(R"("Action":"start")"),
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, GoError(text)));
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
    const Error error = GoError(result + line + "\n");
    EXPECT_WORDING(RefusalOf(result + line + "\n", error));
    const std::string& message = error.message;
    EXPECT_TRUE(message.starts_with("line 2: ")) << message;
    EXPECT_EQ(GoError(result + line + "\r\n" + result).message, message);
    EXPECT_EQ(GoError(result + "BenchmarkB\n" + line).message, "line 3" + message.substr(6));
    // A result that is missing: the first word is where its iterations should be, or nothing is.
    EXPECT_THAT(GoError(result + "BenchmarkB-2   \t" + line + "\n").message,
                AllOf(StartsWith("line 2: "), HasSubstr("'BenchmarkB-2' (line 2)"),
                      HasSubstr("'" + line.substr(0, line.find(' ')) + "'")));
    EXPECT_THAT(GoError(result + "BenchmarkB-2   \t\n" + line + "\n").message,
                AllOf(StartsWith("line 3: "), HasSubstr("'BenchmarkB-2' (line 2)"),
                      Not(HasSubstr("'" + line.substr(0, line.find(' ')) + "'"))));
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
  const Error error = GoError(result + "BenchmarkC-8 \t");
  EXPECT_WORDING(RefusalOf(result + "BenchmarkC-8 \t", error));
  const std::string& missing = error.message;
  EXPECT_TRUE(missing.starts_with("line 2: ")) << missing;
  EXPECT_EQ(GoError(result + "BenchmarkC-8\t\r\n").message, missing);
  EXPECT_EQ(GoError(result + "BenchmarkC-8     \t\nPASS\nok  \tp\t1.2s\n").message,
            "line 4" + missing.substr(6));
  EXPECT_EQ(GoError(result + "BenchmarkC-8\t\n" + result).message, "line 3" + missing.substr(6));
  EXPECT_EQ(GoError("{\"Action\":\"output\",\"Output\":\"BenchmarkA 1 5 ns/op\\n\"}\n"
                    "{\"Action\":\"output\",\"Output\":\"BenchmarkC-8 \\t\"}\n")
                .message,
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
  const std::vector<std::string> cases{
      "",
      "PASS\nok  \tx\t0.1s\n",
      "BenchmarkX-8\nBenchmarking is fun 1 2\n",
      "pkg: x\nBenchmarkX-8 hello 3 ns/op\n",
      "BenchmarkX-8 hello\nPASS\nBenchmarkY-8 1 3 ns/op\n",
      "{\"Action\":\"output\"\n",
      "BenchmarkX-8 100",
      "BenchmarkX-8 100 fast ns/op",
      "BenchmarkX-8 100 NaN ns/op",
      "BenchmarkX-8 100 3 ns/op 4",
      "BenchmarkX-8 100 3 ns/op 4 ns/op",
      "Unit",
      "Unit \nBenchmarkX 1 1 x",
      "Unit x better=up",
      "Unit x better",
      "Unit x better=lower\nUnit x better=higher",
      "BenchmarkX 1 1 x\n\xff",
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, GoError(text)));
}

}  // namespace
}  // namespace benchd
