#include "client/users.h"

#include <pwd.h>

namespace benchd::client {

std::string UserName(std::uint32_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry != nullptr ? entry->pw_name : "uid " + std::to_string(uid);
}

}  // namespace benchd::client
