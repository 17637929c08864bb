#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/parse/measurement_table.h"
#include "core/stats/nonparametric.h"

namespace benchd {

/// From the first to the last time at which an arm was measured.
struct TimeSpan {
  Timestamp first;
  Timestamp last;
};

/// The smallest and the largest value of a metric; none where `lowest` is above `highest`.
struct ValueRange {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  bool IsAny() const { return lowest <= highest; }
};

/// What the rows of one benchmark of a table have in common: all that has to be known before they
/// can be analysed. A value.
struct BenchmarkShape {
  LabelRuns arms;                              ///< of measured rows, in row order
  std::vector<std::optional<TimeSpan>> times;  ///< by arm, absent where no row says when
  std::vector<ValueRange> values;              ///< by metric, of all rows, warm-up included
  std::vector<std::vector<bool>> shown;        ///< by metric and arm: some row of it has a value
  /// False when the column `order` says that the rows do not stand as they were measured.
  bool in_order = true;
  /// Every pair is one stretch of rows, and pairs come in ascending order, so that a pair is
  /// complete as soon as the next one begins.
  bool pairs_in_stretches = true;
};

/// By benchmark of the table.
std::vector<BenchmarkShape> ShapesOf(const MeasurementTable& table);

}  // namespace benchd
