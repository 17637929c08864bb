#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/caller.h"

namespace benchd::rpc {

/// Who is at the other end of a connected Unix socket, as the kernel recorded it at connect().
///
/// uid, gid and pid by SO_PEERCRED, groups by SO_PEERGROUPS; umask and limits from /proc/PID, all
/// of them or none: none where that process has gone or does not belong to that uid (one that is
/// not dumpable belongs to root). Does not block.
/// @errors kPermissionDenied when the kernel does not tell.
Result<Caller> ReadPeer(int socket);

/// The octal value of the line "Umask:" of /proc/PID/status.
std::optional<std::uint32_t> ParseUmask(std::string_view status);

/// The limits of /proc/PID/limits that this system knows, in the file's order; a line that cannot
/// be read is left out.
std::vector<ResourceLimit> ParseLimits(std::string_view limits);

}  // namespace benchd::rpc
