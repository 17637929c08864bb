#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

// The machine's users and groups. Our programs may be static, whereas the sources of the name
// service (sss, ldap, systemd) are shared libraries of the machine's own C library: /etc/passwd and
// /etc/group are read here, and getent(1) is asked for whoever is in neither, where it is there.

struct UserEntry {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;
  bool operator==(const UserEntry&) const = default;
};

struct GroupEntry {
  std::string name;
  gid_t gid = 0;
  bool operator==(const GroupEntry&) const = default;
};

/// A line of passwd(5); nothing for what is none.
std::optional<UserEntry> ParseUserLine(std::string_view line);
/// A line of group(5); nothing for what is none.
std::optional<GroupEntry> ParseGroupLine(std::string_view line);

/// Nothing where there is no such user or group, or where nobody can tell.
std::optional<UserEntry> FindUser(uid_t uid);
std::optional<UserEntry> FindUser(const std::string& name);
std::optional<GroupEntry> FindGroup(gid_t gid);
std::optional<GroupEntry> FindGroup(const std::string& name);

/// What getent prints for a key of a database; nothing where there is no such key.
/// @errors when it cannot be started, does not answer, or answers too much.
Result<std::optional<std::string>> Getent(const char* database, std::string key);

}  // namespace benchd
