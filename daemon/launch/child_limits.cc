#include "daemon/launch/child_limits.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/meminfo.h"

namespace benchd {
namespace {

constexpr std::uint64_t kMebibyte = 1024 * 1024;
constexpr std::uint64_t kKeptMemory = 256 * kMebibyte;

/// Returns how many bytes of the machine's memory a run may use; kNoLimit if the total is unknown.
std::uint64_t MostMemory(const Host& host) {
  const std::uint64_t total = ReadMemoryInfo(host.files).total_kib.value_or(0) * 1024;
  const std::uint64_t kept = std::max(total / 10, kKeptMemory);
  // On such a small machine, a limit would leave too little memory for benchmarks.
  if (total < 2 * kept) return kNoLimit;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (total - kept) / page * page;
}

std::uint64_t MostProcesses(const Host& host) {
  const auto threads = host.files.Count(paths::kMostThreads).value_or(0);
  return threads == 0 ? kDefaultProcesses
                      : std::clamp<std::uint64_t>(threads / 2, 1, kDefaultProcesses);
}

/// Counts the threads of all processes of `uid`.
std::uint64_t CountThreads(uid_t uid) {
  std::uint64_t count = 0;
  const KernelFiles files("/");
  DIR* listing = opendir(files.FullPath(paths::kProc).c_str());
  if (listing == nullptr) return count;
  while (const dirent* entry = readdir(listing)) {
    if (!ParseCount(entry->d_name)) continue;
    struct stat info {};
    const std::string path = files.FullPath(WithTarget(paths::kProcessThreads, entry->d_name));
    if (stat(path.c_str(), &info) != 0 || info.st_uid != uid) continue;
    // /proc/PID/task has one folder per thread, plus `.` and `..` (proc(5)).
    count += info.st_nlink > 2 ? info.st_nlink - 2 : 0;
  }
  closedir(listing);
  return count;
}

}  // namespace

TreeLimits ChooseTreeLimits(const Host& host, const ChildLimits& wanted, bool contain) {
  TreeLimits limits;
  if (contain) limits = {.memory_bytes = MostMemory(host), .processes = MostProcesses(host)};
  limits.memory_bytes = wanted.memory_bytes.value_or(limits.memory_bytes);
  limits.processes = wanted.processes.value_or(limits.processes);
  return limits;
}

void LowerLimit(std::vector<ResourceLimit>& limits, int resource, std::uint64_t most,
                std::uint64_t above) {
  if (most == kNoLimit) return;
  const auto same = [resource](const ResourceLimit& limit) { return limit.resource == resource; };
  auto limit = std::find_if(limits.begin(), limits.end(), same);
  if (limit == limits.end()) {
    rlimit64 own{};
    prlimit64(0, static_cast<__rlimit_resource>(resource), nullptr, &own);
    limit = limits.insert(limit, {resource, own.rlim_cur, own.rlim_max});
  }
  limit->soft = std::min(limit->soft, most);
  limit->hard = std::min(limit->hard, most + above);
}

void LowerLimits(std::vector<ResourceLimit>& limits, const ChildLimits& wanted) {
  LowerLimit(limits, RLIMIT_NOFILE, wanted.open_files);
  LowerLimit(limits, RLIMIT_FSIZE, wanted.file_bytes);
  LowerLimit(limits, RLIMIT_CORE, wanted.core_bytes);
  // At the soft limit, the kernel sends SIGXCPU, which identifies the cause. At the hard limit, it
  // sends SIGKILL.
  LowerLimit(limits, RLIMIT_CPU, wanted.cpu_seconds, 1);
}

void LimitProcessesOf(uid_t uid, std::uint64_t most, std::vector<ResourceLimit>& limits) {
  if (uid == 0 || most == kNoLimit) return;
  LowerLimit(limits, RLIMIT_NPROC, CountThreads(uid) + most);
}

}  // namespace benchd
