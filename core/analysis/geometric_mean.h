#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/model/comparison.h"
#include "core/model/findings.h"

namespace benchd {

/// One for each candidate, reference and metric that gates in two benchmarks or more, in order of
/// appearance.
///
/// The interval holds as the verdict does (docs/statistics.md section 6): of one look at means it
/// is that of the mean of independent log ratios, by their standard errors, widened by the mean of
/// what the metric's steps add to theirs; else its ends are the means of the benchmarks' own ends,
/// which hold together, whenever one looks. It has none while a benchmark has none.
///
/// @param comparisons  of one report, all of its gates among them: they share alpha
std::vector<SuiteChange> ChangesOverBenchmarks(std::span<const Comparison> comparisons);

/// The standard error of a gate's estimate on the scale that decides: of the log ratio, or of the
/// difference in the metric's unit. Nothing for estimators other than the mean, and where an arm
/// shows no spread.
std::optional<double> StandardErrorOf(const Comparison& gate);

}  // namespace benchd
