#include "daemon/session/schedule.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace benchd {
namespace {

constexpr std::uint64_t kMaxPaddingBytes = 4096;

/// Returns the number of the random stream for a benchmark, phase and block. Each has its own
/// stream, so that blocks are drawn independently.
std::uint64_t StreamOf(std::uint32_t benchmark, RunPhase phase, std::uint64_t block) {
  const std::uint64_t warmup = phase == RunPhase::kWarmup ? 1 : 0;
  // A session has at most kMaxBenchmarks benchmarks, so bit 20 is free.
  const std::uint64_t confirming = phase == RunPhase::kConfirming ? 1 : 0;
  return (block << 21U) | (confirming << 20U) | (std::uint64_t{benchmark} << 1U) | warmup;
}

void Shuffle(std::vector<PlannedRun>& runs, RandomStream& random) {
  for (std::size_t left = runs.size(); left > 1; --left) {
    std::swap(runs[left - 1], runs[random.Below(left)]);
  }
}

/// Draws each run's arm independently, with its frequency in `runs` as the probability.
void DrawArms(std::vector<PlannedRun>& runs, RandomStream& random) {
  const std::vector<PlannedRun> urn = runs;
  for (PlannedRun& run : runs) run.arm = urn[random.Below(urn.size())].arm;
}

}  // namespace

std::vector<PlannedRun> PlanBlock(const SessionSpec& spec, std::uint32_t benchmark, RunPhase phase,
                                  std::uint64_t block, std::span<const std::uint32_t> idle) {
  RandomStream random(spec.seed, StreamOf(benchmark, phase, block));
  const std::vector<std::size_t> counts = RunsPerBlock(spec.benchmarks[benchmark], spec.method);
  std::vector<PlannedRun> runs;
  for (std::uint32_t arm = 0; arm < counts.size(); ++arm) {
    if (std::ranges::find(idle, arm) != idle.end()) continue;
    runs.insert(runs.end(), counts[arm], PlannedRun{.benchmark = benchmark, .arm = arm});
  }
  // Every arm must be run in a warm-up block.
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
  // Without rejecting the lowest 2^64 mod bound products, some results would be more likely.
  const std::uint64_t threshold = (0 - bound) % bound;
  while (true) {
    const Wide product = static_cast<Wide>(Next()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64U);
    }
  }
}

namespace {

/// Returns the open benchmark with the least `key`; a tie is decided by the fewest blocks, then by
/// the order in the spec. An empty `key` excludes a benchmark.
template <typename Key>
std::optional<std::uint32_t> Least(std::span<const BenchmarkOutlook> outlooks, const Key& key) {
  std::optional<std::uint32_t> least;
  std::pair<double, std::uint64_t> least_rank;
  for (std::size_t i = 0; i < outlooks.size(); ++i) {
    const std::optional<double> value =
        outlooks[i].open ? key(outlooks[i]) : std::optional<double>();
    if (!value) continue;
    const std::pair rank{*value, outlooks[i].blocks};
    if (least && rank >= least_rank) continue;
    least = static_cast<std::uint32_t>(i);
    least_rank = rank;
  }
  return least;
}

std::optional<double> OfThoseBelowTheirMinimum(const BenchmarkOutlook& outlook) {
  if (outlook.blocks >= outlook.minimum) return std::nullopt;
  return 0;  // equal keys: the fewest blocks come first
}

std::optional<double> ByTimeToVerdict(const BenchmarkOutlook& outlook) {
  return outlook.ExpectedSeconds().value_or(std::numeric_limits<double>::infinity());
}

std::optional<double> ByTimeGiven(const BenchmarkOutlook& outlook) { return outlook.seconds; }

}  // namespace

std::uint32_t NextBenchmark(std::span<const BenchmarkOutlook> outlooks) {
  if (const auto below = Least(outlooks, OfThoseBelowTheirMinimum)) return *below;
  std::uint64_t given = 0;
  for (const BenchmarkOutlook& outlook : outlooks) given += outlook.blocks;
  const bool fair_turn = given % kFairnessInterval == kFairnessInterval - 1;
  const std::optional<std::uint32_t> next =
      fair_turn ? Least(outlooks, ByTimeGiven) : Least(outlooks, ByTimeToVerdict);
  assert(next.has_value());
  return *next;
}

}  // namespace benchd
