#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd {

using Nanoseconds = std::chrono::nanoseconds;
/// Calendar time (UTC) in nanoseconds. Used for records, never for measuring.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, Nanoseconds>;
/// Monotonic time in nanoseconds. Used for measuring; it is meaningless after a reboot.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Nanoseconds>;

/// Converts `duration` to seconds.
inline double Seconds(Nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Formats a time as RFC 3339 in UTC with nanoseconds: "2026-03-01T12:00:00.000000000Z".
std::string FormatRfc3339(Timestamp time);

/// Parses all of `text` as an RFC 3339 time, as FormatRfc3339(), the exports and other tools print
/// it: "2026-03-01T12:00:00.5Z" or "2026-03-01 13:00:00+01:00". Digits beyond nanoseconds are
/// truncated. A leap second is read as the first second of the next minute. Pure; callable from any
/// thread.
///
/// @errors kInvalidArgument "'yesterday' is not a time", also for a date that does not exist and
///         for a year outside 1678..2261, which a Timestamp cannot hold.
Result<Timestamp> ParseRfc3339(std::string_view text);

}  // namespace benchd
