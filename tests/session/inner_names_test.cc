#include "daemon/session/inner_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(DropInnerNameTest, KeepsTheNamesOfOtherBenchmarks) {
  Benchmark benchmark;
  benchmark.harness = "go";
  benchmark.inner = "BenchmarkA";
  RunOutcome outcome;
  outcome.samples = {{"sec/op", "BenchmarkA-8", 0, 1}, {"sec/op", "BenchmarkA/sub-8", 0, 2}};
  outcome.metrics = {{"BenchmarkA-8/sec/op", "s"}, {"BenchmarkA/sub-8/sec/op", "s"}};
  DropInnerName(benchmark, outcome);
  EXPECT_EQ(outcome.samples,
            (std::vector<Sample>{{"sec/op", "", 0, 1}, {"sec/op", "BenchmarkA/sub-8", 0, 2}}));
  EXPECT_EQ(outcome.metrics[0].name, "sec/op");
  EXPECT_EQ(outcome.metrics[1].name, "BenchmarkA/sub-8/sec/op");
}

TEST(DropOthersTest, DropsWhatBelongsToAnotherBenchmarkOfTheSession) {
  SessionSpec spec;
  for (const char* name : {"sort", "Sort", "scan/8"}) {
    Benchmark one;
    one.inner = name;
    spec.benchmarks.push_back(one);
  }
  RunOutcome outcome;
  outcome.samples = {{"wall_time", "", 0, 9},
                     {"mean", "sort/a", 0, 1},
                     {"mean", "Sort/a", 0, 2},
                     {"mean", "scan/8", 0, 3},
                     {"mean", "other", 0, 4}};
  outcome.metrics = {{"sort/a/mean", "s"}, {"Sort/a/mean", "s"}, {"other/mean", "s"}};
  DropOthers(OwnersIn(spec), "sort", outcome);
  EXPECT_EQ(outcome.samples,
            (std::vector<Sample>{
                {"wall_time", "", 0, 9}, {"mean", "sort/a", 0, 1}, {"mean", "other", 0, 4}}));
  ASSERT_EQ(outcome.metrics.size(), 2U);
  EXPECT_EQ(outcome.metrics[1].name, "other/mean");
}

class DivideOutcomeTest : public testing::Test {
 protected:
  DivideOutcomeTest() {
    for (const char* name : {"BM_a", "BM_a/8", "BM_c"}) {
      Benchmark one;
      one.harness = "google-benchmark";
      one.inner = one.name = name;
      spec_.benchmarks.push_back(one);
    }
    outcome_.exit.code = 0;
    outcome_.samples = {{"wall_time", "", 0, 0.5},      {"real_time", "BM_a", 0, 1},
                        {"real_time", "BM_a", 1, 1.5},  {"cpu_time", "BM_a", 0, 2},
                        {"real_time", "BM_a/8", 0, 3},  {"real_time", "BM_c/sub", 0, 4},
                        {"real_time", "BM_other", 0, 5}};
    outcome_.metrics = {
        {"stolen_time", "s", Better::kLower, 0.01},   {"BM_a/real_time", "ns", Better::kLower},
        {"BM_a/cpu_time", "ns", Better::kLower},      {"BM_a/8/real_time", "us", Better::kLower},
        {"BM_c/sub/real_time", "ms", Better::kLower}, {"BM_other/real_time", "s", Better::kLower}};
  }

  SessionSpec spec_;
  RunOutcome outcome_;
};

TEST_F(DivideOutcomeTest, GivesEachBenchmarkTheValuesThatARunAloneHas) {
  const auto parts = DivideOutcome(spec_, std::vector<std::uint32_t>{0, 1, 2}, outcome_);
  ASSERT_TRUE(parts) << parts.error().message;
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[0].samples, (std::vector<Sample>{{"real_time", "", 0, 1},
                                                      {"real_time", "", 1, 1.5},
                                                      {"cpu_time", "google-benchmark", 0, 2}}));
  EXPECT_EQ((*parts)[1].samples, (std::vector<Sample>{{"real_time", "", 0, 3}}));
  EXPECT_EQ((*parts)[2].samples, (std::vector<Sample>{{"real_time", "BM_c/sub", 0, 4}}));
  EXPECT_EQ((*parts)[0].metrics,
            (std::vector<MetricInfo>{{"real_time", "ns", Better::kLower},
                                     {"google-benchmark/cpu_time", "ns", Better::kLower}}));
  EXPECT_EQ((*parts)[1].metrics, (std::vector<MetricInfo>{{"real_time", "us", Better::kLower}}));
  EXPECT_EQ((*parts)[2].metrics,
            (std::vector<MetricInfo>{{"BM_c/sub/real_time", "ms", Better::kLower}}));
}

TEST_F(DivideOutcomeTest, RefusesAProcessThatLeftOneOut) {
  std::erase_if(outcome_.samples,
                [](const Sample& one) { return one.inner_benchmark == "BM_a/8"; });
  const auto parts = DivideOutcome(spec_, std::vector<std::uint32_t>{0, 1, 2}, outcome_);
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(parts.error());
}

TEST(DropInnerNameTest, AStackIsNotTheNameOfABenchmark) {
  Benchmark benchmark;
  benchmark.inner = "BM_Sort";
  benchmark.harness = "google-benchmark";
  RunOutcome outcome;
  outcome.samples = {{.metric = "stack", .inner_benchmark = "BM_Sort", .value = 3}};
  const std::vector<Sample> before = outcome.samples;
  DropInnerName(benchmark, outcome);
  EXPECT_EQ(outcome.samples, before);
}

}  // namespace
}  // namespace benchd
