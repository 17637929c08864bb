#include "core/model/session_spec.h"

namespace benchd {

std::vector<std::size_t> ArmsWithRole(const Benchmark& benchmark, ArmRole role) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < benchmark.arms.size(); ++i) {
    if (benchmark.arms[i].role == role) indices.push_back(i);
  }
  return indices;
}

std::vector<std::size_t> RunsPerBlock(const Benchmark& benchmark) {
  const std::size_t candidates = ArmsWithRole(benchmark, ArmRole::kCandidate).size();
  std::size_t reference_runs = 1;
  if (candidates >= 4) {
    while ((reference_runs + 1) * (reference_runs + 1) <= candidates) ++reference_runs;
  }
  std::vector<std::size_t> runs;
  for (const Arm& arm : benchmark.arms) {
    runs.push_back(arm.role == ArmRole::kReference ? reference_runs : 1);
  }
  return runs;
}

std::vector<std::string> OptionalGates(const Benchmark& benchmark) {
  std::vector<std::string> metrics;
  for (const Gate& gate : benchmark.gates) {
    if (IsOptionalMetric(gate.metric)) metrics.push_back(gate.metric);
  }
  return metrics;
}

}  // namespace benchd
