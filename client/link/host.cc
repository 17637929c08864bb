#include "client/link/host.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "core/base/user_database.h"

namespace benchd::client {

std::string UserName(std::uint32_t uid) {
  // Cached, because a list of sessions repeats a few users.
  static std::map<std::uint32_t, std::string> known;
  const auto [name, is_new] = known.try_emplace(uid);
  if (is_new) {
    const auto user = FindUser(uid);
    name->second = user ? user->name : "uid " + std::to_string(uid);
  }
  return name->second;
}

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string HomeDirectory() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return home;
  const auto user = FindUser(getuid());
  return user ? user->home : "";
}

std::string StateHome() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') return state;
  return (std::filesystem::path(HomeDirectory()) / ".local/state").string();
}

Result<std::string> OwnProgram() {
  std::error_code error;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return UsageError("/proc/self/exe: " + error.message());
  constexpr std::string_view kReplaced = " (deleted)";  // by a newer version, which works as well
  if (path.ends_with(kReplaced)) path.erase(path.size() - kReplaced.size());
  return path;
}

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
  // A thread started meanwhile may inherit the old CPUs. Repeat until no new thread appears.
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

std::size_t CpusOfThisThread() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&cpus)));
}

}  // namespace benchd::client
