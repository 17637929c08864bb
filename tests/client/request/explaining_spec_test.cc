#include "client/request/explaining_spec.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "client/request/replay.h"
#include "core/model/labels.h"
#include "tests/client/explanation_samples.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

std::vector<std::string> ArmsOfBenchmark(const v1::Benchmark& benchmark) {
  std::vector<std::string> names;
  for (const v1::Arm& arm : benchmark.arms()) names.push_back(arm.name());
  return names;
}

std::vector<std::string> BenchmarksOf(const v1::SessionSpec& spec) {
  std::vector<std::string> names;
  for (const v1::Benchmark& one : spec.benchmarks()) names.push_back(one.name());
  return names;
}

void AddArm(v1::Benchmark* benchmark, const std::string& name, v1::ArmRole role) {
  v1::Arm* arm = benchmark->add_arms();
  arm->set_name(name);
  arm->set_role(role);
  arm->set_command("./" + name);
  arm->set_cwd("/work");
}

v1::Comparison* AddGate(v1::Session* session, const std::string& benchmark,
                        const std::string& candidate, v1::Verdict verdict) {
  v1::Comparison* gate = session->mutable_report()->add_comparisons();
  *gate = RegressionUpdate().comparisons(0);
  gate->set_benchmark(benchmark);
  gate->set_candidate(candidate);
  gate->set_verdict(verdict);
  return gate;
}

// Two benchmarks of one reference and two candidates, none of which has a gate yet.
v1::Session SuiteToExplain() {
  v1::Session session = SampleSession();
  session.mutable_spec()->clear_benchmarks();
  session.mutable_report()->clear_comparisons();
  for (const char* name : {"parse", "render"}) {
    v1::Benchmark* benchmark = session.mutable_spec()->add_benchmarks();
    benchmark->set_name(name);
    AddArm(benchmark, "base", v1::ARM_ROLE_REFERENCE);
    AddArm(benchmark, "one", v1::ARM_ROLE_CANDIDATE);
    AddArm(benchmark, "two", v1::ARM_ROLE_CANDIDATE);
    AddArm(benchmark, "placebo", v1::ARM_ROLE_PLACEBO);
  }
  return session;
}

v1::SessionSpec Explained(const v1::Session& session, const ExplainingChoice& choice = {}) {
  auto spec = ExplainingSpec(session, choice);
  EXPECT_TRUE(spec) << spec.error().message;
  return spec ? *std::move(spec) : v1::SessionSpec();
}

TEST(ExplainingSpecTest, OnlyWhatChangedRunsAgain) {
  v1::Session session = SuiteToExplain();
  AddGate(&session, "parse", "one", v1::VERDICT_PASS);
  AddGate(&session, "render", "one", v1::VERDICT_PASS);
  AddGate(&session, "render", "two", v1::VERDICT_REGRESSION);
  v1::SessionSpec spec = Explained(session);
  EXPECT_EQ(BenchmarksOf(spec), std::vector<std::string>{"render"});
  EXPECT_EQ(ArmsOfBenchmark(spec.benchmarks(0)), (std::vector<std::string>{"base", "two"}));
  session.mutable_report()->mutable_comparisons(0)->set_flag(v1::FLAG_IMPROVEMENT);
  spec = Explained(session);
  EXPECT_EQ(BenchmarksOf(spec), (std::vector<std::string>{"parse", "render"}));
  EXPECT_EQ(ArmsOfBenchmark(spec.benchmarks(0)), (std::vector<std::string>{"base", "one"}));
  EXPECT_TRUE(HasChange(session.report()));
}

TEST(ExplainingSpecTest, WithoutAChangeEverythingRunsAgain) {
  v1::Session session = SuiteToExplain();
  AddGate(&session, "parse", "one", v1::VERDICT_PASS);
  v1::Comparison* control = AddGate(&session, "render", "one", v1::VERDICT_REGRESSION);
  control->set_control(v1::CONTROL_STATE_CHANGED);
  EXPECT_FALSE(HasChange(session.report()));
  const v1::SessionSpec spec = Explained(session);
  EXPECT_EQ(BenchmarksOf(spec), (std::vector<std::string>{"parse", "render"}));
  EXPECT_EQ(ArmsOfBenchmark(spec.benchmarks(1)), (std::vector<std::string>{"base", "one", "two"}));
}

TEST(ExplainingSpecTest, TheUserChoosesBenchmarks) {
  v1::Session session = SuiteToExplain();
  AddGate(&session, "render", "two", v1::VERDICT_REGRESSION);
  EXPECT_EQ(BenchmarksOf(Explained(session, {.only = {"p*"}})), std::vector<std::string>{"parse"});
  const auto none = ExplainingSpec(session, {.only = {"other"}});
  ASSERT_FALSE(none);
  EXPECT_WORDING(none.error().message + " / " + none.error().hint);
}

