#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "client/outcome.h"
#include "client/unique_fd.h"

namespace benchd::client {

/// Where daemons listen. Tests put other places in.
struct SocketPlaces {
  std::string system_socket = "/run/benchd/benchd.sock";
  std::string runtime_dir;          ///< XDG_RUNTIME_DIR, empty = none
  std::string shared_dir = "/tmp";  ///< of the fallback benchd-UID/
  uid_t uid = 0;                    ///< whose user daemon
};

/// The usual patience with a socket.
inline constexpr std::chrono::milliseconds kConnectPatience{10'000};

/// The places of this process' user.
SocketPlaces DefaultPlaces();

/// The socket of the user's own daemon, whether or not it is there.
///
/// @errors (exit 5) the fallback directory exists and is not ours: a link, another owner, a mode
/// that
///         lets others in.
Outcome<std::string> UserSocket(const SocketPlaces& places);

/// Connects to a Unix socket (close-on-exec, non-blocking afterwards, as gRPC needs it).
///
/// @param patience  for a daemon that hangs: its backlog fills up, and connect(2) would wait for
///                  ever
/// @param error  errno of the failure, 0 on success
UniqueFd ConnectUnix(const std::string& path, std::chrono::milliseconds patience, int* error);

/// The group that may use a socket, for messages: the socket's own, else "benchd".
std::string SocketGroup(const std::string& path);

/// Who is at the other end must be root, the user benchd or ourselves: anybody else could listen in
/// /tmp and would get our environment.
///
/// @errors (exit 5) names the stranger.
Outcome<void> CheckPeer(int fd, uid_t own_uid);

}  // namespace benchd::client
