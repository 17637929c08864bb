#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/split_mix.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"

namespace benchd {

/// One planned run of a block.
struct PlannedRun {
  std::uint32_t benchmark = 0;
  std::uint32_t arm = 0;
  std::uint32_t position = 0;       ///< within the block
  std::uint32_t padding_bytes = 0;  ///< size of the environment padding, 0..4096
  bool operator==(const PlannedRun&) const = default;
};

/// The place of a run in a session.
struct RunPlace {
  PlannedRun planned;
  RunPhase phase = RunPhase::kMeasured;
  std::uint64_t block = 0;

  bool BeginsBlock() const { return planned.position == 0; }
};

/// Plans a block: every arm as often as RunsPerBlock() states, in an order drawn uniformly from the
/// seed, except for the arms in `idle`, which it leaves out. With the schedule `coin`, the block
/// has as many runs, but the arm of each is drawn independently, so an arm may be missing.
///
/// A pure function: the same arguments give the same block on every machine, after every restart.
/// The order is never strictly ABAB, because noise with a period of two would then affect one arm
/// only (docs/statistics.md section 3).
std::vector<PlannedRun> PlanBlock(const SessionSpec& spec, std::uint32_t benchmark, RunPhase phase,
                                  std::uint64_t block, std::span<const std::uint32_t> idle = {});

/// A reproducible stream of random numbers, seeded from a session's seed and a position, so that
/// any block can be planned without replaying earlier ones.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : numbers_(seed, stream) {}

  std::uint64_t Next() { return numbers_.Next(); }

  /// Returns a number that is exactly uniform in [0, bound), where bound > 0 (Lemire, ACM TOMACS 29
  /// (2019), with rejection).
  std::uint64_t Below(std::uint64_t bound);

 private:
  SplitMix64 numbers_;
};

/// One in this many blocks of a suite goes to the benchmark that has had the least time, instead of
/// the one nearest to its verdict. Only more blocks can correct a misleading estimate, and every
/// benchmark should be exposed to the machine's drift. A quarter delays the other verdicts only
/// slightly.
inline constexpr std::uint64_t kFairnessInterval = 4;

/// Returns the index of the benchmark whose block comes next. At least one must be open.
///
/// 1. If open benchmarks are below their minimum, the one with the fewest blocks comes next, so
///   that the blocks of all benchmarks are interleaved.
/// 2. Otherwise, the benchmark nearest to its verdict in seconds comes next, because several fast
///   benchmarks get their verdicts in the time of a slow one. Benchmarks whose time is unknown come
///   last.
/// 3. However, every kFairnessInterval-th block of the session goes to the benchmark that has had
///   the least time, so that no benchmark waits forever.
///
/// A tie is decided by the fewest blocks, then by the order in the spec. This is a pure function of
/// the measurements; the order of arms inside a block comes from PlanBlock() and is independent of
/// it. Choosing a benchmark by its past keeps every interval valid, because blocks are complete and
/// no block is chosen by its own result (docs/statistics.md section 6).
std::uint32_t NextBenchmark(std::span<const BenchmarkOutlook> outlooks);

}  // namespace benchd
