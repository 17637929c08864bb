#pragma once

#include "core/stats/paired_estimate.h"

namespace benchd {

/// lo <= hi, on the scale of what it came from; an end may be infinite when the data say so little.
struct Interval {
  double lo = 0;
  double hi = 0;
  bool operator==(const Interval&) const = default;
};

/// Multiples of the standard error below and above the estimate.
struct CriticalValues {
  double low = 0;
  double high = 0;
};

/// The skewness guard: a t interval alone is too short on the side of a long tail, so each side
/// takes the larger of t and the inverse Hall transform of t. Never narrower than the t interval.
///
/// @param kappa  PairedEstimate::kappa.
/// @param t      critical value > 0 of the t interval.
/// Source: P. Hall, J. Roy. Statist. Soc. B 54 (1992) 221-228.
CriticalValues GuardAgainstSkewness(double kappa, double t);

/// The interval of a look under watching: guarded, widened by the resolution; `t` from
/// SequentialBoundary::CriticalT().
Interval GuardedInterval(const PairedEstimate& estimate, double t);

/// The textbook interval for ONE look at a number of pairs chosen beforehand: no guard, still
/// widened by the resolution; `t` from FixedCriticalT().
Interval PlainInterval(const PairedEstimate& estimate, double t);

/// The t of that one look: n - 1 degrees of freedom, upper tail probability alpha / 2; n >= 2.
double FixedCriticalT(double alpha, std::uint64_t n);

/// From the log scale to relative changes: expm1 of both ends.
Interval ToChange(const Interval& log_ratio);

/// The interval of the negated quantity: ends swapped, signs turned.
Interval Mirror(const Interval& interval);

}  // namespace benchd
