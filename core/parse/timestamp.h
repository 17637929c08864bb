#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"

namespace benchd {

/// Reads all of `text` as one moment of RFC 3339, such as "2026-03-01T12:00:00.5Z" or
/// "2026-03-01 13:00:00+01:00": what FormatRfc3339() and the exports print, and what other tools
/// do. Digits beyond nanoseconds are cut off; a leap second is the first second of the next minute.
/// Pure; any thread.
///
/// @errors kInvalidArgument "'yesterday' is not a time", also for a date that no calendar has and
///         for one outside 1678..2261, which a Timestamp cannot hold.
Result<Timestamp> ParseRfc3339(std::string_view text);

}  // namespace benchd
