#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/model/session_spec.h"

namespace benchd {

/// Indices of the arms with that role, in the order of the spec.
std::vector<std::size_t> ArmsWithRole(const Benchmark& benchmark, ArmRole role);

/// The name of the arm that `--placebo` adds.
inline constexpr const char* kPlaceboName = "placebo";

/// How often each arm of `benchmark` runs in one block.
///
/// Once per arm; reference arms floor(sqrt(k)) times for k >= 4 candidates (docs/statistics.md
/// section 6).
std::vector<std::size_t> RunsPerBlock(const Benchmark& benchmark);

/// The metrics without which `benchmark` cannot be decided, of those that not every machine has
/// (OptionalMetrics()).
std::vector<std::string> OptionalGates(const Benchmark& benchmark);

}  // namespace benchd
