#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// A point at which the distribution of a series changed.
struct ChangePoint {
  std::size_t index = 0;  ///< index of the first value after the change
  double q = 0;           ///< energy statistic of the split when it was found
  double p_value = 1;     ///< by permutation, among the splits that were possible then
  bool operator==(const ChangePoint&) const = default;
};

/// Parameters of the search for change points.
struct ChangePointSearch {
  double alpha = 0.01;     ///< probability of a change point in a series without a step, at most
  int permutations = 999;  ///< per test; no p-value is below 1 / (permutations + 1)
  std::uint64_t seed = 1;  ///< of the permutations; the same seed finds the same points
};

/// Fewest values on each side of a change point.
inline constexpr std::size_t kFewestBetweenChanges = 2;
/// Longest series searched: time grows with the square of the length, to seconds at this length.
inline constexpr std::size_t kLongestSeries = 2000;

/// q at each split of a series into [0, i) and [i, n): mn/(m+n) times the energy distance of the
/// two sides, where the within-side means exclude each value's distance to itself. 0 if a side has
/// fewer than kFewestBetweenChanges values. O(n^2).
///
/// Source: D. S. Matteson, N. A. James, JASA 109 (2014) 334-345, equation (5) with alpha = 1 and
///         the right side reaching to the end, as in D. Daly et al., ICPE 2020.
std::vector<double> EnergyStatistics(std::span<const double> values);

/// E-divisive means: the change points of a series in order of time, in ascending order.
///
/// Hierarchical: takes the split with the largest q over all segments so far, and tests it against
/// permutations of the values within each segment. If p <= alpha, it divides the segment and
/// repeats. The values may have any distribution, but must be independent: a machine that drifts
/// has change points. A series too short for alpha has none.
///
/// @errors kInvalidArgument if a value is not finite, the series is longer than kLongestSeries,
///         alpha is outside (0, 1), or too small for the number of permutations.
/// Source: as EnergyStatistics(); the p-value counts the series itself as one permutation.
Result<std::vector<ChangePoint>> FindChangePoints(std::span<const double> values,
                                                  const ChangePointSearch& search = {});

}  // namespace benchd
