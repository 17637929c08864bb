#pragma once

#include "core/stats/descriptive.h"
#include "core/stats/paired.h"

namespace benchd {

/// Intervals for the mean of one arm by itself (docs/statistics.md, section 12). They are valid for
/// one look at a level; under watching, a look takes the critical t of
/// SequentialBoundary::CriticalT(). Those of a quantile are in order_statistics.h.

/// Returns whether log(mean) exists: the moments are finite, and the mean is within 1e-90 .. 1e90.
bool LogMeanDefined(const Moments& values);

/// Returns whether the mean, the variance and the skewness are finite.
bool MeanDefined(const Moments& values);

/// Estimates centre = log(mean) and the spread of u_i = x_i / mean - 1, for values above 0. Needs
/// LogMeanDefined(). The interval of the mean is exp() of that of SkewedInterval().
///
/// It is EstimateRatio() for a reference that is constantly 1. `kappa` is the adjusted skewness
/// g1 sqrt(n(n-1)) / (n-2), divided by sqrt(n); 0 with fewer than three values. `allowance` is 0.
/// Source: delta method; skewness: P. Hall, J. Roy. Statist. Soc. B 54 (1992) 221-228.
PairedEstimate EstimateLogMean(const Moments& values);

/// Estimates centre = mean and the spread of u_i = x_i - mean, in the unit of the values, for
/// values that may be 0 or negative. Needs MeanDefined().
PairedEstimate EstimateMean(const Moments& values);

/// The least skewness that is assumed above the mean: that of an exponential law.
inline constexpr double kLeastSkewness = 2;

/// Returns the interval of a look at a mean when watching. It is GuardedInterval() with a kappa of
/// at least kLeastSkewness / sqrt(n) for its upper end.
///
/// The skewness of a sample says nothing about slow runs that have not occurred yet. Two arms of
/// one shape have it in common, so that it cancels in their comparison; a single arm has to allow
/// for it until the number of runs makes it unimportant. Without that, log-normal values, or one
/// slow run in ten or twenty, were missed in twice as many sessions as stated (docs/statistics.md
/// section 12).
///
/// @param t  from SequentialBoundary::CriticalT()
Interval SkewedInterval(const PairedEstimate& estimate, double t);

/// Returns whether the steps of a metric affect the statistics of an arm: its standard deviation is
/// below 0.6 steps (as NeedsAllowance() for two arms).
bool NeedsAllowance(const Moments& values, double resolution);

}  // namespace benchd
