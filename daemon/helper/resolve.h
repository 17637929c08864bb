#pragma once

#include <string>

#include "core/base/result.h"
#include "core/model/child.h"

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

}  // namespace benchd
