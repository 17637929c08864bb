#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/paired.h"

namespace benchd {

/// The result of one unit of a replicated measurement. A unit is a machine, measured as a whole.
struct UnitEffect {
  double value = 0;                      ///< a log ratio or a difference; worse is positive
  std::optional<double> standard_error;  ///< of `value`, from the runs within the unit; > 0
  double allowance = 0;                  ///< largest shift of `value` that the metric's steps cause
};

/// The combined result of k units, on the scale of their values.
///
/// Units are a random sample from the population of interest, so the sample size is their number,
/// however many runs each unit has. Pooling the runs of all machines would ignore the differences
/// between machines (docs/statistics.md section 10). The result is valid if the number of units was
/// chosen beforehand.
struct Combination {
  std::size_t units = 0;
  double centre = 0;  ///< mean of the units
  double sd = 0;      ///< between units, divisor k - 1; 0 for one unit
  /// centre -/+ (t sd / sqrt(k) + the mean of the allowances), k - 1 degrees of freedom. Needs two
  /// units. The allowances are added because steps may shift all units to the same side, which does
  /// not show in their spread.
  std::optional<Interval> interval;
  /// Variance between units beyond the noise within them, by the method of moments:
  /// max(0, sd^2 - mean of the squared standard errors). Needs two units, each with a standard
  /// error.
  /// Source: L. V. Hedges, I. Olkin, Statistical Methods for Meta-Analysis (1985) 9.3.
  std::optional<double> tau_squared;
  /// Interval for the value of one further unit: centre -/+ (t sd sqrt(1 + 1/k) + the mean of the
  /// allowances + the largest allowance), k - 1 degrees of freedom. Needs three units.
  std::optional<Interval> prediction;
  /// Indices, ascending, of units that lie outside the prediction interval of all others at level
  /// alpha / k. Needs four units, so that at least three others remain.
  std::vector<std::size_t> outliers;
};

/// The minimum number of units for a verdict, and for a prediction interval.
inline constexpr std::size_t kFewestUnits = 4;
inline constexpr std::size_t kFewestToPredict = 3;

/// Combines the results of the units.
///
/// @param alpha  two-sided level in (0, 1).
/// @errors kInvalidArgument if there is no unit, `alpha` is outside (0, 1), or a value, an error or
///         an allowance is not finite.
Result<Combination> CombineUnits(std::span<const UnitEffect> units, double alpha);

}  // namespace benchd
