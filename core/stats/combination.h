#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/paired.h"

namespace benchd {

/// The result of one unit of a replicated measurement: a machine, measured as a whole.
struct UnitEffect {
  double value = 0;                      ///< worse is positive: a log ratio, or a difference
  std::optional<double> standard_error;  ///< of `value`, from the runs within the unit; > 0
  double allowance = 0;                  ///< largest shift of `value` by the steps of its metric
};

/// The combined result of k units, on the scale of their values.
///
/// Units are a random sample from the population of interest, so their number is the sample size,
/// however many runs each has. Pooling runs over machines would ignore the differences between the
/// machines (docs/statistics.md section 10). Valid for a number of units chosen beforehand.
struct Combination {
  std::size_t units = 0;
  double centre = 0;  ///< mean of the units
  double sd = 0;      ///< between units, divisor k - 1; 0 for one unit
  /// centre -/+ (t sd / sqrt(k) + the mean of the allowances), k - 1 degrees of freedom; from two
  /// units. Steps may shift all units to the same side, which their spread does not show.
  std::optional<Interval> interval;
  /// Variance between units beyond the noise within them, by the method of moments:
  /// max(0, sd^2 - mean of the squared standard errors). From two units, if each has its error.
  /// Source: L. V. Hedges, I. Olkin, Statistical Methods for Meta-Analysis (1985) 9.3.
  std::optional<double> tau_squared;
  /// Interval for the value of one further unit: centre -/+ (t sd sqrt(1 + 1/k) + the mean of the
  /// allowances, and the largest one for that unit), k - 1 degrees of freedom; from three units.
  std::optional<Interval> prediction;
  /// Indices, ascending, of units outside the prediction interval of all others at level alpha / k;
  /// from four units, so that at least three others remain.
  std::vector<std::size_t> outliers;
};

/// Fewest units for a verdict and for a prediction interval.
inline constexpr std::size_t kFewestUnits = 4;
inline constexpr std::size_t kFewestToPredict = 3;

/// @param alpha  two-sided level in (0, 1).
/// @errors kInvalidArgument if there is no unit, `alpha` is outside (0, 1), or a value, an error or
///         an allowance is not finite.
Result<Combination> CombineUnits(std::span<const UnitEffect> units, double alpha);

}  // namespace benchd
