#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace benchd {

// The protocol between a service and systemd: two variables, and one datagram in each direction.
// libsystemd implements the same, but has no static archive on Debian 12.

/// The first descriptor that systemd passes; SD_LISTEN_FDS_START of sd_listen_fds(3).
inline constexpr int kFirstPassedFd = 3;

/// Number of listening sockets that systemd passed to this process; 0 without systemd.
/// Source: sd_listen_fds(3).
int PassedSockets();

/// Hides them from programs that this process starts, and clears their number.
void TakePassedSockets();

/// Sends a state such as "READY=1"; does nothing without systemd. Source: sd_notify(3).
void NotifyServiceManager(std::string_view state);

/// The interval within which systemd expects "WATCHDOG=1"; absent if it expects none.
/// Source: sd_watchdog_enabled(3).
std::optional<std::chrono::microseconds> WatchdogLimit();

}  // namespace benchd
