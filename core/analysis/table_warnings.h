#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/table_plan.h"
#include "core/analysis/table_shape.h"
#include "core/model/session.h"

namespace benchd {

/// Warnings about the shapes of a table (docs/statistics.md section 8): `not_compared` (benchmarks
/// without a reference or a candidate, or which a candidate may lack and does), `not_interleaved`
/// (rows grouped by arm; not if the column `order` shows that they were reordered),
/// `different_days` (no day on which both a reference and a candidate were measured), `one_process`
/// (iterations instead of runs), `no_ratio` (metrics that do not gate by default).
///
/// One warning of each kind, however many benchmarks it concerns.
std::vector<Warning> ShapeWarnings(const MeasurementTable& table,
                                   const std::vector<BenchmarkShape>& shapes,
                                   const TablePlan& plan);

/// Pairs that lack an arm, and rows that are in no block: `incomplete_pairs`.
///
/// @param blocks  the number that lack a row of some arm, over all benchmarks.
/// @param rows    the number of rows left out.
Warning IncompletePairs(const std::vector<std::string>& benchmarks, std::uint64_t blocks,
                        std::uint64_t rows);
/// Rows after the last block of `max_runs`: `beyond_max_runs`.
Warning BeyondMaxRuns(const std::vector<std::string>& benchmarks, std::uint64_t blocks);

}  // namespace benchd
