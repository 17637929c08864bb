#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/session.pb.h"
#include "proto/convert/convert.h"

namespace benchd::convert {
namespace {

/// A spec in which every field differs from its default.
SessionSpec Unusual() {
  SessionSpec spec;
  Benchmark benchmark;
  benchmark.name = "parse";
  Arm reference;
  reference.name = "old";
  reference.role = ArmRole::kReference;
  reference.command = "a 'b c'";
  reference.shell = true;
  reference.interpreter = "/bin/bash";
  reference.cwd = "/old";
  reference.prepare.command = "own prepare";
  reference.conclude.command = "own conclude";
  reference.input = "/own";
  Arm candidate = reference;
  candidate.name = "new";
  candidate.role = ArmRole::kCandidate;
  reference.commit = Commit{"0123456789abcdef0123456789abcdef01234567", "v1"};
  benchmark.arms = {candidate, reference};
  benchmark.hooks.shell = true;
  benchmark.hooks.interpreter = "zsh";
  benchmark.hooks.cwd = "/work";
  benchmark.hooks.build.command = "build";
  benchmark.hooks.setup.command = "setup";
  benchmark.hooks.prepare.command = "prepare";
  benchmark.hooks.conclude.command = "conclude";
  benchmark.hooks.cleanup.command = "cleanup";
  benchmark.parse = "/srv/own.toml";
  benchmark.adapter = "input = \"text\"\n";
  benchmark.parse_file = "out/*.json";
  benchmark.gates = {
      {"speed", MarginKind::kAbsolute, 3.5, Better::kHigher},
      {"wall_time", MarginKind::kRatio, 0.25, std::nullopt},
      {"*/allocs/op", MarginKind::kExact, 1, std::nullopt},
      {.metric = "instructions", .margin = 0.03, .better = {}, .margin_implied = true}};
  benchmark.input = "/in";
  benchmark.output = OutputKind::kFile;
  benchmark.output_path = "/out";
  benchmark.ignore_failure = true;
  benchmark.accept_exit = {0, 3};
  benchmark.allow_missing = true;
  benchmark.check_output = true;
  benchmark.harness = "google-benchmark";
  benchmark.only = {"BM_*", "x?"};
  benchmark.inner = "BM_X/8";
  benchmark.no_groups = true;
  benchmark.control = true;
  benchmark.controls = {"BM_Z", "calibration/*"};
  spec.benchmarks = {benchmark};
  spec.method = Method::kFixed;
  spec.estimator = {EstimatorKind::kQuantile, 0.9};
  spec.rule = {RuleKind::kPrecision, 0.125};
  spec.alpha = 0.05;
  spec.pass_confidence = 0.9;
  spec.default_margin = 0.03;
  spec.sided = Sided::kOne;
  spec.error_rate = ErrorRate::kFdr;
  spec.limits = {
      9,   100, 50, std::chrono::seconds(7), std::chrono::milliseconds(1500), AtLimit::kEstimate,
      true};
  spec.schedule = {ScheduleKind::kCoin, 3};
  spec.seed = 0xFFFFFFFFFFFFFFFFULL;
  spec.machine_profile = "quiet";
  spec.isolation = Isolation::kStrict;
  spec.cpus = "2-3";
  spec.placebo = true;
  spec.confirm = true;
  spec.keep_all = true;
  spec.early_looks = false;
  spec.profile = Profile{4000, CallGraph::kDwarf, "0123abcd"};
  spec.priority = -5;
  spec.labels = {{"k", "v"}};
  return spec;
}

TEST(ToProtoTest, ASpecComesBackAsItWent) {
  const SessionSpec spec = Unusual();
  v1::SessionSpec proto;
  ToProto(spec, &proto);
  const Result<SessionSpec> back = FromProto(proto);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, spec);
}

TEST(ToProtoTest, AProfileWithoutAFrequencyHasTheUsualOne) {
  v1::SessionSpec proto;
  proto.mutable_profile()->set_explains("0123abcd");
  const Result<SessionSpec> spec = FromProto(proto);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->profile, (Profile{.frequency_hz = 1000,
                                    .call_graph = CallGraph::kFramePointers,
                                    .explains = "0123abcd"}));
  ToProto(SessionSpec{}, &proto);
  EXPECT_FALSE(FromProto(v1::SessionSpec()).value().profile)
      << "a session is not sampled by itself";
}

