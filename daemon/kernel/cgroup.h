#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// The mount of a cgroup hierarchy, parsed from the text of /proc/self/mountinfo.
struct CgroupMount {
  std::string point;  ///< such as /sys/fs/cgroup, or /sys/fs/cgroup/unified on a hybrid machine
  std::string root;   ///< the group at the top of the mount; "/" for the whole hierarchy
  bool operator==(const CgroupMount&) const = default;
};

/// Finds the mount of the cgroup2 file system. @errors kNotFound if it is not mounted.
Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo);

/// Finds the mount of this machine's cgroup2 file system. @errors also those of
/// proc/self/mountinfo.
Result<CgroupMount> ReadCgroup2Mount(const KernelFiles& files);

/// Returns a message with a remedy if the controller belongs to cgroup version 1, as on legacy and
/// hybrid machines; otherwise an empty string. benchd does not support version 1, which systemd has
/// dropped.
std::string WhyVersion1(std::string_view mountinfo, std::string_view controller);

/// Returns the same for this machine; an empty string also if proc/self/mountinfo cannot be read.
std::string WhyVersion1(const KernelFiles& files, std::string_view controller);

/// Returns the folder of a process's version 2 group, parsed from the text of its /proc/PID/cgroup
/// (the line "0::").
/// @errors kNotFound if the process is not in a group, or the mount does not show its group.
Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup);

/// Returns the folder of this process's group. @errors also those of the files.
Result<std::string> OwnCgroupFolder(const KernelFiles& files);

/// Removes the leading slash, because KernelFiles expects paths without it.
std::string WithoutSlash(std::string path);

/// The runner's location in the control groups, determined once when it starts.
struct CgroupPlace {
  std::string mount;     ///< such as "sys/fs/cgroup", without the leading slash; or empty
  std::string unit;      ///< the top-level unit above our group, such as "bench.slice"; or empty
  std::string version1;  ///< WhyVersion1() of the cpuset controller; empty if it can be used
  bool operator==(const CgroupPlace&) const = default;
};

/// Determines the location. @errors those of proc/self/mountinfo and proc/self/cgroup.
Result<CgroupPlace> FindCgroupPlace(const KernelFiles& files);

/// Returns the folder of a unit. `own` is that folder or its subfolder ".control", which systemd
/// creates for control processes such as those of ExecStopPost=.
std::string FolderOfUnit(std::string own);

}  // namespace benchd
