#pragma once

#include <span>

#include "core/analysis/benchmark_groups.h"
#include "core/analysis/sequential_design.h"
#include "core/model/comparison.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Adds the expected time until the verdict to each open gate and to the session. This is the
/// expected number of blocks times the mean time of a block of the benchmark so far. It includes
/// the blocks that the schedule runs before (session/schedule.h).
///
/// The time is absent before the first block, and while the interval is too wide, compared with the
/// margin, to estimate a number of blocks. It is also absent if max_time would end the session
/// earlier, because a time limit is not an estimate of a verdict. Once a gate has an interval, the
/// remaining time is given instead (Report::time_left).
///
/// @param outlooks  one for each benchmark of `spec`; only the fields open, blocks, seconds and
/// busy_seconds are used
/// @param groups    the groups by which the outlooks were made (GroupedOutlooks()): their blocks
/// are counted once
void ForecastVerdict(const SessionSpec& spec, std::span<const BenchmarkOutlook> outlooks,
                     Report& report, const BenchmarkGroups& groups = {});

/// Adds the remedy that would decide a gate, and its amount, to each undecided gate
/// (Comparison::forecast).
///
/// A gate with a reason, or with a warning that invalidates it, does not get a forecast, because
/// more runs would not help. Nor does any gate after a regression that ended the session
/// (fail_fast). For sessions, the report must contain `elapsed`, the verdict and the warnings.
void ForecastGates(const SessionSpec& spec, DataSource source, Report& report);

}  // namespace benchd
