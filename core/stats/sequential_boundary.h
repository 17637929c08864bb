#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace benchd {

/// The boundary that an estimate must cross to count, at every look of a watched comparison.
///
/// All critical values are on the normal scale: at a look with n pairs the interval is
/// estimate -/+ se * t, where t has the upper tail probability Q(ZAt(n)) under Student's law with
/// n - 1 degrees of freedom. The chance that any look's interval ever misses the truth is `alpha`.
///
/// A small stateless value type. One boundary serves all comparisons at one level. The *crossing
/// statistic* of a finding is the root of the boundary that it just reaches. It makes looks at
/// different n comparable: the always-valid p is PValue() of the largest so far.
class SequentialBoundary {
 public:
  /// Delayed-start Robbins boundary: z_n = sqrt(a^2 + ln(n/n0)), without a horizon.
  ///
  /// @param alpha       two-sided level in [1e-300, 1); for one-sided use pass twice the level.
  /// @param first_look  n0, at least 2.
  /// @errors kInvalidArgument outside these ranges.
  /// Source: H. Robbins, Annals of Mathematical Statistics 41 (1970) 1397-1409; delayed start:
  ///         A. Bibaut, N. Kallus, M. Lindon, arXiv:2212.14411.
  static Result<SequentialBoundary> Robbins(double alpha, std::uint64_t first_look);

  /// Constant boundary z_n = c for n0 <= n <= horizon: tighter, but invalid beyond the horizon.
  ///
  /// @param alpha    as above, at most kLargestHorizonAlpha, beyond which there is no such c.
  /// @param horizon  at least `first_look`.
  /// @errors kInvalidArgument outside these ranges.
  /// Source: D. Siegmund, Sequential Analysis, Springer (1985).
  static Result<SequentialBoundary> Horizon(double alpha, std::uint64_t first_look,
                                            std::uint64_t horizon);

  std::uint64_t first_look() const { return first_look_; }
  /// a or c: the crossing statistic that a finding needs at this level.
  double root() const { return root_; }

  /// z_n; n >= first_look().
  double ZAt(std::uint64_t n) const { return ZForCrossing(root_, n); }
  /// The t for n pairs: n - 1 degrees of freedom, upper tail probability Q(ZAt(n)).
  double CriticalT(std::uint64_t n) const;

  /// The crossing statistic of a finding of `z` >= 0 at n, and its inverse.
  double CrossingAt(double z, double information) const;
  double ZForCrossing(double crossing, std::uint64_t n) const;

  /// The same if information does not come in whole pairs. `information`, the time of sequential
  /// analysis, is the equivalent number of pairs (WelchEstimate::information), and `dof` belongs to
  /// its law. A value that rounding has put below first_look() counts as first_look().
  double ZAtInformation(double information) const { return ZForCrossingAt(root_, information); }
  double CriticalTAtInformation(double information, double dof) const;
  double ZForCrossingAt(double crossing, double information) const;

  /// The smallest two-sided level at which `crossing` would have sufficed, in [0, 1].
  double PValue(double crossing) const;

 private:
  enum class Shape { kRobbins, kHorizon };
  SequentialBoundary(Shape shape, std::uint64_t first_look, double log_ratio);
  // ln(information / first_look), at least 0.
  double LogElapsed(double information) const;

  Shape shape_;
  std::uint64_t first_look_;
  double log_ratio_;  // ln(horizon / first_look)
  double root_ = 0;
};

/// Largest two-sided level of a horizon boundary.
inline constexpr double kLargestHorizonAlpha = 0.34;

/// The a >= 0 with 2 (Q(a) + a phi(a)) = alpha, for alpha in [1e-300, 1).
///
/// @errors kInvalidArgument outside that range.
Result<double> RobbinsRoot(double alpha);

/// 2 (Q(a) + a phi(a)): the level of the Robbins boundary with root a >= 0.
double RobbinsLevel(double a);

/// The root c > 1.5 of (c - 1/c) phi(c) ln(ratio) + 4 phi(c) / c = alpha; ratio = horizon/n0 >= 1.
///
/// @errors kInvalidArgument for alpha outside [1e-300, kLargestHorizonAlpha] or ratio outside
///         [1, 1e12].
Result<double> HorizonRoot(double alpha, double ratio);

/// The left side of that equation, at most 1, and 1 for c < 1.5 where it has no meaning.
double HorizonLevel(double c, double log_ratio);

}  // namespace benchd
