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

/// A smooth curve over a sample's values: a Gaussian kernel of one bandwidth on each of them.
struct Density {
  double bandwidth = 0;   ///< standard deviation of the kernel, in the unit of the values
  std::vector<double> x;  ///< middles of cells of equal width, ascending
  std::vector<double> y;  ///< mean density over the cell, per unit of the values
  bool operator==(const Density&) const = default;
};

/// Silverman's rule of thumb: 0.9 min(s, IQR / 1.34) n^(-1/5), with s alone when the quartiles are
/// equal. Made for one mode: two close ones may run together (the dip does not depend on it).
///
/// @errors kInvalidArgument for fewer than two values, values that are all equal (a spike has no
///         density), one that is not finite, or a spread beyond the range of a double.
/// Source: B. W. Silverman, Density Estimation, Chapman & Hall (1986), (3.31).
Result<double> SilvermanBandwidth(std::span<const double> values);

/// The curve over [low, high], in the unit of the values, in `cells` cells.
///
/// Each y is the kernels' exact mass in its cell over the cell's width: the sum of y times the
/// width is 1, less what lies outside of [low, high], also where the cells are wider than the
/// kernel. Time grows with n (1 + bandwidth / cell width).
///
/// @errors kInvalidArgument if there is no value, one is not finite, bandwidth is not > 0, low is
///         not below high, or there is no cell.
Result<Density> KernelDensity(std::span<const double> values, double bandwidth, double low,
                              double high, std::size_t cells);

/// The same with Silverman's bandwidth over the range of the values and four bandwidths on either
/// side, beyond which lies less than 4e-5 of it; errors as of both.
Result<Density> KernelDensity(std::span<const double> values, std::size_t cells);

}  // namespace benchd
