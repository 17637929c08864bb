#pragma once

#include "daemon/stats/paired_interval.h"

namespace benchd {

enum class MarginDecision { kContinue, kPass, kRegression };

/// One look's word on a gate: pass when the whole interval lies below the threshold, regression
/// when it lies above. Both on the estimate's scale, worse positive.
MarginDecision DecideAgainst(const Interval& interval, double threshold);

/// The threshold of a relative margin on the log scale: log1p(m) where lower is better; for rates,
/// analysed as slowdowns, -log1p(-m), which needs m < 1.
double LowerIsBetterThreshold(double margin);
double RateThreshold(double margin);

}  // namespace benchd
