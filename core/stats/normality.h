#pragma once

#include <optional>
#include <span>

namespace benchd {

/// The distance of a sample from the normal distribution with its own mean and standard deviation.
struct AndersonDarling {
  double statistic = 0;  ///< A^2 (1 + 0.75/n + 2.25/n^2), for estimated parameters
  double p = 1;          ///< P(as far or further) for normal values, in (0, 1]
  bool operator==(const AndersonDarling&) const = default;
};

/// Tests whether values come from a normal distribution with unknown mean and variance. Of the
/// common tests of normality, it is among the best at seeing the long tails that invalidate a
/// log-normal model: it weights the tails by 1 / (F (1 - F)).
///
/// p follows the published approximation. At a nominal 0.1 %, samples of 30 to 1000 normal values
/// exceeded it in 0.08 to 0.11 % (docs/statistics.md section 8).
///
/// @param sorted  ascending, finite.
/// @return std::nullopt for fewer than eight values, or if they do not vary.
/// Source: T. W. Anderson, D. A. Darling, Annals of Mathematical Statistics 23 (1952) 193-212; the
///         correction and p: R. B. D'Agostino, M. A. Stephens, Goodness-of-Fit Techniques, Marcel
///         Dekker (1986), section 4.8.5 and table 4.9.
std::optional<AndersonDarling> TestNormality(std::span<const double> sorted);

/// Spreads equal values evenly over the step to which they were rounded, from half a step below to
/// half a step above, so that a continuous distribution can be tested. Values that occur once do
/// not change.
///
/// @param sorted      ascending; remains so if `resolution` is the distance between values.
/// @param resolution  the step of the values; nothing changes for 0.
void SpreadTies(std::span<double> sorted, double resolution);

}  // namespace benchd
