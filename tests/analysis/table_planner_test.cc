#include "core/analysis/table_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/parse/harness_table.h"
#include "tests/analysis/table_text.h"
#include "tests/analysis/warning_text.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr const char* kPlain = "arm,t\na,1\nb,2\nb,1\na,2\n";
constexpr const char* kPairs = "arm,pair,t\na,0,1\nb,0,2\nb,1,1\na,1,2\n";

TablePlan Plan(const std::string& text, const TableOptions& options = AgainstA()) {
  Result<TablePlan> plan = PlanTable(TableOf(text), options);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? *plan : TablePlan{};
}

void ExpectRefusedTable(const std::string& text, const TableOptions& options,
                        const std::string& field) {
  const Result<TablePlan> plan = PlanTable(TableOf(text), options);
  ASSERT_FALSE(plan) << field;
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(plan.error().message.starts_with(field + ": ")) << plan.error().message;
  EXPECT_WORDING(plan.error());
}

TableOptions With(Method method) {
  TableOptions options = AgainstA();
  options.method = method;
  return options;
}

std::vector<std::string> PlannedGates(const TablePlan& plan, std::size_t benchmark = 0) {
  std::vector<std::string> gates;
  for (const Gate& gate : plan.spec.benchmarks.at(benchmark).gates) gates.push_back(gate.metric);
  return gates;
}

