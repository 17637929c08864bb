#include "daemon/session/batch_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "core/model/verdict_reason.h"

namespace benchd {
namespace {

std::vector<RunPlace> RunsOf(const SessionSpec& spec, BlockNumber number, RunPhase phase,
                             std::span<const std::uint32_t> idle) {
  std::vector<RunPlace> runs;
  for (const PlannedRun& planned : PlanBlock(spec, number.benchmark, phase, number.block, idle)) {
    runs.push_back({planned, phase, number.block});
  }
  return runs;
}

/// Adds a block or, if the batch is full, only its first run as `next`.
/// @return whether the block was added
bool AddBlock(const SessionSpec& spec, BlockNumber number, RunPhase phase, BatchPlan& plan,
              std::span<const std::uint32_t> idle = {}) {
  std::vector<RunPlace> runs = RunsOf(spec, number, phase, idle);
  // A batch has a single policy about failures, so blocks with different policies do not mix.
  const auto ignores = [&spec](const RunPlace& run) {
    return spec.benchmarks[run.planned.benchmark].ignore_failure;
  };
  const bool fits = plan.runs.empty() || (plan.runs.size() + runs.size() <= kMostRunsInBatch &&
                                          ignores(plan.runs.front()) == ignores(runs.front()));
  if (!fits) {
    plan.next = runs.front();
    return false;
  }
  plan.runs.insert(plan.runs.end(), runs.begin(), runs.end());
  return true;
}

/// Advances the outlooks by one more block of a benchmark, assuming that the estimates are correct.
void Foresee(std::vector<BenchmarkOutlook>& outlooks, std::uint32_t benchmark) {
  BenchmarkOutlook& outlook = outlooks[benchmark];
  if (outlook.blocks > 0) outlook.seconds += outlook.BlockSeconds();
  ++outlook.blocks;
  if (!outlook.expected_blocks) return;
  *outlook.expected_blocks -= 1;
  const auto is_open = [](const BenchmarkOutlook& one) { return one.open; };
  // There must be a next benchmark, even after the block that is expected to be the last.
  const bool alone = std::count_if(outlooks.begin(), outlooks.end(), is_open) == 1;
  outlook.open = alone || *outlook.expected_blocks > 0;
}

}  // namespace

BatchPlan PlanWarmup(const SessionSpec& spec, std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint32_t> all(spec.benchmarks.size());
  std::iota(all.begin(), all.end(), 0U);
  return PlanWarmup(spec, all, first, end);
}

BatchPlan PlanWarmup(const SessionSpec& spec, std::span<const std::uint32_t> benchmarks,
                     std::uint64_t first, std::uint64_t end) {
  BatchPlan plan;
  const std::uint64_t count = benchmarks.size();
  for (std::uint64_t number = first; number < end; ++number) {
    const BlockNumber block{benchmarks[number % count], number / count};
    if (!AddBlock(spec, block, RunPhase::kWarmup, plan)) break;
  }
  return plan;
}

BatchPlan PlanMeasured(const SessionSpec& spec, std::vector<BenchmarkOutlook> outlooks,
                       const std::function<std::uint64_t(std::uint64_t)>& next_look,
                       std::optional<std::uint32_t> under_way, RunPhase phase) {
  BatchPlan plan;
  bool decides = false;
  for (;;) {
    const std::uint32_t benchmark =
        plan.runs.empty() && under_way ? *under_way : NextBenchmark(outlooks);
    const BlockNumber number{benchmark, outlooks[benchmark].blocks};
    if (decides) {
      plan.next = RunsOf(spec, number, phase, outlooks[benchmark].idle_arms).front();
      return plan;
    }
    if (!AddBlock(spec, number, phase, plan, outlooks[benchmark].idle_arms)) return plan;
    decides = next_look(number.block) == number.block + 1;
    Foresee(outlooks, benchmark);
  }
}

BatchPlan RestOf(BatchPlan plan, std::size_t done, std::size_t most) {
  plan.runs.erase(plan.runs.begin(), plan.runs.begin() + static_cast<std::ptrdiff_t>(done));
  if (plan.runs.size() > most) {
    plan.next = plan.runs[most];
    plan.runs.resize(most);
  }
  return plan;
}

}  // namespace benchd
