#include "client/report/report_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "client/present/analysis.h"
#include "client/present/csv.h"
#include "client/present/gates.h"
#include "client/present/measurement.h"
#include "client/present/report.h"
#include "client/request/replay.h"
#include "client/session/session_export.h"
#include "core/analysis/forecast.h"
#include "core/analysis/geometric_mean.h"
#include "core/analysis/layout_groups.h"
#include "core/analysis/table_analysis.h"
#include "core/analysis/table_planner.h"
#include "core/base/try.h"
#include "core/model/metric.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

// Returns the runs in one metric, without arms that lack a measured value and without their warm-up
// runs.
MetricRuns RunsOf(const MeasurementTable& table, const TablePlan& plan,
                  const std::optional<LayoutGroups>& groups, std::size_t b, std::size_t metric,
                  std::span<const std::uint32_t> disturbances) {
  const Benchmark& spec = groups ? groups->benchmarks()[b] : plan.spec.benchmarks[b];
  MetricRuns all{spec.name,
                 plan.metrics[metric].name,
                 plan.metrics[metric].unit,
                 plan.metrics[metric].resolution,
                 {},
                 {}};
  std::vector<ArmOfPicture> arms;
  std::size_t candidates = 0;
  for (const Arm& arm : spec.arms) {
    const bool reference = arm.role == ArmRole::kReference;
    arms.push_back({arm.name, reference, reference ? 0 : candidates++, {}});
  }
  std::vector<RunOfPicture> runs;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double value = table.values[metric][row];
    const auto arm = plan.benchmarks[b].arms[table.arm[row]];
    if (plan.by_number[table.benchmark[row]] != b || !arm || std::isnan(value)) continue;
    if (table.IsConfirming(row)) continue;
    const LayoutGroups::Place place =
        groups ? groups->PlaceOf(b, *arm) : LayoutGroups::Place{*arm, 0};
    const bool warmup = table.IsWarmup(row);
    if (!warmup) arms[place.arm].values.push_back(value);
    runs.push_back({place.arm, row + 1, value, warmup,
                    row < disturbances.size() ? disturbances[row] : 0, place.layout,
                    table.pair[row]});
  }
  std::vector<std::optional<std::size_t>> places;
  for (ArmOfPicture& arm : arms) {
    const bool measured = !arm.values.empty();
    places.push_back(measured ? std::optional(all.arms.size()) : std::nullopt);
    if (measured) all.arms.push_back(std::move(arm));
  }
  for (RunOfPicture run : runs) {
    if (!places[run.arm]) continue;
    run.arm = *places[run.arm];
    all.runs.push_back(run);
  }
  return all;
}

// Returns the intervals of a sequential method for a session that took only one look.
std::vector<Trajectory> WatchedAnyway(const MeasurementTable& table, benchd::TableOptions options) {
  const bool coin = options.spec.schedule.kind == ScheduleKind::kCoin;
  options.method = table.has_pairs && !coin ? Method::kPaired : Method::kWelch;
  auto report = AnalyzeTable(table, options);
  return report ? std::move(report->trajectories) : std::vector<Trajectory>();
}

Result<TableReport> Analyze(const MeasurementTable& table, benchd::TableOptions options,
                            std::span<const std::uint32_t> disturbances, ReportSource* to) {
  TRY(const TablePlan plan, PlanTable(table, options));
  std::optional<LayoutGroups> groups;
  if (plan.spec.method == Method::kLayouts) {
    TRY(LayoutGroups made, LayoutGroups::Make(plan.spec.benchmarks));
    groups = std::move(made);
  }
  for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
    for (const std::size_t metric : plan.benchmarks[b].metrics) {
      to->metrics.push_back(RunsOf(table, plan, groups, b, metric, disturbances));
    }
  }
  options.trajectories = true;
  Result<TableReport> report = AnalyzeTable(table, options);
  if (!report) return report;
  to->trajectories = std::move(report->trajectories);
  // A verdict over builds has no trajectory, because more runs do not add builds.
  if (to->trajectories.empty() && !groups) {
    to->trajectories = WatchedAnyway(table, std::move(options));
  }
  return report;
}

