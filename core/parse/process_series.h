#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"
#include "core/parse/number.h"

namespace benchd {

/// Adds a value to the last process of a series, and keeps the finest step.
void AddToLastProcess(const PrintedNumber& number, ProcessSeries& series);

/// Converts a report to samples of one run, counted across processes.
///
/// @param hint      a hint for the errors: how to produce valid output
/// @param expected  for the error: what a text without values lacks
/// @errors those of HarnessBuilder.
Result<HarnessOutput> OutputOfReport(const ProcessReport& report, std::string_view hint,
                                     std::string_view expected);

}  // namespace benchd
