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

/// What a table cannot say about a column that is no built-in metric.
struct TableColumn {
  std::string metric;
  std::string unit;
  std::optional<Better> better;
  std::optional<double> resolution;  ///< in `unit`; absent: the worth of the last printed digit

  bool operator==(const TableColumn&) const = default;
};

/// What somebody wants to know of a table.
struct TableOptions {
  /// Of it count: estimator, rule, level, margin, limits, schedule, seed and the gates of the first
  /// benchmark, which are those of every benchmark of the table, and its `allow_missing` and
  /// `accept_exit`. No gates: wall_time, or without such a column every metric with a direction (of
  /// a harness, where its values leave a relative change open), or none at all. With `placebo` the
  /// arm of that name is one, beside those whose role says so.
  SessionSpec spec;
  /// Instead of those, by the benchmark's name.
  std::map<std::string, std::vector<Gate>> gates_of;
  std::optional<Method> method;  ///< absent: paired with a pair column, else fixed
  /// Empty: the arms whose role says so, else the one called base. Never the first one: which that
  /// is was drawn in an export.
  std::vector<std::string> references;
  std::vector<TableColumn> columns;
  /// Patterns as of a shell; a benchmark whose name matches none is left out. Empty: all of them.
  std::vector<std::string> only;
  /// Rows with something else in these columns are left out; not of harness files.
  RowLabels labels;
  bool classic_interval = false;  ///< the interval of stats/welch.h for every comparison
  bool summaries = false;
  bool mmtests_stars = false;  ///< in the summaries; else Welch's
  bool histograms = false;
  bool trajectories = false;
};

/// How rows become blocks.
enum class Grouping : std::uint8_t {
  kEachRow,    ///< no pairs: every row stands for itself
  kStretches,  ///< no pairs: rows of one pair number that follow one another, as they were measured
  kPairs,      ///< rows of one pair number, wherever they stand
  kTurns,      ///< the k-th rows of all arms
};

/// One benchmark of a table that can be compared.
struct PlannedBenchmark {
  std::size_t in_table = 0;  ///< index into MeasurementTable::benchmarks
  bool pairs_in_stretches = true;
  /// By arm of the table: which one it is in the spec; absent without a measured row, unless that
  /// is what is to be told of it.
  std::vector<std::optional<std::uint32_t>> arms;
  std::vector<std::size_t> metrics;  ///< indices into TablePlan::metrics: those with any value
  std::vector<ValueRange> values;    ///< by index into TablePlan::metrics
  /// By index into TablePlan::metrics and arm of the table: some row has a value.
  std::vector<std::vector<bool>> shown;
  /// Arms of the table that should have rows and have none, where that is allowed.
  std::vector<std::size_t> missed;
};

/// How a table is analysed as if it were a session. A value.
struct TablePlan {
  SessionSpec spec;
  std::vector<PlannedBenchmark> benchmarks;           ///< as in the spec
  std::vector<std::optional<std::size_t>> by_number;  ///< by the table's: index into benchmarks
  std::vector<bool> wanted;         ///< by the table's number: not left out by TableOptions::only
  std::vector<MetricInfo> metrics;  ///< of the columns, with what options say
  std::vector<Warning> warnings;    ///< not_compared, not_interleaved...
  Grouping grouping = Grouping::kPairs;

  /// That of a row, if the row was measured and its benchmark can be compared.
  std::optional<std::size_t> BenchmarkOf(const MeasurementTable& table, std::size_t row) const {
    return table.IsWarmup(row) ? std::nullopt : by_number[table.benchmark[row]];
  }
};

/// Most comparisons of one table: what an analysis keeps grows with them.
inline constexpr std::size_t kMaxTableComparisons = 100'000;

/// @errors kInvalidArgument naming the option: a column or gate that the table does not have, a
///         benchmark that is named and not there, a pattern that matches none, a
///         built-in metric described anew, no reference that is named in any way, no candidate
///         besides the references, `runs` (a table has the rows it has), `max_runs` for a method
///         that looks once, a method or estimator that is no match for the classic interval,
///         `accept_exit` for a table that has no exit code, more than kMaxTableComparisons. Whether
///         method, estimator and limits fit together is SessionAnalysis::Create()'s matter.
Result<TablePlan> PlanTable(const MeasurementTable& table, const TableOptions& options);

}  // namespace benchd
