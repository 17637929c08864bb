#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "benchd/v1/session.pb.h"
#include "proto/convert/convert.h"
#include "tests/support/wording.h"

namespace benchd::convert {
namespace {

v1::SessionSpec Minimal() {
  v1::SessionSpec spec;
  v1::Benchmark* benchmark = spec.add_benchmarks();
  benchmark->add_arms()->set_command("a");
  benchmark->add_arms()->set_command("b");
  return spec;
}

SessionSpec Converted(const v1::SessionSpec& proto) {
  Result<SessionSpec> spec = FromProto(proto);
  EXPECT_TRUE(spec) << spec.error().message;
  return spec ? std::move(spec).value() : SessionSpec{};
}

void ExpectNotConverted(const v1::SessionSpec& proto, const std::string& field) {
  const Result<SessionSpec> spec = FromProto(proto);
  ASSERT_FALSE(spec) << field;
  EXPECT_EQ(spec.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(spec.error().message.starts_with(field + ": ")) << spec.error().message;
  EXPECT_WORDING(spec.error());
}

// Every number below is a default from the contract's table of options.
TEST(FromProtoTest, WhatIsLeftOpenGetsTheDefaultsOfTheContract) {
  const SessionSpec spec = Converted(Minimal());
  ASSERT_EQ(spec.benchmarks.size(), 1U);
  const Benchmark& benchmark = spec.benchmarks[0];
  EXPECT_EQ(benchmark.name, "main");
  ASSERT_EQ(benchmark.arms.size(), 2U);
  EXPECT_EQ(benchmark.arms[0].name, "base");
  EXPECT_EQ(benchmark.arms[0].role, ArmRole::kReference);
  EXPECT_EQ(benchmark.arms[1].name, "candidate");
  EXPECT_EQ(benchmark.arms[1].role, ArmRole::kCandidate);
  EXPECT_TRUE(benchmark.gates.empty());
  EXPECT_EQ(benchmark.output, OutputKind::kDiscard);
  EXPECT_EQ(spec.method, Method::kPaired);
  EXPECT_EQ(spec.estimator.kind, EstimatorKind::kMean);
  EXPECT_EQ(spec.rule.kind, RuleKind::kMargin);
  EXPECT_EQ(spec.alpha, 0.01);
  EXPECT_FALSE(spec.pass_confidence);
  EXPECT_EQ(spec.default_margin, 0.02);
  EXPECT_EQ(spec.sided, Sided::kTwo);
  EXPECT_EQ(spec.limits.min_runs, 8U);
  EXPECT_EQ(spec.limits.max_runs, std::nullopt);
  EXPECT_EQ(spec.limits.runs, std::nullopt);
  EXPECT_EQ(spec.limits.max_time, std::chrono::minutes(10));
  EXPECT_EQ(spec.limits.timeout, std::chrono::minutes(5));
  EXPECT_EQ(spec.limits.at_limit, AtLimit::kUndecided);
  EXPECT_FALSE(spec.limits.fail_fast);
  EXPECT_EQ(spec.schedule.kind, ScheduleKind::kPairs);
  EXPECT_EQ(spec.schedule.warmup, 1U);
  EXPECT_EQ(spec.isolation, Isolation::kBestEffort);
  EXPECT_EQ(spec.machine_profile, "default");
  EXPECT_EQ(spec.priority, 0);
  EXPECT_FALSE(spec.placebo);
}

TEST(FromProtoTest, ManyCandidatesAreNumberedFromTwo) {
  v1::SessionSpec proto = Minimal();
  proto.mutable_benchmarks(0)->add_arms()->set_command("c");
  proto.mutable_benchmarks(0)->add_arms()->set_command("d");
  proto.mutable_benchmarks(0)->mutable_arms(2)->set_name("mine");
  const SessionSpec spec = Converted(proto);
  EXPECT_EQ(spec.benchmarks[0].arms[1].name, "candidate");
  EXPECT_EQ(spec.benchmarks[0].arms[2].name, "mine");
  EXPECT_EQ(spec.benchmarks[0].arms[3].name, "candidate-3");
}

TEST(FromProtoTest, ANamedReferenceMakesTheOthersCandidatesWhereverItStands) {
  v1::SessionSpec proto = Minimal();
  proto.mutable_benchmarks(0)->mutable_arms(1)->set_role(v1::ARM_ROLE_REFERENCE);
  const SessionSpec spec = Converted(proto);
  EXPECT_EQ(spec.benchmarks[0].arms[0].role, ArmRole::kCandidate);
  EXPECT_EQ(spec.benchmarks[0].arms[0].name, "candidate");
  EXPECT_EQ(spec.benchmarks[0].arms[1].role, ArmRole::kReference);
  EXPECT_EQ(spec.benchmarks[0].arms[1].name, "base");
}

TEST(FromProtoTest, ABenchmarksOwnMarginComesBeforeTheSessions) {
  v1::SessionSpec proto = Minimal();
  proto.set_margin(0.05);
  proto.mutable_benchmarks(0)->set_margin(0.01);
  proto.mutable_benchmarks(0)->add_gates()->set_metric("open");
  const SessionSpec spec = Converted(proto);
  EXPECT_EQ(spec.benchmarks[0].gates[0].margin, 0.01);
  EXPECT_EQ(spec.benchmarks[0].default_margin, 0.01);
  EXPECT_EQ(spec.default_margin, 0.05);
}

TEST(FromProtoTest, AGateWithoutAMarginHasTheSessions) {
  v1::SessionSpec proto = Minimal();
  proto.set_margin(0.05);
  v1::Benchmark* benchmark = proto.mutable_benchmarks(0);
  benchmark->add_gates()->set_metric("open");
  benchmark->add_gates()->set_ratio(0.1);
  benchmark->add_gates()->set_absolute(3);
  benchmark->mutable_gates(2)->set_better(v1::BETTER_HIGHER);
  benchmark->add_gates()->set_exact(true);
  const std::vector<Gate> gates = Converted(proto).benchmarks[0].gates;
  const std::vector<Gate> expected{
      {.metric = "open", .margin = 0.05, .better = {}, .margin_implied = true},
      {"", MarginKind::kRatio, 0.1, std::nullopt},
      {"", MarginKind::kAbsolute, 3, Better::kHigher},
      {"", MarginKind::kExact, 1, std::nullopt}};
  EXPECT_EQ(gates, expected);
}

TEST(FromProtoTest, TheEnvironmentAndTheLabelsArriveWhole) {
  v1::SessionSpec proto = Minimal();
  (*proto.mutable_environment())["PATH"] = "/bin";
  (*proto.mutable_labels())["k"] = "v";
  (*proto.mutable_benchmarks(0)->mutable_arms(0)->mutable_env())["A"] = "1";
  const SessionSpec spec = Converted(proto);
  EXPECT_EQ(spec.environment, (std::map<std::string, std::string>{{"PATH", "/bin"}}));
  EXPECT_EQ(spec.labels, (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(spec.benchmarks[0].arms[0].env, (std::map<std::string, std::string>{{"A", "1"}}));
}

TEST(FromProtoTest, AValueNobodyKnowsIsNamedWithItsField) {
  v1::SessionSpec proto = Minimal();
  proto.set_method(static_cast<v1::Method>(17));
  ExpectNotConverted(proto, "method");
  proto = Minimal();
  proto.mutable_benchmarks(0)->mutable_arms(1)->set_role(static_cast<v1::ArmRole>(9));
  ExpectNotConverted(proto, "benchmarks[0].arms[1].role");
  proto = Minimal();
  proto.mutable_limits()->set_at_limit(static_cast<v1::AtLimit>(-1));
  ExpectNotConverted(proto, "limits.at_limit");
}

TEST(FromProtoTest, NumbersThatAreNoneAreRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  v1::SessionSpec proto = Minimal();
  proto.set_margin(kNan);
  ExpectNotConverted(proto, "margin");
  proto = Minimal();
  proto.set_alpha(kInfinity);
  ExpectNotConverted(proto, "alpha");
  proto = Minimal();
  proto.mutable_benchmarks(0)->add_gates()->set_absolute(-kInfinity);
  ExpectNotConverted(proto, "benchmarks[0].gates[0].absolute");
  proto = Minimal();
  proto.mutable_rule()->set_precision_width(-1);
  ExpectNotConverted(proto, "rule.precision_width");
}

TEST(FromProtoTest, DurationsThatAreNoneAreRefused) {
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    v1::SessionSpec proto = Minimal();
    proto.mutable_limits()->set_timeout_seconds(seconds);
    ExpectNotConverted(proto, "limits.timeout_seconds");
  }
  v1::SessionSpec proto = Minimal();
  proto.mutable_limits()->set_max_time_seconds(0.25);
  EXPECT_EQ(Converted(proto).limits.max_time, std::chrono::milliseconds(250));
  for (int hundredths = 1; hundredths < 1000; ++hundredths) {
    proto.mutable_limits()->set_max_time_seconds(hundredths / 100.0);
    EXPECT_EQ(Converted(proto).limits.max_time, std::chrono::milliseconds(10 * hundredths));
  }
  proto.mutable_limits()->set_max_time_seconds(1e-12);
  EXPECT_EQ(Converted(proto).limits.max_time, Nanoseconds(1));
}

}  // namespace
}  // namespace benchd::convert
