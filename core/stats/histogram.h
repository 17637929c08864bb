#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Counts of several arms over the same bins, so that their shapes can be laid side by side.
struct Histogram {
  std::vector<double> edges;  ///< ascending, in the unit of the values; one more than bins
  std::vector<std::vector<std::uint64_t>> counts;  ///< [arm][bin]; a bin holds its lower edge, the
                                                   ///< last one both
  bool operator==(const Histogram&) const = default;
};

inline constexpr std::size_t kMostBins = 100;

/// Bins of equal width over the range of all arms, by the rule of Freedman and Diaconis,
/// 2 IQR / cbrt(n), for the arm that asks for the narrowest. Never more than `most_bins`, which
/// outliers would call for, nor narrower than the metric's resolution (comb teeth otherwise), nor
/// fewer than Sturges' rule has where every quartile range is 0. Values that are all equal: one
/// bin.
///
/// @param arms        one or more, in the same unit; an arm may be empty, not all.
/// @param resolution  the step of the values, 0 when unknown.
/// @param most_bins   at least 1.
/// @errors kInvalidArgument if there is no value, one is not finite, or their range is beyond that
///         of a double.
/// Source: D. Freedman, P. Diaconis, Z. Wahrscheinlichkeitstheorie 57 (1981) 453-476.
Result<Histogram> CountInCommonBins(std::span<const std::span<const double>> arms,
                                    double resolution, std::size_t most_bins = kMostBins);

}  // namespace benchd
