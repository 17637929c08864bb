#include "daemon/groups.h"

#include <grp.h>

#include <cerrno>
#include <vector>

namespace benchd {

std::optional<std::uint32_t> GroupId(const std::string& name) {
  std::vector<char> buffer(4096);
  group entry{};
  group* found = nullptr;
  // A group of thousands needs more room than anybody can say beforehand.
  while (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  if (found == nullptr) return std::nullopt;
  return found->gr_gid;
}

}  // namespace benchd
