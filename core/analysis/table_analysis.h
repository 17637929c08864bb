#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/table_figures.h"
#include "core/analysis/table_plan.h"
#include "core/analysis/trajectory.h"
#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/parse/csv.h"
#include "core/parse/harness_table.h"
#include "core/parse/measurement_table.h"

namespace benchd {

/// The maximum number of values in one block. It bounds the memory, because each value is a sample
/// with a name while its block is processed.
inline constexpr std::size_t kMaxBlockValues = 500'000;

/// A block of a table. Both are valid only during the call that receives it.
struct TableBlock {
  std::span<const Run> runs;
  /// The arms of the benchmark that have no row in this block or after it, in ascending order.
  std::span<const std::uint32_t> ended;
};

/// A callback that receives one block.
using TakeBlock = std::function<Result<void>(const TableBlock& block)>;
/// Returns whether an arm of a benchmark has retired, so that blocks are complete without it.
using HasRetired = std::function<bool(std::uint32_t benchmark, std::uint32_t arm)>;

/// The result of grouping the rows of a table.
struct GroupedRows {
  std::uint64_t blocks = 0;  ///< number of blocks; for pairs, only those with a row of every arm
  /// Warnings about omissions: `incomplete_pairs`, `beyond_max_runs`.
  std::vector<Warning> warnings;
};

/// Groups the measured rows of a table into the blocks in which a session would have measured them,
/// and passes each block to `take` when its last row has been read. A pair of the column `pair`
/// that lacks an arm is passed without it.
///
/// @param has_retired  called after `take` has received a block that lacks an arm; none: no arm has
/// @errors those of `take`; kInvalidArgument "line 3: ..." for a block with more than
/// kMaxBlockValues values
Result<GroupedRows> ForEachBlock(const MeasurementTable& table, const TablePlan& plan,
                                 const TakeBlock& take, const HasRetired& has_retired = {});

/// The result of the analysis of a table.
struct TableReport {
  Report report;           ///< `elapsed` is 0, because a table does not record it
  bool has_gates = false;  ///< if false, the verdict of the report is meaningless
  /// The number of blocks after which a method that looks repeatedly had decided the last gate.
  std::optional<std::uint64_t> decided_at;
  std::vector<ArmSummary> summaries;     ///< in the order of benchmark, metric, arm
  std::vector<ArmHistogram> histograms;  ///< in the same order
  /// The intervals as if the table had been watched while it grew. Empty for a method that looks
  /// once.
  std::vector<Trajectory> trajectories;
};

/// Analyses existing measurements with the code that judges a live session.
///
/// Reads the table once into columns, and passes its rows to SessionAnalysis as the blocks in which
/// they were measured. It needs memory for the numbers (at most kMaxTableBytes) and for the data
/// that the estimator keeps. It can take a long time, so do not call it in a thread that has other
/// work.
///
/// An export of benchd yields the same numbers as its session to the last bit, as far as the export
/// contains them: it has one value per run instead of several samples.
///
/// @errors those of ReadMeasurementTable() ("line 3, column 5: ..."), PlanTable() and
///         SessionAnalysis; kInvalidArgument for a table without a complete pair
Result<TableReport> AnalyzeTable(const ReadPiece& read, const TableOptions& options);

/// Analyses a table that has already been read.
Result<TableReport> AnalyzeTable(const MeasurementTable& table, const TableOptions& options);

/// Analyses files that a harness wrote. If the options do not name references, the arm of the first
/// file is the reference.
///
/// @param format, adapter  as for ParseHarnessOutput()
/// @errors those of CheckHarnessFormat() and ReadHarnessTable(); kInvalidArgument for labels,
/// because harness files do not have columns for them
Result<TableReport> AnalyzeHarnessFiles(std::string_view format, std::span<const HarnessFile> files,
                                        TableOptions options, std::string_view adapter = {});

}  // namespace benchd
