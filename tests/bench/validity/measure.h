#pragma once

#include <string>

#include "core/base/result.h"
#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// Reports how often the interval of a single arm (`benchctl measure`) ever missed the true value
/// while it was watched for 1000 runs: of the mean, from the eighth and from the thirtieth run on,
/// of the median and of the 0.9 quantile. Also the runs that a width of 1 % took, and how often the
/// interval then missed the mean.
///
/// The families are those of the comparisons, of which the candidate's law is used, except machines
/// without a lasting mean: `walk`, `trend` and `step`.
///
/// @errors kInvalidArgument for an unknown family
Result<std::string> MeasureReport(const Options& options, Format format);

}  // namespace benchd::validity
