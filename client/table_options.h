#pragma once

#include "client/arguments.h"
#include "client/outcome.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

/// What the options of `analyze` ask of a table. Pure.
///
/// @errors (exit 2) those of BuildTableSpec() and ParseColumn(); --base with --references, an empty
///         name, text that is not UTF-8, a column that is described twice, unknown words.
Outcome<benchd::TableOptions> ReadTableOptions(const ParsedArguments& arguments);

}  // namespace benchd::client
