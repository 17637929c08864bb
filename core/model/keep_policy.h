#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace benchd {

/// How long ended sessions are kept; nothing set: for ever. Sessions that have not ended are never
/// deleted, nor is the one that ended last.
struct KeepPolicy {
  std::optional<Nanoseconds> age;               ///< since the end
  std::optional<std::uint64_t> bytes;           ///< of all sessions together
  std::optional<std::uint64_t> bytes_per_user;  ///< of the sessions of one uid
  bool operator==(const KeepPolicy&) const = default;
};

}  // namespace benchd
