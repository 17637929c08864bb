#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"

namespace benchd::rpc {

/// Returns the pid, uid and gid of the peer of a connected Unix socket, from SO_PEERCRED.
/// @errors kPermissionDenied if the kernel does not report the peer
Result<ucred> ReadCredentials(int socket);

/// Identifies the peer of a connected Unix socket, as the kernel recorded it at connect().
///
/// uid, gid and pid come from SO_PEERCRED, groups from SO_PEERGROUPS, umask and limits from
/// /proc/PID. Umask and limits are both absent if the process has exited or does not belong to that
/// uid (one that is not dumpable belongs to root). Does not block.
/// @errors kPermissionDenied if the kernel does not report the peer
Result<Caller> ReadPeer(int socket);

/// Parses the octal value of the line "Umask:" of /proc/PID/status.
std::optional<std::uint32_t> ParseUmask(std::string_view status);

/// Parses the limits of /proc/PID/limits that this system knows, in the file's order. Skips lines
/// that cannot be parsed.
std::vector<ResourceLimit> ParseLimits(std::string_view limits);

}  // namespace benchd::rpc