TEST(ToProtoTest, NoValueOfAnEnvironmentVariableLeavesTheDaemon) {
  SessionRecord record;
  record.spec = Unusual();
  record.spec.environment = {{"TOKEN", "secret"}};
  record.spec.benchmarks[0].arms[0].env = {{"OTHER", "secret"}};
  v1::Session proto;
  ToProto(record, &proto);
  EXPECT_EQ(proto.SerializeAsString().find("secret"), std::string::npos);
  ASSERT_EQ(proto.environment_names_size(), 1);
  EXPECT_EQ(proto.environment_names(0), "TOKEN");
  EXPECT_EQ(proto.spec().benchmarks(0).arms(0).env().count("OTHER"), 1U);
}

TEST(ToProtoTest, WhatAComparisonHasNotIsAbsentAndNotZero) {
  Report report;
  report.comparisons = {Comparison{}};
  v1::Update proto;
  ToProto(report, SessionState::kRunning, &proto);
  const v1::Comparison& comparison = proto.comparisons(0);
  EXPECT_FALSE(comparison.has_mean_reference());
  EXPECT_FALSE(comparison.has_sd_candidate());
  EXPECT_FALSE(comparison.has_change());
  EXPECT_FALSE(comparison.has_p_value());
  EXPECT_FALSE(comparison.has_decided());
  EXPECT_FALSE(comparison.has_pass_confidence());
  EXPECT_FALSE(comparison.has_eta_seconds());
  EXPECT_EQ(comparison.margin_case(), v1::Comparison::MARGIN_NOT_SET);
  EXPECT_EQ(comparison.verdict(), v1::VERDICT_UNSPECIFIED);
  EXPECT_EQ(comparison.better(), v1::BETTER_UNSPECIFIED);
  EXPECT_EQ(comparison.flag(), v1::FLAG_UNSPECIFIED);
  EXPECT_FALSE(proto.has_eta_seconds());
}

TEST(ToProtoTest, AGateCarriesItsNumbers) {
  Comparison gate;
  gate.role = ComparisonRole::kGate;
  gate.better = Better::kLower;
  gate.margin = 0.02;
  gate.pass_confidence = 0.95;
  gate.n_candidate = 10;
  gate.mean_reference = 0.0;  // a measured zero is written
  gate.change = Effect{0.5, -0.25, std::nullopt};
  gate.verdict = Verdict::kRegression;
  gate.decided = Decision{8, 0.1, std::nullopt, "holm"};
  gate.reason = "left_zero";
  gate.eta = std::chrono::seconds(10);
  Report report;
  report.elapsed = std::chrono::seconds(20);
  report.comparisons = {gate};
  v1::Update proto;
  ToProto(report, SessionState::kDone, &proto);
  const v1::Comparison& comparison = proto.comparisons(0);
  EXPECT_EQ(comparison.margin_ratio(), 0.02);
  EXPECT_EQ(comparison.pass_confidence(), 0.95);
  EXPECT_TRUE(comparison.has_mean_reference());
  EXPECT_EQ(comparison.change().lo(), -0.25);
  EXPECT_FALSE(comparison.change().has_hi());
  EXPECT_EQ(comparison.verdict(), v1::VERDICT_REGRESSION);
  EXPECT_EQ(comparison.decided().blocks(), 8U);
  EXPECT_EQ(comparison.reason(), "left_zero");
  EXPECT_EQ(comparison.decided().lo(), 0.1);
  EXPECT_FALSE(comparison.decided().has_hi());
  EXPECT_EQ(comparison.decided().by(), "holm");
  EXPECT_EQ(comparison.eta_seconds(), 10.0);
  EXPECT_EQ(proto.state(), v1::SESSION_STATE_DONE);
  EXPECT_EQ(proto.elapsed_seconds(), 20.0);
}