// Returns the harness' descriptions of its metrics, from the result if the runs have none.
std::vector<TableColumn> ColumnsOf(const v1::Session& session, std::span<const v1::Run> runs) {
  ParsedMetrics parsed;
  for (const v1::Run& run : runs) parsed.Learn(run);
  std::vector<TableColumn> columns = parsed.columns();
  for (const v1::Comparison& one : session.report().comparisons()) {
    if (FindBuiltinMetric(one.metric()) != nullptr) continue;
    if (std::ranges::find(columns, one.metric(), &TableColumn::metric) != columns.end()) continue;
    columns.push_back({one.metric(), one.unit(), convert::ToModel<Better>(one.better()), {}});
  }
  return columns;
}

// Returns the spec without placebos, which only the daemon may add.
Result<SessionSpec> SpecOf(const v1::Session& session) {
  v1::SessionSpec proto = session.spec();
  for (v1::Benchmark& benchmark : *proto.mutable_benchmarks()) {
    auto* const arms = benchmark.mutable_arms();
    arms->erase(
        std::remove_if(arms->begin(), arms->end(),
                       [](const v1::Arm& arm) { return arm.role() == v1::ARM_ROLE_PLACEBO; }),
        arms->end());
  }
  return convert::FromProto(proto);
}

// Adds the findings that JSON omits because they follow from its other data. They are computed as
// in the daemon.
void AddFindings(const SessionSpec& spec, std::vector<ArmOrder> orders, v1::Update* update) {
  Report report;
  report.verdict = convert::ToModel<Verdict>(update->verdict()).value_or(Verdict::kUndecided);
  report.control_changed = update->control_changed();
  report.elapsed =
      std::chrono::round<Nanoseconds>(std::chrono::duration<double>(update->elapsed_seconds()));
  for (const v1::Comparison& one : update->comparisons()) {
    auto comparison = convert::FromProto(one);
    if (!comparison) return;
    report.comparisons.push_back(*std::move(comparison));
  }
  for (const v1::Warning& one : update->warnings()) {
    report.warnings.push_back(convert::FromProto(one));
  }
  report.orders = std::move(orders);
  report.geometric_means = ChangesOverBenchmarks(report.comparisons);
  ForecastGates(spec, DataSource::kSession, report);
  v1::Update found;
  convert::ToProto(report, SessionState::kDone, &found);
  if (update->orders().empty()) update->mutable_orders()->Swap(found.mutable_orders());
  if (update->geometric_means().empty()) {
    update->mutable_geometric_means()->Swap(found.mutable_geometric_means());
  }
  for (int i = 0; i < found.comparisons_size(); ++i) {
    v1::Comparison* const gate = update->mutable_comparisons(i);
    if (gate->has_forecast() || !found.comparisons(i).has_forecast()) continue;
    *gate->mutable_forecast() = found.comparisons(i).forecast();
  }
}

// Returns the gate that judges as this comparison was judged. A count of work that was exact by
// default gets its margin by default again.
Gate GateOf(const v1::Comparison& comparison) {
  Gate gate{.metric = comparison.metric(),
            .margin = comparison.margin_ratio(),
            .better = convert::ToModel<Better>(comparison.better())};
  gate.margin_implied = comparison.basis() == v1::BASIS_EXACT && !comparison.exact();
  if (comparison.margin_case() == v1::Comparison::kMarginAbsolute) {
    gate.kind = comparison.exact() ? MarginKind::kExact : MarginKind::kAbsolute;
    gate.margin = comparison.exact() ? 1 : comparison.margin_absolute();
  }
  return gate;
}