std::vector<std::string> ArmsOf(const Benchmark& benchmark, ArmRole role) {
  std::vector<std::string> names;
  for (const Arm& arm : benchmark.arms) {
    if (arm.role == role) names.push_back(arm.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(TablePlanTest, IsPairedWithAPairColumnAndOneLookWithout) {
  EXPECT_EQ(Plan(kPairs).spec.method, Method::kPaired);
  EXPECT_EQ(Plan(kPairs).grouping, Grouping::kPairs);
  EXPECT_EQ(Plan(kPlain).spec.method, Method::kFixed);
  EXPECT_EQ(Plan(kPlain).grouping, Grouping::kEachRow);
  EXPECT_EQ(Plan(kPlain).spec.schedule.kind, ScheduleKind::kCoin) << "there is no pair column";
}

TEST(TablePlanTest, GroupsRowsAsTheMethodNeedsThem) {
  EXPECT_EQ(Plan(kPlain, With(Method::kPaired)).grouping, Grouping::kTurns);
  EXPECT_EQ(Plan(kPlain, With(Method::kExactT)).grouping, Grouping::kTurns);
  EXPECT_EQ(Plan(kPlain, With(Method::kWelch)).grouping, Grouping::kEachRow);
  EXPECT_EQ(Plan(kPairs, With(Method::kFixed)).grouping, Grouping::kPairs);
  EXPECT_EQ(Plan(kPairs, With(Method::kFixed)).spec.schedule.kind, ScheduleKind::kPairs);
  EXPECT_EQ(Plan(kPairs, With(Method::kWelch)).grouping, Grouping::kStretches);
  TableOptions coin = AgainstA();
  coin.spec.schedule.kind = ScheduleKind::kCoin;
  EXPECT_EQ(Plan(kPairs, coin).spec.method, Method::kWelch) << "as in a session";
  EXPECT_EQ(Plan(kPairs, coin).grouping, Grouping::kStretches);
  TableOptions classic = AgainstA();
  classic.classic_interval = true;
  EXPECT_EQ(Plan(kPairs, classic).spec.method, Method::kFixed);
  EXPECT_EQ(Plan(kPairs, classic).grouping, Grouping::kEachRow);
}

TEST(TablePlanTest, AnEstimatorForOneLookTakesOneLook) {
  TableOptions options = AgainstA();
  options.spec.estimator = {EstimatorKind::kQuantile, 0.9};
  EXPECT_EQ(Plan(kPairs, options).spec.method, Method::kFixed);
}

constexpr const char* kExportHead = "arm,role,benchmark,pair,order,started_at,t\n";

// The first arm of an export was drawn at random, so it is not significant.
TEST(TablePlanTest, TheReferenceIsWhatAnExportSaysItIs) {
  const std::string rows =
      "b,candidate,x,0,1,,1\na,reference,x,0,2,,1\nb,reference,y,0,3,,1\nc,candidate,y,0,4,,1\n";
  const TablePlan plan = Plan(kExportHead + rows, {});
  ASSERT_EQ(plan.spec.benchmarks.size(), 2U);
  EXPECT_EQ(ArmsOf(plan.spec.benchmarks[0], ArmRole::kReference), (Names{"a"}));
  EXPECT_EQ(ArmsOf(plan.spec.benchmarks[0], ArmRole::kCandidate), (Names{"b"}));
  EXPECT_EQ(ArmsOf(plan.spec.benchmarks[1], ArmRole::kReference), (Names{"b"}));
  EXPECT_EQ(ArmsOf(plan.spec.benchmarks[1], ArmRole::kCandidate), (Names{"c"}));
  TableOptions asked;
  asked.references = {"b"};
  const Benchmark turned = Plan(kExportHead + rows, asked).spec.benchmarks.at(0);
  EXPECT_EQ(ArmsOf(turned, ArmRole::kReference), (Names{"b"}));
  EXPECT_EQ(ArmsOf(turned, ArmRole::kCandidate), (Names{"a", "c"})) << "c has y, like b, but not x";
}

TEST(TablePlanTest, WithoutRolesTheReferenceIsNamedOrCalledBase) {
  const std::string text = "arm,t\nb,1\na,1\nc,1\n";
  TableOptions options;
  options.references = {"c", "b"};
  const Benchmark named = Plan(text, options).spec.benchmarks.at(0);
  EXPECT_EQ(ArmsOf(named, ArmRole::kReference), (Names{"c", "b"}));
  EXPECT_EQ(ArmsOf(named, ArmRole::kCandidate), (Names{"a"}));
  const Benchmark base = Plan("arm,t\nb,1\nbase,1\n", {}).spec.benchmarks.at(0);
  EXPECT_EQ(ArmsOf(base, ArmRole::kReference), (Names{"base"}));
  EXPECT_EQ(ArmsOf(base, ArmRole::kCandidate), (Names{"b"}));
}

TEST(TablePlanTest, NeverGuessesTheReference) {
  const Result<TablePlan> plan = PlanTable(TableOf("arm,t\nb,1\na,1\n"), {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(plan.error());
}

TEST(TablePlanTest, ThePlaceboIsNoCandidate) {
  const std::string rows = "placebo,candidate,x,0,1,,1\nb,placebo,x,0,2,,1\na,reference,x,0,3,,1\n";
  EXPECT_EQ(ArmsOf(Plan(kExportHead + rows, {}).spec.benchmarks.at(0), ArmRole::kPlacebo),
            (Names{"b"}));
  const std::string other = "arm,t\na,1\nplacebo,1\nb,1\n";
  EXPECT_EQ(ArmsOf(Plan(other).spec.benchmarks.at(0), ArmRole::kPlacebo), Names{});
  TableOptions options = AgainstA();
  options.spec.placebo = true;
  EXPECT_EQ(ArmsOf(Plan(other, options).spec.benchmarks.at(0), ArmRole::kPlacebo),
            (Names{"placebo"}));
}

TEST(TablePlanTest, GatesWallTimeElseWhatHasADirectionElseNothing) {
  EXPECT_EQ(PlannedGates(Plan("arm,ops,wall_time\na,1,1\nb,1,1\n")), (Names{"wall_time"}));
  TableOptions options = AgainstA();
  options.columns = {{"ops", "1/s", Better::kHigher, std::nullopt}};
  EXPECT_EQ(PlannedGates(Plan("arm,ops,x,cpu_time\na,1,1,1\nb,1,1,1\n", options)),
            (Names{"ops", "cpu_time"}));
  EXPECT_EQ(PlannedGates(Plan(kPlain)), Names{});
  // By the metrics of a benchmark, not those of the whole table.
  const TablePlan suite =
      Plan("arm,benchmark,wall_time,cpu_time\na,x,1,1\nb,x,1,1\na,y,,1\nb,y,,1\n");
  EXPECT_EQ(PlannedGates(suite, 0), (Names{"wall_time"}));
  EXPECT_EQ(PlannedGates(suite, 1), (Names{"cpu_time"}));
}

MeasurementTable HarnessLines(const std::string& old_text, const std::string& new_text) {
  const std::vector<HarnessFile> files{{"old.txt", "old", old_text}, {"new.txt", "new", new_text}};
  const auto table = ReadHarnessTable("go", files);
  EXPECT_TRUE(table) << table.error().message;
  return table ? *table : MeasurementTable{};
}

TEST(TablePlanTest, GatesOfAHarnessWhatHasARelativeChangeOrCountsWork) {
  const std::string text =
      "BenchmarkA 9 5 ns/op 0 B/op 1 allocs/op\nBenchmarkA 9 6 ns/op 0 B/op 1 allocs/op\n";
  TableOptions options;
  options.references = {"old"};
  const auto plan = PlanTable(HarnessLines(text, text), options);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(CodesOf(plan->warnings), (Names{"not_interleaved", "one_process"}));
  const auto report = AnalyzeTable(HarnessLines(text, text), options);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<std::string> gates;
  for (const Comparison& one : report->report.comparisons) {
    if (one.role == ComparisonRole::kGate) gates.push_back(one.metric);
  }
  EXPECT_EQ(gates, (Names{"sec/op", "allocs/op"}));
  EXPECT_TRUE(MessageOf(report->report.warnings, "no_ratio").ends_with(": B/op"));
}

TEST(TablePlanTest, AHarnessHasNoneOfBenchdsOwnMetrics) {
  // cpu_time of benchd has steps of a microsecond; that of Google Benchmark has none.
  const std::string json =
      R"({"benchmarks": [{"name": "BM", "run_type": "iteration", "repetition_index": 0,
          "real_time": 1.25, "cpu_time": 1.25, "time_unit": "ns"}]})";
  const std::string slower =
      R"({"benchmarks": [{"name": "BM", "run_type": "iteration", "repetition_index": 0,
          "real_time": 1.35, "cpu_time": 1.35, "time_unit": "ns"}]})";
  std::vector<HarnessFile> files;
  for (int i = 0; i < 4; ++i) files.push_back({"old", "old", json});
  for (int i = 0; i < 4; ++i) files.push_back({"new", "new", slower});
  const auto table = ReadHarnessTable("google-benchmark", files);
  ASSERT_TRUE(table) << table.error().message;
  TableOptions options;
  options.references = {"old"};
  const Gate gate{.metric = "cpu_time", .margin = 0.05, .better = {}};
  options.spec.benchmarks.emplace_back().gates = {gate};
  const auto report = AnalyzeTable(*table, options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->report.verdict, Verdict::kRegression) << "8 % in steps of 0.01 ns of 1.25";
}

