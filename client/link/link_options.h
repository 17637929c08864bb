#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "client/link/login.h"

namespace benchd::client {

/// The places where daemons listen. Tests use other places.
struct SocketPlaces {
  std::string system_socket = "/run/benchd/benchd.sock";
  std::string runtime_dir;          ///< XDG_RUNTIME_DIR; empty: not set
  std::string shared_dir = "/tmp";  ///< parent of the fallback benchd-UID/
  uid_t uid = 0;                    ///< owner of the user daemon
};

/// The time limit for a socket to answer. After that time systemd restarts a daemon that hangs
/// (WatchdogSec= of benchd.service); on an emulated machine that another user flooded, an answer
/// took over 10 s.
inline constexpr std::chrono::milliseconds kConnectTimeout{30'000};

/// How a command finds its daemon.
struct LinkOptions {
  std::optional<SshTarget> host;                        ///< --host or BENCHD_HOST
  std::optional<std::string> socket;                    ///< --socket
  std::optional<std::string> environment_socket;        ///< BENCHD_SOCKET
  bool may_start = true;                                ///< false with --no-autostart
  std::chrono::milliseconds timeout = kConnectTimeout;  ///< to connect and for the first answer
  SocketPlaces places;
};

}  // namespace benchd::client
