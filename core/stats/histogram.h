#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Counts of several arms over common bins, so that their shapes can be compared.
struct Histogram {
  std::vector<double> edges;  ///< ascending, in the unit of the values; one more than bins
  std::vector<std::vector<std::uint64_t>> counts;  ///< [arm][bin]; a bin has its lower edge, the
                                                   ///< last bin both
  bool operator==(const Histogram&) const = default;
};

inline constexpr std::size_t kMostBins = 100;

/// Bins of equal width over the range of all arms: Freedman and Diaconis' width, 2 IQR / cbrt(n),
/// the smallest over the arms. Never more than `most_bins`, which outliers might require, and never
/// narrower than the metric's resolution, which would leave gaps. If every interquartile range is
/// 0, at least as many bins as by Sturges' rule. One bin if all values are equal.
///
/// @param arms        one or more, in the same unit; an arm may be empty, but not all.
/// @param resolution  the step of the values, 0 if unknown.
/// @param most_bins   at least 1.
/// @errors kInvalidArgument if there is no value, one is not finite, or their range exceeds that of
///         a double.
/// Source: D. Freedman, P. Diaconis, Z. Wahrscheinlichkeitstheorie 57 (1981) 453-476.
Result<Histogram> CountInCommonBins(std::span<const std::span<const double>> arms,
                                    double resolution, std::size_t most_bins = kMostBins);

/// A smooth density of a sample: the mean of Gaussian kernels of one bandwidth at its values.
struct Density {
  double bandwidth = 0;   ///< standard deviation of the kernel, in the unit of the values
  std::vector<double> x;  ///< centres of cells of equal width, ascending
  std::vector<double> y;  ///< mean density over the cell, per unit of the values
  bool operator==(const Density&) const = default;
};

/// Silverman's rule of thumb: 0.9 min(s, IQR / 1.34) n^(-1/5), with s alone if the quartiles are
/// equal. Designed for one mode: two close modes may merge (the dip does not depend on it).
///
/// @errors kInvalidArgument for fewer than two values, values that are all equal (a spike has no
///         density), one that is not finite, or a spread that exceeds the range of a double.
/// Source: B. W. Silverman, Density Estimation, Chapman & Hall (1986), (3.31).
Result<double> SilvermanBandwidth(std::span<const double> values);

/// The density over [low, high], in the unit of the values, in `cells` cells.
///
/// Each y is the exact kernel mass within its cell, divided by the cell width. The sum of y times
/// the width is therefore 1, less the mass outside of [low, high], even if the cells are wider than
/// the kernel. Time grows with n (1 + bandwidth / cell width).
///
/// @errors kInvalidArgument if there is no value, one is not finite, bandwidth is not > 0, low is
///         not below high, or there is no cell.
Result<Density> KernelDensity(std::span<const double> values, double bandwidth, double low,
                              double high, std::size_t cells);

/// The same with Silverman's bandwidth, over the range of the values extended by four bandwidths on
/// either side; less than 4e-5 of the mass lies beyond. Errors as for both functions.
Result<Density> KernelDensity(std::span<const double> values, std::size_t cells);

}  // namespace benchd
