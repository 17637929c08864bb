#pragma once

#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/stats/descriptive.h"

namespace benchd {

/// The rule for a star in a summary table, which marks a difference from the reference
/// (docs/statistics.md section 7). A star is not a verdict: it has no margin, and is valid for one
/// look at predetermined sample sizes.
enum class StarRule {
  kWelch,    ///< two-sided Welch's test with p < 0.05, as in mmtests' document
  kMmtests,  ///< the bands mean -/+ 1.96 standard deviations do not overlap, as in mmtests' code
};

/// Level of the Welch rule.
inline constexpr double kStarLevel = 0.05;

/// Returns whether `values` get a star against `reference`. Both are arms of independent runs, in
/// the same unit.
///
/// The bands of kMmtests do not shrink with more values, so even an established difference may
/// never get a star. Two different constants get one by either rule (for constants, mmtests' own
/// code requires a difference above 1, whatever the unit). There is no star if an arm has fewer
/// than two values.
///
/// @param best  which values are good; the bands of rates are harmonic. Irrelevant for kWelch.
/// @errors kInvalidArgument if an arm has no value, or a value is not finite.
/// Source: B. L. Welch, Biometrika 34 (1947) 28-35.
Result<bool> HasStar(std::span<const double> values, std::span<const double> reference,
                     BestEnd best, StarRule rule);

/// The rows that mmtests prints for one operation and one arm (docs/statistics.md section 7).
///
/// Members are in the unit of the values unless noted. If high values are good (rates), means and
/// spread are harmonic. Statistics that are undefined or exceed the range of a double are absent;
/// mmtests prints 0, NaN or inf for them.
struct MmtestsFigures {
  double min = 0;
  double max = 0;
  std::optional<double> mean;                // Amean or Hmean
  std::optional<double> standard_deviation;  // Stddev or HStddev
  std::optional<double> variation;           // CoeffVar, a fraction; absent for mean 0
  std::optional<double> best_mean;           // BAmean.95 or BHmean.95
  bool operator==(const MmtestsFigures&) const = default;
};

/// Computes the rows for one arm.
///
/// @errors kInvalidArgument if there is no value, or a value is not finite.
Result<MmtestsFigures> FiguresOf(std::span<const double> values, BestEnd best);

/// Returns how much better `value` is than `reference`, as a fraction of the reference (0.1 for
/// 10 %); negative if it is worse. Returns std::nullopt if the reference is 0 and the value is not,
/// or if the share exceeds the range of a double.
///
/// For spreads and coefficients of variation, pass BestEnd::kLowest, whatever the metric is.
std::optional<double> Gain(double value, double reference, BestEnd best);

/// Returns mmtests' "normalised" difference: the distance between the means in half widths of both
/// 95 % bands (1.96 standard deviations, not standard errors). It is positive if `value` is higher.
///
/// Returns std::nullopt if a mean or a spread is missing, or if the means differ and neither arm
/// varies. In the last case, mmtests prints the plain difference, whose size depends on the unit.
std::optional<double> BandDistance(const MmtestsFigures& value, const MmtestsFigures& reference);

}  // namespace benchd
