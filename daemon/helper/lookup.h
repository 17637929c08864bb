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

/// Finds a command as execvp would and returns the identity of its file. Uses the permissions of
/// this process, which runs as the caller.
///
/// A name with a slash is relative to `cwd`. Other names are looked up in `path`. Empty or relative
/// parts of `path` are also relative to `cwd`, and an empty `path` means "/bin:/usr/bin". Symbolic
/// links in the path are not resolved, because a program may depend on the name by which it is
/// called. The digest is all zeros if the program is executable but not readable.
/// @errors kNotFound and kPermissionDenied "command 'NAME': ..."; those of chdir() to `cwd`.
Result<ProgramIdentity> ResolveCommand(const std::string& program, const std::string& path,
                                       const std::string& cwd);

/// Looks up `uid`, and the group that may open the control socket, in the machine's user database.
///
/// Calls getent(1), because this program and the runner are linked statically, but the sources of
/// the name service (sss, ldap, systemd) are shared libraries.
/// @errors if the database does not answer.
Result<wire::UserRecord> LookUpUser(uid_t uid, const std::string& socket_group);

/// Reads a line of `getent passwd` into `record`.
/// @errors if the line is invalid or belongs to another uid.
Result<void> TakePasswdLine(std::string_view line, uid_t uid, wire::UserRecord& record);

/// Returns the gids in a line of `getent initgroups`, which begins with `name`.
/// @errors if the line does not begin with `name` or contains an invalid gid.
Result<std::vector<std::uint32_t>> ParseInitgroups(std::string_view line, std::string_view name);

}  // namespace benchd
