#pragma once

#include <vector>

#include "core/analysis/table_blocks.h"
#include "core/analysis/table_plan.h"
#include "core/analysis/table_report.h"

namespace benchd {

/// Most bins of a histogram: what fits a terminal.
inline constexpr std::size_t kMostTableBins = 40;

/// The summary of every arm in every metric of which it has values. Candidates carry stars against
/// each reference, by Welch's test or by mmtests' bands.
std::vector<ArmSummary> Summaries(const TablePlan& plan, const TableValues& values,
                                  bool mmtests_stars);

/// The arms of each metric over common bins; left out where the range is beyond that of a double.
std::vector<ArmHistogram> Histograms(const TablePlan& plan, const TableValues& values);

/// `--interval classic`: puts that interval, at the level the user states, in the place of change
/// and difference of every comparison; p and verdict stay those of the one look of Welch's test on
/// the log ratio. Where it does not exist, change and difference are absent and a warning
/// `no_classic_interval` says why.
void ApplyClassicIntervals(const TablePlan& plan, const TableValues& values, Report& report);

}  // namespace benchd
