#include "core/analysis/table_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/analysis/arm_order.h"
#include "core/analysis/block_checks.h"
#include "core/analysis/confirmed_analysis.h"
#include "core/analysis/forecast.h"
#include "core/analysis/geometric_mean.h"
#include "core/analysis/table_planner.h"
#include "core/analysis/table_warnings.h"
#include "core/base/try.h"
#include "core/parse/harness_output.h"

namespace benchd {
namespace {

/// The indices of the rows of an incomplete block, in row order. kMaxTableBytes bounds their
/// number.
using OpenBlock = std::vector<std::uint32_t>;

/// The state of grouping the rows of one benchmark into blocks.
struct Progress {
  OpenBlock open;                              // current block of consecutive rows
  std::map<std::uint64_t, OpenBlock> by_pair;  // blocks of pairs whose rows are not consecutive
  std::deque<OpenBlock> turns;                 // blocks of turns, from the first incomplete one on
  std::uint64_t first_turn = 0;                // number of the first of `turns`
  std::vector<std::uint64_t> rows_of_arm;      // rows so far, for turns
  std::vector<std::optional<std::uint32_t>> last_row;  // by arm
  bool has_every_arm = false;                          // each arm has a row with a value
  std::uint64_t blocks = 0;
  std::uint64_t complete = 0;    // blocks with a row of every arm
  std::uint64_t incomplete = 0;  // blocks that lack a row of an arm
  std::uint64_t left_out = 0;    // rows of blocks that were not used, and rows without a pair
  std::uint64_t beyond = 0;      // blocks after the last requested one
};

/// A block of one of several benchmarks, as a part of a list of rows.
struct WaitingBlock {
  std::size_t benchmark = 0;
  std::size_t first = 0;
  std::size_t rows = 0;
  bool complete = false;  ///< it has a row of every arm
};

class Grouper {
 public:
  Grouper(const MeasurementTable& table, const TablePlan& plan, const TakeBlock& take,
          const HasRetired& has_retired)
      : table_(table),
        plan_(plan),
        take_(take),
        has_retired_(has_retired),
        progress_(plan.benchmarks.size()) {
    for (std::size_t b = 0; b < progress_.size(); ++b) {
      progress_[b].rows_of_arm.resize(plan.spec.benchmarks[b].arms.size());
      progress_[b].last_row.resize(plan.spec.benchmarks[b].arms.size());
      progress_[b].has_every_arm = HasEveryArm(plan.benchmarks[b]);
    }
  }

  Result<GroupedRows> Group() {
    FindLastRows();
    for (std::uint32_t row = 0; row < table_.rows(); ++row) {
      const std::optional<std::size_t> benchmark = plan_.BenchmarkOf(table_, row);
      if (!benchmark) continue;
      TRY_VOID(Take(*benchmark, row));
    }
    for (std::size_t b = 0; b < progress_.size(); ++b) {
      TRY_VOID(Finish(b));
    }
    TRY_VOID(GiveWaiting());
    return Count();
  }

 private:
  // Only of several pairs of arms, one may end before the others.
  void FindLastRows() {
    const bool needed = std::ranges::any_of(
        plan_.spec.benchmarks, [](const Benchmark& one) { return one.arms.size() > 2; });
    if (!needed) return;
    for (std::uint32_t row = 0; row < table_.rows(); ++row) {
      const std::optional<std::size_t> benchmark = plan_.BenchmarkOf(table_, row);
      if (benchmark) progress_[*benchmark].last_row[ArmOf(*benchmark, row)] = row;
    }
  }

  static bool HasEveryArm(const PlannedBenchmark& planned) {
    for (std::size_t arm = 0; arm < planned.arms.size(); ++arm) {
      const bool shown = std::ranges::any_of(
          planned.metrics, [&](std::size_t metric) { return planned.shown[metric][arm]; });
      if (planned.arms[arm] && !shown) return false;
    }
    return true;
  }

