#include "client/link/host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/user_database.h"

namespace benchd::client {

std::string UserName(std::uint32_t uid) {
  // Cached, because a list of sessions repeats a few users.
  static std::map<std::uint32_t, std::string> known;
  const auto [name, is_new] = known.try_emplace(uid);
  if (is_new) {
    const auto user = FindUser(uid);
    name->second = user ? user->name : fmt::format("uid {}", uid);
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

std::size_t CpusOfThisThread() {
  const Result<std::vector<int>> cpus = ReadAffinity(0);
  return cpus ? std::max<std::size_t>(1, cpus->size()) : 1;
}

}  // namespace benchd::client
