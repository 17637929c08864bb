#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

#include "client/app/command.h"
#include "client/present/csv.h"
#include "client/present/report.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/replay.h"
#include "client/request/session_options.h"
#include "client/request/spec_input.h"
#include "client/request/table_options.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

std::string Read(std::string_view text) {
  const auto column = ParseColumn(text);
  if (!column) return column.error().message;
  return column->metric + "|" + (column->better ? std::string(NameOf(*column->better)) : "") + "|" +
         column->unit + "|" + (column->resolution ? FormatRoundTrip(*column->resolution) : "-");
}

TEST(ColumnOptionTest, TakesAttributesInAnyOrder) {
  EXPECT_EQ(Read("latency:lower"), "latency|lower||-");
  EXPECT_EQ(Read("rate:higher,unit=MB/s"), "rate|higher|MB/s|-");
  EXPECT_EQ(Read("latency:step=1e-3,unit=ms,lower"), "latency|lower|ms|0.001");
}

TEST(ColumnOptionTest, RecognisesTheSuffixFromTheRight) {
  EXPECT_EQ(Read("BM_X/threads:2:lower"), "BM_X/threads:2|lower||-");
  EXPECT_EQ(Read("a:lower:higher"), "a:lower|higher||-");
  EXPECT_EQ(Read("p99,raw:unit=s"), "p99,raw||s|-");
}

TEST(ColumnOptionTest, SaysWhatIsWrong) {
  for (const char* text : {"latency", "BM_X/threads:2", ":lower", "x:lower,higher",
                           "x:unit=s,unit=s", "x:step=1,step=1", "x:unit=", "x:lower,fast",
                           "x:lower,", "x:step=0", "x:step=-1", "x:step=nan", "x:step=1ms"}) {
    ExpectRefused(text, ParseColumn(text));
  }
}

TEST(ColumnOptionTest, WhatIsFormattedReadsBack) {
  TableColumn column;
  column.metric = "BM_X/threads:2";
  EXPECT_EQ(FormatColumn(column), "") << "nothing to say";
  column.better = Better::kHigher;
  column.unit = "ns/op";
  column.resolution = 1e-7;
  EXPECT_EQ(FormatColumn(column), "BM_X/threads:2:higher,unit=ns/op,step=1e-07");
  const auto read = ParseColumn(FormatColumn(column));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->metric, column.metric);
  EXPECT_EQ(read->better, column.better);
  EXPECT_EQ(read->unit, column.unit);
  EXPECT_EQ(read->resolution, column.resolution);
  column.unit = "a,b";
  EXPECT_EQ(FormatColumn(column), "BM_X/threads:2:higher,step=1e-07");
}

TEST(QuantityTest, ARoundTripPercentageIsTheSameDouble) {
  for (const auto& [fraction, text] : std::map<double, std::string>{{0.02, "2%"},
                                                                    {0.07, "7%"},
                                                                    {0.0005, "0.05%"},
                                                                    {1, "100%"},
                                                                    {2.5, "250%"},
                                                                    {1e-9, "0.0000001%"},
                                                                    {0.123456, "12.3456%"},
                                                                    {12345678, "1234567800%"},
                                                                    {-0.05, "-5%"},
                                                                    {-1.5, "-150%"},
                                                                    {-0.0005, "-0.05%"}}) {
    EXPECT_EQ(FormatRoundTripPercent(fraction), text);
  }
  const unsigned seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    // Doubles of both signs over the whole range of margins.
    const double size = std::ldexp(std::uniform_real_distribution(1.0, 2.0)(random),
                                   std::uniform_int_distribution(-60, 20)(random));
    const double fraction = i % 2 == 0 ? size : -size;
    const auto read = ParseFraction(FormatRoundTripPercent(fraction));
    ASSERT_TRUE(read) << FormatRoundTripPercent(fraction);
    ASSERT_EQ(*read, fraction) << FormatRoundTripPercent(fraction);
  }
}

OptionValues Given(std::vector<std::pair<std::string, std::string>> options) {
  ParsedArguments arguments;
  for (auto& [name, value] : options) arguments.options.push_back({name, value});
  return CollectSessionOptions(arguments);
}

TEST(TableSpecTest, LeavesOpenWhatWasNotSaid) {
  const auto spec = BuildTableSpec({});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->SerializeAsString(), "") << "the usual defaults hold";
}