TEST(ToProtoTest, AControlHasItsStateAndTheReportWhetherOneChanged) {
  Report report;
  report.comparisons = {Comparison{}, Comparison{}};
  report.comparisons[1].control = ControlState::kUnchanged;
  v1::Update proto;
  ToProto(report, SessionState::kDone, &proto);
  EXPECT_EQ(proto.comparisons(0).control(), v1::CONTROL_STATE_UNSPECIFIED);
  EXPECT_EQ(proto.comparisons(1).control(), v1::CONTROL_STATE_UNCHANGED);
  EXPECT_FALSE(proto.control_changed());
  for (const ControlState state :
       {ControlState::kOpen, ControlState::kUnchanged, ControlState::kChanged}) {
    report.comparisons[1].control = state;
    report.control_changed = state == ControlState::kChanged;
    v1::Update again;
    ToProto(report, SessionState::kDone, &again);
    EXPECT_EQ(again.control_changed(), report.control_changed);
    const Result<Comparison> back = FromProto(again.comparisons(1));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->control, state);
  }
}

TEST(ToProtoTest, AnEstimateCarriesItsNumbersAndNothingElse) {
  Report report;
  report.estimates = {Estimate{.benchmark = "parse",
                               .arm = "new",
                               .metric = "wall_time",
                               .unit = "s",
                               .asked = true,
                               .better = Better::kLower,
                               .estimator = {EstimatorKind::kQuantile, 0.9},
                               .confidence = 0.995,
                               .n = 12,
                               .value = Effect{0.5, 0.25, std::nullopt},
                               .min = 0.0,  // a measured zero is written
                               .precision = 0.01,
                               .precise = false,
                               .reason = "resolution",
                               .expected_blocks = 3,
                               .eta = std::chrono::seconds(10)},
                      Estimate{}};
  v1::Update proto;
  ToProto(report, SessionState::kDone, &proto);
  const v1::Estimate& estimate = proto.estimates(0);
  EXPECT_EQ(estimate.benchmark(), "parse");
  EXPECT_EQ(estimate.arm(), "new");
  EXPECT_EQ(estimate.metric(), "wall_time");
  EXPECT_EQ(estimate.unit(), "s");
  EXPECT_TRUE(estimate.asked());
  EXPECT_EQ(estimate.better(), v1::BETTER_LOWER);
  EXPECT_EQ(estimate.estimator().quantile(), 0.9);
  EXPECT_EQ(estimate.confidence(), 0.995);
  EXPECT_EQ(estimate.n(), 12U);
  EXPECT_EQ(estimate.value().lo(), 0.25);
  EXPECT_FALSE(estimate.value().has_hi());
  EXPECT_FALSE(estimate.has_last());
  EXPECT_FALSE(estimate.has_sd());
  EXPECT_TRUE(estimate.has_min());
  EXPECT_FALSE(estimate.has_max());
  EXPECT_EQ(estimate.precision(), 0.01);
  EXPECT_TRUE(estimate.has_precise());
  EXPECT_FALSE(estimate.precise());
  EXPECT_EQ(estimate.reason(), "resolution");
  EXPECT_EQ(estimate.eta_seconds(), 10.0);
  Estimate without_forecast = report.estimates[0];
  without_forecast.expected_blocks.reset();
  without_forecast.eta.reset();
  EXPECT_EQ(FromProto(estimate).value(), without_forecast) << "it comes back";
  const v1::Estimate& nothing = proto.estimates(1);
  EXPECT_FALSE(nothing.has_value());
  EXPECT_FALSE(nothing.has_precision());
  EXPECT_FALSE(nothing.has_precise());
  EXPECT_FALSE(nothing.has_eta_seconds());
  EXPECT_EQ(nothing.better(), v1::BETTER_UNSPECIFIED);
}

