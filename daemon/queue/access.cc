#include "daemon/queue/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace benchd {
namespace {

bool IsMember(const Caller& caller, std::optional<std::uint32_t> gid) {
  return gid && (caller.gid == *gid || std::find(caller.groups.begin(), caller.groups.end(),
                                                 *gid) != caller.groups.end());
}

}  // namespace

bool IsAdmin(const AccessPolicy& policy, const Caller& caller) {
  return policy.single_user || caller.uid == 0 || IsMember(caller, policy.admin_gid);
}

bool MayUse(const AccessPolicy& policy, const Caller& caller, std::uint32_t owner) {
  return caller.uid == owner || IsAdmin(policy, caller);
}

Result<void> CheckMayPrioritise(const AccessPolicy& policy, const Caller& caller, std::int32_t from,
                                std::int32_t to) {
  if (to <= from || IsAdmin(policy, caller)) return {};
  return Error{ErrorCode::kPermissionDenied, "priority: only admins may raise it",
               "ask a member of the admin group, or keep the present priority"};
}

Result<void> CheckMaySubmit(const AccessPolicy& policy, const SessionSpec& spec) {
  if (spec.caller.uid == 0 && !policy.single_user && !policy.allow_root) {
    return Error{ErrorCode::kPermissionDenied,
                 "submit: benchd is configured not to run benchmarks as root",
                 "submit as an ordinary user, or set allow_root = true under [access] in "
                 "benchd.toml"};
  }
  if (!policy.single_user && spec.caller.limits.empty()) {
    return Error{ErrorCode::kPermissionDenied,
                 fmt::format("submit: cannot read the resource limits and umask of process {}; "
                             "benchmarks would run with those of the service",
                             spec.caller.pid),
                 "the connecting process must still exist and must not be set-user-ID or have file "
                 "capabilities, and /proc must be mounted without hidepid"};
  }
  if (!spec.settings_off.empty() && !IsAdmin(policy, spec.caller)) {
    return Error{ErrorCode::kPermissionDenied,
                 "settings_off: only admins may omit settings of the machine profile",
                 "ask a member of the admin group"};
  }
  return CheckMayPrioritise(policy, spec.caller, 0, spec.priority);
}

Result<void> CheckMayAdminister(const AccessPolicy& policy, const Caller& caller,
                                std::string_view action) {
  if (IsAdmin(policy, caller)) return {};
  return Error{ErrorCode::kPermissionDenied, std::string(action) + ": only admins may do this",
               "ask a member of the admin group"};
}

Result<void> CheckMayReadAll(const AccessPolicy& policy, const Caller& caller) {
  if (IsMember(caller, policy.push_gid) || IsAdmin(policy, caller)) return {};
  return Error{ErrorCode::kPermissionDenied,
               "history: only admins may read the history of all users",
               "omit --all, or ask a member of the admin group"};
}

}  // namespace benchd
