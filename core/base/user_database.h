#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

// Functions that look up users and groups of the machine. Our programs may be linked statically,
// whereas the modules of the name service (sss, ldap, systemd) are shared libraries that need the
// machine's C library. Therefore these functions read /etc/passwd and /etc/group, and then run
// getent(1) if it is installed.

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

/// Parses a line of passwd(5). Returns std::nullopt if it is malformed.
std::optional<UserEntry> ParseUserLine(std::string_view line);
/// Parses a line of group(5). Returns std::nullopt if it is malformed.
std::optional<GroupEntry> ParseGroupLine(std::string_view line);

/// Looks up a user or group. Returns std::nullopt if it does not exist or the look-up fails.
std::optional<UserEntry> FindUser(uid_t uid);
std::optional<UserEntry> FindUser(const std::string& name);
std::optional<GroupEntry> FindGroup(gid_t gid);
std::optional<GroupEntry> FindGroup(const std::string& name);

/// Runs getent for a key of a database. Returns its output, or std::nullopt if the key does not
/// exist.
/// @errors if getent cannot be started, fails, or prints too much
Result<std::optional<std::string>> Getent(const char* database, std::string key);

}  // namespace benchd
