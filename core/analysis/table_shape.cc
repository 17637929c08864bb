#include "core/analysis/table_shape.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace benchd {
namespace {

// The pair and order of the last row of a benchmark.
struct LastSeen {
  std::optional<std::uint64_t> pair;
  std::optional<std::uint64_t> order;
};

void Widen(std::vector<std::optional<TimeSpan>>& times, std::size_t arm, Timestamp at) {
  if (arm >= times.size()) times.resize(arm + 1);
  std::optional<TimeSpan>& span = times[arm];
  span = span ? TimeSpan{std::min(span->first, at), std::max(span->last, at)} : TimeSpan{at, at};
}

void TakeRow(const MeasurementTable& table, std::size_t row, BenchmarkShape& shape,
             LastSeen& progress) {
  shape.arms.Add(table.arm[row]);
  if (const auto at = table.started_at[row]) Widen(shape.times, table.arm[row], *at);
  if (const auto order = table.order[row]) {
    shape.in_order = shape.in_order && order >= progress.order;
    progress.order = order;
  }
  const auto pair = table.pair[row];
  if (!pair) return;
  shape.pairs_in_stretches =
      shape.pairs_in_stretches && (!progress.pair || *pair >= *progress.pair);
  progress.pair = pair;
}

}  // namespace

std::vector<BenchmarkShape> ShapesOf(const MeasurementTable& table) {
  std::vector<BenchmarkShape> shapes(table.benchmarks.size());
  std::vector<LastSeen> progress(shapes.size());
  for (BenchmarkShape& shape : shapes) {
    shape.values.resize(table.metrics.size());
    shape.shown.assign(table.metrics.size(), std::vector<bool>(table.arms.size()));
  }
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double value = table.values[m][row];
      if (std::isnan(value) || table.IsConfirming(row)) continue;
      BenchmarkShape& shape = shapes[table.benchmark[row]];
      shape.shown[m][table.arm[row]] = true;
      ValueRange& range = shape.values[m];
      range = {std::min(range.lowest, value), std::max(range.highest, value)};
    }
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.IsWarmup(row) || table.IsConfirming(row)) continue;
    const std::size_t benchmark = table.benchmark[row];
    TakeRow(table, row, shapes[benchmark], progress[benchmark]);
  }
  return shapes;
}

}  // namespace benchd
