#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// Change points in series of 60 values whose steps are known: how often one is found without a
/// step, and how often a step is found within two values of where it is.
///
/// @return a table: a row for each law of the values and each level; shares with their
///         Monte-Carlo standard error, the first one with P(as many or more | alpha) as well, by
///         the exact binomial law.
std::string StepReport(const Options& options, Format format);

}  // namespace benchd::validity
