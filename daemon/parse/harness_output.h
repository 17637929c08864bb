#pragma once

#include <string_view>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/model/metric.h"
#include "daemon/model/run.h"

namespace benchd {

/// What a harness printed in one run.
struct HarnessOutput {
  std::vector<Sample> samples;      ///< in order of appearance
  std::vector<MetricInfo> metrics;  ///< one for each metric name, in order of appearance
  bool operator==(const HarnessOutput&) const = default;
};

/// True for the formats that ParseHarnessOutput takes ("lines").
bool IsHarnessFormat(std::string_view format);

/// Turns a run's stdout into samples. Pure; runs in benchd-helper with the caller's ids, never in
/// the daemon.
///
/// `lines`: one `[ITERATION] [SAMPLE] NAME VALUE [UNIT]` a line, empty lines and lines starting with
/// `#` skipped; `#! prefer=lower|higher unit=U` holds for all following lines. The same NAME twice
/// without an iteration number is an error. Resolution: the last decimal printed, the smallest over
/// the run.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected: no number, NaN, infinity, a name
///         twice, invalid UTF-8, a line over 64 KiB, no value at all; kUnimplemented for a format
///         of the contract that is not offered yet.
Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text);

}  // namespace benchd