TEST(TablePlanTest, TakesTheBenchmarksThatMatch) {
  TableOptions options = Gated("t");
  options.only = {"p*"};
  const std::string text = "arm,benchmark,t\na,parse,1\nb,parse,1\na,lex,1\nb,lex,1\na,alone,1\n";
  const TablePlan plan = Plan(text, options);
  ASSERT_EQ(plan.spec.benchmarks.size(), 1U);
  EXPECT_EQ(plan.spec.benchmarks[0].name, "parse");
  EXPECT_EQ(CodesOf(plan.warnings), Names{}) << "only requested metrics can be missing";
  options.only = {"p*", "zz"};
  ExpectRefusedTable(text, options, "only zz");
}

TEST(TablePlanTest, ABenchmarkMayHaveGatesOfItsOwn) {
  const std::string text = "arm,benchmark,t,u\na,x,1,1\nb,x,1,1\na,y,1,1\nb,y,1,1\n";
  TableOptions options = Gated("t");
  options.gates_of["y"] = {{.metric = "u", .margin = 0.05, .better = Better::kLower}};
  const TablePlan plan = Plan(text, options);
  EXPECT_EQ(PlannedGates(plan, 0), (Names{"t"}));
  EXPECT_EQ(PlannedGates(plan, 1), (Names{"u"}));
  options.gates_of["z"] = options.gates_of["y"];
  ExpectRefusedTable(text, options, "benchmark z");
}

TEST(TablePlanTest, TakesTheNamedGatesForEveryBenchmark) {
  const TablePlan plan =
      Plan("arm,benchmark,t\na,x,1\nb,x,1\na,y,1\nb,y,1\n", Gated("t", Better::kHigher, 0.05));
  ASSERT_EQ(plan.spec.benchmarks.size(), 2U);
  for (const Benchmark& benchmark : plan.spec.benchmarks) {
    ASSERT_EQ(benchmark.gates.size(), 1U);
    EXPECT_EQ(benchmark.gates[0].margin, 0.05);
  }
  EXPECT_EQ(plan.metrics[0].better, Better::kHigher);
}

TEST(TablePlanTest, SaysWhatAColumnMeans) {
  TableOptions options = AgainstA();
  options.columns = {{"t", "ms", Better::kLower, 0.5}};
  EXPECT_EQ(Plan(kPlain, options).metrics,
            (std::vector<MetricInfo>{{"t", "ms", Better::kLower, 0.5}}));
  options.columns = {{"t", "ms", std::nullopt, std::nullopt}};
  EXPECT_EQ(Plan(kPlain, options).metrics, (std::vector<MetricInfo>{{"t", "ms", std::nullopt, 1}}));
}