  Result<void> Take(std::size_t benchmark, std::uint32_t row) {
    Progress& progress = progress_[benchmark];
    switch (plan_.grouping) {
      case Grouping::kEachRow:
        progress.open.assign(1, row);
        return Close(benchmark, progress.open);
      case Grouping::kStretches:
        return TakeStretch(benchmark, row);
      case Grouping::kPairs: {
        const std::optional<std::uint64_t> pair = table_.pair[row];
        if (!pair) {
          ++progress.left_out;
          return {};
        }
        if (plan_.benchmarks[benchmark].pairs_in_stretches) return TakeStretch(benchmark, row);
        return Hold(progress.by_pair[*pair], row);
      }
      case Grouping::kTurns:
        return TakeTurn(benchmark, row);
    }
    return {};
  }

  Result<void> TakeStretch(std::size_t benchmark, std::uint32_t row) {
    OpenBlock& open = progress_[benchmark].open;
    const std::optional<std::uint64_t> pair = table_.pair[row];
    if (!open.empty() && (!pair || pair != table_.pair[open.front()])) {
      TRY_VOID(Close(benchmark, open));
    }
    return Hold(open, row);
  }

  Result<void> TakeTurn(std::size_t benchmark, std::uint32_t row) {
    Progress& progress = progress_[benchmark];
    const std::uint64_t turn = progress.rows_of_arm[ArmOf(benchmark, row)]++ - progress.first_turn;
    if (turn == progress.turns.size()) progress.turns.emplace_back();
    TRY_VOID(Hold(progress.turns[turn], row));
    // Only the first turn can be complete, because the k-th row of an arm follows its (k-1)-th row.
    if (progress.turns.front().size() < progress.rows_of_arm.size()) return {};
    TRY_VOID(Close(benchmark, progress.turns.front()));
    progress.turns.pop_front();
    ++progress.first_turn;
    return {};
  }

  Result<void> Hold(OpenBlock& block, std::uint32_t row) const {
    if ((block.size() + 1) * plan_.metrics.size() > kMaxBlockValues && !block.empty()) {
      return InvalidArgument(
          fmt::format("line {}", table_.line[row]),
          fmt::format("one pair has over {} values", kMaxBlockValues),
          "a pair is a few runs of each arm; number the pairs in the column pair");
    }
    block.push_back(row);
    return {};
  }

  Result<void> Close(std::size_t benchmark, OpenBlock& block) {
    Progress& progress = progress_[benchmark];
    const bool paired = plan_.grouping == Grouping::kPairs || plan_.grouping == Grouping::kTurns;
    const bool complete = !paired || IsComplete(benchmark, block);
    if (!complete) {
      ++progress.incomplete;
      // A numbered pair was measured, so the values of an arm without a row count as missing.
      if (plan_.grouping != Grouping::kPairs || !progress.has_every_arm) {
        progress.left_out += block.size();
        block.clear();
        return {};
      }
    }
    if (progress_.size() > 1 && plan_.grouping != Grouping::kEachRow) {
      waiting_.push_back({benchmark, waiting_rows_.size(), block.size(), complete});
      waiting_rows_.insert(waiting_rows_.end(), block.begin(), block.end());
      block.clear();
      return {};
    }
    Result<void> given = Give(benchmark, block, complete);
    block.clear();
    return given;
  }

  // Gives the blocks of several benchmarks in the order in which they were complete, as the session
  // did: a gate may be decided by the evidence of all gates, including those of other benchmarks.
  Result<void> GiveWaiting() {
    std::ranges::stable_sort(waiting_, {}, [this](const WaitingBlock& one) {
      return waiting_rows_[one.first + one.rows - 1];
    });
    for (const WaitingBlock& one : waiting_) {
      TRY_VOID(
          Give(one.benchmark, std::span(waiting_rows_).subspan(one.first, one.rows), one.complete));
    }
    return {};
  }

  bool IsComplete(std::size_t benchmark, const OpenBlock& block) {
    const std::size_t arms = plan_.spec.benchmarks[benchmark].arms.size();
    if (block.size() < arms) return false;
    seen_.assign(arms, false);
    for (const std::uint32_t row : block) seen_[ArmOf(benchmark, row)] = true;
    return std::find(seen_.begin(), seen_.end(), false) == seen_.end();
  }

