#pragma once

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/base/cpu_list.h"
#include "core/base/error.h"
#include "daemon/system/kernel_files.h"
#include "tests/system/kernel_tree.h"

namespace benchd {

/// The version 1 cpuset hierarchy as the kernel shows it: the files of a group are there as soon as
/// its folder is, and a task is in exactly one group. Folders are real, their files are not.
class V1Cpusets : public KernelFiles {
 public:
  static constexpr const char* kTop = "sys/fs/cgroup/cpuset";

  explicit V1Cpusets(const KernelTree& tree) : KernelFiles(tree.root()) {
    tree.Put("proc/self/mountinfo",
             "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
             "35 31 0:32 / /sys/fs/cgroup/cpuset rw,nosuid - cgroup cgroup rw,cpuset");
    tree.Put(std::string(kTop) + "/tasks", "");
    groups_[""] = {{"cpuset.cpus", "0-3"}, {"cpuset.mems", "0-1"}};
  }

  Result<std::string> Read(std::string_view path) const override {
    const auto [group, file] = Split(path);
    if (file.empty()) return KernelFiles::Read(path);
    if (!IsThere(group)) return SystemError(FullPath(path), ENOENT);
    if (file != "tasks") return groups_[group][file];
    std::string text;
    for (const auto& [task, place] : tasks) {
      if (place == group) text += (text.empty() ? "" : "\n") + std::to_string(task);
    }
    return text;
  }

  Result<void> Write(std::string_view path, std::string_view text) const override {
    const auto [group, file] = Split(path);
    if (file.empty()) return KernelFiles::Write(path, text);
    writes.push_back(group + "/" + file + "=" + std::string(text));
    if (refuse) {
      if (const int reason = refuse(writes.back())) return SystemError(FullPath(path), reason);
    }
    if (!IsThere(group)) return SystemError(FullPath(path), ENOENT);
    if (file == "tasks") return Move(std::stoi(std::string(text)), group, path);
    groups_[group][file] = text;
    return {};
  }

  /// "1 2 | 3 | 4": the tasks of the top group, of housekeeping and of benchmark.
  std::string Layout() const {
    std::string text;
    for (const char* group : {"", "benchd-housekeeping", "benchd-benchmark"}) {
      if (*group != '\0') text += " |";
      for (const auto& [task, place] : tasks) {
        if (place == group) text += (text.empty() ? "" : " ") + std::to_string(task);
      }
    }
    return text;
  }

  mutable std::map<int, std::string> tasks;  ///< by number: the name of its group
  std::set<int> bound;                       ///< kernel threads that cannot be moved
  mutable std::vector<std::string> writes;   ///< all that was tried: "GROUP/FILE=TEXT"
  /// The error number with which a write ("GROUP/FILE=TEXT") is refused; 0 = it is not.
  std::function<int(const std::string& write)> refuse;
  /// Called when a task is about to be moved.
  mutable std::function<void(int task)> on_move;

 private:
  struct Place {
    std::string group;
    std::string file;  ///< empty: not one of ours
  };

  static Place Split(std::string_view path) {
    const std::string top = std::string(kTop) + "/";
    if (!path.starts_with(top)) return {};
    path.remove_prefix(top.size());
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return {"", std::string(path)};
    return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
  }

  /// A group that was removed has forgotten its values.
  bool IsThere(const std::string& group) const {
    if (Exists(group.empty() ? kTop : std::string(kTop) + "/" + group)) return true;
    groups_.erase(group);
    return false;
  }

  Result<void> Move(int task, const std::string& group, std::string_view path) const {
    if (on_move) on_move(task);
    if (!tasks.contains(task)) return SystemError(FullPath(path), ESRCH);
    if (bound.contains(task)) return SystemError(FullPath(path), EINVAL);
    auto& values = groups_[group];
    if (values["cpuset.cpus"].empty() || values["cpuset.mems"].empty()) {
      return SystemError(FullPath(path), ENOSPC);
    }
    tasks[task] = group;
    return {};
  }

  mutable std::map<std::string, std::map<std::string, std::string>> groups_;
};

}  // namespace benchd