TEST(ExplainingSpecTest, TheSessionIsSampledAndHasNoVerdict) {
  v1::Session session = SampleSession();
  v1::SessionSpec* from = session.mutable_spec();
  v1::Benchmark* benchmark = from->mutable_benchmarks(0);
  benchmark->set_parse("hyperfine");
  benchmark->set_parse_file("out.json");
  benchmark->set_check_output(true);
  benchmark->add_controls("steady");
  from->set_method(v1::METHOD_WELCH);
  from->set_schedule(v1::SCHEDULE_KIND_COIN);
  from->set_confirm(true);
  from->set_keep_all(true);
  from->set_early_looks(true);
  from->set_placebo(true);
  from->set_pass_confidence(0.9);
  from->mutable_rule()->set_precision_width(0.01);
  from->set_warmup(5);
  (*from->mutable_labels())[kCalibrationLabel] = "1";
  const v1::SessionSpec spec =
      Explained(session, {.frequency_hz = 500, .call_graph = v1::CALL_GRAPH_DWARF});
  EXPECT_EQ(spec.profile().frequency_hz(), 500U);
  EXPECT_EQ(spec.profile().call_graph(), v1::CALL_GRAPH_DWARF);
  EXPECT_EQ(spec.profile().explains(), "k3x9m2pq");
  const v1::Benchmark& sampled = spec.benchmarks(0);
  EXPECT_EQ(sampled.gates_size() + sampled.controls_size(), 0);
  EXPECT_EQ(sampled.parse() + sampled.parse_file() + sampled.adapter(), "");
  EXPECT_EQ(sampled.output(), v1::OUTPUT_KIND_PIPE) << "as it was while it was parsed";
  EXPECT_FALSE(sampled.check_output());
  EXPECT_TRUE(sampled.no_groups());
  EXPECT_EQ(sampled.hooks().setup(), "make -s");
  EXPECT_EQ(spec.method(), v1::METHOD_UNSPECIFIED);
  EXPECT_FALSE(spec.confirm() || spec.placebo() || spec.has_pass_confidence() || spec.has_rule());
  EXPECT_FALSE(spec.keep_all() || spec.has_early_looks());
  EXPECT_FALSE(spec.has_seed() || spec.limits().has_max_time_seconds());
  EXPECT_EQ(spec.limits().timeout_seconds(), 300);
  EXPECT_EQ(spec.warmup(), 1U);
  EXPECT_EQ(spec.alpha(), 0.01);
  EXPECT_EQ(spec.schedule(), v1::SCHEDULE_KIND_UNSPECIFIED);
  EXPECT_EQ(spec.labels().size(), 1U) << "branch";
}

TEST(ExplainingSpecTest, TheOutputOfAProgramStaysWhereItWas) {
  v1::Session session = SampleSession();
  EXPECT_EQ(Explained(session).benchmarks(0).output(), v1::OUTPUT_KIND_UNSPECIFIED);
  session.mutable_spec()->mutable_benchmarks(0)->set_output(v1::OUTPUT_KIND_LOG);
  EXPECT_EQ(Explained(session).benchmarks(0).output(), v1::OUTPUT_KIND_PIPE);
  session.mutable_spec()->mutable_benchmarks(0)->set_output(v1::OUTPUT_KIND_FILE);
  EXPECT_EQ(Explained(session).benchmarks(0).output(), v1::OUTPUT_KIND_FILE);
}

TEST(ExplainingSpecTest, BuildsOfAnArmStayTogether) {
  v1::Session session = SampleSession();
  session.mutable_spec()->set_method(v1::METHOD_LAYOUTS);
  v1::Benchmark* benchmark = session.mutable_spec()->mutable_benchmarks(0);
  benchmark->clear_arms();
  v1::BuildPlan* plan = benchmark->mutable_hooks()->mutable_build_plan();
  for (const char* name : {"base/1", "base/2", "candidate/1", "candidate/2"}) {
    AddArm(benchmark, name, name[0] == 'b' ? v1::ARM_ROLE_REFERENCE : v1::ARM_ROLE_CANDIDATE);
    plan->add_trees()->set_key(name);
  }
  for (int i = 0; i < 4; ++i) plan->add_trees()->set_key("second");
  const v1::SessionSpec spec = Explained(session);
  EXPECT_EQ(spec.method(), v1::METHOD_LAYOUTS);
  EXPECT_EQ(spec.benchmarks(0).arms_size(), 4);
  EXPECT_EQ(spec.benchmarks(0).hooks().build_plan().trees_size(), 4) << "there is no second phase";
}

