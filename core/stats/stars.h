#pragma once

#include <span>

#include "core/base/result.h"
#include "core/stats/summary.h"

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

}  // namespace benchd
