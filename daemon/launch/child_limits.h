#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/model/child.h"
#include "daemon/kernel/tree_group.h"
#include "daemon/launch/host.h"

namespace benchd {

/// The default limit on the processes and threads of one run, used unless [children] sets a limit.
/// It is higher than any benchmark needs and low enough for the machine to remain usable.
inline constexpr std::uint64_t kDefaultProcesses = 4096;

/// Returns the limits for the control groups of runs.
///
/// If no limits are configured, a user-mode runner (`contain` is false) sets none. A system runner
/// then reserves a tenth of the memory, but at least 256 MiB, and half of the kernel's threads for
/// the rest of the machine.
TreeLimits ChooseTreeLimits(const Host& host, const ChildLimits& wanted, bool contain);

/// Lowers the caller's limit on `resource` to `most`. If the caller does not have such a limit, the
/// runner's own limit is lowered and added. The hard limit may exceed `most` by `above`.
void LowerLimit(std::vector<ResourceLimit>& limits, int resource, std::uint64_t most,
                std::uint64_t above = 0);

/// Applies the per-process limits from [children].
void LowerLimits(std::vector<ResourceLimit>& limits, const ChildLimits& wanted);

/// Limits the number of processes if no control group counts them. It sets RLIMIT_NPROC, which
/// counts all processes of the user, to the current number plus `most`. RLIMIT_NPROC does not apply
/// to root.
void LimitProcessesOf(uid_t uid, std::uint64_t most, std::vector<ResourceLimit>& limits);

}  // namespace benchd
