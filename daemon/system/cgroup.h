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

/// Where a version 1 hierarchy with that controller is mounted, from the same text.
/// @errors kNotFound when there is none.
Result<CgroupMount> FindV1Mount(std::string_view mountinfo, std::string_view controller);

/// Where a whole version 1 hierarchy with the cpuset controller is mounted, from the same text.
/// @errors kNotFound when there is none.
Result<CgroupMount> FindV1CpusetMount(std::string_view mountinfo);

/// The folder of a process' own v2 group, from the text of its /proc/PID/cgroup (the line "0::").
/// @errors kNotFound when it is in none, or in one that the mount does not show.
Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup);

/// The folder of a process' own group in a version 1 hierarchy, from the same two texts.
/// @errors kNotFound when there is no hierarchy with that controller, or it does not show the
/// group.
Result<std::string> OwnV1Folder(std::string_view mountinfo, std::string_view cgroup,
                                std::string_view controller);

/// The folder of the unit whose folder, or one for its control processes (".control", which systemd
/// makes for ExecStopPost= and the like), `own` is.
std::string FolderOfUnit(std::string own);

}  // namespace benchd
