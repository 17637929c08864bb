#pragma once

#include <span>
#include <vector>

namespace benchd {

/// Holm's step-down adjustment: reject those whose adjusted p-value is at most the level, and the
/// chance of any false rejection stays below it, however the tests depend on each other.
///
/// @param p_values  each in [0, 1], in any order.
/// @return the adjusted ones in the same order, each in [0, 1] and at least as large.
/// Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
std::vector<double> HolmAdjust(std::span<const double> p_values);

}  // namespace benchd
