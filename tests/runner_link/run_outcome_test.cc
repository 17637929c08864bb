#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "daemon/runner_link/runner_client.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

wire::RunFigures Figures() {
  wire::RunFigures figures;
  figures.started_at_ns = 1'700'000'000'123'456'789;
  figures.wall_time_ns = 1'234'567'891;
  figures.user_time_us = 1'000'003;
  figures.system_time_us = 200'004;
  figures.max_rss_bytes = 1'048'576;
  figures.minor_faults = 11;
  figures.major_faults = 12;
  figures.voluntary_switches = 13;
  figures.involuntary_switches = 14;
  figures.stderr_tail = "tail";
  figures.output = "log";
  figures.stdout_digest = OutputDigest{4, {7}, "log\n"};
  return figures;
}

wire::ParsedOutput Parsed() {
  wire::ParsedOutput parsed;
  parsed.samples = {{"ops", "", 0, 12.5}, {"ops", "", 1, 13}};
  parsed.metrics = {{"ops", "1", Better::kHigher, 0.1}};
  parsed.exits = {{"sleep 1", 3, 2, 10}};
  return parsed;
}

Result<RunOutcome> OutcomeOf(const wire::ParsedOutput& parsed) {
  wire::RunFigures figures = Figures();
  figures.parsed = wire::EncodeParsedOutput(parsed);
  return MakeRunOutcome(figures, "lines");
}

// Values: the figures above in SI units; order and names: core/model/metric.cc.
TEST(MakeRunOutcomeTest, TurnsFiguresIntoTheBuiltInMetricsInSiUnits) {
  const auto outcome = MakeRunOutcome(Figures(), "");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->samples, (std::vector<Sample>{{"wall_time", "", 0, 1.234567891},
                                                   {"user_time", "", 0, 1.000003},
                                                   {"system_time", "", 0, 0.200004},
                                                   {"cpu_time", "", 0, 1.200007},
                                                   {"max_rss", "", 0, 1048576},
                                                   {"minor_faults", "", 0, 11},
                                                   {"major_faults", "", 0, 12},
                                                   {"voluntary_switches", "", 0, 13},
                                                   {"involuntary_switches", "", 0, 14}}));
  EXPECT_TRUE(outcome->metrics.empty());
  EXPECT_EQ(outcome->started_at.time_since_epoch().count(), 1'700'000'000'123'456'789);
  EXPECT_EQ(outcome->stderr_tail, "tail");
  EXPECT_EQ(outcome->output, "log");
  EXPECT_EQ(outcome->stdout_digest, (OutputDigest{4, {7}, "log\n"}));
}

TEST(MakeRunOutcomeTest, CarriesTheNamesOfAListAndRefusesOnesThatNoHelperWrites) {
  wire::ParsedOutput listed;
  listed.names = {"BM_a", "BM_b/8"};
  const auto outcome = OutcomeOf(listed);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->names, listed.names);
  for (const char* name : {"", "BM_\n"}) {
    listed.names = {name};
    const auto refused = OutcomeOf(listed);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::kInternal);
  }
}

// If the kernel divides CPU time by its tick, the tick is their step (observe/cpu_accounting.h).
TEST(MakeRunOutcomeTest, UserAndSystemTimeCarryTheStepOfTheirDivision) {
  wire::RunFigures figures = Figures();
  figures.user_time_step_ns = 4'000'000;
  const std::vector<MetricInfo> steps = {{"user_time", "s", Better::kLower, 0.004},
                                         {"system_time", "s", Better::kLower, 0.004}};
  const auto outcome = MakeRunOutcome(figures, "");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->metrics, steps);
  figures.parsed = wire::EncodeParsedOutput(Parsed());
  const auto parsed = MakeRunOutcome(figures, "lines");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->metrics,
            (std::vector<MetricInfo>{steps[0], steps[1], {"ops", "1", Better::kHigher, 0.1}}));
  figures.user_time_step_ns = 1000;
  EXPECT_TRUE(MakeRunOutcome(figures, "")->metrics.empty()) << "an exact division";
}

