#include "daemon/session/series_plan.h"

#include <utility>

namespace benchd {
namespace {

std::vector<SeriesRun> RunsOf(const SessionSpec& spec, BlockNumber number, RunPhase phase) {
  std::vector<SeriesRun> runs;
  for (const PlannedRun& planned : PlanBlock(spec, number.benchmark, phase, number.block)) {
    runs.push_back({planned, phase, number.block, runs.empty()});
  }
  return runs;
}

/// Adds that block, or only its first run as what will follow when the series is full.
/// @return whether the block was added.
bool AddBlock(const SessionSpec& spec, BlockNumber number, RunPhase phase, SeriesPlan& plan) {
  std::vector<SeriesRun> runs = RunsOf(spec, number, phase);
  // The runner ends a series at a failure or does not: one answer for all of it.
  const auto ignores = [&spec](const SeriesRun& run) {
    return spec.benchmarks[run.planned.benchmark].ignore_failure;
  };
  const bool fits = plan.runs.empty() || (plan.runs.size() + runs.size() <= kMostRunsInSeries &&
                                          ignores(plan.runs.front()) == ignores(runs.front()));
  if (!fits) {
    plan.next = runs.front();
    return false;
  }
  plan.runs.insert(plan.runs.end(), runs.begin(), runs.end());
  return true;
}

}  // namespace

SeriesPlan PlanWarmup(const SessionSpec& spec, std::uint64_t first, std::uint64_t end) {
  SeriesPlan plan;
  const std::uint64_t benchmarks = spec.benchmarks.size();
  for (std::uint64_t number = first; number < end; ++number) {
    const BlockNumber block{static_cast<std::uint32_t>(number % benchmarks), number / benchmarks};
    if (!AddBlock(spec, block, RunPhase::kWarmup, plan)) break;
  }
  return plan;
}

SeriesPlan PlanMeasured(const SessionSpec& spec, std::span<const std::size_t> open,
                        std::vector<std::uint64_t> blocks,
                        const std::function<std::uint64_t(std::uint64_t)>& next_look) {
  SeriesPlan plan;
  bool decides = false;
  for (;;) {
    const std::uint32_t benchmark = NextBenchmark(open, blocks);
    const BlockNumber number{benchmark, blocks[benchmark]};
    if (decides) {
      plan.next = RunsOf(spec, number, RunPhase::kMeasured).front();
      return plan;
    }
    if (!AddBlock(spec, number, RunPhase::kMeasured, plan)) return plan;
    decides = next_look(number.block) == number.block + 1;
    ++blocks[benchmark];
  }
}

SeriesPlan RestOf(SeriesPlan plan, std::size_t done, std::size_t most) {
  plan.runs.erase(plan.runs.begin(), plan.runs.begin() + static_cast<std::ptrdiff_t>(done));
  if (plan.runs.size() > most) {
    plan.next = plan.runs[most];
    plan.runs.resize(most);
  }
  return plan;
}

}  // namespace benchd
