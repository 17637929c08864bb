#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/model/comparison.h"
#include "core/model/findings.h"

namespace benchd {

/// Returns the mean change for each candidate, reference and metric that gates in two or more
/// benchmarks, in order of appearance.
///
/// The interval is valid in the same sense as the verdict (docs/statistics.md section 6). After one
/// look at means, it is the interval of the mean of independent log ratios, from their standard
/// errors, widened by the mean of the allowances for the metric's steps. Otherwise its ends are the
/// means of the ends of the benchmarks' intervals, which are jointly valid at all looks. There is
/// no interval if a benchmark lacks one.
///
/// @param comparisons  the comparisons of one report, including all of its gates, because they
/// share alpha
std::vector<SuiteChange> ChangesOverBenchmarks(std::span<const Comparison> comparisons);

/// Returns the standard error of a gate's estimate on the scale that decides: of the log ratio, or
/// of the difference in the metric's unit. Returns nothing for estimators other than the mean, and
/// if the spread of an arm is 0.
std::optional<double> StandardErrorOf(const Comparison& gate);

}  // namespace benchd
