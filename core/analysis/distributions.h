#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Both ends, in the unit of the values.
using ValueEnds = std::pair<double, double>;

/// Tukey's fences: an arm's values beyond them are outliers. Nothing without values.
std::optional<ValueEnds> OutlierFences(std::span<const double> values);

/// All values of several arms, less those that would leave no room for the rest: beyond four
/// interquartile ranges from the quartiles of their arm. Nothing without values.
std::optional<ValueEnds> UsualRange(std::span<const std::span<const double>> arms);

/// How the values of one arm are spread.
struct ArmDistribution {
  std::size_t n = 0;
  double mean = 0;
  std::vector<std::uint64_t> counts;  ///< by bin
  std::size_t below = 0;              ///< the usual range
  std::size_t above = 0;
  /// Middles of cells and the density there, per unit of the values; empty where there is none:
  /// values that are all equal, or steps coarser than a curve could show.
  std::vector<double> x;
  std::vector<double> density;
};

/// Several arms over common bins within their usual range.
struct Distributions {
  std::vector<double> edges;  ///< ascending; one more than bins
  std::vector<ArmDistribution> arms;

  /// The share of an arm's values in a bin, per unit of the values: as high as its density.
  double Height(std::size_t arm, std::size_t bin) const;
  double Highest() const;  ///< of all bins and curves
};

/// Bins by CountInCommonBins(), curves by KernelDensity() with Silverman's bandwidth.
///
/// @param arms        each with at least one value, all finite
/// @param resolution  the step of the values, 0 when unknown
/// @errors those of CountInCommonBins()
Result<Distributions> DistributeValues(std::span<const std::span<const double>> arms,
                                       double resolution);

}  // namespace benchd
