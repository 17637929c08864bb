#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace benchd {

/// What one user may take of the machine; nothing set: all of it. Admins are not limited.
struct UserLimits {
  std::optional<std::uint64_t> queued;       ///< sessions that wait; more are refused
  std::optional<Nanoseconds> running_a_day;  ///< within the last 24 hours; then their sessions wait
  bool operator==(const UserLimits&) const = default;
};

}  // namespace benchd
