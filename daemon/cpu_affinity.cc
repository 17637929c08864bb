#include "daemon/cpu_affinity.h"

#include <sched.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include "core/base/result.h"

namespace benchd {
namespace {

std::set<pid_t> Threads() {
  std::set<pid_t> threads;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) threads.insert(thread);
  }
  return threads;
}

}  // namespace

Result<void> ConfineProcess(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  // A thread not yet confined may start another one meanwhile: until no new one is seen.
  std::set<pid_t> confined;
  for (std::set<pid_t> threads = Threads(); threads != confined; threads = Threads()) {
    for (const pid_t thread : threads) {
      // ESRCH: it has ended since.
      if (::sched_setaffinity(thread, sizeof(set), &set) != 0 && errno != ESRCH) {
        return SystemError("moving benchd to its CPUs", errno);
      }
    }
    confined = std::move(threads);
  }
  return {};
}

}  // namespace benchd
