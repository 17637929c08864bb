#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Counts of several arms over common bins, so that their shapes can be compared.
struct Histogram {
  std::vector<double> edges;  ///< ascending, in the unit of the values; one more than bins
  /// [arm][bin]. A bin includes its lower edge; the last bin also includes its upper edge.
  std::vector<std::vector<std::uint64_t>> counts;
  bool operator==(const Histogram&) const = default;
};

inline constexpr std::size_t kMostBins = 100;

/// Counts the values of the arms in bins of equal width over their common range.
///
/// The width is that of Freedman and Diaconis, 2 IQR / cbrt(n), the smallest over the arms. There
/// are never more than `most_bins` bins, even if outliers would require them, and bins are never
/// narrower than the metric's resolution, which would leave gaps. If every interquartile range is
/// 0, there are at least as many bins as by Sturges' rule. If all values are equal, there is one
/// bin.
///
/// @param arms        one or more, in the same unit; an arm may be empty, but not all.
/// @param resolution  the step of the values, 0 if unknown.
/// @param most_bins   at least 1.
/// @errors kInvalidArgument if there is no value, a value is not finite, or their range exceeds
///         that of a double.
/// Source: D. Freedman, P. Diaconis, Z. Wahrscheinlichkeitstheorie 57 (1981) 453-476.
Result<Histogram> CountInCommonBins(std::span<const std::span<const double>> arms,
                                    double resolution, std::size_t most_bins = kMostBins);

/// A smooth density of a sample: the mean of Gaussian kernels of equal bandwidth at its values.
struct Density {
  double bandwidth = 0;   ///< standard deviation of the kernel, in the unit of the values
  std::vector<double> x;  ///< centres of cells of equal width, ascending
  std::vector<double> y;  ///< mean density over the cell, per unit of the values
  bool operator==(const Density&) const = default;
};

/// Returns the bandwidth of Silverman's rule of thumb: 0.9 min(s, IQR / 1.34) n^(-1/5), or
/// 0.9 s n^(-1/5) if the quartiles are equal. The rule is designed for one mode, so two close modes
/// may merge in the density. Dip() does not depend on it.
///
/// @errors kInvalidArgument for fewer than two values, values that are all equal (a spike has no
///         density), one that is not finite, or a spread that exceeds the range of a double.
/// Source: B. W. Silverman, Density Estimation, Chapman & Hall (1986), (3.31).
Result<double> SilvermanBandwidth(std::span<const double> values);

/// Computes the density over [low, high], in the unit of the values, in `cells` cells.
///
/// Each y is the exact kernel mass within its cell, divided by the cell width. The sum of y times
/// the width is therefore 1, less the mass outside of [low, high], even if the cells are wider than
/// the kernel. Time grows with n (1 + bandwidth / cell width).
///
/// @errors kInvalidArgument if there is no value, a value is not finite, bandwidth is not > 0, low
///         is not below high, or there is no cell.
Result<Density> KernelDensity(std::span<const double> values, double bandwidth, double low,
                              double high, std::size_t cells);

/// Computes the density with Silverman's bandwidth over the range of the values, extended by four
/// bandwidths on either side. Less than 4e-5 of the mass lies beyond. Errors are those of the two
/// functions above.
Result<Density> KernelDensity(std::span<const double> values, std::size_t cells);

}  // namespace benchd
