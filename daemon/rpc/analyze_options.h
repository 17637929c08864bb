#pragma once

#include "core/analysis/table_plan.h"
#include "core/analysis/table_report.h"
#include "core/base/result.h"

namespace benchd::v1 {
class AnalyzeOptions;
class AnalyzeResponse;
}  // namespace benchd::v1

namespace benchd::rpc {

/// What a client wants to know of a table. As FromProto(SessionSpec), checks only what the wire can
/// say wrong; the rest is PlanTable()'s matter.
///
/// @errors kInvalidArgument with the field's path first ("spec.method: ...", "columns[0].better:
///         ...").
Result<TableOptions> FromProto(const v1::AnalyzeOptions& proto);

/// `verdict` is that of a session that is done; without gates it has none.
void ToProto(const TableReport& report, v1::AnalyzeResponse* to);

}  // namespace benchd::rpc
