#include "client/request/self_comparison.h"

#include <gtest/gtest.h>

#include "core/analysis/sequential_design.h"
#include "core/model/labels.h"
#include "proto/convert/convert.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

v1::SessionSpec TwoBenchmarks() {
  v1::SessionSpec spec;
  for (const char* name : {"parse", "render"}) {
    v1::Benchmark* const benchmark = spec.add_benchmarks();
    benchmark->set_name(name);
    v1::Arm* const base = benchmark->add_arms();
    base->set_name("base");
    base->set_role(v1::ARM_ROLE_REFERENCE);
    base->set_command("./bench --base");
    base->set_cwd("/worktrees/base");
    v1::Arm* const candidate = benchmark->add_arms();
    candidate->set_name("candidate");
    candidate->set_role(v1::ARM_ROLE_CANDIDATE);
    candidate->set_command("./bench --candidate");
    candidate->set_cwd("/worktrees/candidate");
  }
  return spec;
}

TEST(SelfComparisonTest, BothArmsAreTheBase) {
  v1::SessionSpec spec = TwoBenchmarks();
  CompareBaseWithItself(&spec);
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    ASSERT_EQ(benchmark.arms_size(), 2);
    EXPECT_EQ(benchmark.arms(0).name(), "base");
    EXPECT_EQ(benchmark.arms(0).role(), v1::ARM_ROLE_REFERENCE);
    EXPECT_EQ(benchmark.arms(1).name(), "base-again");
    EXPECT_EQ(benchmark.arms(1).role(), v1::ARM_ROLE_CANDIDATE);
    for (const v1::Arm& arm : benchmark.arms()) {
      EXPECT_EQ(arm.command(), "./bench --base");
      EXPECT_EQ(arm.cwd(), "/worktrees/base");
    }
  }
}

TEST(SelfComparisonTest, WithoutRolesTheFirstArmIsTheBase) {
  v1::SessionSpec spec = TwoBenchmarks();
  for (v1::Arm& arm : *spec.mutable_benchmarks(0)->mutable_arms()) arm.clear_role();
  CompareBaseWithItself(&spec);
  EXPECT_EQ(spec.benchmarks(0).arms(1).command(), "./bench --base");
  EXPECT_EQ(spec.benchmarks(0).arms(1).role(), v1::ARM_ROLE_CANDIDATE);
}

TEST(SelfComparisonTest, OnlyTheTimeLimitsTheSession) {
  v1::SessionSpec spec = TwoBenchmarks();
  spec.mutable_limits()->set_runs(30);
  spec.mutable_limits()->set_max_time_seconds(60);
  spec.mutable_limits()->set_min_runs(20);
  spec.mutable_limits()->set_fail_fast(true);
  spec.mutable_limits()->set_at_limit(v1::AT_LIMIT_ESTIMATE);
  spec.set_method(v1::METHOD_FIXED);
  spec.set_sided(v1::SIDED_ONE);
  spec.set_pass_confidence(0.9);
  spec.set_error_rate(v1::ERROR_RATE_FDR);
  spec.set_confirm(true);
  spec.set_placebo(true);
  spec.mutable_benchmarks(0)->set_control(true);
  spec.mutable_benchmarks(1)->add_controls("a");
  spec.mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_SUBSELECTION);
  CompareBaseWithItself(&spec);
  EXPECT_FALSE(spec.limits().has_runs());
  EXPECT_FALSE(spec.limits().fail_fast());
  EXPECT_EQ(spec.limits().max_time_seconds(), 60);
  EXPECT_EQ(spec.limits().min_runs(), 20U);
  EXPECT_FALSE(spec.has_pass_confidence());
  EXPECT_FALSE(spec.confirm());
  EXPECT_FALSE(spec.placebo());
  EXPECT_FALSE(spec.benchmarks(0).control());
  EXPECT_TRUE(spec.benchmarks(1).controls().empty());
  EXPECT_FALSE(spec.has_estimator());
  EXPECT_GT(spec.rule().precision_width(), 0);
  const auto model = convert::FromProto(spec);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE(MakeSequentialDesign(*model)) << "whatever was combined before";
}

TEST(SelfComparisonTest, WhatCanBeWatchedStays) {
  v1::SessionSpec spec = TwoBenchmarks();
  spec.set_method(v1::METHOD_WELCH);
  spec.mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_HODGES_LEHMANN);
  CompareBaseWithItself(&spec);
  EXPECT_EQ(spec.method(), v1::METHOD_WELCH);
  EXPECT_FALSE(spec.has_estimator()) << "only of pairs";
  spec = TwoBenchmarks();
  spec.set_method(v1::METHOD_EXACT_T);
  spec.mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_HODGES_LEHMANN);
  CompareBaseWithItself(&spec);
  EXPECT_EQ(spec.method(), v1::METHOD_UNSPECIFIED);
  EXPECT_EQ(spec.estimator().kind(), v1::ESTIMATOR_KIND_HODGES_LEHMANN);
}

TEST(SelfComparisonTest, TheLabelAsksForIt) {
  SpecInput input;
  input.options["confirm"] = {{"true", "--confirm"}};
  EXPECT_TRUE(PrepareCalibration(&input));
  input.options["label"] = {{"job=17", "--label job=17"}};
  EXPECT_TRUE(PrepareCalibration(&input));
  EXPECT_FALSE(input.against_itself);
  EXPECT_TRUE(input.options.contains("confirm"));
  input.options["label"].push_back({std::string(kCalibrationLabel) + "=base", "--label"});
  EXPECT_TRUE(PrepareCalibration(&input));
  EXPECT_TRUE(input.against_itself);
  EXPECT_FALSE(input.options.contains("confirm"));
  input.options["layouts"] = {{"8", "--layouts 8"}};
  const auto refused = PrepareCalibration(&input);
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error().message);
}

}  // namespace
}  // namespace benchd::client
