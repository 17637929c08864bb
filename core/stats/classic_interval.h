#pragma once

#include "core/base/result.h"
#include "core/stats/paired_interval.h"
#include "core/stats/welch.h"

namespace benchd {

/// The interval of the tools before this one: Welch's for the difference of the means, divided by
/// the base's mean as if that were known.
struct ClassicInterval {
  WelchEstimate difference;  ///< candidate - base, in the unit of the values
  Interval difference_interval;
  double change = 0;  ///< relative to the base's mean; a negative base turns the sign
  Interval change_interval;
};

/// For `analyze --interval classic` only: covers 90.6 % instead of 95 % at a ratio of 1.5, for any
/// n, because the base's own error is left out. ONE look at sizes chosen beforehand.
///
/// Unlike its model it answers when one arm or both do not vary, and orders the ends of a negative
/// base (docs/statistics.md section 5).
///
/// @param alpha  two-sided level in (0, 1), such as 0.001.
/// @errors kInvalidArgument if `alpha` is outside (0, 1), an arm has fewer than two values, a
///         moment is not finite, or the base's mean is 0.
/// Source: B. L. Welch, Biometrika 34 (1947) 28-35.
Result<ClassicInterval> ClassicWelchInterval(const Moments& base, const Moments& candidate,
                                             double alpha);

}  // namespace benchd
