#pragma once

#include <string>
#include <string_view>

#include "client/app/arguments.h"
#include "client/app/exit_code.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

/// Reads the options of `analyze`. Pure.
///
/// The --metric options after a `--benchmark NAME` apply only to that benchmark.
///
/// @errors (exit 2) those of BuildTableSpec() and ParseColumn(); --base with --references, an empty
///         name, text that is not UTF-8, a column that is described twice, a benchmark that is
///         given twice or has no metric.
Result<benchd::TableOptions> ReadTableOptions(const ParsedArguments& arguments);

/// Parses `--column NAME:ATTR[,ATTR...]`. ATTR is lower, higher, unit=U or step=Q (the smallest
/// step of the values, in that unit), each at most once.
///
/// As in --metric, attributes are recognised from the right: `BM_X/threads:2:lower` refers to the
/// column BM_X/threads:2. A unit cannot contain a comma or a colon before an ATTR.
///
/// @errors a missing name; a missing, unknown or repeated ATTR; a step that is not a number above
///         zero.
Result<TableColumn> ParseColumn(std::string_view text);

/// Formats a column for ParseColumn(). Leaves out a unit that cannot be written. Empty without
/// attributes.
std::string FormatColumn(const TableColumn& column);

}  // namespace benchd::client
