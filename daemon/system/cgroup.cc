#include "daemon/system/cgroup.h"

#include <algorithm>
#include <charconv>

namespace benchd {
namespace {

/// The next word of a line whose words are separated by single blanks.
std::string_view TakeWord(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// mountinfo writes blank, tab, newline and backslash as three octal digits.
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

}  // namespace

Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo) {
  while (!mountinfo.empty()) {
    std::string_view line = TakeLine(mountinfo);
    const std::size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    std::string_view after = line.substr(separator + 3);
    if (TakeWord(after) != "cgroup2") continue;
    for (int skipped = 0; skipped < 3; ++skipped) TakeWord(line);
    CgroupMount mount;
    mount.root = Unescape(TakeWord(line));
    mount.point = Unescape(TakeWord(line));
    return mount;
  }
  return Error{ErrorCode::kNotFound, "cgroup: no version 2 hierarchy is mounted", {}};
}

std::string WhyVersion1(std::string_view mountinfo, std::string_view controller) {
  const std::string wanted = "," + std::string(controller) + ",";
  while (!mountinfo.empty()) {
    std::string_view line = TakeLine(mountinfo);
    const std::size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    std::string_view after = line.substr(separator + 3);
    if (TakeWord(after) != "cgroup") continue;
    TakeWord(after);  // the source
    // The controllers stand among the file system's options: "rw,cpuset,clone_children".
    const std::string options = "," + std::string(TakeWord(after)) + ",";
    if (options.find(wanted) == std::string::npos) continue;
    return "the " + std::string(controller) +
           " controller belongs to cgroup version 1 here: boot with "
           "systemd.unified_cgroup_hierarchy=1";
  }
  return {};
}

Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup) {
  while (!cgroup.empty()) {
    std::string_view group = TakeLine(cgroup);
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
  return Error{ErrorCode::kNotFound, "cgroup: the own group is not visible here", {}};
}

std::string FolderOfUnit(std::string own) {
  constexpr std::string_view kControl = "/.control";
  if (own.ends_with(kControl)) own.resize(own.size() - kControl.size());
  return own;
}

}  // namespace benchd
