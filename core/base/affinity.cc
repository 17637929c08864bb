#include "core/base/affinity.h"

#include <sched.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/try.h"

namespace benchd {
namespace {

static_assert(kMaxCpus == CPU_SETSIZE);

std::set<pid_t> Threads() {
  std::set<pid_t> threads;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = entry.path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) threads.insert(thread);
  }
  return threads;
}

}  // namespace

Result<std::vector<int>> ReadAffinity(pid_t tid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(tid, sizeof(set), &set) != 0) {
    if (errno == ESRCH) return Error{ErrorCode::kNotFound, "the thread has ended"};
    return SystemError("sched_getaffinity", errno);
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

Result<void> SetAffinity(pid_t tid, const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < kMaxCpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  if (sched_setaffinity(tid, sizeof(set), &set) == 0) return {};
  if (errno == ESRCH) return Error{ErrorCode::kNotFound, "the thread has ended"};
  return SystemError("sched_setaffinity", errno);
}

Result<void> ConfineProcess(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  // A thread that is not confined yet may start another, so repeat until there are no new ones.
  std::set<pid_t> confined;
  for (std::set<pid_t> threads = Threads(); threads != confined; threads = Threads()) {
    for (const pid_t thread : threads) {
      const Result<void> set = SetAffinity(thread, cpus);
      if (!set && set.error().code != ErrorCode::kNotFound) return set;
    }
    confined = std::move(threads);
  }
  return {};
}

KeptAffinity::KeptAffinity() {
  if (Result<std::vector<int>> cpus = ReadAffinity(0)) cpus_ = std::move(*cpus);
}

KeptAffinity::~KeptAffinity() {
  if (cpus_) static_cast<void>(SetAffinity(0, *cpus_));
}

}  // namespace benchd
