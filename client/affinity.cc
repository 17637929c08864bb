#include "client/affinity.h"

#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace benchd::client {

void MoveToCpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  bool any = false;
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) continue;
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    any = true;
  }
  if (!any) return;
  // A thread that is started meanwhile may come from one not moved yet: again until nothing is new.
  std::set<std::string> moved;
  for (bool found_new = true; found_new;) {
    found_new = false;
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
      const std::string name = task.path().filename().string();
      if (!moved.insert(name).second) continue;
      found_new = true;
      sched_setaffinity(std::atoi(name.c_str()), sizeof set, &set);
    }
  }
}

}  // namespace benchd::client
