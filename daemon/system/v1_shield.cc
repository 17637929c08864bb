#include "daemon/system/v1_shield.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/cpu_list.h"
#include "core/base/error.h"
#include "daemon/system/cgroup.h"
#include "daemon/system/kernel_text.h"

namespace benchd {
namespace {

constexpr std::string_view kAbsent = "absent";
constexpr const char* kCpus = "/cpuset.cpus";
constexpr const char* kMems = "/cpuset.mems";
constexpr const char* kTasks = "/tasks";

struct Shield {
  std::string top;  ///< folder of the top group
  std::string housekeeping = top + "/" + std::string(kShieldHousekeepingGroup);
  std::string benchmark = top + "/" + std::string(kShieldBenchmarkGroup);
};

struct ShieldCpus {
  std::vector<int> housekeeping;
  std::vector<int> benchmark;
};

Result<Shield> FindShield(const KernelFiles& files) {
  std::string top = V1CpusetFolder(files);
  if (top.empty()) {
    return Error{ErrorCode::kNotFound, "cpuset: no version 1 hierarchy is mounted", {}};
  }
  return Shield{.top = std::move(top)};
}

Result<ShieldCpus> ParseShield(std::string_view value) {
  const std::size_t slash = value.find('/');
  if (slash != std::string_view::npos) {
    auto housekeeping = ParseCpuList(value.substr(0, slash));
    auto benchmark = ParseCpuList(value.substr(slash + 1));
    if (housekeeping && benchmark && !housekeeping->empty() && !benchmark->empty()) {
      return ShieldCpus{std::move(*housekeeping), std::move(*benchmark)};
    }
  }
  return InvalidArgument("shield", "'" + std::string(value) + "' is not HOUSEKEEPING/BENCHMARK");
}

Result<void> MakeFolder(const KernelFiles& files, const std::string& path) {
  const std::string full = files.FullPath(path);
  if (mkdir(full.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return SystemError(full, errno);
}

bool IsListed(const KernelFiles& files, const std::string& group, std::string_view task) {
  const std::string tasks = files.Read(group + kTasks).value_or("");
  for (std::string_view rest = tasks; !rest.empty();) {
    if (NextLine(rest) == task) return true;
  }
  return false;
}

/// Whether all CPUs that a task may use are among `cpus`; false when it is not known.
bool StaysOn(const KernelFiles& files, std::string_view task, const std::vector<int>& cpus) {
  const auto status = files.Read("proc/" + std::string(task) + "/status");
  if (!status) return false;
  const auto allowed = ParseCpuList(Field(*status, "Cpus_allowed_list"));
  return allowed && !allowed->empty() && CpusWithout(*allowed, cpus).empty();
}

/// One pass over a group's tasks; those that stay on `settled` are left. @return how many moved.
Result<int> MovePass(const KernelFiles& files, const std::string& from, const std::string& to,
                     const std::vector<int>& settled) {
  auto tasks = files.Read(from + kTasks);
  if (!tasks) return std::move(tasks).error();
  int moved = 0;
  for (std::string_view rest = *tasks; !rest.empty();) {
    const std::string_view task = NextLine(rest);
    if (!settled.empty() && StaysOn(files, task, settled)) continue;
    auto written = files.Write(to + kTasks, task);
    if (written) {
      ++moved;
    } else if (written.error().code != ErrorCode::kInvalidArgument && IsListed(files, from, task)) {
      // Neither a kernel thread that cannot be moved nor a task that has just ended.
      return std::move(written).error().Within("moving task " + std::string(task));
    }
  }
  return moved;
}

/// Moves all that can be moved: tasks that are born meanwhile are met by the next pass.
Result<void> MoveAll(const KernelFiles& files, const std::string& from, const std::string& to,
                     const std::vector<int>& settled = {}) {
  constexpr int kPasses = 100;
  for (int pass = 0; pass < kPasses; ++pass) {
    auto moved = MovePass(files, from, to, settled);
    if (!moved) return std::move(moved).error();
    if (*moved == 0) return {};
  }
  return Error{ErrorCode::kUnavailable, files.FullPath(from) + ": new tasks keep coming", {}};
}

/// Moves a group's tasks to the top and removes it. Nothing to do where there is none.
Result<void> RemoveGroup(const KernelFiles& files, const Shield& shield, const std::string& group) {
  constexpr int kTries = 200;
  constexpr useconds_t kPauseUs = 1000;
  const std::string full = files.FullPath(group);
  if (!files.Exists(group)) return {};
  // An ended task counts as a member for a moment longer than it is listed.
  for (int i = 0; i < kTries; ++i) {
    auto moved = MoveAll(files, group, shield.top);
    if (!moved && moved.error().code != ErrorCode::kNotFound) return moved;
    if (rmdir(full.c_str()) == 0 || errno == ENOENT) return {};
    if (errno != EBUSY) break;
    usleep(kPauseUs);
  }
  return SystemError(full, errno);
}

Result<void> Remove(const KernelFiles& files, const Shield& shield) {
  auto benchmark = RemoveGroup(files, shield, shield.benchmark);
  auto housekeeping = RemoveGroup(files, shield, shield.housekeeping);
  return benchmark ? housekeeping : benchmark;
}

Result<void> Fill(const KernelFiles& files, const std::string& group, const std::vector<int>& cpus,
                  std::string_view mems) {
  auto written = files.Write(group + kCpus, FormatCpuList(cpus));
  return written ? files.Write(group + kMems, mems) : written;
}

/// Nothing is moved before both groups have their CPUs: from then on the shield can be read.
Result<void> Make(const KernelFiles& files, const Shield& shield, const ShieldCpus& cpus) {
  auto mems = files.Read(shield.top + kMems);
  if (!mems) return std::move(mems).error();
  for (const std::string& group : {shield.housekeeping, shield.benchmark}) {
    if (auto made = MakeFolder(files, group); !made) return made;
  }
  auto filled = Fill(files, shield.housekeeping, cpus.housekeeping, *mems);
  if (filled) filled = Fill(files, shield.benchmark, cpus.benchmark, *mems);
  if (!filled) return filled;
  return MoveAll(files, shield.top, shield.housekeeping, cpus.housekeeping);
}

/// The CPUs of one of the shield's groups; empty where it has none yet, or does not exist.
Result<std::vector<int>> CpusOf(const KernelFiles& files, const std::string& group) {
  auto text = files.Read(group + kCpus);
  if (text) return ParseCpuList(*text);
  if (text.error().code == ErrorCode::kNotFound) return std::vector<int>{};
  return std::move(text).error();
}

void ListBelow(const KernelFiles& files, const std::string& top, const std::string& parent,
               std::vector<std::string>& names) {
  for (const std::string& entry : files.List(parent.empty() ? top : top + "/" + parent)) {
    const std::string name = parent.empty() ? entry : parent + "/" + entry;
    if (name == kShieldHousekeepingGroup || name == kShieldBenchmarkGroup) continue;
    if (!files.Exists(top + "/" + name + kTasks)) continue;
    names.push_back(name);
    ListBelow(files, top, name, names);
  }
}

}  // namespace

std::string V1CpusetFolder(const KernelFiles& files) {
  const auto mount = FindV1CpusetMount(files.Read("proc/self/mountinfo").value_or(""));
  if (!mount) return {};
  return mount->point.substr(std::min(mount->point.size(), mount->point.find_first_not_of('/')));
}

Result<std::string> ReadShield(const KernelFiles& files) {
  auto shield = FindShield(files);
  if (!shield) return std::move(shield).error();
  const bool has_housekeeping = files.Exists(shield->housekeeping);
  const bool has_benchmark = files.Exists(shield->benchmark);
  if (!has_housekeeping && !has_benchmark) return std::string(kAbsent);
  auto housekeeping = CpusOf(files, shield->housekeeping);
  if (!housekeeping) return std::move(housekeeping).error();
  auto benchmark = CpusOf(files, shield->benchmark);
  if (!benchmark) return std::move(benchmark).error();
  if (!housekeeping->empty() && !benchmark->empty()) {
    return FormatCpuList(*housekeeping) + "/" + FormatCpuList(*benchmark);
  }
  if (auto removed = Remove(files, *shield); !removed) return std::move(removed).error();
  return std::string(kAbsent);
}

Result<void> WriteShield(const KernelFiles& files, std::string_view value) {
  auto shield = FindShield(files);
  if (!shield) return std::move(shield).error();
  if (value == kAbsent) return Remove(files, *shield);
  const auto cpus = ParseShield(value);
  if (!cpus) return cpus.error();
  auto made = Make(files, *shield, *cpus);
  if (made) return made;
  if (auto removed = Remove(files, *shield); !removed) {
    made.error().message += "; and it cannot be undone: " + removed.error().message;
  }
  return made;
}

std::string ShieldBenchmarkTasksPath(const KernelFiles& files) {
  const auto shield = FindShield(files);
  if (!shield || !files.Exists(shield->benchmark)) return {};
  return files.FullPath(shield->benchmark + kTasks);
}

std::vector<std::string> ListV1Cpusets(const KernelFiles& files) {
  std::vector<std::string> names;
  const std::string top = V1CpusetFolder(files);
  if (!top.empty()) ListBelow(files, top, "", names);
  return names;
}

}  // namespace benchd
