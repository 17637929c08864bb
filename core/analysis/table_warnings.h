#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/table_plan.h"
#include "core/analysis/table_shape.h"
#include "core/model/session.h"

namespace benchd {

/// Returns warnings about the shapes of a table (docs/statistics.md section 8):
/// - `not_compared`: benchmarks without a reference or a candidate, or that a candidate lacks if it
///   may lack benchmarks
/// - `not_interleaved`: rows grouped by arm, unless the column `order` shows that they were
///   reordered
/// - `different_days`: a reference and a candidate that were not measured on the same day
/// - `one_process`: iterations instead of runs
/// - `no_ratio`: metrics that do not gate by default
///
/// There is one warning of each kind, however many benchmarks it concerns.
std::vector<Warning> ShapeWarnings(const MeasurementTable& table,
                                   const std::vector<BenchmarkShape>& shapes,
                                   const TablePlan& plan);

/// Returns the warning `incomplete_pairs` about pairs that lack an arm and rows that do not belong
/// to a block.
///
/// @param blocks  the number of blocks that lack a row of some arm, over all benchmarks
/// @param rows    the number of rows left out
Warning IncompletePairs(const std::vector<std::string>& benchmarks, std::uint64_t blocks,
                        std::uint64_t rows);
/// Returns the warning `beyond_max_runs` about rows after the last block of `max_runs`.
Warning BeyondMaxRuns(const std::vector<std::string>& benchmarks, std::uint64_t blocks);

}  // namespace benchd
