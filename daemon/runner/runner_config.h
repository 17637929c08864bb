#pragma once

#include <sys/types.h>

#include <string>

#include "core/base/result.h"
#include "daemon/launch/host.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Reads the runner's part of the configuration through a short-lived benchd-helper. A TOML parser
/// in this process would increase its memory use, which is the floor of every child's max_rss.
///
/// An empty `path` means the default file, which may be missing. If the runner is root, the file
/// must be owned by root and must not be writable by any other user.
/// @errors kNotFound, kPermissionDenied, kInvalidArgument, with the file's name, line and key.
Result<RunnerConfig> LoadRunnerConfig(const Host& host, const std::string& path);

/// Returns the uid of a user in the configuration, which is a number or a name in /etc/passwd (the
/// only source available to a static program).
/// @errors kNotFound.
Result<uid_t> UidOf(const std::string& user);

}  // namespace benchd
