#include "daemon/schedule/block_order.h"

#include <cassert>
#include <utility>

#include "core/model/session_spec.h"

namespace benchd {
namespace {

constexpr std::uint64_t kMaxPaddingBytes = 4096;

/// One stream per (benchmark, phase, block): blocks are drawn independently of each other's order.
std::uint64_t StreamOf(std::uint32_t benchmark, RunPhase phase, std::uint64_t block) {
  const std::uint64_t warmup = phase == RunPhase::kWarmup ? 1 : 0;
  return (block << 21U) | (std::uint64_t{benchmark} << 1U) | warmup;
}

void Shuffle(std::vector<PlannedRun>& runs, RandomStream& random) {
  for (std::size_t left = runs.size(); left > 1; --left) {
    std::swap(runs[left - 1], runs[random.Below(left)]);
  }
}

/// Each run's arm anew: as likely as it is frequent among `runs`.
void DrawArms(std::vector<PlannedRun>& runs, RandomStream& random) {
  const std::vector<PlannedRun> urn = runs;
  for (PlannedRun& run : runs) run.arm = urn[random.Below(urn.size())].arm;
}

}  // namespace

std::vector<PlannedRun> PlanBlock(const SessionSpec& spec, std::uint32_t benchmark, RunPhase phase,
                                  std::uint64_t block) {
  RandomStream random(spec.seed, StreamOf(benchmark, phase, block));
  const std::vector<std::size_t> counts = RunsPerBlock(spec.benchmarks[benchmark], spec.method);
  std::vector<PlannedRun> runs;
  for (std::uint32_t arm = 0; arm < counts.size(); ++arm) {
    runs.insert(runs.end(), counts[arm], PlannedRun{.benchmark = benchmark, .arm = arm});
  }
  // Warm-up is there to warm every arm.
  if (spec.schedule.kind == ScheduleKind::kCoin && phase != RunPhase::kWarmup) {
    DrawArms(runs, random);
  } else {
    Shuffle(runs, random);
  }
  for (std::uint32_t position = 0; position < runs.size(); ++position) {
    runs[position].position = position;
    runs[position].padding_bytes = static_cast<std::uint32_t>(random.Below(kMaxPaddingBytes + 1));
  }
  return runs;
}

std::uint64_t RandomStream::Below(std::uint64_t bound) {
  assert(bound > 0);
  __extension__ using Wide = unsigned __int128;
  // The lowest 2^64 mod bound products would make some results likelier than others.
  const std::uint64_t threshold = (0 - bound) % bound;
  while (true) {
    const Wide product = static_cast<Wide>(Next()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64U);
    }
  }
}

}  // namespace benchd
