#pragma once

#include <chrono>
#include <string>

namespace benchd {

using Nanoseconds = std::chrono::nanoseconds;
/// A moment as people name it (UTC), to the nanosecond; for records, never for measuring.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, Nanoseconds>;
/// A moment on the clock that never jumps; for measuring, meaningless after a reboot.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Nanoseconds>;

/// `duration` in seconds as a double.
inline double Seconds(Nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// RFC 3339 in UTC with nanoseconds: "2026-03-01T12:00:00.000000000Z".
std::string FormatRfc3339(Timestamp time);

}  // namespace benchd
