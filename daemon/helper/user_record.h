#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// What the machine's user database says of `uid`, and of the group that may open the control
/// socket.
///
/// Asks getent(1): this program and the runner are static, and the sources of the name service
/// (sss, ldap, systemd) are shared libraries. @errors when the database does not answer.
Result<wire::UserRecord> LookUpUser(uid_t uid, const std::string& socket_group);

/// Takes a line of `getent passwd` into `record`. @errors when it is none of `uid`.
Result<void> TakePasswdLine(std::string_view line, uid_t uid, wire::UserRecord& record);

/// The numbers of a line of `getent initgroups`, after the name. @errors when one is no number.
Result<std::vector<std::uint32_t>> ParseInitgroups(std::string_view line, std::string_view name);

/// The number in a line of `getent group`. @errors when there is none.
Result<std::uint32_t> ParseGroupLine(std::string_view line);

}  // namespace benchd
