#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

// The benchmark CPUs kept free on a machine whose cpuset controller is of cgroup version 1.
//
// There are no partitions, and cpuset.cpu_exclusive does not keep tasks of the parent off. So two
// groups are made at the top, benchd-housekeeping and benchd-benchmark, and the tasks of the top
// group are moved into the first (Documentation/admin-guide/cgroup-v1/cpusets.rst). Three kinds
// stay where they are: kernel threads that cannot be moved (EINVAL), tasks of other cpusets, and
// tasks that are kept to housekeeping CPUs already, as a move replaces a task's own affinity:
// before Linux 6.2 for good, so that a task pinned to benchmark CPUs comes back without its
// pinning.

inline constexpr std::string_view kShieldHousekeepingGroup = "benchd-housekeeping";
inline constexpr std::string_view kShieldBenchmarkGroup = "benchd-benchmark";

/// "absent", or "HOUSEKEEPING/BENCHMARK" as CPU lists, such as "0/1-3".
///
/// A shield that was left unfinished, by a kill while it was made or removed, is removed here: none
/// of its tasks has anything to lose, and there is no value by which to name it.
/// @errors kNotFound where no version 1 cpuset hierarchy is mounted; those of its files.
Result<std::string> ReadShield(const KernelFiles& files);

/// Makes the shield, or with "absent" moves all its tasks back to the top group and removes it.
/// A shield that cannot be made is undone.
/// @errors as ReadShield(); kInvalidArgument for another kind of value; kUnavailable when new tasks
///         keep coming.
Result<void> WriteShield(const KernelFiles& files, std::string_view value);

/// The full path of the file into which a child's number is written to put it into the benchmark
/// group; empty where there is no shield.
std::string ShieldBenchmarkTasksPath(const KernelFiles& files);

/// All version 1 cpusets but the top one and the shield's, as names below the top ("docker/1f3a"),
/// parents first.
std::vector<std::string> ListV1Cpusets(const KernelFiles& files);

/// The top version 1 cpuset's folder, without the leading slash; empty where there is none.
std::string V1CpusetFolder(const KernelFiles& files);

}  // namespace benchd
