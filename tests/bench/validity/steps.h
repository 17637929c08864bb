#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// Change points in series of 60 values with known steps: how often one is found without a step,
/// and how often a step is found within two values of its position.
///
/// @return a table with one row for each law of the values and each level; shares have their
///         Monte-Carlo standard error, and the first also P(as many or more | alpha), by the exact
///         binomial law.
std::string StepReport(const Options& options, Format format);

}  // namespace benchd::validity
