#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace benchd {

// The protocol between a service and systemd: two variables, and one datagram in each direction.
// libsystemd implements the same protocol, but Debian 12 has no static archive of it.

/// The first descriptor that systemd passes; SD_LISTEN_FDS_START of sd_listen_fds(3).
inline constexpr int kFirstPassedFd = 3;

/// Returns the number of listening sockets that systemd passed to this process; 0 without systemd.
/// Source: sd_listen_fds(3).
int PassedSockets();

/// Hides the passed sockets from programs that this process starts; PassedSockets() is 0
/// afterwards.
void TakePassedSockets();

/// Sends a state such as "READY=1"; does nothing without systemd. Source: sd_notify(3).
void NotifyServiceManager(std::string_view state);

/// Returns the interval within which systemd expects "WATCHDOG=1"; empty if it expects none.
/// Source: sd_watchdog_enabled(3).
std::optional<std::chrono::microseconds> WatchdogLimit();

}  // namespace benchd
