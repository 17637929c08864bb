#pragma once

#include <cstdint>
#include <vector>

#include "core/base/split_mix.h"
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

}  // namespace benchd
