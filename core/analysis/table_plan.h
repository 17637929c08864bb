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

/// Properties of a column that is not a built-in metric, because a table cannot state them.
struct TableColumn {
  std::string metric;
  std::string unit;
  std::optional<Better> better;
  std::optional<double> resolution;  ///< in `unit`; absent: one unit of the last printed digit

  bool operator==(const TableColumn&) const = default;
};

/// The options for the analysis of a table.
struct TableOptions {
  /// The options that a table shares with a session. These fields apply: estimator, rule, level,
  /// margin, limits, schedule and seed, and from the first benchmark the gates, `allow_missing`,
  /// `accept_exit` and `controls`, which apply to every benchmark of the table. If there are no
  /// gates, wall_time is the gate. In a table without that column, every metric with a direction is
  /// a gate (for a harness, if its values permit a relative change), so there may be no gates. With
  /// `placebo`, an arm named `placebo` is a placebo, in addition to arms with that role. Placebos
  /// are controls.
  SessionSpec spec;
  /// The gates of single benchmarks, by name. They replace the gates of `spec`.
  std::map<std::string, std::vector<Gate>> gates_of;
  std::optional<Method> method;  ///< absent: paired if there is a pair column, else fixed
  /// The names of the references. If empty, the arms with that role are references, or else the arm
  /// called `base`. The first arm is never chosen by its position, because exports have a random
  /// order.
  std::vector<std::string> references;
  std::vector<TableColumn> columns;
  /// Shell patterns. A benchmark whose name does not match any of them is left out. Empty: all
  /// benchmarks.
  std::vector<std::string> only;
  /// Rows that have other values in these columns are left out. Not supported for harness files.
  RowLabels labels;
  bool classic_interval = false;  ///< use the interval of stats/welch.h for every comparison
  bool summaries = false;
  /// Compute the stars of the summaries by mmtests' bands, not Welch's test.
  bool mmtests_stars = false;
  bool histograms = false;
  bool trajectories = false;
};

/// The method by which rows are grouped into blocks.
enum class Grouping : std::uint8_t {
  kEachRow,    ///< no pairs: each row is a block
  kStretches,  ///< no pairs: consecutive rows with the same pair number
  kPairs,      ///< all rows with the same pair number, wherever they are
  kTurns,      ///< a block consists of the k-th rows of all arms
};

/// One benchmark of a table that can be compared.
struct PlannedBenchmark {
  std::size_t in_table = 0;  ///< index into MeasurementTable::benchmarks
  bool pairs_in_stretches = true;
  /// The index in the spec for each arm of the table. Absent if the arm has no measured rows,
  /// unless that has to be reported.
  std::vector<std::optional<std::uint32_t>> arms;
  /// Indices into TablePlan::metrics of the metrics that have values.
  std::vector<std::size_t> metrics;
  std::vector<ValueRange> values;  ///< by index into TablePlan::metrics
  /// Whether a row has a value, by index into TablePlan::metrics and arm of the table.
  std::vector<std::vector<bool>> shown;
  /// Arms of the table that should have rows but do not have any, if that is allowed.
  std::vector<std::size_t> missed;
};

/// The plan for analysing a table like a session.
struct TablePlan {
  SessionSpec spec;
  std::vector<PlannedBenchmark> benchmarks;  ///< in the order of the spec
  /// Index into benchmarks, by the table's number.
  std::vector<std::optional<std::size_t>> by_number;
  std::vector<bool> wanted;  ///< whether TableOptions::only selects it, by the table's number
  std::vector<MetricInfo> metrics;  ///< the columns' metrics, completed from the options
  std::vector<Warning> warnings;    ///< not_compared, not_interleaved and others
  Grouping grouping = Grouping::kPairs;
  bool confirming = false;  ///< the rows of the second phase are analysed, not those of the first

  /// Returns the benchmark of a row, if the row was measured in the phase of this plan and its
  /// benchmark can be compared.
  std::optional<std::size_t> BenchmarkOf(const MeasurementTable& table, std::size_t row) const {
    const bool wanted_row = !table.IsWarmup(row) && table.IsConfirming(row) == confirming;
    return wanted_row ? by_number[table.benchmark[row]] : std::nullopt;
  }

  /// Returns the plan for the rows of the second phase. Their pairs may be in any order.
  TablePlan OfSecondPhase() const {
    TablePlan second = *this;
    second.confirming = true;
    for (PlannedBenchmark& benchmark : second.benchmarks) benchmark.pairs_in_stretches = false;
    return second;
  }
};

}  // namespace benchd
