#pragma once

#include <cstdint>
#include <span>

#include "core/model/comparison.h"

namespace benchd {

/// Every so manyth block of a suite goes to whom it was given least, not to who is nearest: an
/// estimate that misleads is corrected by more blocks only, and a machine that drifts is seen by
/// all.
inline constexpr std::uint64_t kFairTurn = 4;

/// Whose block comes next, by its index; at least one benchmark must be open.
///
/// 1. While an open one has not its minimum: the one with the fewest blocks of those, so that
///    blocks are interleaved over all of them.
/// 2. Then who is nearest to a verdict in seconds: with the time that a verdict of a slow benchmark
///    takes several fast ones get theirs. Whose time is unknown comes after those.
/// 3. But every kFairTurn-th block of the session: who has had the least time, so that nobody
///    waits for ever.
///
/// Ties go to the fewest blocks, then to the first of the spec. A pure function of what was
/// measured; the order of arms inside a block is PlanBlock()'s and depends on none of it. That a
/// benchmark is chosen by its past keeps every interval valid: its blocks are complete, and none
/// is chosen by what it will show (docs/statistics.md section 6).
std::uint32_t NextBenchmark(std::span<const BenchmarkOutlook> outlooks);

}  // namespace benchd
