#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// Where a cgroup hierarchy is mounted, from the text of /proc/self/mountinfo.
struct CgroupMount {
  std::string point;  ///< such as /sys/fs/cgroup, or /sys/fs/cgroup/unified on a hybrid machine
  std::string root;   ///< which group the mount shows at its top, "/" for all
  bool operator==(const CgroupMount&) const = default;
};

/// @errors kNotFound when no cgroup2 file system is mounted.
Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo);

/// The same on this machine. @errors also those of proc/self/mountinfo.
Result<CgroupMount> ReadCgroup2Mount(const KernelFiles& files);

/// Empty, or that a controller belongs to version 1 on this (legacy or hybrid) machine, and what to
/// do about it; from the same text. Nothing here uses version 1, which systemd has dropped.
std::string WhyVersion1(std::string_view mountinfo, std::string_view controller);

/// The folder of a process' own v2 group, from the text of its /proc/PID/cgroup (the line "0::").
/// @errors kNotFound when it is in none, or in one that the mount does not show.
Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup);

/// The folder of this process' own group. @errors also those of the files.
Result<std::string> OwnCgroupFolder(const KernelFiles& files);

/// A path as KernelFiles takes it.
std::string WithoutSlash(std::string path);

/// Where the runner stands in the control groups, found once at its start.
struct CgroupPlace {
  std::string mount;     ///< such as "sys/fs/cgroup", without the leading slash; or empty
  std::string unit;      ///< the top-level unit that the own group lies in: "bench.slice"; or empty
  std::string version1;  ///< empty, or that the cpuset controller belongs there: WhyVersion1()
  bool operator==(const CgroupPlace&) const = default;
};

/// @errors those of proc/self/mountinfo and proc/self/cgroup.
Result<CgroupPlace> FindCgroupPlace(const KernelFiles& files);

/// The folder of the unit whose folder, or one for its control processes (".control", which systemd
/// makes for ExecStopPost= and the like), `own` is.
std::string FolderOfUnit(std::string own);

}  // namespace benchd
