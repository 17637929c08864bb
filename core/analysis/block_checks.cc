#include "core/analysis/block_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace benchd {

Result<void> CheckBlock(std::span<const Run> block, std::span<const Benchmark> benchmarks) {
  if (block.empty()) return InvalidArgument("block", "does not contain runs");
  const std::uint32_t index = block.front().benchmark;
  if (index >= benchmarks.size()) return InvalidArgument("block", "unknown benchmark");
  for (const Run& run : block) {
    if (run.benchmark != index) return InvalidArgument("block", "mixes two benchmarks");
    if (run.arm >= benchmarks[index].arms.size()) {
      return InvalidArgument("block", "contains a run of an unknown arm");
    }
  }
  return {};
}

bool HasArm(std::span<const Run> block, std::uint32_t arm) {
  return std::ranges::find(block, arm, &Run::arm) != block.end();
}

Result<void> CheckEveryArm(std::span<const Run> block, std::span<const Benchmark> benchmarks,
                           std::span<const std::uint32_t> idle) {
  const Benchmark& benchmark = benchmarks[block.front().benchmark];
  for (std::uint32_t arm = 0; arm < benchmark.arms.size(); ++arm) {
    if (HasArm(block, arm) || std::ranges::find(idle, arm) != idle.end()) continue;
    return InvalidArgument("block", "does not contain a run of arm " + benchmark.arms[arm].name +
                                        " of benchmark " + benchmark.name);
  }
  return {};
}

Error AfterTheLastBlock(const Benchmark& benchmark, std::uint64_t blocks) {
  return Error{
      ErrorCode::kFailedPrecondition,
      fmt::format("block: benchmark {} already has all of its {} blocks", benchmark.name, blocks),
      {}};
}

std::vector<const Run*> InOrder(std::span<const Run> block) {
  std::vector<const Run*> runs;
  runs.reserve(block.size());
  for (const Run& run : block) runs.push_back(&run);
  std::ranges::stable_sort(runs, {}, &Run::position);
  return runs;
}

}  // namespace benchd