TEST(ExplainingSpecTest, BenchmarksInAProgramAreRequestedFromIt) {
  v1::Session session = SuiteToExplain();
  v1::SessionSpec* from = session.mutable_spec();
  for (v1::Benchmark& one : *from->mutable_benchmarks()) {
    one.set_inner(one.name());
    one.set_name("suite/" + one.name());
    one.set_harness("google-benchmark");
    one.set_parse("google-benchmark");
  }
  from->mutable_benchmarks(0)->mutable_hooks()->set_setup("make");
  AddGate(&session, "suite/render", "two", v1::VERDICT_REGRESSION);
  const v1::SessionSpec spec = Explained(session);
  ASSERT_EQ(spec.benchmarks_size(), 1);
  const v1::Benchmark& program = spec.benchmarks(0);
  EXPECT_EQ(program.name(), "suite");
  EXPECT_EQ(program.inner(), "");
  EXPECT_EQ(program.hooks().setup(), "make") << "of the first benchmark of the program";
  ASSERT_EQ(program.only_size(), 1);
  EXPECT_EQ(program.only(0), "render");
  EXPECT_EQ(ArmsOfBenchmark(program), (std::vector<std::string>{"base", "two"}));
  EXPECT_EQ(program.parse(), "google-benchmark") << "it lists the benchmarks";
  AddGate(&session, "suite/parse", "one", v1::VERDICT_REGRESSION);
  const v1::SessionSpec both = Explained(session);
  EXPECT_EQ(both.benchmarks(0).only_size(), 0);
  EXPECT_EQ(ArmsOfBenchmark(both.benchmarks(0)), (std::vector<std::string>{"base", "one", "two"}));
}

TEST(ExplainingSpecTest, TheOnlyProgramHasNoName) {
  v1::Session session = SuiteToExplain();
  for (v1::Benchmark& one : *session.mutable_spec()->mutable_benchmarks()) {
    one.set_inner(one.name());
    one.set_harness("go");
  }
  EXPECT_EQ(BenchmarksOf(Explained(session)), std::vector<std::string>{"main"});
}

TEST(ExplainingSpecTest, NotEverySessionCanBeExplained) {
  v1::Session session = SampleSession();
  EXPECT_TRUE(CheckExplainable(session));
  const auto refused = [](const v1::Session& one) {
    const auto checked = CheckExplainable(one);
    EXPECT_FALSE(checked);
    return checked ? "" : checked.error().message + " / " + checked.error().hint;
  };
  v1::Session running = session;
  running.set_state(v1::SESSION_STATE_RUNNING);
  EXPECT_WORDING(refused(running));
  v1::Session failed = session;
  failed.set_state(v1::SESSION_STATE_FAILED);
  EXPECT_WORDING(refused(failed));
  v1::Session measured = session;
  for (v1::Arm& arm : *measured.mutable_spec()->mutable_benchmarks(0)->mutable_arms()) {
    arm.set_role(v1::ARM_ROLE_MEASURED);
  }
  EXPECT_WORDING(refused(measured));
  v1::Session empty = session;
  empty.mutable_report()->clear_comparisons();
  EXPECT_WORDING(refused(empty));
}

TEST(ExplainingSpecTest, WhatTheDaemonDidNotKeepCannotBeRepeated) {
  v1::Session session = SampleSession();
  const auto refused = [](const v1::Session& one, bool kept) {
    const auto checked = CheckRepeatable(one, kept);
    EXPECT_FALSE(checked);
    return checked ? "" : checked.error().message + " / " + checked.error().hint;
  };
  EXPECT_WORDING(refused(session, true));
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(1)->clear_env();
  EXPECT_TRUE(CheckRepeatable(session, true));
  session.mutable_spec()->mutable_benchmarks(0)->mutable_hooks()->mutable_build_plan();
  EXPECT_TRUE(CheckRepeatable(session, true));
  EXPECT_WORDING(refused(session, false));
}

TEST(ExplainingSpecTest, VariablesComeFromTheSubmission) {
  const v1::SessionSpec submitted = SampleSession().spec();
  v1::SessionSpec returned = submitted;
  (*returned.mutable_benchmarks(0)->mutable_arms(1)->mutable_env())["MALLOC_ARENA_MAX"] = "";
  RestoreVariables(submitted, &returned);
  EXPECT_EQ(returned.benchmarks(0).arms(1).env().at("MALLOC_ARENA_MAX"), "a secret");
  v1::SessionSpec spec;
  (*spec.mutable_environment())["HOME"] = "/root";
  EXPECT_EQ(MissingVariables(SampleSession(), spec), std::vector<std::string>{"PATH"});
}

