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
  double p_value = 1;     ///< from permutations within the segments known at that time
  bool operator==(const ChangePoint&) const = default;
};

/// Parameters of the search for change points.
struct ChangePointSearch {
  double alpha = 0.01;     ///< highest probability of a change point in a series without a step
  int permutations = 999;  ///< per test; no p-value is below 1 / (permutations + 1)
  std::uint64_t seed = 1;  ///< seed of the permutations; the same seed finds the same points
};

/// The minimum number of values on each side of a change point.
inline constexpr std::size_t kFewestBetweenChanges = 2;
/// The maximum length of a series. Searching takes time proportional to the square of the length,
/// and some seconds at this length.
inline constexpr std::size_t kLongestSeries = 2000;

/// Returns q for each split of a series into [0, i) and [i, n). q is mn/(m+n) times the energy
/// distance of the two sides, where the means within a side exclude each value's distance to
/// itself. It is 0 if a side has fewer than kFewestBetweenChanges values. Takes O(n^2) time.
///
/// Source: D. S. Matteson, N. A. James, JASA 109 (2014) 334-345, equation (5) with alpha = 1 and
///         the right side reaching to the end, as in D. Daly et al., ICPE 2020.
std::vector<double> EnergyStatistics(std::span<const double> values);

/// Finds the change points of a series in time order by the E-divisive means algorithm, and returns
/// them in ascending order.
///
/// The search is hierarchical: it takes the split with the largest q over all segments so far and
/// tests it against permutations of the values within each segment. If p <= alpha, it divides the
/// segment and repeats. The values may have any distribution, but must be independent: drift of the
/// machine also yields change points. A series that is too short for alpha yields none.
///
/// @errors kInvalidArgument if a value is not finite, the series is longer than kLongestSeries,
///         alpha is outside (0, 1), or too small for the number of permutations.
/// Source: as for EnergyStatistics(); the p-value counts the series itself as one permutation.
Result<std::vector<ChangePoint>> FindChangePoints(std::span<const double> values,
                                                  const ChangePointSearch& search = {});

}  // namespace benchd
