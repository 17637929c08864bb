#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/wire/messages.h"

// Lookups that need the caller's permissions or the machine's user database.

namespace benchd {

/// Finds a command as execvp would and returns the identity of its file, with the permissions of
/// this process, which runs as the caller.
///
/// A name with a slash is relative to `cwd`. Other names are searched in `path`, whose empty or
/// relative parts are also relative to `cwd`; an empty `path` means "/bin:/usr/bin". Symbolic links
/// are kept in the path, because a program may look at the name by which it was called. The digest
/// of a program that is executable but not readable is all zero.
/// @errors kNotFound, kPermissionDenied "command 'NAME': ..."; a `cwd` that cannot be entered.
Result<ProgramIdentity> ResolveCommand(const std::string& program, const std::string& path,
                                       const std::string& cwd);

/// Returns the entries of `uid`, and of the group that may open the control socket, in the
/// machine's user database.
///
/// Calls getent(1), because this program and the runner are static, and the sources of the name
/// service (sss, ldap, systemd) are shared libraries.
/// @errors if the database does not answer.
Result<wire::UserRecord> LookUpUser(uid_t uid, const std::string& socket_group);

/// Reads a line of `getent passwd` into `record`. @errors if it is not the line of `uid`.
Result<void> TakePasswdLine(std::string_view line, uid_t uid, wire::UserRecord& record);

/// Returns the gids in a line of `getent initgroups`, after the name. @errors for an invalid gid.
Result<std::vector<std::uint32_t>> ParseInitgroups(std::string_view line, std::string_view name);

}  // namespace benchd