TEST(MakeRunOutcomeTest, NamesEveryBuiltInMetricOnceAndInOrder) {
  const auto outcome = MakeRunOutcome(Figures(), "");
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->samples.size(), BuiltinMetrics().size());
  for (std::size_t i = 0; i < BuiltinMetrics().size(); ++i) {
    EXPECT_EQ(outcome->samples[i].metric, BuiltinMetrics()[i].name);
  }
}

// Values: the figures below in SI units; order: that of measurement.
TEST(MakeRunOutcomeTest, AddsTheOptionalMetricsThatAreThere) {
  wire::RunFigures figures = Figures();
  figures.Set("read_bytes", 4096);
  figures.Set("write_bytes", 0);
  figures.Set("tree_cpu_time", 1'500'001);
  figures.Set("tree_memory_peak", 8'388'608);
  figures.counters = {{"instructions", 5'000'000'000, 7, 7}, {"task_clock", 1'500'000'003, 7, 7}};
  figures.Set("interrupts", 212);
  figures.Set("stolen_time", 20'000);
  figures.Set("foreign_switches", 0);
  figures.Set("migrations", 3);
  const auto outcome = MakeRunOutcome(figures, "");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(std::vector<Sample>(outcome->samples.begin() + 9, outcome->samples.end()),
            (std::vector<Sample>{{"read_bytes", "", 0, 4096},
                                 {"write_bytes", "", 0, 0},
                                 {"tree_cpu_time", "", 0, 1.500001},
                                 {"tree_memory_peak", "", 0, 8388608},
                                 {"instructions", "", 0, 5e9},
                                 {"task_clock", "", 0, 1.500000003},
                                 {"interrupts", "", 0, 212},
                                 {"stolen_time", "", 0, 0.02},
                                 {"foreign_switches", "", 0, 0},
                                 {"migrations", "", 0, 3}}));
  for (const Sample& sample : outcome->samples) {
    EXPECT_NE(FindBuiltinMetric(sample.metric), nullptr) << sample.metric;
  }
}

// perf_event_open(2): the count, times the time enabled, divided by the time running.
TEST(MakeRunOutcomeTest, ScalesCountersThatTookTurns) {
  wire::RunFigures figures = Figures();
  figures.counters = {{"instructions", 600, 1'000, 250}, {"cycles", 900, 1'000, 1'000}};
  const auto outcome = MakeRunOutcome(figures, "");
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->samples.size(), 11U);
  EXPECT_EQ(outcome->samples[9].value, 2400);
  EXPECT_EQ(outcome->samples[10].value, 900);
}

TEST(MakeRunOutcomeTest, ACounterThatNeverHadItsTurnIsAbsent) {
  wire::RunFigures figures = Figures();
  figures.counters = {{"instructions", 0, 1'000, 0}};
  const auto outcome = MakeRunOutcome(figures, "");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->samples.size(), BuiltinMetrics().size());
}

TEST(MakeRunOutcomeTest, AMetricThatWasAskedForAndIsMissingIsNamedWithTheReason) {
  wire::RunFigures figures = Figures();
  figures.missing = {{"cycles", "it stands still"}, {"instructions", "whatever"}};
  const auto outcome = MakeRunOutcome(figures, "");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(outcome.error());
  figures.exit.signal = 9;
  EXPECT_TRUE(MakeRunOutcome(figures, "")) << "its exit is more informative";
}

// An accepted exit does not hide another one: both exit with 3, and one crashes.
TEST(MakeRunOutcomeTest, WhatIsNotAcceptedOfAHarnessRunsComesFirst) {
  wire::RunFigures figures = Figures();
  wire::ParsedOutput parsed = Parsed();
  parsed.exits = {{"", 3, 4, 10}, {"", 139, 1, 10}};
  figures.parsed = wire::EncodeParsedOutput(parsed);
  const std::vector<int> accepted = {0, 3};
  const auto outcome = MakeRunOutcome(figures, "hyperfine", accepted);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->inner_exits.size(), 2U);
  EXPECT_EQ(outcome->inner_exits.front().code, 139);
  parsed.exits = {{"", std::nullopt, 1, 10}, {"", 3, 4, 10}};
  figures.parsed = wire::EncodeParsedOutput(parsed);
  EXPECT_FALSE(MakeRunOutcome(figures, "hyperfine", accepted)->inner_exits.front().code);
}

TEST(MakeRunOutcomeTest, KnowsAMetricOfAnInnerBenchmarkByBothNames) {
  wire::ParsedOutput parsed;
  parsed.samples = {{"cpu_time", "BM_x", 0, 12}};
  parsed.metrics = {{"BM_x/cpu_time", "s", Better::kLower, 1}};
  const auto outcome = OutcomeOf(parsed);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->samples.back(), (Sample{"cpu_time", "BM_x", 0, 12}));
  parsed.metrics = {{"BM_y/cpu_time", "s", Better::kLower, 1}};
  EXPECT_FALSE(OutcomeOf(parsed));
}

TEST(MakeRunOutcomeTest, AppendsTheParsedSamples) {
  const auto outcome = OutcomeOf(Parsed());
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->samples.size(), BuiltinMetrics().size() + 2);
  EXPECT_EQ(outcome->samples.back(), (Sample{"ops", "", 1, 13}));
  EXPECT_EQ(outcome->metrics, Parsed().metrics);
}

