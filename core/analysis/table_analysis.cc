#include "core/analysis/table_analysis.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/analysis/table_blocks.h"
#include "core/analysis/table_figures.h"
#include "core/analysis/table_shape.h"
#include "core/base/error.h"

namespace benchd {
namespace {

// What exists is known before the first block, so that a gate may be missing in that one.
void Introduce(const TablePlan& plan, SessionAnalysis& analysis) {
  for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
    Run run;
    run.benchmark = static_cast<std::uint32_t>(b);
    run.phase = RunPhase::kWarmup;
    run.metrics = plan.metrics;
    for (const std::size_t metric : plan.benchmarks[b].metrics) {
      run.samples.push_back({plan.metrics[metric].name, {}, 0, 1});
    }
    analysis.AddWarmup({&run, 1});
  }
}

bool IsGate(const Comparison& one) { return one.role == ComparisonRole::kGate; }

std::optional<std::uint64_t> DecidedAt(const TablePlan& plan, const Report& report) {
  if (plan.spec.method == Method::kFixed) return std::nullopt;
  std::optional<std::uint64_t> last;
  for (const Comparison& one : report.comparisons) {
    if (!IsGate(one)) continue;
    if (!one.decided) return std::nullopt;
    last = std::max(last.value_or(0), one.decided->blocks);
  }
  return last;
}

/// The second reading.
class Analysis {
 public:
  Analysis(TableSource& source, const TableOptions& options, const TableShape& shape,
           const TablePlan& plan, SessionAnalysis analysis)
      : source_(source),
        options_(options),
        shape_(shape),
        plan_(plan),
        analysis_(std::move(analysis)),
        blocks_(plan, [this](std::span<const Run> block) { return analysis_.Add(block); }),
        values_(plan, {.moments = options.classic_interval,
                       .values = options.summaries || options.histograms}) {}

  Result<TableReport> Read() {
    Introduce(plan_, analysis_);
    MeasurementTableReader reader(options_.references);
    Result<void> read =
        ReadRows(source_, reader, [this](const MeasurementRow& row) { return Take(row); });
    if (!read) return std::move(read).error();
    if (Result<void> finished = blocks_.Finish(); !finished) return std::move(finished).error();
    if (blocks_.blocks() == 0) {
      return InvalidArgument("pair", "no pair has a row of every arm",
                             "for rows that are no pairs: --method fixed or welch, without the "
                             "column pair");
    }
    return Conclude();
  }

 private:
  Result<void> Take(const MeasurementRow& row) {
    if (!plan_.by_number[row.benchmark] || shape_.IsWarmup(row)) return {};
    if (Result<void> taken = values_.Take(row); !taken) return taken;
    return blocks_.Take(row);
  }

  Result<TableReport> Conclude() {
    TableReport result;
    result.report = analysis_.Conclude();
    Report& report = result.report;
    result.has_gates = std::any_of(report.comparisons.begin(), report.comparisons.end(), IsGate);
    result.decided_at = DecidedAt(plan_, report);
    for (const std::vector<Warning>& more : {plan_.warnings, blocks_.Warnings()}) {
      report.warnings.insert(report.warnings.end(), more.begin(), more.end());
    }
    if (options_.classic_interval) ApplyClassicIntervals(plan_, values_, report);
    if (options_.summaries) {
      result.summaries = Summaries(plan_, values_, options_.mmtests_stars);
    }
    if (options_.histograms) result.histograms = Histograms(plan_, values_);
    return result;
  }

  TableSource& source_;
  const TableOptions& options_;
  const TableShape& shape_;
  const TablePlan& plan_;
  SessionAnalysis analysis_;
  TableBlocks blocks_;
  TableValues values_;
};

}  // namespace

Result<TableReport> AnalyzeTable(TableSource& source, const TableOptions& options) {
  Result<TableShape> shape = ReadShape(source, options.references);
  if (!shape) return std::move(shape).error();
  Result<TablePlan> plan = PlanTable(*shape, options);
  if (!plan) return std::move(plan).error();
  Result<SessionAnalysis> analysis =
      SessionAnalysis::Create(plan->spec, SessionAnalysis::Source::kTable);
  if (!analysis) return std::move(analysis).error();
  return Analysis(source, options, *shape, *plan, std::move(analysis).value()).Read();
}

}  // namespace benchd
