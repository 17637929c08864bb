#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// How often the checks of docs/statistics.md section 8 warn, in sessions of 30, 60, 100 and 300
/// pairs with equal means: false alarms if the arms are alike, and power if they are not.
///
/// @return a table with one row for each family and number of pairs; shares have their Monte-Carlo
///         standard error.
/// @errors kInvalidArgument if there is no family of that name.
Result<std::string> CheckReport(const Options& options, Format format);

}  // namespace benchd::validity