TEST(ToProtoTest, AnExplanationCarriesItsFunctions) {
  Report report;
  report.explanations = {Explanation{.benchmark = "parse",
                                     .reference = "old",
                                     .candidate = "new",
                                     .blocks = 40,
                                     .samples_reference = 41'000,
                                     .samples_candidate = 43'000,
                                     .lost = 3,
                                     .seconds_reference = 1,
                                     .seconds_candidate = 1.05,
                                     .change = {0.05, 0.03, std::nullopt},
                                     .explained_seconds = 0.046,
                                     .explained = 0.92,
                                     .confidence = 0.99,
                                     .compared = 57,
                                     .functions = {FunctionChange{.function = "f<long>",
                                                                  .matched = "f<int>",
                                                                  .presence = Presence::kOutlined,
                                                                  .self_reference = 0.2,
                                                                  .self_candidate = 0.25,
                                                                  .self = {0.05, 0.03, 0.07},
                                                                  .total_reference = 0.4,
                                                                  .total_candidate = 0.5,
                                                                  .total = {0.1, std::nullopt, 0.2},
                                                                  .changed = true,
                                                                  .instructions_reference = 1e9,
                                                                  .instructions_candidate = 0.0},
                                                   FunctionChange{}},
                                     .rest_reference = 0.001,
                                     .rest_candidate = 0.002,
                                     .unnamed = 0.125},
                         Explanation{}};
  v1::Update proto;
  ToProto(report, SessionState::kDone, &proto);
  const v1::Explanation& explanation = proto.explanations(0);
  EXPECT_EQ(explanation.benchmark(), "parse");
  EXPECT_EQ(explanation.reference(), "old");
  EXPECT_EQ(explanation.candidate(), "new");
  EXPECT_EQ(explanation.blocks(), 40U);
  EXPECT_EQ(explanation.samples_candidate(), 43'000U);
  EXPECT_EQ(explanation.lost(), 3U);
  EXPECT_EQ(explanation.seconds_candidate(), 1.05);
  EXPECT_EQ(explanation.change().lo(), 0.03);
  EXPECT_FALSE(explanation.change().has_hi());
  EXPECT_EQ(explanation.explained(), 0.92);
  EXPECT_EQ(explanation.compared(), 57U);
  EXPECT_EQ(explanation.rest_candidate(), 0.002);
  EXPECT_EQ(explanation.unnamed(), 0.125);
  const v1::FunctionChange& function = explanation.functions(0);
  EXPECT_EQ(function.function(), "f<long>");
  EXPECT_EQ(function.matched(), "f<int>");
  EXPECT_EQ(function.presence(), v1::PRESENCE_OUTLINED);
  EXPECT_EQ(function.self().estimate(), 0.05);
  EXPECT_EQ(function.total_candidate(), 0.5);
  EXPECT_FALSE(function.total().has_lo());
  EXPECT_TRUE(function.changed());
  EXPECT_EQ(function.instructions_reference(), 1e9);
  EXPECT_TRUE(function.has_instructions_candidate()) << "a measured zero is written";
  EXPECT_FALSE(function.has_cache_misses_reference());
  EXPECT_EQ(explanation.functions(1).presence(), v1::PRESENCE_BOTH);
  EXPECT_FALSE(proto.explanations(1).has_explained());
}

// An older client reads the margin that applies if values vary, and ignores the rest.
TEST(ToProtoTest, AnExactGateHasItsMarginAndComesBack) {
  for (const MarginKind kind : {MarginKind::kExact, MarginKind::kAbsolute}) {
    Report report;
    report.comparisons.emplace_back().margin = 4;
    report.comparisons[0].margin_kind = kind;
    const bool exact = kind == MarginKind::kExact;
    if (exact) report.comparisons[0].basis = Basis::kExact;
    v1::Update proto;
    ToProto(report, SessionState::kDone, &proto);
    EXPECT_EQ(proto.comparisons(0).margin_absolute(), 4);
    EXPECT_EQ(proto.comparisons(0).exact(), exact);
    EXPECT_EQ(proto.comparisons(0).basis(), exact ? v1::BASIS_EXACT : v1::BASIS_UNSPECIFIED);
    const Result<Comparison> back = FromProto(proto.comparisons(0));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, report.comparisons[0]);
  }
}

