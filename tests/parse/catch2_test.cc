#include <gtest/gtest.h>

#include <algorithm>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the texts, divided by the units in a second.

namespace benchd {
namespace {

Error CatchError(const std::string& text) { return HarnessError("catch2", text); }

const std::string kCatchDashes = std::string(79, '-') + "\n";
const std::string kCatchEnd = std::string(79, '=') + "\n";
const std::string kCatchHead =
    "benchmark name                       samples       iterations    est run time\n"
    "                                     mean          low mean      high mean\n"
    "                                     std dev       low std dev   high std dev\n" +
    kCatchDashes;

std::string CatchHeading(const std::string& names) {
  return kCatchDashes + names + kCatchDashes + "c.cpp:5\n" + std::string(79, '.') + "\n\n";
}

std::string CatchRow(std::string name, const std::string& mean) {
  name.resize(std::max<std::size_t>(name.size(), 37), ' ');
  const std::string indent(37, ' ');
  return name + "           100             2     8.3712 ms \n" + indent + "     " + mean +
         "     41.25 us     42.622 us \n" + indent +
         "      3.256 us      2.163 us      5.353 us \n" + std::string(79, ' ') + "\n";
}

TEST(ParseCatch2Test, TakesTheMeanOfEachBenchmarkUnderItsTestCaseAndSections) {
  const auto output = ParseCatch2(HarnessData("catch2.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples,
            (std::vector<Sample>{{"time", "Fibonacci/fib 10", 0, 32.5236 / 1e9},
                                 {"time", "Fibonacci/fib 15", 0, 446.167 / 1e9},
                                 {"time", "Fibonacci/adv <x> & y", 0, 13.4166 / 1e9},
                                 {"time", "Other/s1/fib 10", 0, 31.866 / 1e9}}));
  EXPECT_EQ(output->metrics[0],
            (MetricInfo{"Fibonacci/fib 10/time", "s", Better::kLower, 0.0001 / 1e9}));
  EXPECT_TRUE(output->means_alone);
}

TEST(ParseCatch2Test, JoinsWrappedNamesAndReadsEveryUnit) {
  const auto output = ParseCatch2(
      CatchHeading("A test case whose name is\ntoo long for a line\n  first\n  second\n") +
      kCatchHead + "a benchmark whose name is too long\n" + CatchRow("for its column", "1.5 us") +
      CatchRow("ms", "2 ms") + CatchRow("s", "3 s") + CatchRow("m", "4 m") + "\n" + kCatchEnd +
      "test cases: 1 | 1 passed\nassertions: - none -\n");
  ASSERT_TRUE(output) << output.error().message;
  const std::string inner = "A test case whose name is too long for a line/first/second/";
  EXPECT_EQ(ValuesOf(*output, inner + "a benchmark whose name is too long for its column/time"),
            (std::vector<double>{1.5 / 1e6}));
  EXPECT_EQ(ValuesOf(*output, inner + "ms/time"), (std::vector<double>{2 / 1e3}));
  EXPECT_EQ(ValuesOf(*output, inner + "s/time"), (std::vector<double>{3}));
  EXPECT_EQ(ValuesOf(*output, inner + "m/time"), (std::vector<double>{240}));
}

// A name has at most 35 bytes in its column, of which none may be split.
TEST(ParseCatch2Test, SplitsNoCharacterOfAName) {
  const std::string name =
      "\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC"
      "\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC\u03BC";  // 40 bytes
  const auto output = ParseCatch2(CatchHeading("T\n") + kCatchHead + CatchRow(name, "1 us"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples[0].inner_benchmark, "T/" + name.substr(0, 38));
}

TEST(ParseCatch2Test, ReadsTheTableWithoutAnalysis) {
  const auto output = ParseCatch2(
      CatchHeading("T\n") +
      "benchmark name                            samples    iterations          mean\n" +
      kCatchDashes +
      "fib 10                                         20           700       32.5 ns\n"
      "                                                                               \n"
      "fib 15                                         20            48    446.25 ns\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"time", "T/fib 10", 0, 32.5 / 1e9},
                                                  {"time", "T/fib 15", 0, 446.25 / 1e9}}));
}

TEST(ParseCatch2Test, LeavesMessagesAndAssertionsOut) {
  const auto output = ParseCatch2(
      CatchHeading("T\n") + "c.cpp:6: PASSED:\n  REQUIRE( x )\n" + kCatchHead +
      CatchRow("a", "1 us") + "\nc.cpp:7: warning:\n  be careful\n\n" + kCatchHead +
      CatchRow("b", "2 us") + kCatchEnd + "All tests passed (1 assertion in 1 test case)\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"T/a/time", "T/b/time"}));
}

TEST(ParseCatch2Test, RefusesAFailureUnlessItWasExpected) {
  const std::string table = CatchHeading("T\n") + kCatchHead + CatchRow("a", "1 us");
  const std::string failure = "\nc.cpp:9: FAILED:\n  REQUIRE( fib(3) == 3 )\n\n";
  const std::string summary = "test cases: 2 | 1 passed | 1 failed\nassertions: 1 | 1 failed\n";
  EXPECT_WORDING(CatchError(table + failure + kCatchEnd + summary));
  EXPECT_WORDING(CatchError(table + kCatchEnd + summary));
  EXPECT_WORDING(CatchError(table + failure));
  EXPECT_WORDING(CatchError(CatchHeading("T\n") + kCatchHead +
                            "a                                    Benchmark failed (no memory)\n"));
  const auto expected = ParseCatch2(table + failure + kCatchEnd +
                                    "test cases: 2 | 1 passed | 1 failed as expected\n"
                                    "assertions: 1 | 1 failed as expected\n");
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_EQ(KeysOf(*expected), (std::vector<std::string>{"T/a/time"}));
}

TEST(ParseCatch2Test, SaysWhatItExpectedInWhichLine) {
  const std::string begin = CatchHeading("T\n") + kCatchHead;
  const std::vector<std::string> cases{
      "",
      "All tests passed (1 assertion in 1 test case)\n",
      HarnessData("catch2.xml"),
      begin + CatchRow("a", "1 us") + CatchRow("a", "1 us"),
      begin + CatchRow("a", "1 days"),
      begin + CatchRow("a", "fast"),
      begin + CatchRow("a", "nan ns"),
      begin + "a                 100             2     8.3712 ms \n",
      begin + "a                 100             2     8.3712 ms \n" + kCatchEnd,
  };
  for (const std::string& text : cases) {
    // The end of the text has what differs.
    const std::string tail = text.size() > 300 ? text.substr(text.size() - 300) : text;
    EXPECT_WORDING(RefusalOf(tail, CatchError(text)));
  }
}

}  // namespace
}  // namespace benchd
