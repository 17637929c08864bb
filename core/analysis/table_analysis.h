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

/// Most values of one block: each is a sample with its name while the block is taken.
inline constexpr std::size_t kMaxBlockValues = 500'000;

/// Takes one block, whose runs are valid during the call.
using TakeBlock = std::function<Result<void>(std::span<const Run> block)>;

/// What became of the rows of a table.
struct GroupedRows {
  std::uint64_t blocks = 0;       ///< with a row of every arm, where arms are pairs
  std::vector<Warning> warnings;  ///< of what was left out: `incomplete_pairs`, `beyond_max_runs`
};

/// Puts the measured rows of a table together to the blocks in which a session would have measured
/// them, and hands over each when its last row has come. A pair of the column `pair` that lacks an
/// arm is handed over without it.
///
/// @errors those of `take`; kInvalidArgument "line 3: ..." for a block over kMaxBlockValues.
Result<GroupedRows> ForEachBlock(const MeasurementTable& table, const TablePlan& plan,
                                 const TakeBlock& take);

/// What the analysis of a table answers.
struct TableReport {
  Report report;           ///< elapsed is 0: a table knows no clock
  bool has_gates = false;  ///< without any the report's verdict means nothing
  /// After how many blocks a method that looks again and again had decided the last gate.
  std::optional<std::uint64_t> decided_at;
  std::vector<ArmSummary> summaries;     ///< by benchmark, metric, arm
  std::vector<ArmHistogram> histograms;  ///< likewise
  /// As if the table had been watched while it grew; none for a method that looks once.
  std::vector<Trajectory> trajectories;
};

/// Analyses measurements that are there already, by the code that judges a live session.
///
/// Reads the table once, into columns, and hands its rows to SessionAnalysis as the blocks in which
/// they were measured. It takes the memory of the numbers (kMaxTableBytes at most) and what the
/// estimator keeps. Takes its time: not for a thread that has other work.
///
/// An export of benchd gives the numbers of its session to the last bit, as far as the export holds
/// them: several samples of one run are one value there.
///
/// @errors those of ReadMeasurementTable() ("line 3, column 5: ..."), PlanTable(), SessionAnalysis;
///         kInvalidArgument for a table without any complete pair.
Result<TableReport> AnalyzeTable(const ReadPiece& read, const TableOptions& options);

/// The same of a table that has been read.
Result<TableReport> AnalyzeTable(const MeasurementTable& table, const TableOptions& options);

/// The same of what a harness wrote; without references in the options the first file's arm is it.
///
/// @errors those of CheckHarnessFormat() and ReadHarnessTable(), and labels, which no harness has.
Result<TableReport> AnalyzeHarnessFiles(std::string_view format, std::span<const HarnessFile> files,
                                        TableOptions options);

}  // namespace benchd
