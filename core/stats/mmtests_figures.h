#pragma once

#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/stats/summary.h"

namespace benchd {

/// The rows that mmtests prints of one operation and one arm; docs/statistics.md section 7.
///
/// In the unit of the values unless said. Where high values are good (rates) the means and the
/// spread are the harmonic ones. What a sample does not have is absent where mmtests prints 0 or
/// NaN.
struct MmtestsFigures {
  double min = 0;
  double max = 0;
  std::optional<double> mean;                // Amean or Hmean
  std::optional<double> standard_deviation;  // Stddev or HStddev
  std::optional<double> variation;           // CoeffVar, a fraction; not for mean 0
  std::optional<double> best_mean;           // BAmean.95 or BHmean.95
  bool operator==(const MmtestsFigures&) const = default;
};

/// @errors kInvalidArgument if there is no value, or one is not finite.
Result<MmtestsFigures> FiguresOf(std::span<const double> values, BestEnd best);

/// How much better `value` is than `reference`, a fraction of the reference: 0.1 for 10 %; negative
/// when it is worse. Nothing when the reference is 0 and the value is not.
///
/// Spreads and coefficients of variation are best low, whatever the metric is.
std::optional<double> Gain(double value, double reference, BestEnd best);

/// mmtests' "normalised" difference: how many half widths of both 95 % bands (1.96 standard
/// deviations, not standard errors) lie between the means; positive when `value` is higher.
///
/// Nothing when a mean or a spread is missing, or when the means differ and neither arm varies:
/// mmtests then gives the plain difference, whose size depends on the unit.
std::optional<double> BandDistance(const MmtestsFigures& value, const MmtestsFigures& reference);

}  // namespace benchd
