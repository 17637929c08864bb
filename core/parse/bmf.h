#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// The Bencher Metric Format, JSON: {"BENCHMARK": {"MEASURE": {"value": 88.0}}}. Pure; any thread.
///
/// INNER is the benchmark, NAME the measure. The file has neither units nor directions; Bencher
/// itself fixes them for two measures: `latency` is nanoseconds (kept as seconds, lower is better),
/// `throughput` operations a second (higher). Any other gates by `--metric NAME:lower|:higher`.
/// lower_value and upper_value are bounds, no measurements: left out.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a value that is missing or no number, a
///         benchmark or measure twice.
Result<HarnessOutput> ParseBmf(std::string_view text);

}  // namespace benchd
