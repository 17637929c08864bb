#pragma once

#include <span>

#include "core/model/comparison.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Adds the expected time to each open gate's verdict and to that of the session: expected blocks
/// by the mean time of a block of that benchmark so far, after what the schedule does before it
/// (schedule/next_benchmark.h).
///
/// Absent before the first block, while the interval is too wide for its margin to tell a number of
/// blocks, and where max_time ends the session before: a time limit is no estimate of a verdict.
///
/// @param outlooks  one for each benchmark of `spec`; their open, blocks and seconds count.
void Forecast(const SessionSpec& spec, std::span<const BenchmarkOutlook> outlooks, Report& report);

}  // namespace benchd
