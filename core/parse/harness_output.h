#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/run.h"

namespace benchd {

/// What a harness printed in one run.
struct HarnessOutput {
  std::vector<Sample> samples;  ///< in order of appearance
  /// One for each metric, in order of appearance. `name` is what users read and write: NAME, or
  /// INNER/NAME, because a unit and a resolution may be one benchmark's alone.
  std::vector<MetricInfo> metrics;
  bool operator==(const HarnessOutput&) const = default;
};

/// Whether ParseHarnessOutput takes that format; asked at submit, before anything runs.
///
/// @errors kInvalidArgument "parse: 'xml' is not a known format; known: lines, ...".
Result<void> CheckHarnessFormat(std::string_view format);

/// Turns a run's stdout into samples. Pure; runs in benchd-helper with the caller's ids, never in
/// the daemon.
///
/// Each format has a header of its own that says what becomes of it: lines.h, google_benchmark.h,
/// hyperfine.h, go_benchmark.h, jmh.h, pytest_benchmark.h, bmf.h, mmtests.h. For all of them:
/// values in SI units where there is one, the direction where it is known, names of a bounded
/// length, kMaxSamples of harness_builder.h.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected: no number, NaN, infinity, a
///         name twice, invalid UTF-8, nesting too deep, no value at all; those of
///         CheckHarnessFormat.
Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text);

}  // namespace benchd
