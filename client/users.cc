#include "client/users.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace benchd::client {

std::string UserName(std::uint32_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry != nullptr ? entry->pw_name : "uid " + std::to_string(uid);
}

std::string HomeDirectory() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return home;
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_dir : "";
}

}  // namespace benchd::client
