#include "client/present/stacks.h"

#include <algorithm>

#include "core/model/profile.h"
#include "core/model/session_spec.h"

namespace benchd::client {
namespace {

ArmStacks& StacksOf(const std::string& benchmark, const std::string& arm,
                    std::vector<ArmStacks>* all) {
  const auto found = std::ranges::find_if(
      *all, [&](const ArmStacks& one) { return one.benchmark == benchmark && one.arm == arm; });
  if (found != all->end()) return *found;
  return all->emplace_back(ArmStacks{benchmark, arm, {}});
}

}  // namespace

std::vector<ArmStacks> SumStacks(std::span<const v1::Run> runs, bool by_layout) {
  std::vector<ArmStacks> all;
  for (const v1::Run& run : runs) {
    if (run.phase() == v1::RUN_PHASE_WARMUP || run.phase() == v1::RUN_PHASE_DROPPED) continue;
    const auto layout = by_layout ? LayoutOf(run.arm()) : std::nullopt;
    ArmStacks* own = nullptr;
    for (const v1::Sample& sample : run.samples()) {
      if (sample.metric() != kStackMetric) continue;
      if (own == nullptr)
        own = &StacksOf(run.benchmark(), layout ? layout->group : run.arm(), &all);
      own->counts[sample.inner_benchmark()] += sample.value();
    }
  }
  return all;
}

}  // namespace benchd::client
