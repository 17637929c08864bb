#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/parse/measurement_table.h"
#include "core/stats/nonparametric.h"

namespace benchd {

/// The time span between the first and the last measurement of an arm.
struct TimeSpan {
  Timestamp first;
  Timestamp last;
};

/// The smallest and the largest value of a metric. There are no values if `lowest` is above
/// `highest`.
struct ValueRange {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  bool IsAny() const { return lowest <= highest; }
};

/// Properties of all rows of one benchmark that an analysis needs before it starts.
struct BenchmarkShape {
  LabelRuns arms;                              ///< arms of the measured rows, in row order
  std::vector<std::optional<TimeSpan>> times;  ///< by arm; absent if no row has a time
  std::vector<ValueRange> values;              ///< by metric, over all rows including warm-up
  std::vector<std::vector<bool>> shown;        ///< by metric and arm: whether a row has a value
  /// Whether the rows may be in the order of measurement: false if the column `order` disproves it.
  bool in_order = true;
  /// Whether the rows of every pair are consecutive and the pairs are in ascending order, so that a
  /// pair is complete as soon as the next pair begins.
  bool pairs_in_stretches = true;
};

/// Computes the shape of each benchmark of the table, without the rows of a second phase.
std::vector<BenchmarkShape> ShapesOf(const MeasurementTable& table);

}  // namespace benchd
