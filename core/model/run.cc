#include "core/model/run.h"

#include <algorithm>
#include <utility>

namespace benchd {

Nanoseconds WallTimeOf(std::span<const Run> runs) {
  double seconds = 0;
  for (const Run& run : runs) {
    for (const Sample& sample : run.samples) {
      if (sample.metric == "wall_time" && sample.inner_benchmark.empty()) seconds += sample.value;
    }
  }
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

Nanoseconds CostOf(std::span<const Run> runs) {
  if (runs.empty()) return {};
  const Nanoseconds starts = runs.back().started_at - runs.front().started_at;
  const Nanoseconds wall_time = WallTimeOf(runs);
  if (wall_time == Nanoseconds::zero() && runs.size() > 1) {
    const auto count = static_cast<Nanoseconds::rep>(runs.size());
    return std::max(starts + starts / (count - 1), Nanoseconds::zero());
  }
  return std::max(starts + WallTimeOf(runs.last(1)), wall_time);
}

std::vector<std::vector<Run>> BlocksByBenchmark(std::vector<Run> runs) {
  std::vector<std::vector<Run>> blocks;
  for (Run& run : runs) {
    auto own = std::ranges::find_if(blocks, [&run](const std::vector<Run>& block) {
      return block.front().benchmark == run.benchmark;
    });
    if (own == blocks.end()) own = blocks.emplace(blocks.end());
    own->push_back(std::move(run));
  }
  return blocks;
}

}  // namespace benchd