TEST(MakeRunOutcomeTest, ReportsTheParsersErrorWithItsLineAndHint) {
  wire::ParsedOutput parsed;
  parsed.result = Error{ErrorCode::kInvalidArgument, "line 3: 'ops' has no value", "a hint"};
  const auto outcome = OutcomeOf(parsed);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(),
            (Error{ErrorCode::kInvalidArgument, "parse: line 3: 'ops' has no value", "a hint"}));
}

TEST(MakeRunOutcomeTest, DoesNotRepeatParseInFrontOfTheFormatsOwnError) {
  wire::ParsedOutput parsed;
  parsed.result = Error{ErrorCode::kUnimplemented, "parse: go is not offered yet", {}};
  const auto outcome = OutcomeOf(parsed);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "parse: go is not offered yet");
}

TEST(MakeRunOutcomeTest, LetsAFailedChildsExitSpeakInsteadOfItsUnparsableOutput) {
  wire::RunFigures figures = Figures();
  figures.exit.code = 1;
  wire::ParsedOutput parsed;
  parsed.result = Error{ErrorCode::kInvalidArgument, "no value", {}};
  figures.parsed = wire::EncodeParsedOutput(parsed);
  const auto outcome = MakeRunOutcome(figures, "lines");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit.code, 1);
  EXPECT_EQ(outcome->samples.size(), BuiltinMetrics().size());
}

TEST(MakeRunOutcomeTest, TellsTheLimitThatAChildRanInto) {
  wire::RunFigures figures = Figures();
  figures.exit.signal = 9;
  figures.limit = "exceeded its memory limit of 64 MiB";
  const auto outcome = MakeRunOutcome(figures, "lines");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->limit, "exceeded its memory limit of 64 MiB");
}

TEST(MakeRunOutcomeTest, KeepsWhatAFailedChildDidPrint) {
  wire::RunFigures figures = Figures();
  figures.exit.code = 1;
  figures.parsed = wire::EncodeParsedOutput(Parsed());
  const auto outcome = MakeRunOutcome(figures, "lines");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->samples.size(), BuiltinMetrics().size() + 2);
}

wire::ParsedOutput SampledProfile() {
  wire::ParsedOutput profile;
  profile.samples = {{.metric = "stack", .inner_benchmark = "main;f", .value = 40},
                     {.metric = "lost_samples", .inner_benchmark = "", .value = 2}};
  return profile;
}

TEST(MakeRunOutcomeTest, ASampledRunHasItsStacksAfterItsFigures) {
  wire::RunFigures figures = Figures();
  figures.parsed = wire::EncodeParsedOutput(SampledProfile());
  auto outcome = MakeRunOutcome(figures, "", {}, /*sampled=*/true);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->samples.size(), BuiltinMetrics().size() + 2);
  EXPECT_EQ(outcome->samples[BuiltinMetrics().size()], SampledProfile().samples[0]);
  EXPECT_EQ(outcome->samples.back(), SampledProfile().samples[1]);
  figures.parsed.clear();
  outcome = MakeRunOutcome(figures, "", {}, /*sampled=*/true);
  ASSERT_TRUE(outcome) << "a run may be too short for a sample";
  EXPECT_EQ(outcome->samples.size(), BuiltinMetrics().size());
}

