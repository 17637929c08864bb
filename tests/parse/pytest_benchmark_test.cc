#include "core/parse/pytest_benchmark.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/parse/harness_data.h"

// Expected numbers: read off the files.

namespace benchd {
namespace {

std::string PytestError(const std::string& text) { return HarnessError("pytest-benchmark", text); }

TEST(ParsePytestBenchmarkTest, TakesEveryRoundOfEachTest) {
  const auto output = ParsePytestBenchmark(HarnessData("pytest_benchmark.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(KeysOf(*output), (std::vector<std::string>{"bench_words.py::test_sort[100]/time",
                                                       "bench_words.py::test_sort[1000]/time",
                                                       "bench_words.py::test_join/time"}));
  const auto rounds = ValuesOf(*output, "bench_words.py::test_sort[100]/time");
  ASSERT_EQ(rounds.size(), 8U);  // pedantic(rounds=8)
  EXPECT_EQ(rounds[0], 3.110599936917424e-06);
  EXPECT_EQ(rounds[7], 1.4881996321491898e-06);
  const auto info = InfoOf(*output, "bench_words.py::test_join/time");
  EXPECT_EQ(info->unit, "s");
  EXPECT_EQ(info->better, Better::kLower);
}

TEST(ParsePytestBenchmarkTest, TakesTheMeanWhereTheFileHasNoRounds) {
  const auto output = ParsePytestBenchmark(HarnessData("pytest_benchmark_saved.json"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->samples.size(), 3U);
  EXPECT_EQ(ValuesOf(*output, "bench_words.py::test_join/time").size(), 1U);
}

TEST(ParsePytestBenchmarkTest, SaysWhatItExpectedInWhichLine) {
  const std::string test = "{\"benchmarks\": [\n{\"fullname\": \"a.py::b\",\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\"benchmarks\": []}", "no value: expected at least one benchmark"},
      {"===== 3 passed =====", "line 1: no JSON: invalid literal"},
      {test + "\"stats\": 3}]}", "line 2: expected the object 'stats' of 'a.py::b'"},
      {test + "\"name\": \"b\"}]}", "line 2: expected the object 'stats' of 'a.py::b'"},
      {test + "\"stats\": {}}]}", "line 3: expected the number 'mean', there is none"},
      {test + "\"stats\": {\"data\": [1.5,\n\"x\"]}}]}",
       "line 4: a round of 'a.py::b' is 'x', expected a number"},
      {test + "\"stats\": {\"data\": [1.5,\nNaN]}}]}", "line 4: 'NaN' is not a finite number"},
      {test + "\"stats\": {\"mean\": 1}}, {\"fullname\": \"a.py::b\"}]}",
       "line 3: 'a.py::b' twice"},
      {"{\"benchmarks\": [{\"name\": \"b\"}]}",
       "line 1: expected the text 'fullname', there is none"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(PytestError(text), message) << text;
}

}  // namespace
}  // namespace benchd
