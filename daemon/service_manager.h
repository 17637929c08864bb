#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace benchd {

// What a service and systemd say to each other: two variables and a datagram each way. libsystemd
// would bring the same, but no static archive on Debian 12.

/// The first descriptor that systemd hands over; SD_LISTEN_FDS_START of sd_listen_fds(3).
inline constexpr int kFirstPassedFd = 3;

/// How many listening sockets systemd has handed over to this process; 0 without systemd.
/// Source: sd_listen_fds(3).
int PassedSockets();

/// Keeps them from programs that this one starts, and forgets their number.
void TakePassedSockets();

/// Sends "READY=1" and its like; without systemd it does nothing. Source: sd_notify(3).
void NotifyServiceManager(std::string_view state);

/// Within which time systemd wants to hear "WATCHDOG=1"; absent when it does not.
/// Source: sd_watchdog_enabled(3).
std::optional<std::chrono::microseconds> WatchdogLimit();

}  // namespace benchd
