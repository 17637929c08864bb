#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace benchd {

/// Listens at `path` (SOCK_SEQPACKET, mode 0600, owned by `owner`). A socket that a dead runner
/// left there is replaced; anything else there is an error.
/// @errors kAlreadyExists when somebody listens there, or another kind of file is in the way.
Result<UniqueFd> ListenAt(const std::string& path, uid_t owner);

/// The listening socket that systemd handed over (sd_listen_fds(3)), or an empty one.
/// @errors kInvalidArgument when it is of another kind.
Result<UniqueFd> AdoptSystemdSocket();

/// The connected socket that "fd:N" names.
/// @errors kInvalidArgument when N is no SOCK_SEQPACKET socket of the Unix family.
Result<UniqueFd> AdoptConnection(std::string_view name);

/// Tells systemd `state`, such as "READY=1" (sd_notify(3)); nothing happens where nobody listens.
void NotifySystemd(std::string_view state);

/// How often systemd's watchdog is to be told that we live; 0 where there is none. Half of what it
/// waits, as sd_watchdog_enabled(3) advises.
std::int64_t WatchdogIntervalNs();

}  // namespace benchd
