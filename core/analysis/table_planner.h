#pragma once

#include <cstddef>

#include "core/analysis/table_plan.h"
#include "core/base/result.h"

namespace benchd {

/// The maximum number of comparisons of one table. It bounds the memory of an analysis.
inline constexpr std::size_t kMaxTableComparisons = 100'000;

/// Plans the analysis of a table.
///
/// @errors kInvalidArgument, which names the option, for a column, gate or benchmark that the table
/// lacks, a pattern that does not match any benchmark, a column that redefines a built-in metric,
/// no reference, no candidate besides the references, `runs` (because the number of rows is fixed),
/// `max_runs` with a method that looks once, a method or estimator that cannot be combined with the
/// classic interval, `accept_exit` for a table without exit codes, or more than
/// kMaxTableComparisons. SessionAnalysis::Create() checks whether method, estimator and limits can
/// be combined.
Result<TablePlan> PlanTable(const MeasurementTable& table, const TableOptions& options);

}  // namespace benchd
