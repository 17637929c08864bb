#include "daemon/runner/access.h"

#include <algorithm>
#include <utility>

namespace benchd {
namespace {

/// Below it are the system's own users (SYS_UID_MAX of login.defs(5)).
constexpr uid_t kFirstPerson = 1000;

Error Refused(uid_t uid, const std::string& why, std::string hint) {
  return Error{ErrorCode::kPermissionDenied,
               "benchd-runner: it starts nothing as uid " + std::to_string(uid) + ": " + why,
               std::move(hint)};
}

bool IsNamed(const AccessRules& rules, const wire::UserRecord& record, uid_t uid) {
  const std::string number = std::to_string(uid);
  return std::any_of(rules.users.begin(), rules.users.end(), [&](const std::string& user) {
    return user == number || (record.known && user == record.name);
  });
}

/// All groups of the record; of a user that nobody knows only the one that is by custom its own.
std::vector<std::uint32_t> GroupsOf(const wire::UserRecord& record, uid_t uid) {
  std::vector<std::uint32_t> groups = record.groups;
  groups.push_back(record.known ? record.gid : uid);
  return groups;
}

}  // namespace

Result<void> CheckUid(const AccessRules& rules, uid_t uid) {
  if (!rules.hold) return {};
  if (uid == 0) {
    if (rules.allow_root) return {};
    return Refused(uid, "allow_root is not set",
                   "submit as another user, or set [access] allow_root = true and restart both "
                   "services");
  }
  if (uid != rules.benchd) return {};
  return Refused(uid, "that is benchd itself", "submit as another user");
}

Result<Caller> AdmitCaller(const AccessRules& rules, const wire::UserRecord& record,
                           Caller caller) {
  if (!rules.hold) return caller;
  if (auto checked = CheckUid(rules, caller.uid); !checked) return std::move(checked).error();
  const std::vector<std::uint32_t> groups = GroupsOf(record, caller.uid);
  const auto has = [&groups](std::uint32_t group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  };
  if (caller.uid != 0 && !IsNamed(rules, record, caller.uid)) {
    const std::string hint = "or name it in [access] users and restart benchd-runner";
    if (caller.uid < kFirstPerson) {
      return Refused(caller.uid, "it is a user of the system's own",
                     "submit as another user, " + hint);
    }
    if (!record.known || !record.socket_gid || !has(*record.socket_gid)) {
      return Refused(caller.uid, "it is no member of the group " + rules.group,
                     "add it to the group (adduser NAME " + rules.group + "), " + hint);
    }
  }
  if (!has(caller.gid)) {
    return Refused(caller.uid, "gid " + std::to_string(caller.gid) + " is none of its groups",
                   "submit with a group that the user database (getent group) gives to that user");
  }
  std::erase_if(caller.groups, [&has](std::uint32_t group) { return !has(group); });
  return caller;
}

}  // namespace benchd
