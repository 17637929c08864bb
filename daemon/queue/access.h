#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Who may do more than look after their own sessions.
struct AccessPolicy {
  bool allow_root = false;  ///< may uid 0 run children?
  /// user mode: everything belongs to one user, who may do all.
  bool single_user = false;
  std::optional<std::uint32_t> admin_gid;  ///< members may do all; root always may
  std::optional<std::uint32_t> push_gid;   ///< benchd-push's: may read everybody's summaries
};

/// Root, members of the admin group, and in user mode everybody.
bool IsAdmin(const AccessPolicy& policy, const Caller& caller);

/// Watch, show, export, cancel: the owner and admins.
bool MayUse(const AccessPolicy& policy, const Caller& caller, const Caller& owner);

/// Raising a priority is for admins, from whatever it is. @errors kPermissionDenied.
Result<void> CheckMayPrioritise(const AccessPolicy& policy, const Caller& caller, std::int32_t from,
                                std::int32_t to);

/// @errors kPermissionDenied: uid 0 without allow_root; a raised priority or a setting of
///         the machine profile left out without being admin; a caller whose limits are unknown,
///         except in user mode, where benchd's own are theirs.
Result<void> CheckMaySubmit(const AccessPolicy& policy, const SessionSpec& spec);

/// @errors kPermissionDenied naming what was asked.
Result<void> CheckMayAdminister(const AccessPolicy& policy, const Caller& caller,
                                std::string_view action);

/// Everybody's summaries. @errors kPermissionDenied.
Result<void> CheckMayReadAll(const AccessPolicy& policy, const Caller& caller);

}  // namespace benchd
