#pragma once

#include <string>
#include <string_view>

#include "client/app/arguments.h"
#include "client/app/exit_code.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

/// What the options of `analyze` ask of a table. Pure.
///
/// The --metric options behind a `--benchmark NAME` are that benchmark's alone.
///
/// @errors (exit 2) those of BuildTableSpec() and ParseColumn(); --base with --references, an empty
///         name, text that is not UTF-8, a column that is described twice, a benchmark without a
///         metric, unknown words.
Result<benchd::TableOptions> ReadTableOptions(const ParsedArguments& arguments);

/// What `--column NAME:ATTR[,ATTR...]` says: ATTR is lower, higher, unit=U or step=Q (the smallest
/// step of its values, in that unit), each at most once.
///
/// The suffix is recognised from the right, as in --metric: `BM_X/threads:2:lower` is about a
/// column BM_X/threads:2. A unit with a comma or a colon before an ATTR cannot be written.
///
/// @errors no name, no ATTR, an unknown one, one twice, a step that is no number above zero.
Result<TableColumn> ParseColumn(std::string_view text);

/// The text that ParseColumn reads as `column`; a unit that cannot be written is left out. Empty
/// when there is nothing to say besides the name.
std::string FormatColumn(const TableColumn& column);

}  // namespace benchd::client