TEST(ExplainingSpecTest, TheCostIsThatOfTheRuns) {
  v1::Session session = SampleSession();
  const ExplainingCost cost = CostOf(session, Explained(session));
  EXPECT_NEAR(cost.cpu_seconds, 0.0098, 1e-12);
  EXPECT_NEAR(cost.change_seconds, 0.001, 1e-12);
  EXPECT_NEAR(cost.relative_sd, 0.0065338, 1e-6) << "hypot(0.04, 0.05) / 9.8";
  // 12 blocks took 14.25 s, and the samples of each run take 0.05 s more.
  EXPECT_NEAR(cost.block_seconds, 14.25 / 12 + 2 * 0.05, 1e-9);
  session.mutable_report()->mutable_comparisons()->DeleteSubrange(1, 2);
  EXPECT_NEAR(CostOf(session, Explained(session)).cpu_seconds, 0.010123, 1e-12) << "wall time";
}

// An unchanged candidate does not run again, and its change of nearly nothing is not looked for.
TEST(ExplainingSpecTest, TheChangeIsThatOfTheArmsThatChanged) {
  v1::Session session = SampleSession();
  const ExplainingCost cost = CostOf(session, Explained(session));
  *session.mutable_spec()->mutable_benchmarks(0)->add_arms() = session.spec().benchmarks(0).arms(1);
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(2)->set_name("same");
  for (int i = 0, n = session.report().comparisons_size(); i < n; ++i) {
    v1::Comparison same = session.report().comparisons(i);
    same.set_candidate("same");
    same.set_verdict(v1::VERDICT_PASS);
    same.clear_flag();
    same.set_mean_candidate(same.mean_reference());
    *session.mutable_report()->add_comparisons() = same;
  }
  const v1::SessionSpec spec = Explained(session);
  EXPECT_EQ(spec.benchmarks(0).arms_size(), 2);
  EXPECT_EQ(CostOf(session, spec), cost);
}

TEST(ExplainingSpecTest, ThePlanSeesHalfOfTheChangeWithinTheTime) {
  const v1::SessionSpec spec = Explained(SampleSession());
  const ExplainingCost cost{.block_seconds = 2.1, .cpu_seconds = 1, .change_seconds = 0.03};
  const ExplainingPlan plan = PlanOf(spec, cost, 600, std::nullopt);
  EXPECT_TRUE(plan.enough);
  EXPECT_LE(plan.shown, 0.015);
  EXPECT_NEAR(plan.seconds, 2.1 * static_cast<double>(plan.blocks), 1e-9);
  EXPECT_EQ(plan.change, 0.03);
  ExplainingCost noisy = cost;
  noisy.relative_sd = 0.3;
  EXPECT_GT(PlanOf(spec, noisy, 600, std::nullopt).blocks, plan.blocks);
  const ExplainingPlan hurried = PlanOf(spec, noisy, 30, std::nullopt);
  EXPECT_EQ(hurried.blocks, 12U) << "0.9 * 30 / 2.1";
  EXPECT_FALSE(hurried.enough);
  EXPECT_EQ(PlanOf(spec, cost, 600, 7).blocks, 7U);
  EXPECT_EQ(PlanOf(spec, {}, 600, std::nullopt).blocks, 30U);
  EXPECT_EQ(PlanOf(spec, {}, 600, std::nullopt).shown, 0);
  EXPECT_EQ(PlanOf(spec, {.block_seconds = 1000}, 600, std::nullopt).blocks, 2U);
  for (const std::uint64_t few : {2U, 3U}) {
    const ExplainingPlan plan_of_few = PlanOf(spec, cost, 600, few);
    EXPECT_EQ(plan_of_few.shown, 0) << "no function can be called changed";
    EXPECT_FALSE(plan_of_few.enough);
  }
}

TEST(ExplainingSpecTest, TheReplayIsTheCommand) {
  v1::SessionSpec spec = SampledSession().spec();
  EXPECT_EQ(ReplayCommand(spec, 42), "benchctl explain --runs 23 k3x9m2pq");
  spec.mutable_profile()->set_frequency_hz(2000);
  spec.mutable_profile()->set_call_graph(v1::CALL_GRAPH_DWARF);
  EXPECT_EQ(ReplayCommand(spec, 42),
            "benchctl explain --frequency 2000 --call-graph dwarf --runs 23 k3x9m2pq");
  EXPECT_EQ(ReplayAnalysis(SampledSession(), {}).command, "");
}

}  // namespace
}  // namespace benchd::client
