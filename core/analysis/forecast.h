#pragma once

#include <span>

#include "core/analysis/sequential_design.h"
#include "core/model/comparison.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Adds the expected time to each open gate's verdict and to that of the session: expected blocks
/// by the mean time of a block of that benchmark so far, after what the schedule does before it
/// (schedule/schedule.h).
///
/// Absent before the first block, while the interval is too wide for its margin to tell a number of
/// blocks, and where max_time ends the session before: a time limit is no estimate of a verdict.
/// Once a gate has an interval, the time that is left is given instead (Report::time_left).
///
/// @param outlooks  one for each benchmark of `spec`; their open, blocks and seconds count.
void ForecastVerdict(const SessionSpec& spec, std::span<const BenchmarkOutlook> outlooks,
                     Report& report);

/// Adds to each undecided gate what would decide it, and how much of that: Comparison::forecast.
///
/// None for a gate with a reason or a warning that invalidates it, as more runs do not help there,
/// and none after a regression that ended the session (fail_fast). For sessions, `elapsed`, the
/// verdict and the warnings of the report are needed.
void ForecastGates(const SessionSpec& spec, DataSource source, Report& report);

}  // namespace benchd