// Returns the options that analyse the runs as the session did, even if it took only one look.
benchd::TableOptions OptionsOf(const v1::Session& session, SessionSpec spec,
                               std::span<const v1::Run> runs) {
  benchd::TableOptions options;
  options.spec = std::move(spec);
  options.spec.seed = session.started().seed();
  options.method = options.spec.method;
  if (options.spec.limits.runs) {
    options.spec.limits.runs.reset();
    if (options.method != Method::kLayouts) options.method = Method::kFixed;
  }
  if (options.method == Method::kFixed) options.spec.limits.max_runs.reset();
  for (Benchmark& benchmark : options.spec.benchmarks) benchmark.gates.clear();
  // They apply to the whole table.
  if (!options.spec.benchmarks.empty()) {
    options.spec.benchmarks.front().controls = ControlNamesOf(session);
  }
  for (const v1::Comparison* gate : GatesOf(session.report())) {
    std::vector<Gate>& gates = options.gates_of[gate->benchmark()];
    if (std::ranges::find(gates, gate->metric(), &Gate::metric) != gates.end()) continue;
    gates.push_back(GateOf(*gate));
  }
  options.columns = ColumnsOf(session, runs);
  return options;
}

/// Analyses the runs for the report. Returns the order of the arms, which needs the runs.
Result<std::vector<ArmOrder>> TakeRuns(const SessionSpec& spec, std::span<const v1::Run> runs,
                                       ReportSource* to) {
  std::vector<std::uint32_t> disturbances;
  for (const v1::Run& run : runs) {
    if (run.phase() != v1::RUN_PHASE_DROPPED) disturbances.push_back(run.disturbances());
  }
  TRY(const auto table, TableOfRuns(runs, to->session));
  benchd::TableOptions options = OptionsOf(to->session, spec, runs);
  std::erase_if(options.columns, [&table](const TableColumn& column) {
    return std::ranges::find(table.metrics, column.metric, &MetricInfo::name) ==
           table.metrics.end();
  });
  TRY(auto report, Analyze(table, std::move(options), disturbances, to));
  return std::move(report.report.orders);
}

}  // namespace

ReportSource SourceOfSession(v1::Session session, std::span<const v1::Run> runs) {
  ReportSource source;
  source.name = session.session();
  source.session = std::move(session);
  // The page of sampled runs consists of the explanations: their values are those of slower runs.
  if (source.session.spec().has_profile()) {
    const bool layouts = source.session.spec().method() == v1::METHOD_LAYOUTS;
    source.flames = FlamePairsOf(source.session.report(), SumStacks(runs, layouts));
    return source;
  }
  if (auto on_machine = MachineSessionOf(source.session, source.name); on_machine) {
    source.on_machine = *std::move(on_machine);
  }
  // Without the descriptions of a harness' metrics (their resolution), the command would differ.
  const bool described = std::ranges::none_of(runs, [](const v1::Run& run) {
    return run.metrics().empty() && std::ranges::any_of(run.samples(), [](const auto& sample) {
             return FindBuiltinMetric(MetricName(sample)) == nullptr;
           });
  });
  if (described) {
    source.analyze = ReplayAnalysis(source.session, ColumnsOf(source.session, runs)).command;
  }
  // A measurement has nothing to compare, so its page consists of the estimates.
  if (Measures(source.session.report())) return source;
  const auto spec = SpecOf(source.session);
  auto orders = spec ? TakeRuns(*spec, runs, &source) : Result<std::vector<ArmOrder>>(spec.error());
  if (!orders) source.missing = orders.error().message;
  if (spec && source.session.has_report()) {
    AddFindings(*spec, orders ? *std::move(orders) : std::vector<ArmOrder>(),
                source.session.mutable_report());
  }
  return source;
}

Result<ReportSource> SourceOfTable(std::string name, std::string_view csv,
                                   const benchd::TableOptions& options) {
  TRY(const auto table, ReadMeasurementTable(WholeText(csv), options.references, options.labels));
  ReportSource source;
  source.name = std::move(name);
  source.table = true;
  TRY(auto report, Analyze(table, options, {}, &source));
  source.session.set_state(v1::SESSION_STATE_DONE);
  *source.session.mutable_report() = AnalysisOf(std::move(report)).verdict;
  return source;
}

}  // namespace benchd::client
