#pragma once

#include "core/analysis/table_plan.h"
#include "core/analysis/table_report.h"
#include "core/analysis/table_shape.h"
#include "core/base/result.h"

namespace benchd {

/// Analyses measurements that are there already, by the code that judges a live session.
///
/// Reads `source` twice: once for names, shape and mistakes, once to hand the rows to
/// SessionAnalysis as the blocks in which they were measured. The memory it takes does not grow
/// with the rows, unless the estimator keeps its values, summaries or histograms are asked for, or
/// the rows of a pair stand far apart. Takes its time: not for a thread that has other work.
///
/// An export of benchd gives the numbers of its session to the last bit, as far as the export holds
/// them: several samples of one run are one value there.
///
/// @errors kInvalidArgument: those of MeasurementTableReader ("line 3, column 5: ..."),
/// PlanTable(),
///         SessionAnalysis; a table without any complete pair. Those of `source`.
Result<TableReport> AnalyzeTable(TableSource& source, const TableOptions& options);

}  // namespace benchd
