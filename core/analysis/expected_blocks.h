#pragma once

#include <optional>

#include "core/analysis/benchmark_analysis.h"
#include "core/analysis/look_plan.h"
#include "core/analysis/metric_comparison.h"

namespace benchd {

/// How many further blocks one gate of `benchmark` is expected to need, as its values are now. For
/// the expected time to a verdict and for the schedule, never for a verdict. Blocks, not pairs:
/// those that lack the metric take their time too.
///
/// @return nothing when it is decided, or when no number can be told (stats/forecast.h).
std::optional<double> ExpectedBlocks(const BenchmarkAnalysis& benchmark,
                                     const MetricComparison& gate, const LookPlan& plan,
                                     const Level& level);

/// The same until the last open gate of the benchmark is decided; nothing when that of one of them
/// cannot be told, or none is open.
std::optional<double> ExpectedBlocksOfAll(const BenchmarkAnalysis& benchmark, const LookPlan& plan,
                                          const Level& level);

}  // namespace benchd
