#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// What pytest-benchmark writes by `--benchmark-json`. Pure; any thread.
///
/// INNER is the test's full name ("bench_x.py::test_parse[10]"), NAME is time (seconds, lower is
/// better): each round of `stats.data` where the file has them, else `stats.mean`.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a round that is no number, neither rounds nor a
///         mean, a test twice.
Result<HarnessOutput> ParsePytestBenchmark(std::string_view text);

}  // namespace benchd
