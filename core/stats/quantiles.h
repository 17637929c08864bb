#pragma once

#include <span>

#include "core/base/result.h"

namespace benchd {

/// The quantile of a sample by linear interpolation between order statistics: type 7 of Hyndman and
/// Fan, the default of R and numpy. In the unit of the values.
///
/// @param sorted  ascending.
/// @param p       in [0, 1]; 0.5 is the median.
/// @errors kInvalidArgument if there is no value, or `p` is outside [0, 1].
/// Source: R. J. Hyndman, Y. Fan, The American Statistician 50 (1996) 361-365.
Result<double> QuantileType7(std::span<const double> sorted, double p);

}  // namespace benchd
