#include "core/analysis/compared_arms.h"

#include "core/analysis/control_names.h"

namespace benchd {

std::vector<std::size_t> ComparedArms(const Benchmark& benchmark) {
  std::vector<std::size_t> arms;
  if (IsControl(benchmark)) return arms;
  for (std::size_t i = 0; i < benchmark.arms.size(); ++i) {
    if (benchmark.arms[i].role != ArmRole::kPlacebo) arms.push_back(i);
  }
  const bool several = ArmsWithRole(benchmark, ArmRole::kCandidate).size() > 1;
  if (!several || arms.size() > kMostPairedArms) arms.clear();
  return arms;
}

std::size_t ComparedPairs(std::span<const Benchmark> benchmarks) {
  std::size_t pairs = 0;
  for (const Benchmark& benchmark : benchmarks) {
    const std::size_t arms = ComparedArms(benchmark).size();
    if (arms > 0) pairs += arms * (arms - 1) / 2;
  }
  return pairs;
}

}  // namespace benchd