// Every option that `analyze` shares with `compare` changes the spec, with the value that its help
// shows.
TEST(TableSpecTest, EveryOptionArrives) {
  const std::map<std::string_view, std::string> values = {
      {"margin", "3%"},      {"confidence", "95%"},    {"alpha", "0.05"},
      {"sided", "one"},      {"metric", "x:lower"},    {"method", "welch"},
      {"estimator", "hl"},   {"rule", "precision:1%"}, {"at-limit", "estimate"},
      {"schedule", "coin"},  {"min-runs", "30"},       {"max-runs", "100"},
      {"seed", "7"},         {"placebo", ""},          {"control", "steady"},
      {"allow-missing", ""}, {"accept-exit", "0,3"},   {"pass-confidence", "95%"},
      {"error-rate", "fdr"}, {"early-looks", "on"}};
  for (const OptionInfo& option : TableOptions()) {
    const auto value = values.find(option.name);
    ASSERT_NE(value, values.end()) << option.name;
    const auto spec = BuildTableSpec(Given({{std::string(option.name), value->second}}));
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_NE(spec->SerializeAsString(), "") << option.name;
  }
  EXPECT_EQ(TableOptions().size(), values.size());
}

TEST(TableSpecTest, HasTheGatesAndNoArms) {
  const auto spec = BuildTableSpec(Given({{"metric", "a:3%:lower"}, {"metric", "b:+5:higher"}}));
  ASSERT_TRUE(spec) << spec.error().message;
  ASSERT_EQ(spec->benchmarks_size(), 1);
  EXPECT_EQ(spec->benchmarks(0).arms_size(), 0);
  ASSERT_EQ(spec->benchmarks(0).gates_size(), 2);
  EXPECT_EQ(spec->benchmarks(0).gates(0).ratio(), 0.03);
  EXPECT_EQ(spec->benchmarks(0).gates(1).absolute(), 5);
  EXPECT_EQ(spec->benchmarks(0).gates(1).better(), v1::BETTER_HIGHER);
}

TEST(TableSpecTest, ErrorsAreComparesErrors) {
  ExpectRefused(BuildTableSpec(Given({{"margin", "x"}})));
  ExpectRefused(BuildTableSpec(Given({{"metric", ":lower"}})));
  ExpectRefused(BuildTableSpec(Given({{"alpha", "1%"}, {"confidence", "99%"}})));
}

TEST(CsvQuotingTest, OuterBlanksAreKept) {
  v1::Run run;
  run.set_benchmark(" padded");
  run.set_arm(" base ");
  v1::Sample* sample = run.add_samples();
  sample->set_metric("in between");
  sample->set_value(1);
  sample = run.add_samples();
  sample->set_metric("behind ");
  sample->set_value(2);
  const std::vector<v1::Run> runs = {run};
  EXPECT_EQ(RunsToCsv(runs, {}),
            "arm,role,benchmark,pair,order,started_at,in between,\"behind \"\n"
            "\" base \",,\" padded\",0,1,1970-01-01T00:00:00Z,1,2\n");
}

TEST(CsvPrefixTest, AMetricWithTheNameOfAColumnOrOfANumberIsMarked) {
  v1::Run run;
  run.set_arm("base");
  for (const char* name :
       {"order", "role", "exit_code", "4", "-1.5e3", "metric:x", "n", "4 threads", "orders"}) {
    v1::Sample* sample = run.add_samples();
    sample->set_metric(name);
    sample->set_value(1);
  }
  EXPECT_TRUE(
      RunsToCsv({&run, 1}, {})
          .starts_with(
              "arm,role,benchmark,pair,order,started_at,metric:order,metric:role,"
              "metric:exit_code,metric:4,metric:-1.5e3,metric:metric:x,n,4 threads,orders\n"));
}

