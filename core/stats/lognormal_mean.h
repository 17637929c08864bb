#pragma once

#include "core/base/result.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"

namespace benchd {

/// The ratio of the means of two log-normal arms, on the log scale: what `mean` estimates too, with
/// an interval that knows the long tail. Matters for a spread of the logs of 0.5 and more, or very
/// unequal spreads (docs/statistics.md section 5).
///
/// MOVER: per arm log mean = mu + sigma^2 / 2. The part of the mus takes Welch's t of the logs in
/// place of the published normal quantile, the parts of the sigmas chi-square limits at alpha/2
/// with n - 1 degrees of freedom. The arms count as independent, so pairing saves nothing here:
/// with positively correlated pairs the interval is too long, never too short.
///
/// One look at level alpha; under watching take LevelOfOneLook(). O(1): the state is two Moments.
///
/// @param log_reference  moments of the logarithms of the values, as `log_candidate`.
/// @param alpha          two-sided level in (0, 1).
/// @return the interval is always there; the point alone when neither arm varies.
/// @errors kInvalidArgument if an arm has fewer than two values, a moment is not finite, or `alpha`
///         is out of range.
/// Source: G. Y. Zou, J. Taleban, C. Y. Huo, Environmetrics 20 (2009) 172-180.
Result<OneLook> LognormalMeanRatio(const Moments& log_reference, const Moments& log_candidate,
                                   double alpha);

/// The smallest level at which that interval excludes `hypothesis` by more than `widening` >= 0:
/// for levels below about 0.5, where the limits move with the level; what lies above is only near.
/// Costs some 60 intervals.
///
/// @errors as above.
Result<double> LognormalMeanP(const Moments& log_reference, const Moments& log_candidate,
                              double hypothesis, double widening = 0);

}  // namespace benchd