  Result<void> Give(std::size_t benchmark, std::span<const std::uint32_t> block, bool complete) {
    Progress& progress = progress_[benchmark];
    if (const auto& most = plan_.spec.limits.max_runs; most && progress.blocks >= *most) {
      ++progress.beyond;
      return {};
    }
    if (complete) ++progress.complete;
    while (runs_.size() < block.size()) runs_.emplace_back().metrics = plan_.metrics;
    for (std::size_t i = 0; i < block.size(); ++i) {
      Run& run = runs_[i];
      run.benchmark = static_cast<std::uint32_t>(benchmark);
      run.block = progress.blocks;
      run.position = static_cast<std::uint32_t>(i);
      run.arm = ArmOf(benchmark, block[i]);
      run.started_at = table_.started_at[block[i]].value_or(Timestamp{});
      run.exit = ExitOf(block[i], plan_.spec.benchmarks[benchmark].accept_exit);
      FillSamples(block[i], run.samples);
    }
    ++progress.blocks;
    const std::span<const Run> runs = std::span(runs_).first(block.size());
    FindEnded(progress, block.front());
    TRY_VOID(take_({runs, ended_}));
    if (!complete && LacksOnlyRetired(benchmark, runs)) {
      ++progress.complete;
      --progress.incomplete;
    }
    return {};
  }

  // Finds the arms without a row from this one on. A block of a session has no earlier row than the
  // blocks before it.
  void FindEnded(const Progress& progress, std::uint32_t row) {
    ended_.clear();
    for (std::uint32_t arm = 0; arm < progress.last_row.size(); ++arm) {
      const std::optional<std::uint32_t>& last = progress.last_row[arm];
      if (last && *last < row) ended_.push_back(arm);
    }
  }

  bool LacksOnlyRetired(std::size_t benchmark, std::span<const Run> block) const {
    if (!has_retired_) return false;
    const auto number = static_cast<std::uint32_t>(benchmark);
    const auto arms = static_cast<std::uint32_t>(plan_.spec.benchmarks[benchmark].arms.size());
    for (std::uint32_t arm = 0; arm < arms; ++arm) {
      if (!HasArm(block, arm) && !has_retired_(number, arm)) return false;
    }
    return true;
  }

  RunExit ExitOf(std::uint32_t row, const std::vector<int>& accepted) const {
    RunExit exit;
    // A run without an exit code is treated as successful.
    exit.code = table_.exit_code[row].value_or(accepted.empty() ? 0 : accepted.front());
    return exit;
  }

  void FillSamples(std::uint32_t row, std::vector<Sample>& samples) const {
    std::size_t used = 0;
    for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
      const double value = table_.values[m][row];
      if (std::isnan(value)) continue;
      if (used == samples.size()) samples.emplace_back();
      samples[used].metric = plan_.metrics[m].name;
      samples[used++].value = value;
    }
    samples.resize(used);
  }

  Result<void> Finish(std::size_t benchmark) {
    Progress& progress = progress_[benchmark];
    if (!progress.open.empty()) {
      TRY_VOID(Close(benchmark, progress.open));
    }
    for (const OpenBlock& turn : progress.turns) {
      ++progress.incomplete;
      progress.left_out += turn.size();
    }
    // Blocks are closed in the order in which they became complete, like in a replay in row order.
    std::vector<OpenBlock*> blocks;
    for (auto& [pair, block] : progress.by_pair) blocks.push_back(&block);
    std::sort(blocks.begin(), blocks.end(),
              [](const OpenBlock* a, const OpenBlock* b) { return a->back() < b->back(); });
    for (OpenBlock* block : blocks) {
      TRY_VOID(Close(benchmark, *block));
    }
    return {};
  }

  GroupedRows Count() const {
    std::vector<std::string> incomplete;
    std::vector<std::string> beyond;
    Progress sum;
    for (std::size_t b = 0; b < progress_.size(); ++b) {
      const Progress& one = progress_[b];
      const std::string& name = plan_.spec.benchmarks[b].name;
      if (one.incomplete > 0 || one.left_out > 0) incomplete.push_back(name);
      if (one.beyond > 0) beyond.push_back(name);
      sum.complete += one.complete;
      sum.incomplete += one.incomplete;
      sum.left_out += one.left_out;
      sum.beyond += one.beyond;
    }
    GroupedRows grouped{sum.complete, {}};
    if (!incomplete.empty()) {
      grouped.warnings.push_back(IncompletePairs(incomplete, sum.incomplete, sum.left_out));
    }
    if (!beyond.empty()) grouped.warnings.push_back(BeyondMaxRuns(beyond, sum.beyond));
    return grouped;
  }