TEST(CsvExitCodesTest, StandInAColumnWhereNotEveryRunEndedWithZero) {
  std::vector<v1::Run> runs(3);
  for (v1::Run& run : runs) {
    run.set_arm("base");
    run.add_samples()->set_metric("n");
  }
  constexpr char kPlain[] = "arm,role,benchmark,pair,order,started_at,n\n";
  EXPECT_TRUE(RunsToCsv(runs, {}).starts_with(kPlain));
  runs[1].set_exit_code(3);
  runs[2].set_signal(11);
  EXPECT_EQ(RunsToCsv(runs, {}),
            "arm,role,benchmark,pair,order,started_at,exit_code,n\n"
            "base,,,0,1,1970-01-01T00:00:00Z,0,0\n"
            "base,,,0,2,1970-01-01T00:00:00Z,3,0\n"
            "base,,,0,3,1970-01-01T00:00:00Z,-11,0\n");
  v1::Session accepting;
  accepting.mutable_spec()->add_benchmarks()->add_accept_exit(3);
  EXPECT_FALSE(RunsToCsv(std::span(runs).first(1), accepting).starts_with(kPlain))
      << "0 is a failure there";
}

v1::Run ParsedRun(v1::RunPhase phase, double resolution) {
  v1::Run run;
  run.set_phase(phase);
  for (const char* inner : {"", "BM_X/threads:2"}) {
    v1::Sample* sample = run.add_samples();
    sample->set_metric("latency");
    sample->set_inner_benchmark(inner);
  }
  run.add_samples()->set_metric("wall_time");
  v1::MetricInfo* info = run.add_metrics();
  info->set_name("latency");
  info->set_unit("ms");
  info->set_better(v1::BETTER_LOWER);
  info->set_resolution(resolution);
  return run;
}

TEST(ParsedMetricsTest, TakesTheFinestResolutionOfRunsThatCount) {
  ParsedMetrics metrics;
  metrics.Learn(ParsedRun(v1::RUN_PHASE_WARMUP, 0.01));
  metrics.Learn(ParsedRun(v1::RUN_PHASE_MEASURED, 0.1));
  metrics.Learn(ParsedRun(v1::RUN_PHASE_DROPPED, 0.001));
  std::string text;
  for (const TableColumn& column : metrics.columns()) text += FormatColumn(column) + "\n";
  EXPECT_EQ(text,
            "latency:lower,unit=ms,step=0.01\n"
            "BM_X/threads:2/latency:lower,unit=ms,step=0.01\n")
      << "wall_time is benchd's own";
}

TEST(ParsedMetricsTest, AMetricOfTheWarmupAloneIsNoColumn) {
  ParsedMetrics metrics;
  metrics.Learn(ParsedRun(v1::RUN_PHASE_WARMUP, 0.01));
  EXPECT_TRUE(metrics.columns().empty());
  metrics.Learn(ParsedRun(v1::RUN_PHASE_CONFIRMING, 0.1));
  EXPECT_EQ(metrics.columns().size(), 2U);
}

TEST(ParsedMetricsTest, TakesWhatIsSaidOfAnInnerBenchmarkBeforeWhatIsSaidOfTheName) {
  v1::Run run = ParsedRun(v1::RUN_PHASE_MEASURED, 0.1);
  v1::MetricInfo* info = run.add_metrics();
  info->set_name("BM_X/threads:2/latency");
  info->set_unit("s");
  info->set_better(v1::BETTER_HIGHER);
  ParsedMetrics metrics;
  metrics.Learn(run);
  std::string text;
  for (const TableColumn& column : metrics.columns()) text += FormatColumn(column) + "\n";
  EXPECT_EQ(text,
            "latency:lower,unit=ms,step=0.1\n"
            "BM_X/threads:2/latency:higher,unit=s\n");
}

std::string Replayed(const v1::Session& session, const std::vector<TableColumn>& columns = {}) {
  const AnalyzeReplay replay = ReplayAnalysis(session, columns);
  constexpr std::string_view kStart = "benchctl export k3x9m2pq --format csv | benchctl analyze - ";
  EXPECT_TRUE(replay.command.starts_with(kStart)) << replay.command << replay.why_not;
  return replay.command.substr(std::min(kStart.size(), replay.command.size()));
}

