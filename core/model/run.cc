#include "core/model/run.h"

#include <algorithm>

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
  const Nanoseconds span =
      runs.back().started_at - runs.front().started_at + WallTimeOf(runs.last(1));
  return std::max(span, WallTimeOf(runs));
}

}  // namespace benchd
