#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/parse/run_set.h"

namespace benchd {

/// Runs as JSON: an array with an array of numbers for each run, or JMH's own result
/// (`-rf json`), an array with an object for each benchmark, whose
/// `primaryMetric.rawData[fork][iteration]` are its runs; the name is the benchmark's, with its
/// parameters behind a colon.
///
/// @errors kInvalidArgument "line 3: ...": what is no JSON, what is neither form, a value that is
///         no number or not finite (JMH writes "NaN"), those of ReadJmh(); limits.
Result<std::vector<RunSet>> ParseRunsJson(std::string_view text, const RunSetLimits& limits = {});

}  // namespace benchd
