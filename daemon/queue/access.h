#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The users who may do more than manage their own sessions.
struct AccessPolicy {
  bool allow_root = false;  ///< whether uid 0 may submit sessions
  /// User mode: everything belongs to one user, who may do everything.
  bool single_user = false;
  std::optional<std::uint32_t> admin_gid;  ///< members may do everything, as root always may
  std::optional<std::uint32_t> push_gid;   ///< of benchd-push; may read the summaries of all users
};

/// Returns whether the caller is root or in the admin group. In user mode every caller is an admin.
bool IsAdmin(const AccessPolicy& policy, const Caller& caller);

/// Returns whether the caller may watch, show, export and cancel sessions of `owner`: the owner
/// itself and admins may.
bool MayUse(const AccessPolicy& policy, const Caller& caller, std::uint32_t owner);

/// Checks that a caller who raises a priority is an admin, whatever the priority is now.
/// @errors kPermissionDenied.
Result<void> CheckMayPrioritise(const AccessPolicy& policy, const Caller& caller, std::int32_t from,
                                std::int32_t to);

/// Checks whether the caller of `spec` may submit it.
/// @errors kPermissionDenied: uid 0 without allow_root; a raised priority or an omitted setting of
/// the machine profile, if the caller is not an admin; a caller whose resource limits are unknown,
/// except in user mode, where they are the same as benchd's.
Result<void> CheckMaySubmit(const AccessPolicy& policy, const SessionSpec& spec);

/// Checks that only admins perform `action`. @errors kPermissionDenied, naming the action.
Result<void> CheckMayAdminister(const AccessPolicy& policy, const Caller& caller,
                                std::string_view action);

/// Checks whether the caller may read the summaries of all users. @errors kPermissionDenied.
Result<void> CheckMayReadAll(const AccessPolicy& policy, const Caller& caller);

}  // namespace benchd
