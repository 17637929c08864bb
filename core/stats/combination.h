#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/paired.h"

namespace benchd {

/// What one unit of a replicated measurement found: a machine, which was measured as a whole.
struct UnitEffect {
  double value = 0;                      ///< worse positive: a log ratio, or a difference
  std::optional<double> standard_error;  ///< of `value`, by the runs inside the unit; > 0
  double allowance = 0;                  ///< how far the steps of what it read may have moved it
};

/// What k units say together, on the scale of their values.
///
/// Units are drawn at random from those that one wants to know about, so that their number is the
/// sample size, however many runs stand behind each: pooling runs over machines takes the machines'
/// own differences for nothing (docs/statistics.md section 10). Everything here is for a number of
/// units chosen beforehand.
struct Combination {
  std::size_t units = 0;
  double centre = 0;  ///< their mean
  double sd = 0;      ///< between units, divisor k - 1; 0 for one
  /// centre -/+ (t sd / sqrt(k) + the mean of the allowances), k - 1 degrees of freedom; from two
  /// units on. Steps may err to the same side in all units, which do not show that.
  std::optional<Interval> interval;
  /// How far the units themselves differ, beyond what the noise inside them explains: the method of
  /// moments, max(0, sd^2 - mean of the squared standard errors). From two units on, if each has
  /// its error. Source: L. V. Hedges, I. Olkin, Statistical Methods for Meta-Analysis (1985) 9.3.
  std::optional<double> tau_squared;
  /// Where one more unit would find its value: centre -/+ (t sd sqrt(1 + 1/k) + the mean of the
  /// allowances and the largest, for that unit's own), k - 1 degrees of freedom; from three units
  /// on.
  std::optional<Interval> prediction;
  /// Indices, ascending, of units outside the prediction interval of all the others at level
  /// alpha / k; from four units on, so that the others are three.
  std::vector<std::size_t> outliers;
};

/// Fewest units for a verdict, and for a prediction interval.
inline constexpr std::size_t kFewestUnits = 4;
inline constexpr std::size_t kFewestToPredict = 3;

/// @param alpha  two-sided level in (0, 1).
/// @errors kInvalidArgument if there is no unit, `alpha` is outside (0, 1), or a value, an error or
///         an allowance is not finite.
Result<Combination> CombineUnits(std::span<const UnitEffect> units, double alpha);

}  // namespace benchd
