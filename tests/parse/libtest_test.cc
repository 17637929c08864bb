#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the files, divided by the nanoseconds in a second.

namespace benchd {
namespace {

Error LibtestError(const std::string& text) { return HarnessError("libtest", text); }

TEST(ParseLibtestTest, TakesTheTimeAndTheRateOfEachBenchmark) {
  const auto output = ParseLibtest(HarnessData("libtest.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"time", "tests::copy", 0, 62.60 / 1e9},
                                                  {"bytes_per_second", "tests::copy", 0, 66064e6},
                                                  {"time", "tests::fib10", 0, 107.13 / 1e9}}));
  EXPECT_EQ(
      output->metrics,
      (std::vector<MetricInfo>{{"tests::copy/time", "s", Better::kLower, 0.01 / 1e9},
                               {"tests::copy/bytes_per_second", "B/s", Better::kHigher, 1e6, true},
                               {"tests::fib10/time", "s", Better::kLower, 0.01 / 1e9}}));
  EXPECT_TRUE(output->means_alone);
}

TEST(ParseLibtestTest, ReadsWhatTheBencherCrateAndCriterionPrint) {
  const auto bencher = ParseLibtest(HarnessData("libtest_bencher.txt"));
  ASSERT_TRUE(bencher) << bencher.error().message;
  EXPECT_EQ(ValuesOf(*bencher, "copy/time"), (std::vector<double>{32 / 1e9}));
  EXPECT_EQ(ValuesOf(*bencher, "copy/bytes_per_second"), (std::vector<double>{128000e6}));
  EXPECT_EQ(ValuesOf(*bencher, "fib10/time"), (std::vector<double>{111 / 1e9}));
  const auto criterion = ParseLibtest(HarnessData("libtest_criterion.txt"));
  ASSERT_TRUE(criterion) << criterion.error().message;
  EXPECT_EQ(criterion->samples,
            (std::vector<Sample>{{"time", "fib 10", 0, 112 / 1e9},
                                 {"time", "sum/group/iter/100", 0, 30 / 1e9},
                                 {"time", "sum/group/iter/1000", 0, 348 / 1e9}}));
}

TEST(ParseLibtestTest, ReadsTheEventsOfTheJsonFormat) {
  const auto output = ParseLibtest(HarnessData("libtest_json.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples,
            (std::vector<Sample>{{"time", "tests::copy", 0, 31.940756048387097 / 1e9},
                                 {"bytes_per_second", "tests::copy", 0, 132129e6},
                                 {"time", "tests::fib10", 0, 218.96079690695296 / 1e9}}));
}

TEST(ParseLibtestTest, ReadsThousandsAndOtherUnitsOfTime) {
  const auto output = ParseLibtest(
      "test a ... bench:   1,234,567 ns/iter (+/- 1,000)\r\n"
      "test b: c ... bench:      12.5 us/iter (+/- 0.1) = 2 GB/s\n"
      "test d ... bench:        1.25 ms/iter (+/- 0.01)\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(ValuesOf(*output, "a/time"), (std::vector<double>{1234567 / 1e9}));
  EXPECT_EQ(ValuesOf(*output, "b: c/time"), (std::vector<double>{12.5 / 1e6}));
  EXPECT_EQ(ValuesOf(*output, "b: c/bytes_per_second"), (std::vector<double>{2e9}));
  EXPECT_EQ(ValuesOf(*output, "d/time"), (std::vector<double>{1.25 / 1e3}));
}

TEST(ParseLibtestTest, JoinsAResultThatTheLogSplit) {
  const auto output = ParseLibtest(
      "running 3 tests\ntest ok ... printed by ok\nok\ntest slow ... ok <0.001s>\n"
      "test old ... ignored, too slow\ntest a ... hello\nworld\nbench:  12 ns/iter (+/- 1)\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"time", "a", 0, 12 / 1e9}}));
}

TEST(ParseLibtestTest, RefusesAnythingThatReportsAFailure) {
  const std::string fine = "test a ... bench:  12 ns/iter (+/- 1)\n";
  for (const std::string& line : {
           std::string("test b ... FAILED"),
           std::string("test b ... FAILED (time limit exceeded)"),
           std::string("test b ... hello\nFAILED"),
           std::string("test result: FAILED. 0 passed; 1 failed; 0 ignored; 1 measured"),
           std::string("thread 'main' panicked at benches/b.rs:7:5:"),
           std::string("thread 'main' (4242) panicked at benches/b.rs:7:5:"),
           std::string("error: bench failed, to rerun pass `--bench b`"),
           std::string("error: could not compile `b` (bench \"b\") due to 1 previous error"),
       }) {
    EXPECT_WORDING(RefusalOf(line, LibtestError(fine + line + "\n")));
  }
  const std::string events = HarnessData("libtest_json.txt");
  EXPECT_WORDING(LibtestError(
      events + R"({ "type": "test", "name": "tests::x", "event": "failed", "stdout": "no" })"));
  EXPECT_WORDING(LibtestError(With(events, R"("event": "ok")", R"("event": "failed")")));
}

TEST(ParseLibtestTest, SaysWhatItExpectedInWhichLine) {
  const std::string fine = "test a ... bench:  12 ns/iter (+/- 1)\n";
  const std::vector<std::string> cases{
      "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n",
      fine + fine,
      fine + "test b ... bench:  12 ns/iter\n",
      fine + "test b ... bench:  1,23 ns/iter (+/- 1)\n",
      fine + "test b ... bench:  NaN ns/iter (+/- NaN)\n",
      fine + "test b ... bench:  12 cycles/iter (+/- 1)\n",
      fine + "test b ... bench:  12 ns (+/- 1)\n",
      fine + "test b ... bench:  12 ns/iter (+/- 1) = 3 x/s\n",
      fine + "test b ... bench:  12 ns/iter (+/- 1) = fast\n",
      fine + "test b ... ",
      fine + "test b ... hello\ntest c ... bench:  12 ns/iter (+/- 1)\n",
      "{ \"type\": \"bench\", \"name\": \"a\" }\n",
      "{ \"type\": \"bench\", \"name\": \"a\", \"median\": \"fast\" }\n",
      "{ \"type\": \"suite\",\n",
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, LibtestError(text)));
}

}  // namespace
}  // namespace benchd