TEST(AnalyzeReplayTest, SaysEverythingThatTheNumbersFollowFrom) {
  v1::Session session = SampleSession();
  EXPECT_EQ(Replayed(session),
            "--base base --method paired --alpha 0.01 --metric wall_time:2%:lower");
  v1::SessionSpec* spec = session.mutable_spec();
  spec->set_method(v1::METHOD_EXACT_T);
  spec->mutable_rule()->set_precision_width(0.015);
  spec->set_alpha(0.1 + 0.2);
  spec->set_pass_confidence(0.95);
  spec->set_sided(v1::SIDED_ONE);
  spec->mutable_limits()->set_min_runs(30);
  spec->mutable_limits()->set_max_runs(500);
  spec->mutable_limits()->set_at_limit(v1::AT_LIMIT_ESTIMATE);
  spec->mutable_benchmarks(0)->mutable_arms(0)->set_name("my base");
  TableColumn column;
  column.metric = "p99 latency";
  column.unit = "ms";
  column.resolution = 1e-6;
  EXPECT_EQ(Replayed(session, {column}),
            "--base 'my base' --method exact-t --min-runs 30 --max-runs 500 --rule precision:1.5% "
            "--alpha 0.30000000000000004 --pass-confidence 0.95 --sided one --at-limit estimate "
            "--metric wall_time:2%:lower --column 'p99 latency:unit=ms,step=1e-06'");
}

TEST(AnalyzeReplayTest, OneLookIsFixed) {
  v1::Session session = SampleSession();
  v1::SessionSpec* spec = session.mutable_spec();
  spec->mutable_limits()->set_runs(12);
  EXPECT_EQ(Replayed(session),
            "--base base --method fixed --alpha 0.01 --metric wall_time:2%:lower");
  spec->mutable_limits()->clear_runs();
  spec->mutable_limits()->set_max_runs(8);
  EXPECT_EQ(Replayed(session),
            "--base base --method fixed --alpha 0.01 --metric wall_time:2%:lower")
      << "a horizon that ends at the first look";
  spec->mutable_limits()->set_runs(12);
  spec->mutable_limits()->clear_max_runs();
  spec->set_method(v1::METHOD_WELCH);
  spec->mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_QUANTILE);
  spec->mutable_estimator()->set_quantile(0.5);
  session.mutable_started()->set_seed(42);
  EXPECT_EQ(Replayed(session),
            "--base base --method fixed --schedule coin --estimator quantile:0.5 --alpha 0.01 "
            "--seed 42 --metric wall_time:2%:lower");
}

TEST(AnalyzeReplayTest, GatesAreThoseThatDecided) {
  v1::Session session = SampleSession();
  v1::Comparison* second = session.mutable_report()->mutable_comparisons(1);
  second->set_role(v1::COMPARISON_ROLE_GATE);
  second->set_margin_absolute(0.5);
  second->set_better(v1::BETTER_HIGHER);
  session.mutable_spec()->mutable_limits()->set_fail_fast(true);
  session.mutable_spec()->mutable_limits()->set_at_limit(v1::AT_LIMIT_ESTIMATE);
  EXPECT_EQ(Replayed(session),
            "--base base --method paired --alpha 0.01 --metric wall_time:2%:lower "
            "--metric cpu_time:+0.5:higher")
      << "--fail-fast ended it by a regression: the limit said nothing";
  session.mutable_report()->set_basis(v1::BASIS_ESTIMATE);
  EXPECT_NE(Replayed(session).find("--at-limit estimate"), std::string::npos);
}

TEST(AnalyzeReplayTest, AnExactGateStaysExact) {
  v1::Session session = SampleSession();
  v1::Comparison* gate = session.mutable_report()->mutable_comparisons(0);
  gate->set_metric("BM_X/allocs/op");
  const std::string start = "--base base --method paired --alpha 0.01 --metric BM_X/allocs/op";
  // By default, with the session's margin, and decided on constants.
  gate->set_basis(v1::BASIS_EXACT);
  EXPECT_EQ(Replayed(session), start + ":lower");
  gate->set_margin_ratio(0.05);
  EXPECT_EQ(Replayed(session),
            "--base base --method paired --alpha 0.01 --margin 5% --metric BM_X/allocs/op:lower");
  v1::Comparison* other = session.mutable_report()->add_comparisons();
  *other = *gate;
  other->set_metric("BM_Y/allocs/op");
  other->set_margin_ratio(0.02);
  EXPECT_EQ(Replayed(session), start + ":exact:lower --metric BM_Y/allocs/op:exact:lower")
      << "one command has one margin";
  session.mutable_report()->mutable_comparisons()->RemoveLast();
  gate->set_margin_ratio(0.02);
  // The same gate, whose values vary.
  gate->clear_basis();
  EXPECT_EQ(Replayed(session), start + ":2%:lower");
  // One that was asked for, whose values vary.
  gate->set_margin_absolute(1);
  gate->set_exact(true);
  EXPECT_EQ(Replayed(session), start + ":exact:lower");
}

