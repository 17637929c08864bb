#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/analysis/table_plan.h"
#include "core/parse/measurement_table.h"

namespace benchd::client {

/// Returns the name of a sample's metric in tables: NAME, or INNER/NAME.
std::string MetricName(const v1::Sample& sample);

/// Renders the runs of a session as CSV with the columns `arm,role,benchmark,pair,order,started_at,
/// METRIC...`, which are part of the contract. In a session with --confirm, the column `phase`
/// follows `started_at`. The column `exit_code` precedes the metrics if exit codes are needed.
///
/// There is one row per run, in order of execution. Runs of interrupted blocks are left out.
/// - `role` is the role of the arm in the session's spec, so that a reader knows which arms were
///   compared.
/// - `pair` is the number of the block, and empty for warm-up runs.
/// - `order` counts the rows from 1.
/// - Metrics are in order of first appearance. The heading is NAME or INNER/NAME, with the prefix
///   `metric:` if a reader would mistake it for something else. A cell is empty if the run lacks
///   the metric. Several samples of one run become their mean, as in the statistics; it is harmonic
///   if higher is better.
///
/// Values have the shortest form that reads back as the same double. Fields are quoted as in RFC
/// 4180, and also if they begin or end with a blank. Lines end with \n.
std::string RunsToCsv(std::span<const v1::Run> runs, const v1::Session& session);

/// Returns the table that a reader of the output of RunsToCsv() gets.
///
/// @errors kInvalidArgument: no metric, fewer than two arms, more than kMaxTableArms arms, or more
///         than kMaxTableBenchmarks benchmarks.
Result<MeasurementTable> TableOfRuns(std::span<const v1::Run> runs, const v1::Session& session);

/// Renders a table from the files of a harness as CSV for `analyze`: `arm,benchmark,METRIC...`, in
/// the format of RunsToCsv(). The CSV lacks the units, and it does not state whether rows may be
/// iterations of one process.
std::string TableToCsv(const MeasurementTable& table);

/// The properties of metrics that a session's harness reported, as columns of the session's export.
///
/// As in the daemon, the unit and the direction come from the first appearance of a metric, and the
/// resolution is the finest that any run has shown. Runs need Run.metrics. Warm-up runs are
/// included, runs of interrupted blocks are ignored. A metric of the warm-up alone does not make a
/// column: benchmarks of a group have metrics of their own process only before they share one.
class ParsedMetrics {
 public:
  void Learn(const v1::Run& run);

  /// The columns in order of appearance, without benchd's own metrics.
  std::vector<TableColumn> columns() const;

 private:
  struct Column {
    TableColumn column;
    bool measured = false;  // whether a run after the warm-up has the metric
  };

  std::map<std::string, std::size_t, std::less<>> numbers_;  // by NAME or INNER/NAME
  std::vector<Column> columns_;
};

}  // namespace benchd::client
