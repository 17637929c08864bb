#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/model/child.h"
#include "daemon/runner/host.h"
#include "daemon/system/tree_group.h"

namespace benchd {

/// How many processes and threads one run may have unless [children] says otherwise: more than any
/// benchmark wants, and few enough that a machine survives them.
inline constexpr std::uint64_t kDefaultProcesses = 4096;

/// What the control groups of runs are to hold.
///
/// Where the configuration is silent, a user's runner (`contain` is false) limits nothing; the
/// system's keeps a tenth of the memory, 256 MiB at least, and half of the kernel's threads for
/// everybody else.
TreeLimits ChooseTreeLimits(const Host& host, const ChildLimits& wanted, bool contain);

/// The caller's limit of that kind (ours where it has none), or `most` where that is lower; the
/// hard one stays `above` higher.
void LowerLimit(std::vector<ResourceLimit>& limits, int resource, std::uint64_t most,
                std::uint64_t above = 0);

/// Lowers what [children] says about each process.
void LowerLimits(std::vector<ResourceLimit>& limits, const ChildLimits& wanted);

/// Where no control group counts processes: no more of them than the user has now and `most`, by
/// RLIMIT_NPROC, which is the user's as a whole. The kernel lets root have as many as it likes.
void LimitProcessesOf(uid_t uid, std::uint64_t most, std::vector<ResourceLimit>& limits);

}  // namespace benchd
