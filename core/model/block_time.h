#pragma once

#include <span>

#include "core/base/time.h"
#include "core/model/run.h"

namespace benchd {

/// What the runs took together: their wall time. The pauses between them are not counted.
Nanoseconds WallTimeOf(std::span<const Run> runs);

/// What a block cost: from the start of its first run to the end of its last one, with the hooks in
/// between; at least its wall time. `runs` are in order of execution. Only as good as the clock
/// that they carry, so for estimates.
Nanoseconds CostOf(std::span<const Run> runs);

}  // namespace benchd
