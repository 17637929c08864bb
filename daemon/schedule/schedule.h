#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/split_mix.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"

namespace benchd {

/// One run of a block that is to come.
struct PlannedRun {
  std::uint32_t benchmark = 0;
  std::uint32_t arm = 0;
  std::uint32_t position = 0;       ///< inside the block
  std::uint32_t padding_bytes = 0;  ///< of the environment, 0..4096
  bool operator==(const PlannedRun&) const = default;
};

/// The block with that number of that benchmark: every arm as often as RunsPerBlock() says, in an
/// order drawn uniformly from the seed; with the schedule `coin` as many runs, each of an arm that
/// is drawn for it alone, so that a block may lack one.
///
/// A pure function: the same arguments give the same block on every machine, after every restart.
/// Never strict ABAB: noise of period two would all land on one arm (docs/statistics.md
/// section 3).
std::vector<PlannedRun> PlanBlock(const SessionSpec& spec, std::uint32_t benchmark, RunPhase phase,
                                  std::uint64_t block);

/// A reproducible stream of random numbers. Seeded from a session's seed and a position, so
/// that any block can be planned without replaying those before it.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : numbers_(seed, stream) {}

  std::uint64_t Next() { return numbers_.Next(); }

  /// Uniform in [0, bound), exactly (Lemire, ACM TOMACS 29 (2019), with rejection); bound > 0.
  std::uint64_t Below(std::uint64_t bound);

 private:
  SplitMix64 numbers_;
};

/// One block in this many of a suite goes to the benchmark that has had the least time, instead of
/// the one nearest to its verdict. A misleading estimate is corrected only by more blocks, and
/// every benchmark should see how the machine drifts; a quarter costs little of the time to all
/// verdicts.
inline constexpr std::uint64_t kFairnessInterval = 4;

/// Whose block comes next, by its index; at least one benchmark must be open.
///
/// 1. While an open one is below its minimum: the one with the fewest blocks of those, so that
///    blocks are interleaved over all of them.
/// 2. Then the one nearest to a verdict in seconds: in the time that one slow benchmark needs,
///    several fast ones get their verdicts. Those whose time is unknown come last.
/// 3. But every kFairnessInterval-th block of the session: the one that has had the least time, so
///    that none waits for ever.
///
/// Ties go to the fewest blocks, then to the first of the spec. A pure function of what was
/// measured; the order of arms inside a block is PlanBlock()'s and depends on none of it. That a
/// benchmark is chosen by its past keeps every interval valid: its blocks are complete, and none
/// is chosen by what it will show (docs/statistics.md section 6).
std::uint32_t NextBenchmark(std::span<const BenchmarkOutlook> outlooks);

}  // namespace benchd
