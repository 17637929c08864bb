#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"

// What the analysis of a session requires of a block, whether it compares its arms or measures
// them.

namespace benchd {

/// Checks that the runs of a block belong to one benchmark of the session and to its arms.
/// @errors kInvalidArgument
Result<void> CheckBlock(std::span<const Run> block, std::span<const Benchmark> benchmarks);

/// Checks that a block has a run of every arm, except of those in `idle`. Requires CheckBlock().
/// @errors kInvalidArgument, which names the arm
Result<void> CheckEveryArm(std::span<const Run> block, std::span<const Benchmark> benchmarks,
                           std::span<const std::uint32_t> idle = {});

/// Returns whether a block has a run of the arm.
bool HasArm(std::span<const Run> block, std::uint32_t arm);

/// Returns the error about a block after the last one of its benchmark.
Error AfterTheLastBlock(const Benchmark& benchmark, std::uint64_t blocks);

/// Returns the runs in order of execution, so that the order in which a caller passes them does not
/// affect the results. The pointers are into `block`.
std::vector<const Run*> InOrder(std::span<const Run> block);

}  // namespace benchd