TEST(ToProtoTest, AMarginThatNobodyGaveStaysAbsent) {
  v1::SessionSpec proto;
  ToProto(Unusual(), &proto);
  const v1::Gate& exact = proto.benchmarks(0).gates(2);
  EXPECT_TRUE(exact.exact());
  EXPECT_EQ(exact.margin_case(), v1::Gate::MARGIN_NOT_SET);
  const v1::Gate& implied = proto.benchmarks(0).gates(3);
  EXPECT_FALSE(implied.exact());
  EXPECT_EQ(implied.margin_case(), v1::Gate::MARGIN_NOT_SET);
}

TEST(ToProtoTest, AMomentBefore1970KeepsItsNanoseconds) {
  google::protobuf::Timestamp proto;
  ToProto(Timestamp(Nanoseconds(-1)), &proto);
  EXPECT_EQ(proto.seconds(), -1);
  EXPECT_EQ(proto.nanos(), 999'999'999);
}

TEST(ToProtoTest, ARunNamesItsBenchmarkAndArm) {
  benchd::Run run;
  run.arm = 1;
  run.exit.signal = 9;
  run.samples = {{"wall_time", "inner", 2, 0.1}};
  v1::Run proto;
  ToProto(run, Unusual(), &proto);
  EXPECT_EQ(proto.benchmark(), "parse");
  EXPECT_EQ(proto.arm(), "old");
  EXPECT_EQ(proto.phase(), v1::RUN_PHASE_MEASURED);
  EXPECT_EQ(proto.signal(), 9);
  EXPECT_EQ(proto.samples(0).inner_benchmark(), "inner");
  run.benchmark = 7;
  v1::Run outside;
  ToProto(run, Unusual(), &outside);
  EXPECT_EQ(outside.benchmark(), "");
}

TEST(ToProtoTest, BytesThatAreNoTextDoNotSpoilTheMessage) {
  Failure failure{Error{ErrorCode::kInternal, "bad \xFF", {}}, FailedRun{}};
  failure.run->stderr_tail = "\xC0tail";
  v1::Failed proto;
  ToProto(failure, &proto);
  EXPECT_EQ(proto.error(), "bad \uFFFD");
  EXPECT_EQ(proto.run().stderr_tail(), "\uFFFDtail");
}

TEST(ToProtoTest, ASettingCarriesWhatItWasAndWhatItBecame) {
  MachineReport machine;
  machine.isolation = {{.setting = "governor",
                        .wanted = "performance",
                        .actual = "powersave",
                        .held = false,
                        .why = "no \xFF permission",
                        .at_end = "schedutil"}};
  SessionSnapshot snapshot;
  snapshot.machine = machine;
  snapshot.found = {{.names = {"BM_a", "BM_b"}}, {.names = {"BM_c"}}};
  v1::Started proto;
  ToProto(snapshot, 7, &proto);
  EXPECT_EQ(proto.found_benchmarks(), 3U);
  ASSERT_EQ(proto.isolation_size(), 1);
  EXPECT_EQ(proto.isolation(0).setting(), "governor");
  EXPECT_EQ(proto.isolation(0).wanted(), "performance");
  EXPECT_EQ(proto.isolation(0).actual(), "powersave");
  EXPECT_FALSE(proto.isolation(0).held());
  EXPECT_EQ(proto.isolation(0).why(), "no \xEF\xBF\xBD permission");
  EXPECT_EQ(proto.isolation(0).at_end(), "schedutil");
}