  std::uint32_t ArmOf(std::size_t benchmark, std::uint32_t row) const {
    return *plan_.benchmarks[benchmark].arms[table_.arm[row]];
  }

  const MeasurementTable& table_;
  const TablePlan& plan_;
  const TakeBlock& take_;
  const HasRetired& has_retired_;
  std::vector<Progress> progress_;  // by benchmark of the plan
  std::vector<WaitingBlock> waiting_;
  std::vector<std::uint32_t> waiting_rows_;
  std::vector<Run> runs_;             // reused for every block
  std::vector<bool> seen_;            // arms of the block, for IsComplete()
  std::vector<std::uint32_t> ended_;  // of the block that is given
};

}  // namespace

Result<GroupedRows> ForEachBlock(const MeasurementTable& table, const TablePlan& plan,
                                 const TakeBlock& take, const HasRetired& has_retired) {
  return Grouper(table, plan, take, has_retired).Group();
}

namespace {

// Passes the metrics that exist to `take` as a warm-up block, so that a gate may be missing in the
// first block.
void Introduce(const TablePlan& plan, const std::function<void(std::span<const Run>)>& take) {
  for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
    const PlannedBenchmark& planned = plan.benchmarks[b];
    std::vector<Run> runs(plan.spec.benchmarks[b].arms.size());
    for (std::size_t in_table = 0; in_table < planned.arms.size(); ++in_table) {
      if (!planned.arms[in_table]) continue;
      Run& run = runs[*planned.arms[in_table]];
      run.benchmark = static_cast<std::uint32_t>(b);
      run.arm = *planned.arms[in_table];
      run.phase = RunPhase::kWarmup;
      run.metrics = plan.metrics;
      for (const std::size_t metric : planned.metrics) {
        if (!planned.shown[metric][in_table]) continue;
        const ValueRange& values = planned.values[metric];
        run.samples.push_back({plan.metrics[metric].name, {}, 0, values.lowest});
        run.samples.push_back({plan.metrics[metric].name, {}, 1, values.highest});
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

void AddFigures(const TableValues& values, const TableOptions& options, const TablePlan& plan,
                TableReport& result) {
  if (options.classic_interval) {
    ApplyClassicIntervals(plan, values, result.report);
    result.report.geometric_means = ChangesOverBenchmarks(result.report.comparisons);
  }
  if (options.summaries) result.summaries = Summaries(plan, values, options.mmtests_stars);
  if (options.histograms) result.histograms = Histograms(plan, values);
}

// Sets the blocks of the second phase to the number of rows of each candidate. Where each row is a
// block of its own, the analysis has counted those of all arms.
void CountRowsOfSecondPhase(const MeasurementTable& table, const TablePlan& plan, Report& report) {
  const TablePlan second = plan.OfSecondPhase();
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::optional<std::size_t> b = second.BenchmarkOf(table, row);
    if (!b) continue;
    const std::optional<std::size_t> arm = second.benchmarks[*b].arms[table.arm[row]];
    const Benchmark& benchmark = second.spec.benchmarks[*b];
    if (arm) ++rows[{benchmark.name, benchmark.arms[*arm].name}];
  }
  for (Comparison& one : report.comparisons) {
    if (one.confirmation) one.confirmation->blocks = rows[{one.benchmark, one.candidate}];
  }
}

TableReport Conclude(ConfirmedAnalysis& analysis, const MeasurementTable& table,
                     const TableOptions& options, const TablePlan& plan,
                     const std::vector<Warning>& left_out) {
  TableReport result;
  // The rows of a session that was cancelled may end before its second phase.
  const bool waits = table.HasPhases() && !table.HasSecondPhase();
  result.report = waits ? analysis.Look() : analysis.Conclude();
  Report& report = result.report;
  result.has_gates = std::any_of(report.comparisons.begin(), report.comparisons.end(), IsGate);
  result.decided_at = DecidedAt(plan, report);
  for (const std::vector<Warning>& more : {plan.warnings, left_out}) {
    report.warnings.insert(report.warnings.end(), more.begin(), more.end());
  }
  if (options.classic_interval || options.summaries || options.histograms) {
    AddFigures(TableValues(table, plan), options, plan, result);
  }
  if (plan.grouping == Grouping::kEachRow) CountRowsOfSecondPhase(table, plan, report);
  ForecastGates(plan.spec, DataSource::kTable, report);
  return result;
}

// Returns the orders of the arms. Benchmarks whose pairs cannot be analysed do not have an order.
std::vector<ArmOrder> OrdersOf(const MeasurementTable& table, const TablePlan& plan,
                               const Report& report) {
  ArmOrderAnalysis orders(plan.spec, report, DataSource::kTable);
  if (orders.empty()) return {};
  Introduce(plan, [&orders](std::span<const Run> block) { orders.AddWarmup(block); });
  const Result<GroupedRows> grouped = ForEachBlock(
      table, plan, [&orders](const TableBlock& block) { return orders.Add(block.runs); });
  return grouped ? orders.Conclude() : std::vector<ArmOrder>();
}

// Adds the rows of the second phase, if there is one and a gate regressed in the first.
Result<void> AddSecondPhase(const MeasurementTable& table, const TablePlan& plan,
                            ConfirmedAnalysis& analysis) {
  if (!plan.spec.confirm || !analysis.BeginConfirmation()) return {};
  TRY_VOID(ForEachBlock(table, plan.OfSecondPhase(), [&analysis](const TableBlock& block) {
    return analysis.Add(block.runs, block.ended);
  }));
  return {};
}

}  // namespace

Result<TableReport> AnalyzeTable(const ReadPiece& read, const TableOptions& options) {
  TRY(const MeasurementTable table, ReadMeasurementTable(read, options.references, options.labels));
  return AnalyzeTable(table, options);
}

Result<TableReport> AnalyzeTable(const MeasurementTable& table, const TableOptions& options) {
  TRY(const TablePlan plan, PlanTable(table, options));
  TRY(ConfirmedAnalysis analysis, ConfirmedAnalysis::Create(plan.spec, DataSource::kTable));
  Introduce(plan, [&analysis](std::span<const Run> block) { analysis.AddWarmup(block); });
  TrajectoryRecorder recorder;
  const auto take = [&](const TableBlock& block) {
    Result<void> added = analysis.Add(block.runs, block.ended);
    if (added && options.trajectories) {
      recorder.Watch(analysis.first(), block.runs.front().benchmark);
    }
    return added;
  };
  const auto has_retired = [&analysis](std::uint32_t benchmark, std::uint32_t arm) {
    return analysis.first().RetiredAfter(benchmark, arm).has_value();
  };
  const Result<GroupedRows> grouped = ForEachBlock(table, plan, take, has_retired);
  if (!grouped) return grouped.error();
  if (grouped->blocks == 0) {
    return InvalidArgument("pair", "no pair has a row of every arm",
                           "if the rows are not pairs, omit the column pair and use --method "
                           "fixed or welch");
  }
  std::vector<Trajectory> trajectories = recorder.Finish(analysis.first());
  TRY_VOID(AddSecondPhase(table, plan, analysis));
  TableReport result = Conclude(analysis, table, options, plan, grouped->warnings);
  result.trajectories = std::move(trajectories);
  result.report.orders = OrdersOf(table, plan, result.report);
  return result;
}

Result<TableReport> AnalyzeHarnessFiles(std::string_view format, std::span<const HarnessFile> files,
                                        TableOptions options, std::string_view adapter) {
  TRY_VOID(CheckHarnessFormat(format, adapter));
  if (!options.labels.empty()) {
    return InvalidArgument("label", "harness files do not have columns", "omit --label");
  }
  TRY(const MeasurementTable table, ReadHarnessTable(format, files, adapter));
  if (options.references.empty()) options.references = {table.arms.front()};
  return AnalyzeTable(table, options);
}

}  // namespace benchd