TEST(AnalyzeReplayTest, NamesEveryReference) {
  v1::Session session = SampleSession();
  v1::Benchmark* benchmark = session.mutable_spec()->mutable_benchmarks(0);
  *benchmark->add_arms() = benchmark->arms(0);
  benchmark->mutable_arms(2)->set_name("old");
  EXPECT_TRUE(Replayed(session).starts_with("--references base,old --method"));
  benchmark->mutable_arms(2)->set_name("older, slower");
  EXPECT_TRUE(Replayed(session).starts_with("--base base --base 'older, slower' --method"));
  benchmark->mutable_arms(2)->set_role(v1::ARM_ROLE_PLACEBO);
  session.mutable_spec()->set_placebo(true);
  EXPECT_TRUE(Replayed(session).starts_with("--base base --method paired --alpha 0.01 --placebo"));
}

TEST(AnalyzeReplayTest, NamesTheGatesOfEachBenchmarkWhereTheyDiffer) {
  v1::Session session = SampleSession();
  *session.mutable_spec()->add_benchmarks() = session.spec().benchmarks(0);
  session.mutable_spec()->mutable_benchmarks(1)->set_name("other one");
  v1::Comparison other = session.report().comparisons(0);
  other.set_benchmark("other one");
  *session.mutable_report()->add_comparisons() = other;
  EXPECT_EQ(Replayed(session),
            "--base base --method paired --alpha 0.01 --metric wall_time:2%:lower");
  session.mutable_report()->mutable_comparisons(3)->set_margin_ratio(0.05);
  EXPECT_EQ(Replayed(session),
            "--base base --method paired --alpha 0.01 --benchmark main --metric wall_time:2%:lower "
            "--benchmark 'other one' --metric wall_time:5%:lower");
  session.mutable_spec()->mutable_benchmarks(1)->mutable_arms(0)->set_name("older");
  EXPECT_TRUE(Replayed(session).starts_with("--method paired --alpha 0.01 --benchmark main"))
      << "an export says which arms are references";
}

TEST(AnalyzeReplayTest, SaysWhereOneCommandIsNotEnough) {
  v1::Session session = SampleSession();
  *session.mutable_spec()->add_benchmarks() = session.spec().benchmarks(0);
  session.mutable_spec()->mutable_benchmarks(1)->set_name("other");
  session.mutable_spec()->mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_SUBSELECTION);
  EXPECT_WORDING(ReplayAnalysis(session, {}).why_not);
  session = SampleSession();
  session.mutable_report()->add_warnings()->set_code("runs_incomplete");
  EXPECT_WORDING(ReplayAnalysis(session, {}).why_not);
  session = SampleSession();
  session.mutable_report()->add_warnings()->set_code("failed_runs");
  session.mutable_spec()->mutable_benchmarks(0)->add_accept_exit(0);
  session.mutable_spec()->mutable_benchmarks(0)->add_accept_exit(3);
  EXPECT_NE(ReplayAnalysis(session, {}).command.find(" --accept-exit 0,3"), std::string::npos);
  *session.mutable_spec()->add_benchmarks() = SampleSession().spec().benchmarks(0);
  EXPECT_WORDING(ReplayAnalysis(session, {}).why_not);
  session.clear_report();
  EXPECT_EQ(ReplayAnalysis(session, {}).command, "") << "a session without a result";
  EXPECT_EQ(ReplayAnalysis(session, {}).why_not, "");
}

TEST(AnalyzeReplayTest, TheComparedPlaceboIsNotACommandOfTheReplay) {
  v1::SessionSpec spec = SampleSession().spec();
  spec.set_placebo(true);
  v1::Benchmark* benchmark = spec.mutable_benchmarks(0);
  benchmark->mutable_arms(1)->clear_env();
  *benchmark->add_arms() = benchmark->arms(0);
  benchmark->mutable_arms(2)->set_name("placebo");
  benchmark->mutable_arms(2)->set_role(v1::ARM_ROLE_PLACEBO);
  const std::string command = ReplayCommand(spec, 42);
  EXPECT_NE(command.find(" --placebo "), std::string::npos) << command;
  EXPECT_EQ(command.find("-n placebo"), std::string::npos) << command;
}

}  // namespace
}  // namespace benchd::client
