#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/model/child.h"
#include "daemon/runner/host.h"
#include "daemon/system/tree_group.h"

namespace benchd {

/// How many processes and threads one run may have unless [children] sets a limit: more than any
/// benchmark needs, few enough for a machine to survive.
inline constexpr std::uint64_t kDefaultProcesses = 4096;

/// The limits for the control groups of runs.
///
/// Limits that are not configured: a user-mode runner (`contain` is false) sets none. A system
/// runner reserves a tenth of the memory, at least 256 MiB, and half of the kernel's threads for
/// the rest of the machine.
TreeLimits ChooseTreeLimits(const Host& host, const ChildLimits& wanted, bool contain);

/// Lowers the caller's limit of this kind (or ours, if the caller has none) to `most`. The hard
/// limit may be higher by `above`.
void LowerLimit(std::vector<ResourceLimit>& limits, int resource, std::uint64_t most,
                std::uint64_t above = 0);

/// Applies the limits per process from [children].
void LowerLimits(std::vector<ResourceLimit>& limits, const ChildLimits& wanted);

/// Used if no control group counts processes: limits the user to the current number plus `most`,
/// through RLIMIT_NPROC, which counts all processes of the user and does not apply to root.
void LimitProcessesOf(uid_t uid, std::uint64_t most, std::vector<ResourceLimit>& limits);

}  // namespace benchd