TEST(MakeRunOutcomeTest, BelievesNoProfileThatTheHelperCouldNotHaveWritten) {
  wire::RunFigures figures = Figures();
  const Sample wrong[] = {{.metric = "cpu_time", .inner_benchmark = "", .value = 1},
                          {.metric = "stack", .inner_benchmark = "main", .value = -1},
                          {.metric = "stack", .inner_benchmark = "", .value = 1},
                          {.metric = "stack", .inner_benchmark = "a\nb", .value = 1},
                          {.metric = "lost_samples", .inner_benchmark = "main", .value = 1},
                          {.metric = "unkept_samples", .inner_benchmark = "main", .value = 1}};
  for (const Sample& sample : wrong) {
    wire::ParsedOutput profile = SampledProfile();
    profile.samples.push_back(sample);
    figures.parsed = wire::EncodeParsedOutput(profile);
    const auto outcome = MakeRunOutcome(figures, "", {}, /*sampled=*/true);
    ASSERT_FALSE(outcome) << sample.metric;
    EXPECT_EQ(outcome.error().code, ErrorCode::kInternal);
    EXPECT_WORDING(outcome.error());
  }
  figures.exit.signal = 11;
  EXPECT_TRUE(MakeRunOutcome(figures, "", {}, /*sampled=*/true)) << "its end is more informative";
}

TEST(MakeRunOutcomeTest, ReportsWhyARunHasNoProfile) {
  wire::RunFigures figures = Figures();
  wire::ParsedOutput profile;
  profile.result = Error{ErrorCode::kFailedPrecondition, "the program is not readable", "chmod"};
  figures.parsed = wire::EncodeParsedOutput(profile);
  const auto outcome = MakeRunOutcome(figures, "", {}, /*sampled=*/true);
  ASSERT_FALSE(outcome);
  EXPECT_WORDING(outcome.error());
}

TEST(MakeRunOutcomeTest, RefusesAParsedMetricNamedLikeABuiltInOne) {
  wire::ParsedOutput parsed = Parsed();
  parsed.samples[0].metric = parsed.samples[1].metric = parsed.metrics[0].name = "cpu_time";
  const auto outcome = OutcomeOf(parsed);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(outcome.error());
}

// Its name is INNER/instructions, which is unique.
TEST(MakeRunOutcomeTest, AnInnerBenchmarkMayCallItsMetricsAsItLikes) {
  wire::ParsedOutput parsed = Parsed();
  parsed.metrics[0].name = "BM_sort/8/instructions";
  for (Sample& sample : parsed.samples) sample = {"instructions", "BM_sort/8", 0, 5};
  const auto outcome = OutcomeOf(parsed);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->samples.back(), (Sample{"instructions", "BM_sort/8", 0, 5}));
  parsed.metrics[0].name = "instructions";
  for (Sample& sample : parsed.samples) sample.inner_benchmark.clear();
  EXPECT_WORDING(OutcomeOf(parsed).error());
}

TEST(MakeRunOutcomeTest, BelievesNothingThatTheHelperCouldNotHaveWritten) {
  std::vector<wire::ParsedOutput> lies(6, Parsed());
  lies[0].samples[0].value = std::numeric_limits<double>::quiet_NaN();
  lies[1].samples[0].metric = "other";
  lies[2].samples.clear();
  lies[3].metrics.push_back(lies[3].metrics[0]);
  lies[4].metrics[0].resolution = -1;
  lies[5].metrics[0].name.clear();
  for (const wire::ParsedOutput& lie : lies) {
    const auto outcome = OutcomeOf(lie);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::kInternal);
    EXPECT_WORDING(outcome.error());
  }
}

TEST(MakeRunOutcomeTest, RefusesBytesThatAreNoMessage) {
  wire::RunFigures figures = Figures();
  for (const std::string bytes : {"", "garbage", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"}) {
    figures.parsed = bytes;
    const auto outcome = MakeRunOutcome(figures, "lines");
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::kInternal);
  }
  EXPECT_TRUE(MakeRunOutcome(figures, "")) << "output without a format is not read";
}

}  // namespace
}  // namespace benchd
