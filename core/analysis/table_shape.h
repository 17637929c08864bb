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

/// The smallest and the largest value of a metric; no values if `lowest` is above `highest`.
struct ValueRange {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  bool IsAny() const { return lowest <= highest; }
};

/// Properties of all rows of one benchmark that an analysis needs before it starts. A value.
struct BenchmarkShape {
  LabelRuns arms;                              ///< of measured rows, in row order
  std::vector<std::optional<TimeSpan>> times;  ///< by arm; absent if no row has a time
  std::vector<ValueRange> values;              ///< by metric, over all rows, warm-up included
  std::vector<std::vector<bool>> shown;        ///< by metric and arm: some row of it has a value
  /// False if the column `order` shows that the rows are not in the order of measurement.
  bool in_order = true;
  /// The rows of every pair are consecutive, and pairs come in ascending order, so that a pair is
  /// complete as soon as the next one begins.
  bool pairs_in_stretches = true;
};

/// By benchmark of the table.
std::vector<BenchmarkShape> ShapesOf(const MeasurementTable& table);

}  // namespace benchd
