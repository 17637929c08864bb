#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// What `go test -bench` prints (golang.org/design/14313-benchmark-format). Pure; any thread.
///
/// A line `BenchmarkName-8  1000  12.5 ns/op  16 B/op` is one sample of each of its units; with
/// `-count` a benchmark has several. INNER is the benchmark's name as printed, behind its package
/// where the output has several; NAME is the unit as Go's own tools write it: "sec/op", "B/op",
/// "allocs/op", "B/s". Values are SI: seconds, bytes.
///
/// - `Unit UNIT better=higher` says which direction is good, for all lines before and after it. For
///   the four units above it is known; any other has none.
/// - Lines that are no results say nothing: configuration, PASS, ok, and what the program logs.
/// - Resolution: the last decimal printed.
///
/// @errors kInvalidArgument "line 3: ...": a result without its number of iterations or a value, a
///         number that is none, a unit twice in a line, `--- FAIL: Benchmark...`; "no value ...".
Result<HarnessOutput> ParseGoBenchmark(std::string_view text);

}  // namespace benchd
