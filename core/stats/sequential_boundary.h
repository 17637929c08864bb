#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace benchd {

/// The boundary that an estimate must cross at a look of a watched comparison to be significant.
///
/// All critical values are on the normal scale: at a look with n pairs the interval is
/// estimate -/+ se * t, where t has the upper tail probability Q(ZAt(n)) under Student's law with
/// n - 1 degrees of freedom. The probability that the interval of any look misses the truth is
/// `alpha`.
///
/// One boundary serves all comparisons at the same level. The *crossing statistic* of a finding is
/// the root of the boundary that the finding just reaches. It makes looks at different n
/// comparable: the always-valid p is PValue() of the largest crossing statistic so far.
class SequentialBoundary {
 public:
  /// Makes a delayed-start Robbins boundary, z_n = sqrt(a^2 + ln(n/n0)), which has no horizon.
  ///
  /// @param alpha       two-sided level in [1e-300, 1); for one-sided use pass twice the level.
  /// @param first_look  n0, at least 2.
  /// @errors kInvalidArgument if an argument is outside its range.
  /// Source: H. Robbins, Annals of Mathematical Statistics 41 (1970) 1397-1409; delayed start:
  ///         A. Bibaut, N. Kallus, M. Lindon, arXiv:2212.14411.
  static Result<SequentialBoundary> Robbins(double alpha, std::uint64_t first_look);

  /// Makes a constant boundary, z_n = c for n0 <= n <= horizon. It is tighter, but invalid beyond
  /// the horizon.
  ///
  /// @param alpha    as for Robbins(), but at most kLargestHorizonAlpha; no c exists beyond that.
  /// @param horizon  at least `first_look`.
  /// @errors kInvalidArgument if an argument is outside its range.
  /// Source: D. Siegmund, Sequential Analysis, Springer (1985).
  static Result<SequentialBoundary> Horizon(double alpha, std::uint64_t first_look,
                                            std::uint64_t horizon);

  std::uint64_t first_look() const { return first_look_; }
  /// Returns a or c: the crossing statistic that a finding needs at this level.
  double root() const { return root_; }

  /// Returns z_n for n >= first_look().
  double ZAt(std::uint64_t n) const { return ZForCrossing(root_, n); }
  /// Returns the critical t for n pairs: n - 1 degrees of freedom, upper tail probability
  /// Q(ZAt(n)).
  double CriticalT(std::uint64_t n) const;

  /// Converts `z` >= 0 at n to its crossing statistic, and back.
  double CrossingAt(double z, double information) const;
  double ZForCrossing(double crossing, std::uint64_t n) const;

  /// Variants of ZAt() and CriticalT() for a number of pairs that need not be an integer:
  /// `information` is the equivalent number of pairs (WelchEstimate::information), and `dof` are
  /// the degrees of freedom of t. A value that rounding has put below first_look() counts as
  /// first_look().
  double ZAtInformation(double information) const { return ZForCrossingAt(root_, information); }
  double CriticalTAtInformation(double information, double dof) const;
  double ZForCrossingAt(double crossing, double information) const;

  /// Returns the smallest two-sided level in [0, 1] at which `crossing` would have sufficed.
  double PValue(double crossing) const;

 private:
  enum class Shape { kRobbins, kHorizon };
  SequentialBoundary(Shape shape, std::uint64_t first_look, double log_ratio);
  // Returns ln(information / first_look), at least 0.
  double LogElapsed(double information) const;

  Shape shape_;
  std::uint64_t first_look_;
  double log_ratio_;  // ln(horizon / first_look)
  double root_ = 0;
};

/// The largest two-sided level for which a horizon boundary exists.
inline constexpr double kLargestHorizonAlpha = 0.34;

/// Returns the a >= 0 with 2 (Q(a) + a phi(a)) = alpha, for alpha in [1e-300, 1).
///
/// @errors kInvalidArgument if alpha is outside that range.
Result<double> RobbinsRoot(double alpha);

/// Returns the level of the Robbins boundary with root a >= 0: 2 (Q(a) + a phi(a)).
double RobbinsLevel(double a);

/// Returns the root c > 1.5 of (c - 1/c) phi(c) ln(ratio) + 4 phi(c) / c = alpha, where the ratio
/// is horizon/n0 >= 1.
///
/// @errors kInvalidArgument for alpha outside [1e-300, kLargestHorizonAlpha] or ratio outside
///         [1, 1e12].
Result<double> HorizonRoot(double alpha, double ratio);

/// Returns the left side of the equation of HorizonRoot(), at most 1. For c < 1.5, where that side
/// has no meaning, returns 1.
double HorizonLevel(double c, double log_ratio);

}  // namespace benchd
