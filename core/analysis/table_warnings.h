#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/table_plan.h"
#include "core/analysis/table_shape.h"
#include "core/model/session.h"

namespace benchd {

/// What the shapes of a table give cause for (docs/statistics.md section 8): `not_compared`
/// (benchmarks without a reference or a candidate, or which a candidate may lack and does),
/// `not_interleaved` (arms in stretches; not where the column `order` says that the rows were put
/// into another order), `different_days` (no time at which a reference and a candidate were
/// measured on the same day), `one_process` (iterations in the place of runs), `no_ratio` (metrics
/// that do not gate by default).
///
/// One warning of a kind, however many benchmarks it is about.
std::vector<Warning> ShapeWarnings(const MeasurementTable& table,
                                   const std::vector<BenchmarkShape>& shapes,
                                   const TablePlan& plan);

/// Pairs that lack an arm, and rows that no block has taken: `incomplete_pairs`.
///
/// @param blocks  that lack a row of some arm, of all benchmarks.
/// @param rows    that were left out.
Warning IncompletePairs(const std::vector<std::string>& benchmarks, std::uint64_t blocks,
                        std::uint64_t rows);
/// Rows behind the last block of `max_runs`: `beyond_max_runs`.
Warning BeyondMaxRuns(const std::vector<std::string>& benchmarks, std::uint64_t blocks);

}  // namespace benchd
