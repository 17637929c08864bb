#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd {

/// Where a cgroup hierarchy is mounted, from the text of /proc/self/mountinfo.
struct CgroupMount {
  std::string point;  ///< such as /sys/fs/cgroup, or /sys/fs/cgroup/unified on a hybrid machine
  std::string root;   ///< which group the mount shows at its top, "/" for all
  bool operator==(const CgroupMount&) const = default;
};

/// @errors kNotFound when no cgroup2 file system is mounted.
Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo);

/// Empty, or that a controller belongs to version 1 on this (legacy or hybrid) machine, and what to
/// do about it; from the same text. Nothing here uses version 1, which systemd has dropped.
std::string WhyVersion1(std::string_view mountinfo, std::string_view controller);

/// The folder of a process' own v2 group, from the text of its /proc/PID/cgroup (the line "0::").
/// @errors kNotFound when it is in none, or in one that the mount does not show.
Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup);

/// The folder of the unit whose folder, or one for its control processes (".control", which systemd
/// makes for ExecStopPost= and the like), `own` is.
std::string FolderOfUnit(std::string own);

}  // namespace benchd
