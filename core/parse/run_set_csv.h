#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/run_set.h"

namespace benchd {

/// Runs as CSV, in one of two forms:
///
/// - a column a run: a line with the runs' names, which may be missing, then a row of values each.
///   A run that is shorter than others ends in empty fields.
/// - a row a value, when the first line has two names of which the first is `run`: the run's name,
///   then the value; rows of one run need not stand together, runs are in order of appearance.
///
/// @errors kInvalidArgument "line 3, column 5: ...": no number, NaN, infinity, an empty field with
///         a value below it, a row with another number of fields, a name twice or none, no values;
///         limits; those of CsvParser.
Result<RunSet> ParseRunsCsv(std::string_view text, const RunSetLimits& limits = {});

}  // namespace benchd
