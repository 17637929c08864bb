#include "core/analysis/expected_blocks.h"

#include <algorithm>
#include <cstdint>

namespace benchd {

std::optional<double> ExpectedBlocks(const BenchmarkAnalysis& benchmark,
                                     const MetricComparison& gate, const LookPlan& plan,
                                     const Level& level) {
  if (gate.settled()) return std::nullopt;
  const auto blocks = static_cast<double>(benchmark.blocks());
  if (plan.fixed_blocks) return std::max(0.0, static_cast<double>(*plan.fixed_blocks) - blocks);
  std::optional<double> further = gate.ForecastFurtherPairs(level);
  if (!further) return std::nullopt;
  const auto pairs = static_cast<double>(gate.values());
  further = *further * blocks / pairs;
  // No verdict while over 5 % of the blocks lack the pair.
  further = std::max(*further, 20 * (blocks - pairs) - blocks);
  if (plan.last_block) {
    further = std::min(*further, static_cast<double>(*plan.last_block) - blocks);
  }
  return further;
}

std::optional<double> ExpectedBlocksOfAll(const BenchmarkAnalysis& benchmark, const LookPlan& plan,
                                          const Level& level) {
  std::optional<double> most;
  for (const NamedComparison& gate : benchmark.gates()) {
    if (gate.comparison.settled()) continue;
    const std::optional<double> further = ExpectedBlocks(benchmark, gate.comparison, plan, level);
    if (!further) return std::nullopt;
    most = std::max(most.value_or(0), *further);
  }
  return most;
}

}  // namespace benchd
