#include "daemon/kernel/cgroup.h"

#include <charconv>
#include <utility>

#include "core/base/try.h"
#include "daemon/kernel/kernel_paths.h"

namespace benchd {
namespace {

/// Replaces the octal escapes with which mountinfo writes space, tab, newline and backslash.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int code = 0;
      std::from_chars(&text[i + 1], &text[i + 1] + 3, code, 8);
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// Returns the type, source and options of the file system in a line of mountinfo.
std::string_view FileSystemOf(std::string_view line) {
  constexpr std::string_view kSeparator = " - ";
  const std::size_t separator = line.find(kSeparator);
  if (separator == std::string_view::npos) return {};
  return line.substr(separator + kSeparator.size());
}

}  // namespace

Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo) {
  while (!mountinfo.empty()) {
    std::string_view line = NextLine(mountinfo);
    std::string_view after = FileSystemOf(line);
    if (NextWord(after) != "cgroup2") continue;
    for (int skipped = 0; skipped < 3; ++skipped) NextWord(line);
    CgroupMount mount;
    mount.root = Unescape(NextWord(line));
    mount.point = Unescape(NextWord(line));
    return mount;
  }
  return Error{ErrorCode::kNotFound, "no cgroup version 2 hierarchy is mounted"};
}

Result<CgroupMount> ReadCgroup2Mount(const KernelFiles& files) {
  auto mountinfo = files.Read(paths::kMountInfo);
  return mountinfo ? FindCgroup2Mount(*mountinfo) : std::move(mountinfo).error();
}

std::string WhyVersion1(std::string_view mountinfo, std::string_view controller) {
  const std::string wanted = "," + std::string(controller) + ",";
  while (!mountinfo.empty()) {
    std::string_view after = FileSystemOf(NextLine(mountinfo));
    if (NextWord(after) != "cgroup") continue;
    NextWord(after);  // the source
    // The file system's options list the controllers: "rw,cpuset,clone_children".
    const std::string options = "," + std::string(NextWord(after)) + ",";
    if (options.find(wanted) == std::string::npos) continue;
    return "the " + std::string(controller) +
           " controller belongs to cgroup version 1 here: boot with "
           "systemd.unified_cgroup_hierarchy=1";
  }
  return {};
}

std::string WhyVersion1(const KernelFiles& files, std::string_view controller) {
  const std::string mountinfo = files.Text(paths::kMountInfo);
  return WhyVersion1(std::string_view(mountinfo), controller);
}

Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup) {
  while (!cgroup.empty()) {
    std::string_view group = NextLine(cgroup);
    if (!group.starts_with("0::/")) continue;
    group.remove_prefix(3);
    if (mount.root != "/") {
      if (!group.starts_with(mount.root)) break;
      group.remove_prefix(mount.root.size());
      if (!group.empty() && group.front() != '/') break;
    }
    std::string folder = mount.point + std::string(group);
    if (folder.back() == '/') folder.pop_back();
    return folder;
  }
  return Error{ErrorCode::kNotFound, "cgroup: this process's group is not visible here"};
}

Result<std::string> OwnCgroupFolder(const KernelFiles& files) {
  TRY(auto mount, ReadCgroup2Mount(files));
  auto own = files.Read(paths::kOwnCgroup);
  return own ? OwnCgroupFolder(mount, *own) : std::move(own);
}

std::string WithoutSlash(std::string path) {
  path.erase(0, path.find_first_not_of('/'));
  return path;
}

Result<CgroupPlace> FindCgroupPlace(const KernelFiles& files) {
  TRY(auto mountinfo, files.Read(paths::kMountInfo));
  TRY(auto cgroup, files.Read(paths::kOwnCgroup));
  CgroupPlace place;
  place.version1 = WhyVersion1(mountinfo, "cpuset");
  const auto mount = FindCgroup2Mount(mountinfo);
  if (!mount) return place;
  place.mount = WithoutSlash(mount->point);
  const auto own = OwnCgroupFolder(*mount, cgroup);
  // In a container, the group at the top of the mount is not a unit of the host.
  if (!own || mount->root != "/" || own->size() <= mount->point.size()) return place;
  const std::string below = WithoutSlash(own->substr(mount->point.size()));
  place.unit = below.substr(0, below.find('/'));
  return place;
}

std::string FolderOfUnit(std::string own) {
  constexpr std::string_view kControl = "/.control";
  if (own.ends_with(kControl)) own.resize(own.size() - kControl.size());
  return own;
}

}  // namespace benchd
