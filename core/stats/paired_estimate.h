#pragma once

#include <cstdint>
#include <limits>

#include "core/stats/paired_moments.h"

namespace benchd {

/// What n pairs say about the candidate against the reference, ready for an interval or a p-value.
///
/// Worse is positive. `centre` is log(mean_c / mean_b) for ratios, the mean difference for absolute
/// margins; the other lengths are on the same scale.
struct PairedEstimate {
  std::uint64_t n = 0;
  double centre = 0;
  double se = 0;        ///< standard error of `centre`; 0 when the pairs do not vary
  double kappa = 0;     ///< skewness of u over sqrt(n), without unit; 0 with fewer than three pairs
  double widening = 0;  ///< what the metric's resolution adds to each side

  /// The same with the arms swapped.
  PairedEstimate Mirrored() const;
};

/// How much of its two parts a spread must exceed to be more than their rounding: 64 eps.
inline constexpr double kRoundingFactor = 64 * std::numeric_limits<double>::epsilon();

/// True when there is a pair and no moment has left the range of a double.
bool DifferenceDefined(const CentredMoments& moments);

/// What a mean must be for ratios and their powers to keep all digits: within 1e-90 .. 1e90.
bool InRatioRange(double mean);

/// True when log(mean_c / mean_b) exists: as above, and both means > 0 (within 1e-90 .. 1e90, so
/// that the cubes of the deviations keep their digits).
bool RatioDefined(const CentredMoments& moments);

/// centre = log(mean_c / mean_b), u_i = c_i / mean_c - b_i / mean_b; needs RatioDefined().
///
/// The spread of u counts as none (se = kappa = 0) when it is within rounding of its two parts:
/// sum(u^2) <= kRoundingFactor (s_bb / mean_b^2 + s_cc / mean_c^2).
/// Source: delta method; skewness: P. Hall, J. Roy. Statist. Soc. B 54 (1992) 221-228.
PairedEstimate EstimateRatio(const CentredMoments& moments);

/// centre = mean(c - b), u_i = d_i - mean(d): the same for absolute margins, in the values' unit;
/// needs DifferenceDefined().
PairedEstimate EstimateDifference(const CentredMoments& moments);

/// Whether the steps of a metric show in its values: the smaller standard deviation is < 0.6 steps.
///
/// `raw` are the values as measured (not their inverses), `resolution` is the step in their unit.
bool NeedsWidening(const CentredMoments& raw, double resolution);
bool NeedsWidening(double raw_sd_b, double raw_sd_c, double resolution);

/// What to add to each end of the log ratio (q/mean_b + q/mean_c) or of the difference (2q).
double RatioWidening(const CentredMoments& raw, double resolution);
double RatioWidening(double raw_mean_b, double raw_mean_c, double resolution);
double DifferenceWidening(double resolution);

}  // namespace benchd