TEST(TablePlanTest, LeavesOutABenchmarkWithoutAPartner) {
  const TablePlan plan = Plan("arm,benchmark,t\na,x,1\na,y,1\nb,y,1\nb,z,2\n");
  // The verdict reports that the only candidate lacks x; z is new.
  ASSERT_EQ(plan.spec.benchmarks.size(), 2U);
  EXPECT_EQ(plan.spec.benchmarks[0].name, "x");
  EXPECT_EQ(plan.by_number, (std::vector<std::optional<std::size_t>>{0, 1, std::nullopt}));
  const auto told = std::ranges::find(plan.warnings, "not_compared", &Warning::code);
  ASSERT_NE(told, plan.warnings.end());
  EXPECT_EQ(told->arm, "b");
  EXPECT_EQ(told->hint, "") << "a reference's name is no help";
  EXPECT_WORDING(WarningText(*told));
}

TEST(TablePlanTest, WarnsOfArmsInStretches) {
  EXPECT_WORDING(WarningText(Plan("arm,t\na,1\na,1\nb,1\nb,1\n").warnings, "not_interleaved"));
  EXPECT_TRUE(Plan(kPlain).warnings.empty());
  EXPECT_TRUE(Plan("arm,order,t\na,1,1\na,3,1\nb,2,1\nb,4,1\n").warnings.empty())
      << "sorted after they were measured in turn";
}

TEST(TablePlanTest, WarnsOfArmsFromDifferentDays) {
  const std::string head = "arm,started_at,t\n";
  const std::string monday = "a,2026-01-05T22:00:00Z,1\na,2026-01-05T23:59:59Z,1\n";
  EXPECT_EQ(
      CodesOf(
          Plan(head + monday + "b,2026-01-06T08:00:00Z,1\nb,2026-01-06T09:00:00Z,1\n").warnings),
      (Names{"not_interleaved", "different_days"}));
  // Work of a night continues after midnight, and work of a week resumes every day.
  EXPECT_EQ(
      CodesOf(
          Plan(head + monday + "b,2026-01-05T23:00:00Z,1\nb,2026-01-06T00:10:00Z,1\n").warnings),
      (Names{"not_interleaved"}));
}

TEST(TablePlanTest, TheStepOfABuiltinMetricMayBeTheMachines) {
  TableOptions options = AgainstA();
  options.columns = {{"wall_time", "s", Better::kLower, 0.004}};
  const TablePlan plan = Plan("arm,wall_time\na,1\na,2\nb,1\nb,2\n", options);
  EXPECT_EQ(plan.metrics.at(0).resolution, 0.004);
  EXPECT_EQ(plan.metrics.at(0).unit, "s");
}

TEST(TablePlanTest, RefusesWhatMakesNoSense) {
  const auto options = [](const std::function<void(TableOptions&)>& change) {
    TableOptions made = AgainstA();
    change(made);
    return made;
  };
  const std::vector<std::pair<TableOptions, std::string>> cases{
      {options([](auto& o) {
         o.columns = {{"x", "", {}, {}}};
       }),
       "column x"},
      {options([](auto& o) {
         o.columns = {{"wall_time", "ms", {}, {}}};
       }),
       "column wall_time"},
      {options([](auto& o) {
         o.columns = {{"t", "", {}, {}}, {"t", "", {}, {}}};
       }),
       "column t"},
      {options([](auto& o) {
         o.columns = {{"t", "", {}, 0.0}};
       }),
       "column t"},
      {Gated("x"), "metric x"},
      {options([](auto& o) {
         o.references = {"a", "a"};
       }),
       "references"},
      {options([](auto& o) {
         o.references = {"a", "b"};
       }),
       "references"},
      {options([](auto& o) { o.spec.limits.runs = 10; }), "runs"},
      {options([](auto& o) { o.spec.limits.max_runs = 10; }), "max-runs"},
      {options([](auto& o) {
         o.classic_interval = true;
         o.method = Method::kWelch;
       }),
       "interval"},
      {options([](auto& o) {
         o.classic_interval = true;
         o.spec.estimator.kind = EstimatorKind::kHodgesLehmann;
       }),
       "interval"},
      {options([](auto& o) {
         o.classic_interval = true;
         o.spec.pass_confidence = 0.95;
       }),
       "interval"},
  };
  for (const auto& [wrong, field] : cases) {
    ExpectRefusedTable("arm,t,wall_time\na,1,1\nb,1,1\n", wrong, field);
  }
  ExpectRefusedTable("arm,benchmark,t\na,x,1\nb,y,1\n", AgainstA(), "table");
}

TEST(TablePlanTest, RefusesMoreComparisonsThanItCanKeep) {
  // 320 references x 320 candidates x 1 metric = 102,400.
  std::string text = "arm,t\n";
  TableOptions options;
  for (int arm = 0; arm < 640; ++arm) {
    text += "arm" + std::to_string(arm) + ",1\n";
    if (arm < 320) options.references.push_back("arm" + std::to_string(arm));
  }
  ExpectRefusedTable(text, options, "table");
}

}  // namespace
}  // namespace benchd
