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

/// Whether ParseHarnessOutput takes that format; asked at submit, before anything runs.
///
/// @errors kInvalidArgument "parse: 'xml' is not a known format; known: lines"; kUnimplemented
///         "parse: go is not offered yet" for one of the contract that is still to come.
Result<void> CheckHarnessFormat(std::string_view format);

/// Turns a run's stdout into samples. Pure; runs in benchd-helper with the caller's ids, never in
/// the daemon.
///
/// `lines`: see lines.h.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected: no number, NaN, infinity, a
///         name twice, invalid UTF-8, a line over 64 KiB, no value at all; those of
///         CheckHarnessFormat.
Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text);

}  // namespace benchd
