#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/metric.h"
#include "core/model/session_spec.h"
#include "core/parse/measurement_table.h"
#include "core/stats/runs_test.h"

namespace benchd {

/// Where the bytes of a table come from; an analysis reads them more than once.
class TableSource {
 public:
  virtual ~TableSource() = default;

  /// Begins with the first byte again.
  virtual Result<void> Rewind() = 0;

  /// The next bytes, valid until the next call; empty at the end.
  virtual Result<std::string_view> Read() = 0;
};

/// Takes one row; an error ends the reading.
using TakeRow = std::function<Result<void>(const MeasurementRow& row)>;

/// Reads a table from its first byte to its end with a fresh `reader`.
///
/// @errors those of source, reader and take.
Result<void> ReadRows(TableSource& source, MeasurementTableReader& reader, const TakeRow& take);

/// Most entries (benchmark, arm) and (benchmark, metric) of a table: what is known about each is
/// all the memory that the first reading takes.
inline constexpr std::size_t kMaxTableCells = 1'000'000;

/// From the first to the last time at which an arm was measured.
struct TimeSpan {
  Timestamp first;
  Timestamp last;
};

/// What the rows of one benchmark of a table have in common.
struct BenchmarkShape {
  std::string name;
  LabelRuns arms;                              ///< of measured rows, in row order
  std::vector<std::optional<TimeSpan>> times;  ///< by arm, absent where no row says when
  /// By arm, absent where no measured row says it.
  std::vector<std::optional<ArmRole>> roles;
  std::vector<bool> has_metric;  ///< by metric: any row has a value, warm-up included
  /// False when the column `order` says that the rows do not stand as they were measured.
  bool in_order = true;
  /// Every pair is one stretch of rows, and pairs come in ascending order, so that a pair is
  /// complete as soon as the next one begins.
  bool pairs_in_stretches = true;
};

/// Everything about a table that has to be known before its rows can be analysed. A value; the
/// result of the first reading, which also finds all errors.
struct TableShape {
  std::vector<std::string> arms;           ///< in order of appearance
  std::vector<BenchmarkShape> benchmarks;  ///< in order of appearance
  std::vector<MetricInfo> metrics;         ///< in order of columns, with their finest resolution
  bool has_pairs = false;
  bool is_export = false;

  /// In an export only warm-ups have no pair.
  bool IsWarmup(const MeasurementRow& row) const { return is_export && !row.pair; }
};

/// Reads a table once, in memory that does not grow with its rows.
///
/// @param references  arms that the table has to have.
/// @errors those of MeasurementTableReader, of `source`; kInvalidArgument above
///         kMaxTableCells, or where an arm has two roles in one benchmark.
Result<TableShape> ReadShape(TableSource& source, const std::vector<std::string>& references);

}  // namespace benchd
