#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/analysis/table_plan.h"
#include "core/parse/measurement_table.h"

namespace benchd::client {

/// How a sample's metric is called in tables: NAME, or INNER/NAME.
std::string MetricName(const v1::Sample& sample);

/// The runs of a session as the contract's CSV: `arm,role,benchmark,pair,order,started_at,
/// METRIC...`.
///
/// One row a run in order of execution. `role` is what the session's spec says of the arm, so that
/// whoever reads the table need not guess what was compared with what. `pair` is the block, empty
/// for warm-ups, which stand there only if `runs` has them; runs of interrupted blocks are left
/// out. `order` counts the printed rows from 1. A metric is NAME or INNER/NAME, behind `metric:`
/// where a reader would take that for something else, in order of first appearance; a metric that a
/// run does not have is an empty cell. Values are the shortest that read back as the same double;
/// several samples of a metric in one run are their mean (harmonic where its report says that
/// higher is better), as the statistics take them. Fields are quoted as RFC 4180 says, and where
/// they begin or end with a blank; lines end in \n.
std::string RunsToCsv(std::span<const v1::Run> runs, const v1::Session& session);

/// What a reader of that CSV has of it.
/// @errors kInvalidArgument: no metric, fewer than two arms, or over kMaxTableArms of them.
Result<MeasurementTable> TableOfRuns(std::span<const v1::Run> runs, const v1::Session& session);

/// What files of a harness have as a table that `analyze` reads: `arm,benchmark,METRIC...`, written
/// as above. It says no more that rows may be iterations of one process, and nothing of units.
std::string TableToCsv(const MeasurementTable& table);

/// What a session's harness said of its metrics, as columns of the session's export.
///
/// Unit and direction are those of a metric's first appearance, the resolution is the finest that
/// any run has shown: as the daemon takes them. Runs come with Run.metrics, warm-ups included; runs
/// of interrupted blocks count for nothing.
class ParsedMetrics {
 public:
  void Learn(const v1::Run& run);

  /// In order of appearance; none for benchd's own metrics.
  const std::vector<TableColumn>& columns() const { return columns_; }

 private:
  std::map<std::string, std::size_t, std::less<>> numbers_;  // by NAME or INNER/NAME
  std::vector<TableColumn> columns_;
};

}  // namespace benchd::client
