#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"

namespace benchd {

/// Hartigans' dip: how far a sample's distribution function is from the nearest one with a single
/// mode; 1/(2n) at least, 1/4 for two equal heaps. Without unit; unchanged by scale and place.
///
/// As R's diptest (AS 217 with its later corrections): the mode may be a heap of equal values, and
/// 1/(2n) is the least answer.
///
/// @errors kInvalidArgument if there is no value, one is not finite, or their range is beyond that
///         of a double.
/// Source: J. A. Hartigan, P. M. Hartigan, Annals of Statistics 13 (1985) 70-84; P. M. Hartigan,
///         Applied Statistics 34 (1985) 320-325 (AS 217).
Result<double> Dip(std::span<const double> values);

/// Above this dip, n values (at least 4) have more than one mode: about 1 % of uniform samples do.
double DipThreshold(std::size_t n);

}  // namespace benchd
