#pragma once

#include <span>
#include <string>

#include "core/analysis/arm_pairs.h"

namespace benchd::client {

/// The order of several candidates, as far as their own pairs tell it: "fastest: b, then a and c
/// (no clear difference)"; of another metric "lowest max_rss: ...". Two arms follow one another
/// only where the interval of every pair across excludes that they are equal.
///
/// A line for each benchmark, named where there are several. Empty without pairs.
std::string RenderArmOrder(std::span<const ArmPairs> benchmarks);

}  // namespace benchd::client