TEST(ToProtoTest, ANoiseSourceThatWasNotMeasuredHasNoEffect) {
  v1::NoiseSource measured;
  ToProto(NoiseSource{"steal", "2 % of the time", "use another host", 0.02}, &measured);
  EXPECT_EQ(measured.name(), "steal");
  EXPECT_EQ(measured.finding(), "2 % of the time");
  EXPECT_EQ(measured.advice(), "use another host");
  EXPECT_EQ(measured.effect(), 0.02);
  v1::NoiseSource not_measured;
  ToProto(NoiseSource{"turbo", "is on", "switch it off", std::nullopt}, &not_measured);
  EXPECT_FALSE(not_measured.has_effect());
}

// In both directions and by name: METHOD_EXACT_T is exact-t. Exceptions are listed.
template <typename Wire, typename Model>
void ExpectSameWords() {
  const google::protobuf::EnumDescriptor& type = *google::protobuf::GetEnumDescriptor<Wire>();
  const std::map<std::string, std::string> called = {{"ESTIMATOR_KIND_HODGES_LEHMANN", "HL"},
                                                     {"OUTPUT_KIND_DISCARD", "NULL"},
                                                     {"CALL_GRAPH_FRAME_POINTERS", "FP"},
                                                     {"FLAG_UNSPECIFIED", "NONE"}};
  const std::string start =
      type.value(0)->name().substr(0, type.value(0)->name().find("UNSPECIFIED"));
  const auto names = NamesOf(Model{});
  ASSERT_EQ(static_cast<std::size_t>(type.value_count() - kFirstOnWire<Model>), names.size())
      << start;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = static_cast<Model>(i);
    const Wire wire = ToWire<Wire>(value);
    EXPECT_EQ(ToModel<Model>(wire), value);
    const std::string& full = type.FindValueByNumber(wire)->name();
    std::string word = called.contains(full) ? called.at(full) : full.substr(start.size());
    for (char& c : word) c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
    EXPECT_EQ(word, names[i]);
  }
  EXPECT_EQ(ToModel<Model>(static_cast<Wire>(type.value_count())), std::nullopt);
}

TEST(EnumValuesTest, WireAndModelHaveTheSameWordsInTheSameOrder) {
  ExpectSameWords<v1::ArmRole, ArmRole>();
  ExpectSameWords<v1::Better, Better>();
  ExpectSameWords<v1::OutputKind, OutputKind>();
  ExpectSameWords<v1::Method, Method>();
  ExpectSameWords<v1::EstimatorKind, EstimatorKind>();
  ExpectSameWords<v1::Sided, Sided>();
  ExpectSameWords<v1::AtLimit, AtLimit>();
  ExpectSameWords<v1::ScheduleKind, ScheduleKind>();
  ExpectSameWords<v1::Isolation, Isolation>();
  ExpectSameWords<v1::SessionState, SessionState>();
  ExpectSameWords<v1::Verdict, Verdict>();
  ExpectSameWords<v1::Basis, Basis>();
  ExpectSameWords<v1::ComparisonRole, ComparisonRole>();
  ExpectSameWords<v1::Flag, Flag>();
  ExpectSameWords<v1::RunPhase, RunPhase>();
  ExpectSameWords<v1::CallGraph, CallGraph>();
  ExpectSameWords<v1::Presence, Presence>();
}

// It has no UNSPECIFIED: a request without it means the family.
TEST(EnumValuesTest, AnErrorRateThatIsNotGivenIsThatOfTheFamily) {
  EXPECT_EQ(ToWire<v1::ErrorRate>(ErrorRate::kFamily), v1::ERROR_RATE_FAMILY);
  EXPECT_EQ(ToWire<v1::ErrorRate>(ErrorRate::kFdr), v1::ERROR_RATE_FDR);
  EXPECT_EQ(ToModel<ErrorRate>(v1::SessionSpec().error_rate()), ErrorRate::kFamily);
  EXPECT_EQ(ToModel<ErrorRate>(static_cast<v1::ErrorRate>(2)), std::nullopt);
}

}  // namespace
}  // namespace benchd::convert
