#pragma once

#include <cstdint>
#include <optional>

#include "core/stats/paired.h"

namespace benchd {

/// Looks at fewer pairs than a boundary needs, which only show that one arm takes a multiple of the
/// other's value. They are one-sided t-tests of c - 1.5 b and of b - 1.5 c, which are exact for
/// jointly normal pairs (docs/statistics.md section 6).
///
/// Each look has a share of the level of all early looks. The p-value of a look, divided by its
/// share, is at most x with probability x for all looks together.

/// The numbers of pairs of the first and the last early look.
inline constexpr std::uint64_t kFirstEarlyLook = 3;
inline constexpr std::uint64_t kLastEarlyLook = 7;

/// The ratio that the tests exclude.
inline constexpr double kMultiple = 1.5;
/// kMultiple on the log scale.
inline constexpr double kLogMultiple = 0.405465108108164381978;

/// The share of a gate's level that the early looks have. The boundary has the rest.
inline constexpr double kShareOfEarlyLooks = 1.0 / 20;

/// Returns the share of the early looks' level that the look at n pairs has, if the first of them
/// is at `first` pairs. The shares add up to 1 over n from `first` to kLastEarlyLook.
///
/// Most of the level belongs to four and five pairs: with three, Student's law needs a spread below
/// 1 %, and with six or seven little is saved. Dependence between the pairs also does more harm the
/// more pairs there are.
double ShareOfEarlyLook(std::uint64_t n, std::uint64_t first);

/// Returns the critical t of the look at n pairs.
///
/// @param level  the one-sided level of all early looks
double EarlyCriticalT(double level, std::uint64_t n, std::uint64_t first);

/// The one-sided p-values of one early look.
struct MultipleTest {
  double slower = 1;  ///< of "the ratio is at most 1.5"
  double faster = 1;  ///< of "the ratio is at least 1/1.5"
};

/// Tests the two multiples with n >= 2 pairs.
///
/// The metric's step counts as in the other intervals: if an arm varies by less than 0.6 steps, the
/// numerator is reduced by a step of each mean. In addition, each arm always has a spread of 0.6
/// steps beside its own, because three equal values occur by chance. Without any spread there is no
/// test, and both p-values are 1.
///
/// @param raw         moments of the values as measured; needs RatioDefined()
/// @param analysed    the same moments, or those of 1/x for rates; needs RatioDefined()
/// @param resolution  the metric's step, in the unit of `raw`
MultipleTest TestMultiples(const CentredMoments& raw, const CentredMoments& analysed,
                           double resolution);

/// Returns the interval of an early look, on the log scale: the ratios r that a t-test of c - r b
/// does not exclude at `critical`, with the steps as above. Absent if it is unbounded above.
///
/// @param critical  the critical t of the lower and the upper end
/// Source: E. C. Fieller, J. Roy. Statist. Soc. B 16 (1954).
std::optional<Interval> EarlyInterval(const CentredMoments& raw, const CentredMoments& analysed,
                                      double resolution, const CriticalValues& critical);

/// Returns the two-sided p-value of a boundary and early looks together, at most 1. It is at most a
/// level exactly if the boundary, at that level less the share of the early looks, or an early
/// look, at its share, excludes the hypothesis.
///
/// @param boundary  the two-sided p-value of the boundary
/// @param early     the smallest one-sided p-value of the early looks, each divided by its share
double WithEarlyLooks(double boundary, double early);

}  // namespace benchd
