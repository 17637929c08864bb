#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/table_shape.h"
#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/parse/measurement_table.h"

namespace benchd {

/// Properties of a column that the table cannot state, if it is not a built-in metric.
struct TableColumn {
  std::string metric;
  std::string unit;
  std::optional<Better> better;
  std::optional<double> resolution;  ///< in `unit`; absent: one unit of the last printed digit

  bool operator==(const TableColumn&) const = default;
};

/// The options for a table.
struct TableOptions {
  /// These fields apply: estimator, rule, level, margin, limits, schedule and seed; the gates of
  /// the first benchmark, which apply to every benchmark of the table; and its `allow_missing` and
  /// `accept_exit`. Without gates, wall_time gates. A table without that column gates on every
  /// metric with a direction (for a harness, if its values permit a relative change), possibly on
  /// none. With `placebo`, the arm of that name is one, in addition to arms with that role.
  SessionSpec spec;
  /// Replaces those gates, by the benchmark's name.
  std::map<std::string, std::vector<Gate>> gates_of;
  std::optional<Method> method;  ///< absent: paired with a pair column, else fixed
  /// Empty: the arms with that role, else the arm called base. Never the first arm, because exports
  /// have a random order.
  std::vector<std::string> references;
  std::vector<TableColumn> columns;
  /// Shell patterns; a benchmark whose name matches none is left out. Empty: all benchmarks.
  std::vector<std::string> only;
  /// Rows with other values in these columns are left out; not for harness files.
  RowLabels labels;
  bool classic_interval = false;  ///< the interval of stats/welch.h for every comparison
  bool summaries = false;
  bool mmtests_stars = false;  ///< in the summaries; else Welch's test
  bool histograms = false;
  bool trajectories = false;
};

/// How rows become blocks.
enum class Grouping : std::uint8_t {
  kEachRow,    ///< no pairs: every row by itself
  kStretches,  ///< no pairs: consecutive rows with one pair number, as they were measured
  kPairs,      ///< rows with one pair number, in any position
  kTurns,      ///< the k-th rows of all arms
};

/// One benchmark of a table that can be compared.
struct PlannedBenchmark {
  std::size_t in_table = 0;  ///< index into MeasurementTable::benchmarks
  bool pairs_in_stretches = true;
  /// The index in the spec for each arm of the table. Absent without a measured row, unless that
  /// absence has to be reported.
  std::vector<std::optional<std::uint32_t>> arms;
  std::vector<std::size_t> metrics;  ///< indices into TablePlan::metrics: those with any value
  std::vector<ValueRange> values;    ///< by index into TablePlan::metrics
  /// By index into TablePlan::metrics and arm of the table: some row has a value.
  std::vector<std::vector<bool>> shown;
  /// Arms of the table that should have rows but have none, if that is allowed.
  std::vector<std::size_t> missed;
};

/// The plan to analyse a table like a session. A value.
struct TablePlan {
  SessionSpec spec;
  std::vector<PlannedBenchmark> benchmarks;           ///< as in the spec
  std::vector<std::optional<std::size_t>> by_number;  ///< by the table's: index into benchmarks
  std::vector<bool> wanted;         ///< by the table's number: not left out by TableOptions::only
  std::vector<MetricInfo> metrics;  ///< of the columns, completed from the options
  std::vector<Warning> warnings;    ///< not_compared, not_interleaved...
  Grouping grouping = Grouping::kPairs;

  /// The benchmark of a row, if the row was measured and its benchmark can be compared.
  std::optional<std::size_t> BenchmarkOf(const MeasurementTable& table, std::size_t row) const {
    return table.IsWarmup(row) ? std::nullopt : by_number[table.benchmark[row]];
  }
};

/// Most comparisons of one table, which bounds the memory of an analysis.
inline constexpr std::size_t kMaxTableComparisons = 100'000;

/// @errors kInvalidArgument naming the option: a column or gate that the table lacks, a named
/// benchmark that it lacks, a pattern that matches none, a built-in metric described anew, no
/// reference, no candidate besides the references, `runs` (the number of rows is fixed), `max_runs`
/// for a method that looks once, a method or estimator that does not fit the classic interval,
/// `accept_exit` for a table without exit codes, more than kMaxTableComparisons.
/// SessionAnalysis::Create() checks whether method, estimator and limits fit together.
Result<TablePlan> PlanTable(const MeasurementTable& table, const TableOptions& options);

}  // namespace benchd
