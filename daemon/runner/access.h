#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/caller.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Whom children may be, decided here and not by who asks: benchd talks to every user, and a benchd
/// that was taken over must not become root by naming root.
///
/// Made once by main() from the configuration, never changed.
struct AccessRules {
  /// False: everything is one user's (user mode), or we can be nobody else.
  bool hold = false;
  uid_t benchd = 0;  ///< who may connect
  bool allow_root = false;
  std::string group = "benchd";    ///< the control socket's
  std::vector<std::string> users;  ///< names or numbers
};

/// What can be said of `uid` without looking it up. @errors kPermissionDenied.
Result<void> CheckUid(const AccessRules& rules, uid_t uid);

/// `caller` as children may be it: with those of its groups that `record` has, too.
/// @errors kPermissionDenied: those of CheckUid(); neither a member of the group nor named; below
///         1000 (a system's own user) and not named; a gid that is none of its groups.
Result<Caller> AdmitCaller(const AccessRules& rules, const wire::UserRecord& record, Caller caller);

}  // namespace benchd
