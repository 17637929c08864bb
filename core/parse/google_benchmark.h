#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// What Google Benchmark prints by `--benchmark_format=json`. Pure; any thread.
///
/// INNER is the benchmark's name; NAME is real_time and cpu_time (seconds an iteration, lower is
/// better), items_per_second and bytes_per_second (higher), and each user counter under its own
/// name: without unit and direction, because the JSON tells neither. Repetitions are the samples of
/// a run. Aggregates (mean, median, BigO...) are computed from them and left out.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a benchmark that failed (error_occurred), a
///         time that is missing or no number, an unknown time unit, a repetition twice; nothing but
///         aggregates.
Result<HarnessOutput> ParseGoogleBenchmark(std::string_view text);

}  // namespace benchd
