#include <gtest/gtest.h>

#include "core/parse/harness_output.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

// Expected numbers are taken from the files. `elapsed` is per iteration and is divided by the
// batch.

namespace benchd {
namespace {

Error NanobenchError(const std::string& text) { return HarnessError("nanobench", text); }

std::string NanobenchResult(const std::string& members) {
  return "{\"results\": [{\"title\": \"t\",\n\"name\": \"a\", " + members + "}]}";
}

TEST(ParseNanobenchTest, TakesEveryEpochOfTheJson) {
  const auto output = ParseNanobench(HarnessData("nanobench.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"fibs/fib 10/time", "fibs/fib 15/time"}));
  EXPECT_EQ(ValuesOf(*output, "fibs/fib 10/time"),
            (std::vector<double>{3.44500387296669e-08, 3.38625992562067e-08, 2.78810181731372e-07,
                                 3.8547294938918e-08, 3.48765658122952e-08}));
  EXPECT_EQ(InfoOf(*output, "fibs/fib 10/time")->unit, "s");
  EXPECT_EQ(InfoOf(*output, "fibs/fib 10/time")->better, Better::kLower);
  EXPECT_FALSE(output->means_alone);
}

TEST(ParseNanobenchTest, DividesByTheBatchAndTakesCountersThatCounted) {
  const auto output = ParseNanobench(NanobenchResult(
      R"("batch": 4, "measurements": [{"elapsed": 0.5, "instructions": 100, "cpucycles": 50,)"
      R"("branchmisses": 0, "iterations": 9}])"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"time", "t/a", 0, 0.125},
                                                  {"instructions", "t/a", 0, 25},
                                                  {"cpucycles", "t/a", 0, 12.5},
                                                  {"branchmisses", "t/a", 0, 0}}));
  EXPECT_EQ(output->metrics[1], (MetricInfo{"t/a/instructions", "1", Better::kLower, 0.25, true}));
}

TEST(ParseNanobenchTest, TakesTheMedianOfAResultWithoutEpochs) {
  const auto output =
      ParseNanobench(NanobenchResult(R"json("batch": 2, "median(elapsed)": 0.5)json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"time", "t/a", 0, 0.25}}));
  EXPECT_TRUE(output->means_alone);
}

TEST(ParseNanobenchTest, ReadsTheTables) {
  const auto output = ParseNanobench(HarnessData("nanobench.txt"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"time", "fibs/fib 10", 0, 36.83 / 1e9},
                                                  {"time", "fibs/fib 15 \"q\"", 0, 5.44 / 1e9}}));
  EXPECT_EQ(output->metrics[0], (MetricInfo{"fibs/fib 10/time", "s", Better::kLower, 0.01 / 1e9}));
  EXPECT_TRUE(output->means_alone);
}

// Columns, marks and escapes as in nanobench 4.3, src/include/nanobench.h.
TEST(ParseNanobenchTest, ReadsCountersRelativeAndUnstableRows) {
  const auto output = ParseNanobench(
      "| relative |               us/op |                op/s |    err% |          ins/op |"
      "          cyc/op |    IPC |         bra/op |   miss% |     total | a | b\n"
      "|---------:|--------------------:|--------------------:|--------:|----------------:|"
      "----------------:|-------:|---------------:|--------:|----------:|:----------\n"
      "|   100.0% |            1,234.50 |              810.04 |    0.3% |        1,024.00 |"
      "          512.50 |  2.000 |          17.25 |    0.1% |      0.02 | `x | ``y```\n"
      "|    50.0% |            2,469.00 |              405.02 |    7.3% |        2,048.00 |"
      "        1,025.00 |  2.000 |          34.50 |    0.1% |      0.02 | :wavy_dash: `z` "
      "(Unstable "
      "with ~38.6 iters. Increase `minEpochIterations` to e.g. 386)\n");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples, (std::vector<Sample>{{"time", "a | b/x | `y`", 0, 1234.5 / 1e6},
                                                  {"instructions", "a | b/x | `y`", 0, 1024},
                                                  {"cpucycles", "a | b/x | `y`", 0, 512.5},
                                                  {"branchinstructions", "a | b/x | `y`", 0, 17.25},
                                                  {"time", "a | b/z", 0, 2469.0 / 1e6},
                                                  {"instructions", "a | b/z", 0, 2048},
                                                  {"cpucycles", "a | b/z", 0, 1025},
                                                  {"branchinstructions", "a | b/z", 0, 34.5}}));
}

TEST(ParseNanobenchTest, SaysWhatItExpectedInWhichLine) {
  const std::string head =
      "| ns/op | op/s | err% | total | t\n|------:|-----:|-----:|------:|:--\n";
  const std::string row = "| 1.5 | 2 | 0.1% | 0.00 | `a`\n";
  const std::vector<std::string> cases{
      "",
      "hello\n",
      head,
      "| x | y |\n",
      "| op/s | err% | total | t\n" + row,
      head + row + row,
      head + "| fast | 2 | 0.1% | 0.00 | `a`\n",
      head + "| nan | 2 | 0.1% | 0.00 | `a`\n",
      head + "| 1.5 | 2 | `a`\n",
      head + "| 1.5 | 2 | 0.1% | 0.00 | a\n",
      head +
          "| - | - | - | - | :boom: `a` (iterations overflow. Maybe your code got optimized "
          "away?)\n",
      "{\"results\": []}",
      "{\"results\": [{\"title\": \"t\",\n\"name\": \"fib \"q\"\"}]}",
      NanobenchResult(R"json("median(elapsed)": 0.5)json"),
      NanobenchResult(R"json("batch": 0, "median(elapsed)": 0.5)json"),
      NanobenchResult(R"("batch": 1, "measurements": [{"iterations": 3}])"),
      NanobenchResult(R"("batch": 1, "measurements": [{"elapsed": "x"}])"),
      NanobenchResult(R"json("batch": 1, "median(elapsed)": 0.5}, {"title": "t", "name": "a")json"),
  };
  for (const std::string& text : cases) EXPECT_WORDING(RefusalOf(text, NanobenchError(text)));
}

}  // namespace
}  // namespace benchd
