#include "core/analysis/table_analysis.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/analysis/table_blocks.h"
#include "core/analysis/table_figures.h"
#include "core/base/result.h"
#include "core/parse/harness_output.h"
#include "core/parse/measurement_table.h"

namespace benchd {
namespace {

// What exists is known before the first block, so that a gate may be missing in that one.
void Introduce(const TablePlan& plan, const std::function<void(std::span<const Run>)>& take) {
  for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
    std::vector<Run> runs(plan.spec.benchmarks[b].arms.size());
    for (std::size_t arm = 0; arm < runs.size(); ++arm) {
      runs[arm].benchmark = static_cast<std::uint32_t>(b);
      runs[arm].arm = static_cast<std::uint32_t>(arm);
      runs[arm].phase = RunPhase::kWarmup;
      runs[arm].metrics = plan.metrics;
      for (const std::size_t metric : plan.benchmarks[b].metrics) {
        const ValueRange& values = plan.benchmarks[b].values[metric];
        runs[arm].samples.push_back({plan.metrics[metric].name, {}, 0, values.lowest});
        runs[arm].samples.push_back({plan.metrics[metric].name, {}, 1, values.highest});
      }
    }
    take(runs);
  }
}

bool IsGate(const Comparison& one) { return one.role == ComparisonRole::kGate; }

std::optional<std::uint64_t> DecidedAt(const TablePlan& plan, const Report& report) {
  if (plan.spec.method == Method::kFixed || plan.spec.method == Method::kLayouts) {
    return std::nullopt;
  }
  std::optional<std::uint64_t> last;
  for (const Comparison& one : report.comparisons) {
    if (!IsGate(one)) continue;
    if (!one.decided) return std::nullopt;
    last = std::max(last.value_or(0), one.decided->blocks);
  }
  return last;
}

TableReport Conclude(SessionAnalysis& analysis, const MeasurementTable& table,
                     const TableOptions& options, const TablePlan& plan,
                     const std::vector<Warning>& left_out) {
  TableReport result;
  result.report = analysis.Conclude();
  Report& report = result.report;
  result.has_gates = std::any_of(report.comparisons.begin(), report.comparisons.end(), IsGate);
  result.decided_at = DecidedAt(plan, report);
  for (const std::vector<Warning>& more : {plan.warnings, left_out}) {
    report.warnings.insert(report.warnings.end(), more.begin(), more.end());
  }
  if (!options.classic_interval && !options.summaries && !options.histograms) return result;
  const TableValues values(table, plan);
  if (options.classic_interval) ApplyClassicIntervals(plan, values, report);
  if (options.summaries) result.summaries = Summaries(plan, values, options.mmtests_stars);
  if (options.histograms) result.histograms = Histograms(plan, values);
  return result;
}

// A gate as it was in the end, with the direction that its metric turned out to have.
Gate GateOf(const Comparison& one) {
  return {one.metric, one.margin_kind, one.margin.value_or(0), one.better};
}

// Nothing for a benchmark whose pairs cannot be had, as at a level that is too small for them.
std::vector<ArmPairs> PairsOf(const MeasurementTable& table, const TablePlan& plan,
                              const Report& report) {
  std::vector<ArmPairsAnalysis> analyses;
  for (std::size_t b = 0; b < plan.spec.benchmarks.size(); ++b) {
    const auto gate = std::ranges::find_if(report.comparisons, [&plan, b](const Comparison& one) {
      return IsGate(one) && one.benchmark == plan.spec.benchmarks[b].name;
    });
    if (gate == report.comparisons.end()) continue;
    auto made = ArmPairsAnalysis::Create(plan.spec, b, GateOf(*gate), DataSource::kTable);
    if (made && *made) analyses.push_back(**std::move(made));
  }
  if (analyses.empty()) return {};
  Introduce(plan, [&analyses](std::span<const Run> block) {
    for (ArmPairsAnalysis& one : analyses) one.AddWarmup(block);
  });
  const Result<GroupedRows> grouped =
      ForEachBlock(table, plan, [&analyses](std::span<const Run> block) -> Result<void> {
        for (ArmPairsAnalysis& one : analyses) {
          if (Result<void> added = one.Add(block); !added) return added;
        }
        return {};
      });
  std::vector<ArmPairs> pairs;
  if (!grouped) return pairs;
  for (ArmPairsAnalysis& one : analyses) pairs.push_back(one.Conclude());
  return pairs;
}

}  // namespace

Result<TableReport> AnalyzeTable(const ReadPiece& read, const TableOptions& options) {
  const Result<MeasurementTable> table =
      ReadMeasurementTable(read, options.references, options.labels);
  if (!table) return table.error();
  return AnalyzeTable(*table, options);
}

Result<TableReport> AnalyzeTable(const MeasurementTable& table, const TableOptions& options) {
  const Result<TablePlan> plan = PlanTable(table, options);
  if (!plan) return plan.error();
  Result<SessionAnalysis> analysis =
      SessionAnalysis::Create(plan->spec, SessionAnalysis::Source::kTable);
  if (!analysis) return std::move(analysis).error();
  Introduce(*plan, [&analysis](std::span<const Run> block) { analysis->AddWarmup(block); });
  TrajectoryRecorder recorder;
  const Result<GroupedRows> grouped = ForEachBlock(table, *plan, [&](std::span<const Run> block) {
    Result<void> added = analysis->Add(block);
    if (added && options.trajectories) recorder.Watch(*analysis, block.front().benchmark);
    return added;
  });
  if (!grouped) return grouped.error();
  if (grouped->blocks == 0) {
    return InvalidArgument("pair", "no pair has a row of every arm",
                           "for rows that are no pairs: --method fixed or welch, without the "
                           "column pair");
  }
  std::vector<Trajectory> trajectories = recorder.Finish(*analysis);
  TableReport result = Conclude(*analysis, table, options, *plan, grouped->warnings);
  result.trajectories = std::move(trajectories);
  result.pairs = PairsOf(table, *plan, result.report);
  return result;
}

Result<TableReport> AnalyzeHarnessFiles(std::string_view format, std::span<const HarnessFile> files,
                                        TableOptions options) {
  if (auto known = CheckHarnessFormat(format); !known) return std::move(known).error();
  if (!options.labels.empty()) {
    return InvalidArgument("label", "files of a harness have no columns", "leave it out");
  }
  const Result<MeasurementTable> table = ReadHarnessTable(format, files);
  if (!table) return table.error();
  if (options.references.empty()) options.references = {table->arms.front()};
  return AnalyzeTable(*table, options);
}

}  // namespace benchd
