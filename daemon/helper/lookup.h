#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/wire/messages.h"

// What only the caller may look up, or only the machine's user database knows.

namespace benchd {

/// Finds a command as execvp would and takes the identity of its file, with the rights of this
/// process: it runs as the caller.
///
/// A name with a slash is taken relative to `cwd`; others are looked for in `path`, whose empty or
/// relative parts count from `cwd`, too; an empty `path` is "/bin:/usr/bin". Symbolic links stay in
/// the path (a program may look at the name it was called by). The digest of a program that may be
/// executed but not read is all zero.
/// @errors kNotFound, kPermissionDenied "command 'NAME': ..."; a `cwd` that cannot be entered.
Result<ProgramIdentity> ResolveCommand(const std::string& program, const std::string& path,
                                       const std::string& cwd);

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

}  // namespace benchd
