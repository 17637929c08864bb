#include "daemon/queue/sampled_spec.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "daemon/queue/validate_spec.h"
#include "tests/support/fakes.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

SessionSpec Sampled() {
  SessionSpec spec = fake::TwoArms();
  spec.profile.emplace();
  spec.limits.runs = 40;
  return spec;
}

TEST(SampledSpecTest, OnlyCpuTimeGatesAndNothingEndsTheSessionEarly) {
  SessionSpec spec = Sampled();
  spec.default_margin = 0.05;
  spec.limits.fail_fast = true;
  spec.limits.at_limit = AtLimit::kEstimate;
  spec.benchmarks[0].check_output = true;
  spec.benchmarks[0].control = true;
  spec.benchmarks[0].controls = {"calibration"};
  const Result<SessionSpec> valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  const Benchmark& benchmark = valid->benchmarks[0];
  ASSERT_EQ(benchmark.gates.size(), 1U);
  EXPECT_EQ(benchmark.gates[0].metric, "cpu_time");
  EXPECT_EQ(benchmark.gates[0].margin, 0.05);
  EXPECT_TRUE(benchmark.gates[0].margin_implied);
  EXPECT_FALSE(benchmark.control);
  EXPECT_TRUE(benchmark.controls.empty());
  EXPECT_TRUE(benchmark.check_output);
  EXPECT_TRUE(valid->keep_all);
  EXPECT_FALSE(valid->limits.fail_fast);
  EXPECT_EQ(valid->limits.at_limit, AtLimit::kUndecided);
  const Result<SessionSpec> again = ValidateSpec(*valid);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *valid) << "the spec of an earlier session can be submitted again";
}

TEST(SampledSpecTest, ASessionThatIsNotSampledStaysAsItIs) {
  SessionSpec spec = Sampled();
  spec.profile.reset();
  spec.limits.fail_fast = true;
  const SessionSpec before = spec;
  ASSERT_TRUE(CompleteSampled(spec));
  EXPECT_EQ(spec, before);
}

TEST(SampledSpecTest, BenchmarksOfAProgramRunAloneAndPrintNothingThatIsRead) {
  SessionSpec spec = Sampled();
  Benchmark& benchmark = spec.benchmarks[0];
  benchmark.harness = "google-benchmark";
  Result<SessionSpec> valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_TRUE(valid->benchmarks[0].no_groups);
  EXPECT_EQ(valid->benchmarks[0].parse, "");
  benchmark.parse = "google-benchmark";
  benchmark.parse_file = "out.json";
  valid = ValidateSpec(spec);
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->benchmarks[0].parse, "");
  EXPECT_EQ(valid->benchmarks[0].parse_file, "");
}

TEST(SampledSpecTest, TakesFrequenciesThatAKernelSamplesAt) {
  for (const std::uint32_t hz : {kLeastSampleHz, 1000U, kMostSampleHz}) {
    SessionSpec spec = Sampled();
    spec.profile->frequency_hz = hz;
    EXPECT_TRUE(ValidateSpec(spec)) << hz;
  }
}

TEST(SampledSpecTest, ComparesPairsAndLayouts) {
  for (const Method method : {Method::kPaired, Method::kFixed, Method::kLayouts}) {
    SessionSpec spec = Sampled();
    spec.method = method;
    EXPECT_TRUE(ValidateSpec(spec)) << NameOf(method);
  }
}

TEST(SampledSpecTest, RefusesWhatSampledRunsCannotDecide) {
  const std::vector<std::function<void(SessionSpec&)>> wrong = {
      [](SessionSpec& spec) { spec.limits.runs.reset(); },
      [](SessionSpec& spec) { spec.profile->frequency_hz = kLeastSampleHz - 1; },
      [](SessionSpec& spec) { spec.profile->frequency_hz = kMostSampleHz + 1; },
      [](SessionSpec& spec) { spec.profile->explains = "a\nb"; },
      [](SessionSpec& spec) { spec.method = Method::kWelch; },
      [](SessionSpec& spec) { spec.schedule.kind = ScheduleKind::kCoin; },
      [](SessionSpec& spec) { spec.estimator.kind = EstimatorKind::kMedian; },
      [](SessionSpec& spec) {
        spec.rule = {RuleKind::kPrecision, 0.01};
      },
      [](SessionSpec& spec) { spec.confirm = true; },
      [](SessionSpec& spec) { spec.placebo = true; },
      [](SessionSpec& spec) { spec.benchmarks[0].parse = "lines"; },
      [](SessionSpec& spec) { spec.benchmarks[0].gates = {{.metric = "wall_time"}}; },
      [](SessionSpec& spec) { spec.benchmarks[0].gates = {{.metric = "cpu_time"}}; },
      [](SessionSpec& spec) {
        for (Arm& arm : spec.benchmarks[0].arms) arm.role = ArmRole::kMeasured;
      }};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SessionSpec spec = Sampled();
    wrong[i](spec);
    const Result<SessionSpec> refused = ValidateSpec(spec);
    ASSERT_FALSE(refused) << i;
    EXPECT_FALSE(refused.error().hint.empty()) << refused.error().message;
    EXPECT_WORDING(refused.error());
  }
}

}  // namespace
}  // namespace benchd
