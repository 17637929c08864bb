#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// A place where the law of a series changed.
struct ChangePoint {
  std::size_t index = 0;  ///< of the first value after it
  double q = 0;           ///< the energy statistic of the split when it was found
  double p_value = 1;     ///< by permutation, of that statistic among all splits then possible
  bool operator==(const ChangePoint&) const = default;
};

/// How change points are searched for.
struct ChangePointSearch {
  double alpha = 0.01;     ///< a series without a step has a change point at most this often
  int permutations = 999;  ///< of each test; no p-value is below 1 / (permutations + 1)
  std::uint64_t seed = 1;  ///< of the permutations: the same seed finds the same points
};

/// Fewest values on either side of a change point.
inline constexpr std::size_t kFewestBetweenChanges = 2;
/// Longest series that is searched: time grows with its square, to seconds at this length.
inline constexpr std::size_t kLongestSeries = 2000;

/// q at each split of a series into [0, i) and [i, n): mn/(m+n) times the energy distance of the
/// two sides, each taken without its own values' distance to themselves. 0 where a side has
/// fewer than kFewestBetweenChanges values. O(n^2).
///
/// Source: D. S. Matteson, N. A. James, JASA 109 (2014) 334-345, equation (5) with alpha = 1 and
///         the right side reaching to the end, as in D. Daly et al., ICPE 2020.
std::vector<double> EnergyStatistics(std::span<const double> values);

/// E-divisive means: the change points of a series in order of time, in ascending order.
///
/// Hierarchical: the split with the largest q of all segments so far is tested against that of
/// permutations of the values inside each segment, and divides its segment if p <= alpha; then
/// again. Values need no particular law, but have to be independent: a machine that drifts has
/// change points. A series too short for alpha simply has none.
///
/// @errors kInvalidArgument if a value is not finite, the series is longer than kLongestSeries,
///         alpha is outside (0, 1), or no p-value of that many permutations can be so small.
/// Source: as EnergyStatistics(); the p-value counts the series itself among its permutations.
Result<std::vector<ChangePoint>> FindChangePoints(std::span<const double> values,
                                                  const ChangePointSearch& search = {});

}  // namespace benchd
