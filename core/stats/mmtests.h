#pragma once

#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/stats/descriptive.h"

namespace benchd {

/// When a difference from the reference gets a star in a summary table; section 7 of
/// docs/statistics.md. A star is no verdict: it knows no margin, and holds for one look at sample
/// sizes chosen beforehand.
enum class StarRule {
  kWelch,    ///< Welch's test, two-sided, p < 0.05: what mmtests' document says
  kMmtests,  ///< the bands mean -/+ 1.96 standard deviations lie apart: what mmtests' code does
};

/// Level of the Welch rule.
inline constexpr double kStarLevel = 0.05;

/// Whether `values` get a star against `reference`; arms of independent runs, in the same unit.
///
/// The bands of kMmtests do not shrink with more values, so even a sure difference may never get
/// its star. Two constants that differ get it by either rule (mmtests' own code asks for a
/// difference above 1 there, in whatever unit). Fewer than two values in an arm: never a star.
///
/// @param best  which values are good: the bands of rates are harmonic; no matter for kWelch.
/// @errors kInvalidArgument if an arm has no value, or one is not finite.
/// Source: B. L. Welch, Biometrika 34 (1947) 28-35.
Result<bool> HasStar(std::span<const double> values, std::span<const double> reference,
                     BestEnd best, StarRule rule);

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
