#pragma once

#include "core/stats/paired_interval.h"

namespace benchd {

enum class MarginDecision { kContinue, kPass, kRegression };

/// One look's word on a gate: pass when the whole interval lies below the threshold, regression
/// when it lies above. Both on the estimate's scale, worse positive.
MarginDecision DecideAgainst(const Interval& interval, double threshold);

/// What the rule `precision` says at a look: go on while the interval is too wide, then stop with a
/// verdict that may be "undecided".
enum class PrecisionDecision { kContinue, kPass, kRegression, kUndecided };

/// One look under that rule (docs/statistics.md section 4).
///
/// @param interval   on the estimate's scale, as for DecideAgainst().
/// @param shown      the same as reported: relative changes, or differences in the metric's unit.
/// @param width      the wanted hi - lo of `shown`; an end that is infinite or NaN means go on.
PrecisionDecision DecideByWidth(const Interval& interval, double threshold, const Interval& shown,
                                double width);

/// The threshold of a relative margin on the log scale: log1p(m) where lower is better; for rates,
/// analysed as slowdowns, -log1p(-m), which needs m < 1.
double LowerIsBetterThreshold(double margin);
double RateThreshold(double margin);

}  // namespace benchd
