#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// The mount of a cgroup hierarchy, parsed from the text of /proc/self/mountinfo.
struct CgroupMount {
  std::string point;  ///< such as /sys/fs/cgroup, or /sys/fs/cgroup/unified on a hybrid machine
  std::string root;   ///< the group that the mount shows at its top, "/" for all
  bool operator==(const CgroupMount&) const = default;
};

/// @errors kNotFound when no cgroup2 file system is mounted.
Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo);

/// The same on this machine. @errors also those of proc/self/mountinfo.
Result<CgroupMount> ReadCgroup2Mount(const KernelFiles& files);

/// Empty, or a message that a controller belongs to version 1 on this (legacy or hybrid) machine
/// and what to do about it; from the same text. benchd does not use version 1, which systemd has
/// dropped.
std::string WhyVersion1(std::string_view mountinfo, std::string_view controller);

/// The folder of the v2 group of a process, from the text of its /proc/PID/cgroup (the line "0::").
/// @errors kNotFound when the process is in no group, or in one that the mount does not show.
Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup);

/// The folder of this process's own group. @errors also those of the files.
Result<std::string> OwnCgroupFolder(const KernelFiles& files);

/// Removes the leading slash, as KernelFiles expects paths.
std::string WithoutSlash(std::string path);

/// The runner's place in the control groups, found once when it starts.
struct CgroupPlace {
  std::string mount;     ///< such as "sys/fs/cgroup", without the leading slash; or empty
  std::string unit;      ///< the top-level unit that holds our own group: "bench.slice"; or empty
  std::string version1;  ///< empty, or why the cpuset controller cannot be used: WhyVersion1()
  bool operator==(const CgroupPlace&) const = default;
};

/// @errors those of proc/self/mountinfo and proc/self/cgroup.
Result<CgroupPlace> FindCgroupPlace(const KernelFiles& files);

/// The folder of the unit. `own` is that folder, or the one for its control processes (".control",
/// which systemd creates for ExecStopPost= and similar commands).
std::string FolderOfUnit(std::string own);

}  // namespace benchd
